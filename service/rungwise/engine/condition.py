"""One comparison of a rule: a field with a literal, or with another field of the same fact."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rungwise.engine.facts import NAME, SAFE_STRING, Fact, FactField, Value
from rungwise.engine.strict_yaml import MAX_INT

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_SHAPE = re.compile(r"(\S+?)\s*(==|!=|<=|>=|<|>)\s*(\S.*)")
_MAX_LENGTH = 300
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Condition:
    """`field op value`, or `field op other` if `other` is not None."""

    field: str
    op: str
    value: Value | None
    other: str | None

    def holds(self, fact: Fact) -> bool:
        """Compare; raises KeyError if the fact lacks a field."""
        right = self.value if self.other is None else fact[self.other]
        return OPERATORS[self.op](fact[self.field], right)

    def __str__(self) -> str:
        if self.other is not None:
            right = self.other
        elif isinstance(self.value, bool):
            right = "true" if self.value else "false"
        elif isinstance(self.value, str):
            right = f"'{self.value}'"
        else:
            right = str(self.value)
        return f"{self.field} {self.op} {right}"


def parse_condition(text: str, fields: Mapping[str, FactField]) -> Condition:
    """Read `field op literal` or `field op field`, and check it against the stage's fields.

    Raises ValueError with a message that says what is wrong and what would be right.
    """
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"a condition is at most {_MAX_LENGTH} characters long, not {len(text)}")
    shape = _SHAPE.fullmatch(text.strip())
    if shape is None:
        raise ValueError(f"{text!r} is not `field op value` with op one of {' '.join(OPERATORS)}")
    name, op, right = shape.groups()
    left = _known(name, fields)
    if left.type != "int" and op not in ("==", "!="):
        raise ValueError(f"{name} is {left.type}: it can be compared with == and != only, not {op}")
    if right[0] == "'":
        return Condition(name, op, _string(right, left), None)
    if right in ("true", "false"):
        _expect(left, "bool", right)
        return Condition(name, op, right == "true", None)
    if _INT.fullmatch(right):
        _expect(left, "int", right)
        if abs(int(right)) > MAX_INT:
            raise ValueError(f"{right} is beyond 2^53-1")
        return Condition(name, op, int(right), None)
    if not NAME.fullmatch(right):
        way_out = {
            "int": "a whole number without separators or fraction",
            "bool": "true or false",
            "str": "a string in single quotes",
        }
        raise ValueError(f"{right!r} is neither a field nor {way_out[left.type]}")
    if right not in fields and left.type == "str" and (left.values is None or right in left.values):
        raise ValueError(f"{right} is not a field; a string is written in quotes: '{right}'")
    other = _known(right, fields)
    if right == name:
        raise ValueError(f"{name} is compared with itself")
    if other.type != left.type:
        raise ValueError(f"{name} is {left.type} and {right} is {other.type}: they cannot be compared")
    if left.unit and other.unit and left.unit != other.unit:
        raise ValueError(f"{name} is in {left.unit} and {right} is in {other.unit}: they cannot be compared")
    return Condition(name, op, None, right)


def _known(name: str, fields: Mapping[str, FactField]) -> FactField:
    field = fields.get(name)
    if field is None:
        nearest = get_close_matches(name, fields, n=3)
        hint = f"; did you mean {', '.join(nearest)}?" if nearest else ""
        raise ValueError(f"unknown field {name!r}{hint}")
    return field


def _expect(field: FactField, kind: str, literal: str) -> None:
    if field.type != kind:
        raise ValueError(f"{field.name} is {field.type}: it cannot be compared with {literal}")


def _string(literal: str, field: FactField) -> str:
    value = literal[1:-1]
    if len(literal) < 2 or literal[-1] != "'" or not SAFE_STRING.fullmatch(value):
        raise ValueError(
            f"{literal!r} is not a string: single quotes around at most 128 letters, digits, spaces, _.+=@/:-"
        )
    _expect(field, "str", literal)
    if field.values is not None and value not in field.values:
        raise ValueError(f"{field.name} is never {literal}; it is one of {', '.join(field.values)}")
    return value
