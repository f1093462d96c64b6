"""Rows in columns, wrapped and never cut off.

`rich.table` does more, takes several times as long, and breaks Chinese only at spaces.
"""

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from shutil import get_terminal_size

from rich.cells import cell_len
from rich.text import Text
from rungwise.cli.output import printable, write

PIPED_WIDTH = 100
"""Columns when standard output is no terminal and COLUMNS does not say."""
_NARROWEST = 2
"""A Chinese character takes two columns."""
_NEVER_FIRST = "，。、：；！？）】》”’"
"""A line does not begin with these."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of cells, under headers if it has any. The columns `numbers` are aligned right."""

    rows: Sequence[Sequence[Text]]
    headers: Sequence[Text] = ()
    numbers: tuple[int, ...] = ()
    indent: int = 0
    gap: int = 2

    def lines(self, width: int) -> Iterator[Text]:
        """Yield the lines, no wider than `width` unless that is narrower than the columns can be."""
        widths = self._widths(width)
        if self.headers:
            yield from self._row(self.headers, widths)
            yield from self._row([Text("-" * width) for width in widths], widths)
        for row in self.rows:
            yield from self._row(row, widths)

    def _widths(self, width: int) -> list[int]:
        """Give each column what its cells need; what is too much is taken from the widest."""
        rows = [*self.rows, self.headers] if self.headers else self.rows
        widths = [
            max(cell_len(line) for cell in column for line in cell.plain.split("\n"))
            for column in zip(*rows, strict=True)
        ]
        available = width - self.indent - self.gap * (len(widths) - 1)
        narrowest = sum(min(column, _NARROWEST) for column in widths)
        while sum(widths) > max(available, narrowest):
            widths[widths.index(max(widths))] -= 1
        return widths

    def _row(self, row: Sequence[Text], widths: Sequence[int]) -> Iterator[Text]:
        cells = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells))):
            line = Text(" " * self.indent)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
                part = cell[number] if number < len(cell) else Text()
                space = " " * (width - cell_len(part.plain))
                line.append(space if column in self.numbers else "")
                line.append_text(part)
                line.append(" " * self.gap if column in self.numbers else space + " " * self.gap)
            line.rstrip()
            yield line


def show(blocks: Iterable[Block]) -> None:
    """Print on standard output: wrapped to its width, coloured only on a terminal."""
    width = get_terminal_size((PIPED_WIDTH, 0)).columns
    lines = [line for block in blocks for line in block.lines(width)]
    if sys.stdout is None or not sys.stdout.isatty():
        write("".join(f"{line.plain}\n" for line in lines))
        return
    from rich.console import Console

    page = _Page()
    Console(file=page, highlight=False).print(Text("\n").join(lines), soft_wrap=True)
    write(page.getvalue())


def words(text: str, style: str = "") -> Text:
    """Make a cell of what came from elsewhere: shown as it is, never obeyed by the terminal."""
    return Text(printable(text), style=style)


def grid(
    headers: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    numbers: tuple[int, ...] = (),
    indent: int = 0,
) -> Block:
    """Make a table."""
    cells = [[words(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    return Block(cells, [Text(header, style="bold") for header in headers], numbers, indent)


def pairs(named: Iterable[tuple[str, str]], indent: int = 0) -> Block:
    """Make two columns of names and values."""
    return Block([(words(name), words(value)) for name, value in named], indent=indent)


class _Page(io.StringIO):
    """Keeps what rich prints, and looks like standard output to it: rich itself ends the process when a write fails."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.stdout.encoding

    def isatty(self) -> bool:
        return True


def _wrapped(cell: Text, width: int) -> list[Text]:
    if "\n" not in cell.plain and cell_len(cell.plain) <= width:
        return [cell]
    pieces = [
        piece
        for line in cell.split("\n", allow_blank=True)
        for piece in line.divide(_breaks(line.plain, width))
    ]
    for piece in pieces:
        piece.rstrip()
    return pieces


def _breaks(line: str, width: int) -> list[int]:
    """Find where lines of at most `width` columns begin: after a space, beside a Chinese character, else anywhere."""
    breaks: list[int] = []
    start = chance = 0
    for index, character in enumerate(line):
        if character == " ":
            continue
        before = line[index - 1 : index]
        if (
            before == " " or cell_len(before) == 2 or cell_len(character) == 2
        ) and character not in _NEVER_FIRST:
            chance = index
        if cell_len(line[start : index + 1]) > width and index > start:
            start = chance if chance > start else index
            breaks.append(start)
    return breaks
