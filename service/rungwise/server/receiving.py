"""Calls whose request has not arrived: a thread waits for each, so that none may take for ever."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import grpc


class ReceiveWatch:
    """Cancels calls that are still waited for after a while. One thread; `start` it, and `stop` it."""

    def __init__(self, seconds: float) -> None:
        """Let a call take `seconds`, and up to a quarter more."""
        self._seconds = seconds
        self._waiting: dict[grpc.ServicerContext, float] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="receive-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stopped.set()

    def receive(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> bytes | None:
        """Return the call's first message; None if it ends without one. Raises grpc.RpcError when it is cancelled."""
        with self.waiting(context):
            return next(requests, None)

    @contextmanager
    def waiting(self, context: grpc.ServicerContext) -> Iterator[None]:
        """Watch the call while the block runs."""
        with self._lock:
            self._waiting[context] = time.monotonic() + self._seconds
        try:
            yield
        finally:
            with self._lock:
                del self._waiting[context]

    def _run(self) -> None:
        while not self._stopped.wait(min(self._seconds / 4, 1.0)):
            now = time.monotonic()
            with self._lock:
                overdue = [context for context, end in self._waiting.items() if end <= now]
            for context in overdue:
                context.cancel()
