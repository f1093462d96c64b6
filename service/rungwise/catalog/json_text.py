"""JSON that came from outside: everything that parsers disagree about is refused, with line and column."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from rungwise.catalog.names import shown
from rungwise.domain.errors import FieldViolation, InvalidRequest

LARGEST_BYTES = 2 * 1024 * 1024
DEEPEST_NESTING = 32
MOST_TOKENS = 100_000
"""Brackets, keys and values; a request has a few hundred."""
MOST_FAULTS = 50
SMALLEST_INTEGER, LARGEST_INTEGER = -(2**63), 2**63 - 1

_TOKEN = re.compile(
    r"""[ \t\r\n,]*+(?:
        (?P<string>"(?:[^"\\]++|\\.)*+")(?P<key>[ \t\r\n]*+:)?
      | (?P<open>[\[{])
      | (?P<close>[\]}])
      | (?P<number>-?[0-9]++(?P<fraction>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?))
      | (?P<constant>-?Infinity|NaN)
      | true | false | null
    )""",
    re.VERBOSE | re.DOTALL,
)
_BROKEN = re.compile("[\0\ud800-\udfff]")
_INTEGER_CHARACTERS = 20
# Integers that int() would take long for are faults already.
_DECODER = json.JSONDecoder(parse_int=lambda digits: int(digits) if len(digits) <= _INTEGER_CHARACTERS else 0)
_SUGGESTION = "send one JSON object, as RFC 8259 defines it"

Fault = tuple[int, str]
"""Where, as an index into the text, and what."""


def parse_json(text: str | bytes, *, field: str = "") -> Any:
    """Parse one JSON text. `field` is its place in the request, for the violations.

    Raises InvalidRequest with the line and column of every fault: not UTF-8, more than 2 MiB, not JSON, trailing
    text, duplicate keys, NaN and Infinity, numbers too large for a double, integers beyond 64 bits, nesting deeper
    than 32, NUL and lone surrogates (escaped ones too).
    """
    text = _decoded(text, field)
    faults = list(_faults(text))
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        faults.append((error.pos, f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"))
    except RecursionError:
        value = None  # the nesting is among the faults
    if faults:
        raise InvalidRequest(
            [
                FieldViolation(field, f"{description} ({_place(text, position)})", _SUGGESTION)
                for position, description in faults
            ]
        ) from None
    return value


def _decoded(text: str | bytes, field: str) -> str:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if len(data) > LARGEST_BYTES:
        raise InvalidRequest(
            [FieldViolation(field, f"has {len(data)} bytes", f"send at most {LARGEST_BYTES} bytes")]
        )
    if isinstance(text, bytes):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = data[: error.start].decode("utf-8")
            place = _place(before, len(before))
            raise InvalidRequest(
                [FieldViolation(field, f"is not UTF-8: byte {error.start} ({place})", "encode it as UTF-8")]
            ) from None
    if text.startswith("\ufeff"):
        raise InvalidRequest(
            [FieldViolation(field, "begins with a byte order mark", "encode it as UTF-8 without one")]
        )
    return text


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"


def _faults(text: str) -> Iterator[Fault]:
    """Yield what is JSON to some parsers and not to others, up to the first token that is none."""
    for number, fault in enumerate(_all_faults(text), 1):
        if number > MOST_FAULTS:
            yield fault[0], "has more faults from here on"
            return
        yield fault


def _all_faults(text: str) -> Iterator[Fault]:
    keys: list[set[str]] = [set()]
    # Unlike finditer, a scanner stops where no token begins; the standard library's types leave it out.
    tokens = iter(_TOKEN.scanner(text).match, None)  # type: ignore[attr-defined]
    for count, token in enumerate(tokens, 1):
        if count > MOST_TOKENS:
            yield token.end(), f"has more than {MOST_TOKENS} brackets, keys and values"
            return
        match token.lastgroup:
            case "string" | "key":
                position, string = token.start("string"), _string(token["string"])
                if string is None:
                    continue
                if _BROKEN.search(string):
                    yield position, "holds a NUL or a lone surrogate"
                if token.lastgroup == "key":
                    if string in keys[-1]:
                        yield position, f"has the key '{shown(string)}' twice"
                    keys[-1].add(string)
            case "open":
                keys.append(set())
                if len(keys) > DEEPEST_NESTING + 1:
                    yield token.start("open"), f"is nested deeper than {DEEPEST_NESTING}"
                    return
            case "close" if len(keys) > 1:
                keys.pop()
            case "number":
                number, position = token["number"], token.start("number")
                if token["fraction"]:
                    if math.isinf(float(number)):
                        yield position, f"has a number too large for a double: {shown(number, 40)}"
                elif not _fits(number):
                    yield position, f"has an integer beyond 64 bits: {shown(number, 40)}"
            case "constant":
                yield token.start("constant"), f"has {token['constant']}, which is not JSON"


def _string(literal: str) -> str | None:
    """Return the string that a literal stands for; None if its escapes are not JSON."""
    if "\\" not in literal:
        return literal[1:-1]
    try:
        return str(json.loads(literal, strict=False))
    except json.JSONDecodeError:
        return None


def _fits(number: str) -> bool:
    return len(number) <= _INTEGER_CHARACTERS and SMALLEST_INTEGER <= int(number) <= LARGEST_INTEGER
