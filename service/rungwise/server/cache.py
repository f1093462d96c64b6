"""Answers that were given before, by what decided them."""

import threading
from collections import OrderedDict


class ResponseCache:
    """Keeps the most recently used answers; thread-safe, bounded in number and in bytes.

    Keys and answers are serialized messages, and both count. One answer larger than all bytes is not kept.
    """

    def __init__(self, entries: int, most_bytes: int) -> None:
        """Keep at most `entries` answers and `most_bytes` bytes."""
        self._entries = entries
        self._most_bytes = most_bytes
        self._bytes = 0
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> bytes | None:
        """Return the answer, or None."""
        with self._lock:
            answer = self._answers.get(key)
            if answer is not None:
                self._answers.move_to_end(key)
            return answer

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer; those that were not used for longest make room."""
        size = len(key) + len(answer)
        if size > self._most_bytes or not self._entries:
            return
        with self._lock:
            replaced = self._answers.pop(key, None)
            if replaced is not None:
                self._bytes -= len(key) + len(replaced)
            self._answers[key] = answer
            self._bytes += size
            while len(self._answers) > self._entries or self._bytes > self._most_bytes:
                oldest, dropped = self._answers.popitem(last=False)
                self._bytes -= len(oldest) + len(dropped)

    def __len__(self) -> int:
        return len(self._answers)
