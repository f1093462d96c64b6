"""Reading a config.json from disk, for the command line: bounded, and never hanging on what is no file."""

import os
import stat
from pathlib import Path
from typing import NoReturn

from rungwise.catalog.names import shown
from rungwise.domain.errors import FieldViolation, InvalidRequest

LARGEST_BYTES = 1_048_576
"""A config.json is a few KiB; a larger file is something else and is not read."""

_FIELD = "model"
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


def read_config_file(path: str) -> str:
    """Read the text of a config.json, given by its path or by its folder's. `~` and symlinks are followed.

    Raises InvalidRequest (field `model`) when there is no such file, or it is not a regular file, not
    readable, empty, larger than 1 MiB or not UTF-8.
    """
    try:
        place = Path(path).expanduser()
        status = place.stat()
        if stat.S_ISDIR(status.st_mode):
            place = place / "config.json"
            status = place.stat()
        _refuse_unless_small_file(place, status)
        content = _read(place)
    except FileNotFoundError:
        _refuse(
            f"there is no file {_quoted(place)}",
            "give the path of a config.json or of the folder that holds it",
        )
    except PermissionError:
        _refuse(f"no permission to read {_quoted(place)}", "make it readable, or copy it")
    except (
        OSError,
        ValueError,
        RuntimeError,
    ) as error:  # a loop of symlinks, a NUL in the path, no home folder
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _refuse(f"cannot read {_quoted(path)}: {shown(reason)}", "give the path of a config.json")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(f"{_quoted(place)} is not UTF-8: byte {error.start} is invalid", "save it as UTF-8")
    if not text.strip():
        _refuse(f"{_quoted(place)} is empty", "download the model's config.json again")
    return text


def _read(place: Path) -> bytes:
    """Read without waiting: since it was checked, the file may have been exchanged for a pipe."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        _refuse_unless_small_file(place, os.fstat(descriptor))
        content = file.read(LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:  # it grew meanwhile
        _refuse_size(place, len(content))
    return content


def _refuse_unless_small_file(place: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for test, name in _KINDS if test(status.st_mode)), "not a regular file")
        _refuse(f"{_quoted(place)} is {kind}", "give a regular file")
    if status.st_size > LARGEST_BYTES:
        _refuse_size(place, status.st_size)


def _refuse_size(place: Path, size: int) -> NoReturn:
    _refuse(
        f"{_quoted(place)} has {size} bytes or more; a config.json of more than {LARGEST_BYTES} is not read",
        "give the model's config.json, not its weights or tokenizer",
    )


def _refuse(description: str, suggestion: str) -> NoReturn:
    raise InvalidRequest([FieldViolation(_FIELD, description, suggestion)]) from None


def _quoted(path: str | Path) -> str:
    return f"'{shown(str(path), characters=300)}'"
