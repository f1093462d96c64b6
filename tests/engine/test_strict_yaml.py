import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from rungwise.engine import strict_yaml
from rungwise.engine.strict_yaml import locate, parse

VALUES = [
    ("a: 1", {"a": 1}),
    ("a: -7", {"a": -7}),
    ("a: 9007199254740991", {"a": 2**53 - 1}),
    ("a: 1.5", {"a": 1.5}),
    ("a: 1e5", {"a": 100000.0}),
    ("a: true", {"a": True}),
    ("a: null", {"a": None}),
    ("a:", {"a": None}),
    ("a: '1'", {"a": "1"}),
    ('a: "true"', {"a": "true"}),
    ("a: no", {"a": "no"}),
    ("a: True", {"a": "True"}),
    ("a: 2024-01-01", {"a": "2024-01-01"}),
    ("a: 12:30:00", {"a": "12:30:00"}),
    ("a: 0x10", {"a": "0x10"}),
    ("a: 010", {"a": "010"}),
    ("a: 1_000", {"a": "1_000"}),
    ("a: 0.1.0", {"a": "0.1.0"}),
    ("a: gpus_mod_sp != 0", {"a": "gpus_mod_sp != 0"}),
    ("a: >-\n  two\n  lines", {"a": "two lines"}),
    ("a: [1, x, {b: []}]", {"a": [1, "x", {"b": []}]}),
    ("", None),
]


@pytest.mark.parametrize(("text", "data"), VALUES)
def test_a_text_means_what_it_looks_like(text, data):
    assert parse(text) == (data, [])
    assert repr(parse(text)[0]) == repr(data)  # True is not 1, 1 is not 1.0


FAULTS = [
    ("a: 1\nb: 2\na: 3", 3, 1, "duplicate key 'a'"),
    ("a: {b: 1, b: 2}", 1, 11, "duplicate key 'b'"),
    ("a: &x 1", 1, 4, "the anchor &x"),
    ("a: &x {b: 1}", 1, 4, "the anchor &x"),
    ("a: *x", 1, 4, "the alias *x"),
    ("a: !!str 1", 1, 4, "the tag tag:yaml.org,2002:str"),
    ("a: !!python/object:os.system []", 1, 4, "the tag tag:yaml.org,2002:python/object:os.system"),
    ("a: !site 1", 1, 4, "the tag !site"),
    ("a: 1\n---\nb: 2", 2, 1, "a second document"),
    ("1: a", 1, 1, "the key '1' is not a string"),
    ("true: a", 1, 1, "the key 'true' is not a string"),
    ("? [a]\n: b", 1, 3, "a mapping or list cannot be a key"),
    ("a: .nan", 1, 4, ".nan is not a finite number"),
    ("a: -.INF", 1, 4, "-.INF is not a finite number"),
    ("a: 1e999", 1, 4, "1e999 is not a finite number"),
    ("a: 9007199254740992", 1, 4, "larger than 2^53-1"),
    ("a: " + "9" * 100000, 1, 4, "larger than 2^53-1"),
    ("a: " + "[" * 30, 1, 27, "nested deeper than 24 levels"),
    ("a: [1\n", 2, 1, "not YAML"),
    ("a: b: c", 1, 5, "not YAML"),
    ("a: 1\n\tb: 2", 2, 1, "not YAML"),
    ("a: 'x", 1, 6, "not YAML"),
    ("a: b\x00c", 1, 5, "not YAML"),
    ("a: b\nc: d\x07", 2, 5, "not YAML"),
    ("<<: {a: 1}\n<<: {b: 1}", 2, 1, "duplicate key '<<'"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), FAULTS)
def test_a_fault_has_its_place(text, line, column, message):
    faults = parse(text)[1]
    assert [(fault.line, fault.column) for fault in faults] == [(line, column)]
    assert message in faults[0].message


def test_all_faults_are_named_at_once():
    faults = parse("a: &x 1\na: !t 2\nb: .inf\n3: c\n")[1]
    assert [fault.line for fault in faults] == [1, 2, 2, 3, 4]


def test_without_libyaml_nothing_changes(monkeypatch):
    monkeypatch.setattr(strict_yaml, "_LOADER", yaml.BaseLoader)
    for text, data in VALUES:
        assert parse(text) == (data, [])
    for text, line, _, _ in FAULTS:
        assert [fault.line for fault in parse(text)[1]] == [line], text


@pytest.mark.parametrize("text", ["[" * 500_000, "{a: " * 200_000, "- " * 400_000, "a: " + "&x " * 300_000])
def test_hostile_nesting_is_refused_quickly(text):
    start = time.monotonic()
    assert parse(text)[1]
    assert time.monotonic() - start < 2


TEXT = """\
# a comment
when:
  - gpus > 1
  - gpus < 0
then: {verdict: reject,
       summary: {en: x}}
"""


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ((), (2, 1)),
        (("when",), (2, 1)),
        (("when", 1), (4, 5)),
        (("when", 7), (2, 1)),
        (("then", "verdict"), (5, 8)),
        (("then", "summary", "en"), (6, 18)),
        (("then", "summary", "zh"), (6, 8)),
        (("missing",), (2, 1)),
    ],
)
def test_a_place_is_found_again(keys, place):
    assert locate(TEXT, keys) == place


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab: -[]{},#&*!|>'\"%@`?\n\t0.9~\x00\ufeff中\u2028"), max_size=60))
def test_any_text_is_data_or_faults(text):
    data, faults = parse(text)
    assert all(fault.line >= 1 and fault.column >= 1 and fault.message for fault in faults)
    if not faults:
        line, column = locate(text, tuple(data)[:1] if isinstance(data, dict) else ())
        assert line >= 1
        assert column >= 1
