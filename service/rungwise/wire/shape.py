"""Plain values in the shape of a request message: protobuf's JSON spellings undone, unknown fields refused."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from rungwise.catalog.names import shown
from rungwise.domain.errors import FieldViolation

MOST_FAULTS = 50
"""Violations of one request that are named; a request that has more is not one that somebody typed."""
_DECIMAL = re.compile(r"-?[0-9]{1,19}")
_INTEGERS = (
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
)


def shaped(data: Any, message: Descriptor, path: str, faults: list[FieldViolation]) -> dict[str, Any]:
    """Return what of `data` has a place in `message`, and note in `faults` what has none.

    null counts as unset; an integer may be a decimal string or a float without a fraction, as protobuf's JSON form
    allows. The values themselves are not checked.
    """
    if not isinstance(data, Mapping):
        faults.append(
            FieldViolation(path, f"must be an object, is {value_text(data)}", _fields_text(message))
        )
        return {}
    known, unknown = _fields(message), []
    values: dict[str, Any] = {}
    for name, value in data.items():
        field = known.get(name)
        if field is None:
            unknown.append(name)
        elif value is not None:
            field_path = f"{path}.{name}" if path else name
            if field.is_list:
                if isinstance(value, list | tuple):
                    values[name] = tuple(value)
                else:
                    faults.append(
                        FieldViolation(field_path, f"must be a list, is {value_text(value)}", "put it in [ ]")
                    )
            elif field.message is not None:
                values[name] = shaped(value, field.message, field_path, faults)
            else:
                values[name] = _integer(value) if field.is_integer else value
    for name in map(str, unknown[:MOST_FAULTS]):
        field_path = f"{path}.{shown(name)}" if path else shown(name)
        faults.append(FieldViolation(field_path, "unknown field", nearest_name(name, list(known))))
    return values


class _Field(NamedTuple):
    is_list: bool
    is_integer: bool
    message: Descriptor | None


@cache
def _fields(message: Descriptor) -> dict[str, _Field]:
    return {
        field.name: _Field(field.is_repeated, field.cpp_type in _INTEGERS, field.message_type)
        for field in message.fields
    }


def value_text(value: Any) -> str:
    """Return a foreign value as it may stand in a message: JSON's words, cut off, escaped."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{shown(value)}'"
        case int():
            return str(value) if value.bit_length() <= 64 else "an integer beyond 64 bits"
        case float():
            return str(value)
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def nearest_name(name: str, known: list[str]) -> str:
    """Return "did you mean …?", or else which names there are."""
    near = get_close_matches(name[:80].casefold(), known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"


def _integer(value: Any) -> Any:
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return int(value)
    # Beyond 2^63 a float is no integer that anybody wrote.
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        return int(value)
    return value


def _fields_text(message: Descriptor) -> str:
    return f"an object with {', '.join(message.fields_by_name)}"
