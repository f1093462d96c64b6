"""Many requests, one a line, answered one a line and in order."""

import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from rungwise.cli.failure import BAD_INPUT, Failure, failure_of, usage
from rungwise.cli.output import write_json
from rungwise.domain.errors import FieldViolation

LONGEST_LINE = 2 * 1024 * 1024
"""In bytes, without the line break."""
_PIECE = 65_536


def answer_lines(lines: IO[bytes], answer: Callable[[bytes], str]) -> int:
    """Print `answer` of every line that is not blank; a failure is an object with the number of its line.

    Returns 0, or 2 if a line failed. Each answer is out before the next line is read.
    """
    exit_code = 0
    for number, line in _numbered(lines):
        try:
            if line is None:
                raise _too_long()
            printed = answer(line)
        except Exception as error:  # one faulty line must not cost the others their answers
            printed = json.dumps({**failure_of(error).as_object(), "line": number})
            exit_code = BAD_INPUT
        write_json(printed)
    return exit_code


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file of requests; `-` is standard input. Raises a usage failure if that cannot be done."""
    if path == "-":
        if sys.stdin is None:
            raise usage("--requests", "standard input is closed")
        yield sys.stdin.buffer
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 a fault of the body must not pass for one of opening
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise usage("--requests", f"cannot read {path[:200]!r}: {reason}") from error
    with file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty() and path != os.devnull:
            raise usage("--requests", f"{path[:200]!r} is a device")
        yield file


def _numbered(lines: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines that are not blank with their numbers from 1; None for one that is too long to be kept."""
    number = 0
    while piece := lines.readline(LONGEST_LINE + 1):
        number += 1
        if len(piece) > LONGEST_LINE and not piece.endswith(b"\n"):
            while piece and not piece.endswith(b"\n"):
                piece = lines.readline(_PIECE)
            yield number, None
        elif piece.strip():
            yield number, piece.removesuffix(b"\n")


def _too_long() -> Failure:
    description = f"the line has more than {LONGEST_LINE} bytes"
    return Failure(
        "INVALID_ARGUMENT",
        "INVALID_REQUEST",
        description,
        BAD_INPUT,
        [FieldViolation("", description, "send one request a line")],
    )
