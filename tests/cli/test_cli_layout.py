"""Text from elsewhere in columns: all of it arrives, and none of it is obeyed."""

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rungwise.cli.layout import Block, words
from rungwise.cli.output import printable

TEXTS = st.text(max_size=60) | st.text(alphabet="ab 显存\n\x1b\u202e", max_size=60)
ROWS = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n), min_size=1, max_size=4)
)


def visible(text: str) -> str:
    return "".join(text.split())


@given(TEXTS)
def test_printable_text_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    shown = printable(text)
    assert all(c == "\n" or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in shown)
    assert printable(shown) == shown


@given(ROWS, st.integers(12, 120), st.integers(0, 2), st.booleans())
@example([["", "", "", "00000000"]], 12, 2, False)
def test_columns_keep_their_width_and_lose_nothing(
    rows: list[list[str]], width: int, indent: int, numbers: bool
) -> None:
    cells = [[words(text) for text in row] for row in rows]
    block = Block(cells, numbers=(0,) if numbers else (), indent=indent, gap=1)
    lines = [line.plain for line in block.lines(width)]
    assert max(map(cell_len, lines)) <= width
    assert sorted(visible("".join(lines))) == sorted(
        visible("".join(cell.plain for row in cells for cell in row))
    )


@given(TEXTS, st.integers(2, 40))
def test_one_column_keeps_the_order(text: str, width: int) -> None:
    cell = words(text)
    lines = [line.plain for line in Block([[cell]]).lines(width)]
    assert visible("".join(lines)) == visible(cell.plain)
