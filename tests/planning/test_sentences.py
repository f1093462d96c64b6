"""Every sentence that the planner says exists, and is given the fields that it names."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from rungwise.engine.documents import Documents

PLANNING = Path(__file__).parents[2] / "service" / "rungwise" / "planning"
FIRST_ARGUMENT_IS_A_SENTENCE = {"say", "text"}


def said() -> Iterator[tuple[str, str, set[str] | None]]:
    """Yield place, id and given fields of each call with a literal id; None where fields come by `**`."""
    for path in sorted(PLANNING.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in FIRST_ARGUMENT_IS_A_SENTENCE and isinstance(node.args[0].value, str):
                given = {keyword.arg for keyword in node.keywords}
                fields = None if None in given else {field for field in given if field}
                yield f"{path.name}:{node.lineno}", node.args[0].value, fields


SAID = list(said())


def named(template: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(template) if field}


def test_the_calls_are_found() -> None:
    assert len(SAID) > 20


@pytest.mark.parametrize(("place", "key", "fields"), SAID, ids=[f"{place} {key}" for place, key, _ in SAID])
def test_a_sentence_exists_and_gets_its_fields(
    documents: Documents, place: str, key: str, fields: set[str] | None
) -> None:
    templates = documents.files["messages.yaml"]["messages"]
    assert key in templates, place
    if fields is not None:
        for locale, template in templates[key].items():
            assert named(template) <= fields, (place, locale)
