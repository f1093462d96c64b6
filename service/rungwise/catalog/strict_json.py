"""JSON that came from outside: everything that parsers disagree about is refused, all faults at once."""

import json
import math
import re
from typing import Any, NoReturn

from rungwise.catalog.names import shown
from rungwise.domain.errors import FieldViolation, InvalidRequest

LARGEST_CHARACTERS = 1_048_576
DEEPEST_NESTING = 32
LARGEST_INTEGER = 2**53
"""Beyond it a double, and so many JSON readers, cannot tell neighbours apart."""

_MOST_VIOLATIONS = 50
_INTEGER_DIGITS = 17
_BROKEN_TEXT = re.compile("[\0\ud800-\udfff]")


def parse_object(text: str, field: str) -> dict[str, Any]:
    """Parse the text of one JSON object. `field` is its place in the request.

    Raises InvalidRequest for what is not JSON, for duplicate keys, NaN and Infinity, numbers too large for a
    double, integers beyond 2^53, nesting deeper than 32, lone surrogates, NUL, and anything but an object.
    """
    _refuse_what_must_not_be_parsed(text, field)
    reader = _Reader()
    try:
        value = json.loads(
            text,
            object_pairs_hook=reader.object,
            parse_constant=reader.constant,
            parse_float=reader.float,
            parse_int=reader.int,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        _refuse(field, f"is not JSON: {error.msg} at {place}", "give the text of the model's config.json")
    if not isinstance(value, dict):
        reader.faults.append("must be a JSON object")
    if _holds_broken_text(value):
        reader.faults.append("holds a NUL or a lone surrogate")
    if reader.faults:
        faults = list(dict.fromkeys(reader.faults))
        if len(faults) > _MOST_VIOLATIONS:
            faults[_MOST_VIOLATIONS:] = [f"and {len(faults) - _MOST_VIOLATIONS} more faults"]
        suggestion = "give the text of the model's config.json as it was downloaded"
        raise InvalidRequest([FieldViolation(field, fault, suggestion) for fault in faults])
    return dict(value)


def _refuse_what_must_not_be_parsed(text: str, field: str) -> None:
    if len(text) > LARGEST_CHARACTERS:
        _refuse(field, f"is longer than {LARGEST_CHARACTERS} characters", "give the config.json of a model")
    if _nesting(text) > DEEPEST_NESTING:
        _refuse(field, f"is nested deeper than {DEEPEST_NESTING}", "give the config.json of a model")


def _nesting(text: str) -> int:
    """Give the deepest nesting of brackets outside strings; counted here since a parser would recurse."""
    depth = deepest = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _holds_broken_text(value: Any) -> bool:
    """Whether any string of the value, keys included, holds NUL or half of a surrogate pair."""
    if isinstance(value, str):
        return _BROKEN_TEXT.search(value) is not None
    if isinstance(value, dict):
        return any(_holds_broken_text(key) or _holds_broken_text(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_holds_broken_text, value))


def _refuse(field: str, description: str, suggestion: str) -> NoReturn:
    raise InvalidRequest([FieldViolation(field, description, suggestion)]) from None


class _Reader:
    """The hooks of one parse; they note faults and go on, so that all are found."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            if key in members:
                self.faults.append(f"the key {shown(key)!r} appears twice")
            members[key] = value
        return members

    def constant(self, token: str) -> float:
        self.faults.append(f"{token} is not JSON")
        return 0.0

    def float(self, token: str) -> float:
        value = float(token)
        if math.isinf(value):
            self.faults.append(f"{shown(token, 30)} is too large a number")
        return value

    def int(self, token: str) -> int:
        if len(token) > _INTEGER_DIGITS or abs(int(token)) > LARGEST_INTEGER:
            self.faults.append(f"{shown(token, 30)} is beyond 2^53")
            return 0
        return int(token)
