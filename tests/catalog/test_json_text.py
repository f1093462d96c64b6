"""JSON that parsers disagree about is refused, each fault with its line and column."""

import contextlib
import json
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rungwise.catalog.json_text import DEEPEST_NESTING, LARGEST_BYTES, MOST_FAULTS, MOST_TOKENS, parse_json
from rungwise.domain.errors import InvalidRequest


def _faults(text: str | bytes) -> list[str]:
    with pytest.raises(InvalidRequest) as caught:
        parse_json(text)
    return [violation.description for violation in caught.value.violations]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('{"a": 1, "a": 2}', ["has the key 'a' twice (line 1, column 10)"]),
        ('{"a": 1,\n "\\u0061": 2}', ["has the key 'a' twice (line 2, column 2)"]),
        ('{"a": {"b": 1, "b": 2}}', ["has the key 'b' twice (line 1, column 16)"]),
        ('{"a": NaN}', ["has NaN, which is not JSON (line 1, column 7)"]),
        ('{"a": [1,\n  -Infinity]}', ["has -Infinity, which is not JSON (line 2, column 3)"]),
        ("1e999", ["has a number too large for a double: 1e999 (line 1, column 1)"]),
        ("[-1e400]", ["has a number too large for a double: -1e400 (line 1, column 2)"]),
        ("[9223372036854775808]", ["has an integer beyond 64 bits: 9223372036854775808 (line 1, column 2)"]),
        (
            "[-9223372036854775809]",
            ["has an integer beyond 64 bits: -9223372036854775809 (line 1, column 2)"],
        ),
        ("9" * 5000, [f"has an integer beyond 64 bits: {'9' * 40}… (line 1, column 1)"]),
        (
            "[" * (DEEPEST_NESTING + 1) + "]" * (DEEPEST_NESTING + 1),
            ["is nested deeper than 32 (line 1, column 33)"],
        ),
        ("[" * 1_000_000, ["is nested deeper than 32 (line 1, column 33)"]),
        ('{"a":' * 200_000, ["is nested deeper than 32 (line 1, column 161)"]),
        ('"\\ud800"', ["holds a NUL or a lone surrogate (line 1, column 1)"]),
        ('"\\udc00\\ud800"', ["holds a NUL or a lone surrogate (line 1, column 1)"]),
        ('["\ud800"]', ["holds a NUL or a lone surrogate (line 1, column 2)"]),
        ('{"\\u0000": 1}', ["holds a NUL or a lone surrogate (line 1, column 2)"]),
        (
            '"a\0b"',
            [
                "holds a NUL or a lone surrogate (line 1, column 1)",
                "is not JSON: invalid control character at (line 1, column 3)",
            ],
        ),
        (b'{"a": "\xff"}', ["is not UTF-8: byte 7 (line 1, column 8)"]),
        ("\n\u00e9".encode() + b"\xed\xa0\x80", ["is not UTF-8: byte 3 (line 2, column 2)"]),
        ("\ufeff{}", ["begins with a byte order mark"]),
        (b"\xef\xbb\xbf{}", ["begins with a byte order mark"]),
        (" " * (LARGEST_BYTES + 1), [f"has {LARGEST_BYTES + 1} bytes"]),
        ("\u00e9" * (LARGEST_BYTES // 2 + 1), [f"has {LARGEST_BYTES + 2} bytes"]),
        ('{"a": 1} x', ["is not JSON: extra data (line 1, column 10)"]),
        ("{}{}", ["is not JSON: extra data (line 1, column 3)"]),
        ("", ["is not JSON: expecting value (line 1, column 1)"]),
        ("{'a': 1}", ["is not JSON: expecting property name enclosed in double quotes (line 1, column 2)"]),
        ("[1,]", ["is not JSON: expecting value (line 1, column 4)"]),
        ("[01]", ["is not JSON: expecting ',' delimiter (line 1, column 3)"]),
        ("[1] // four", ["is not JSON: extra data (line 1, column 5)"]),
        ('"' + '\\"' * 500_000, ["is not JSON: unterminated string starting at (line 1, column 1)"]),
        (
            '{"a": NaN, "a": 1e999}',
            [
                "has NaN, which is not JSON (line 1, column 7)",
                "has the key 'a' twice (line 1, column 12)",
                "has a number too large for a double: 1e999 (line 1, column 17)",
            ],
        ),
    ],
)
def test_what_parsers_disagree_about_is_refused(text: str | bytes, faults: list[str]):
    assert _faults(text) == faults


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[9223372036854775807, -9223372036854775808]", [2**63 - 1, -(2**63)]),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ("1e308", 1e308),
        ("[1E2, -0.5, 1e-999]", [100.0, -0.5, 0.0]),
        ("[" * DEEPEST_NESTING + "]" * DEEPEST_NESTING, None),
        (' \n{"a": [true, false, null]} \r\n', {"a": [True, False, None]}),
        ('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}', {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}),
        (b'{"\xe6\xa8\xa1": "\\\\ud800"}', {"\u6a21": "\\ud800"}),
        ('["a", "a"]', ["a", "a"]),
    ],
)
def test_plain_json_is_read(text: str | bytes, value: Any):
    expected = json.loads(text) if value is None else value
    assert parse_json(text) == expected


def test_the_place_in_the_request_is_told():
    with pytest.raises(InvalidRequest) as caught:
        parse_json("nope", field="model.hf_config_json")
    assert [v.field for v in caught.value.violations] == ["model.hf_config_json"]


def test_not_every_fault_of_many_is_told():
    faults = _faults("[" + "NaN," * 1000 + "1]")
    assert len(faults) == MOST_FAULTS + 1
    assert faults[-1].startswith("has more faults from here on")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" + "1," * (LARGEST_BYTES // 2 - 2) + "1]", id="numbers"),
        pytest.param("[" + '"",' * (LARGEST_BYTES // 3 - 1) + "1]", id="strings"),
        pytest.param("[" + "{}," * (LARGEST_BYTES // 3 - 1) + "1]", id="objects"),
        pytest.param('"' + "\\ud800" * (LARGEST_BYTES // 6 - 1) + '"', id="escapes"),
        pytest.param('"' + "\\\\" * (LARGEST_BYTES // 2 - 2), id="unterminated"),
        pytest.param("1" * LARGEST_BYTES, id="digits"),
        pytest.param("0." + "1" * (LARGEST_BYTES - 2), id="fraction"),
        pytest.param("," * LARGEST_BYTES, id="commas"),
        pytest.param("\n" * (LARGEST_BYTES - 3) + "NaN", id="lines"),
        pytest.param("[" + "\n\nNaN," * 60 + "\n" * 2_000_000 + "1]", id="lines before faults"),
    ],
)
def test_two_mebibytes_of_anything_are_judged_within_a_second(text: str):
    assert len(text) <= LARGEST_BYTES
    started = time.process_time()
    with contextlib.suppress(InvalidRequest):
        parse_json(text)
    assert time.process_time() - started < 1


def test_the_number_of_tokens_is_bounded():
    assert _faults("[" + "1," * MOST_TOKENS + "1]")[0].startswith(
        "has more than 100000 brackets, keys and values"
    )


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(_JSON, st.booleans(), st.sampled_from([None, 2]))
@settings(deadline=None)
def test_what_json_writes_is_read_back(value: Any, ensure_ascii: bool, indent: int | None):
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    assert parse_json(text) == value
    assert parse_json(text.encode()) == value


@given(st.text() | st.text(alphabet='{}[]:,"\\u0123456789dDeE+-. \nNaInfty') | st.binary(max_size=40))
@settings(deadline=None)
def test_any_text_is_json_or_refused(text: str | bytes):
    try:
        value = parse_json(text)
    except InvalidRequest:
        return
    assert json.dumps(value, allow_nan=False) == json.dumps(json.loads(text))
    assert not (isinstance(value, float) and math.isinf(value))
