"""How lists are printed."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from rungwise.cli.output import write, write_json


class ListOutput(StrEnum):
    """A list as a table, or as JSON."""

    TABLE = "table"
    JSON = "json"


class Language(StrEnum):
    """Languages of the rulebook."""

    EN = "en"
    ZH = "zh"


def print_json(value: Any) -> None:
    """Print plain values as JSON."""
    write_json(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]], numbers: tuple[int, ...] = ()) -> None:
    """Print rows under headers; the columns `numbers` are aligned right."""
    from rungwise.cli.layout import grid, show

    show([grid(headers, rows, numbers)])


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they are."""
    write("".join(f"{line}\n" for line in lines))
