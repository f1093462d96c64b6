"""Writing to standard output, whatever it is connected to and whatever it can encode."""

import io
import json
import os
import re
import sys
import unicodedata

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class OutputLost(Exception):
    """Standard output took no more: a full disk, not a reader that left."""


class ReaderLeft(Exception):
    """Whoever read standard output closed it; no error, as for any program in a pipe.

    Not the BrokenPipeError itself, which typer would end the process for.
    """


def prepare_stdout() -> None:
    """Let characters that standard output cannot encode become `?` instead of an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def write(text: str) -> None:
    """Write and flush. Raises ReaderLeft when the reader left, OutputLost on any other failure.

    A standard output that was closed before the start takes everything and keeps nothing.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise ReaderLeft from error
    except OSError as error:
        raise OutputLost(error.strerror or str(error)) from error


def write_json(text: str) -> None:
    """Write JSON and a newline; what standard output cannot encode is escaped, so that it stays JSON."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = _NOT_ASCII.sub(lambda found: json.dumps(found.group())[1:-1], text)
    write(text + "\n")


def abandon_stdout() -> None:
    """Send what is still buffered nowhere, so that leaving the process does not fail on it again."""
    if sys.stdout is None:
        return
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def printable(text: str) -> str:
    """Escape what a terminal would obey or hide instead of show; line breaks stay."""
    return "".join(
        character
        if character == "\n" or unicodedata.category(character) not in _INVISIBLE
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
