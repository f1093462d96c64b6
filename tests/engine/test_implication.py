from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rungwise.engine.condition import Condition, parse_condition
from rungwise.engine.facts import FactField
from rungwise.engine.implication import contradicts, implies

FIELDS = {
    "x": FactField("x", "int", None, "", "m"),
    "y": FactField("y", "int", None, "", "m"),
    "z": FactField("z", "int", None, "", "m"),
    "b": FactField("b", "bool", None, "", "m"),
    "c": FactField("c", "bool", None, "", "m"),
    "s": FactField("s", "str", ("u", "v"), "", "m"),
    "t": FactField("t", "str", ("v", "w"), "", "m"),
    "free": FactField("free", "str", None, "", "m"),
}


def conditions(text):
    return [parse_condition(part, FIELDS) for part in text.split(",")] if text else []


CONTRADICTIONS = [
    "x == 1, x == 2",
    "x > 5, x < 3",
    "x > 1, x < 2",
    "x == 1, x != 1",
    "x >= 1, x <= 1, x != 1",
    "x >= 1, x <= 2, x != 1, x != 2",
    "x < y, y < x",
    "x < y, y < z, z < x",
    "x < y, y <= 3, x > 2",
    "x == y, x != y",
    "x >= y, x <= y, x != y",
    "x == y, x == 1, y == 2",
    "x <= y, x != y, y <= x",
    "b == true, b == false",
    "b != true, b != false",
    "b == c, b == true, c == false",
    "b == c, b != c",
    "b != c, b == true, c == true",
    "s == 'u', s == 'v'",
    "s != 'u', s != 'v'",
    "s == t, s == 'u'",
    "s == t, s != 'v'",
    "free == 'a', free != 'a'",
    "free == 'a', free == 'b'",
    "free == s, free == 'a'",
]


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_a_contradiction_is_found(text):
    assert contradicts(conditions(text), FIELDS)


@pytest.mark.parametrize(
    "text",
    ["", "x == 1", "x > 1, x < 3", "x != 1, x != 2", "x < y, y < z", "s == t", "free != 'a', free != 'b'"],
)
def test_what_can_hold_is_no_contradiction(text):
    assert not contradicts(conditions(text), FIELDS)


IMPLICATIONS = [
    ("x > 5", "x > 3", True),
    ("x > 3", "x > 5", False),
    ("x == 4", "x > 3, x < 5", True),
    ("x < y, y < z", "x < z", True),
    ("x < y, y < z", "z < x", False),
    ("x == 1, b == true", "b == true", True),
    ("b == true", "b != false", True),
    ("s == 'u'", "s != 'v'", True),
    ("s != 'v'", "s == 'u'", True),
    ("free != 'v'", "free == 'u'", False),
    ("x == 1", "y == 1", False),
]


@pytest.mark.parametrize(("premises", "conclusions", "follows"), IMPLICATIONS)
def test_what_follows(premises, conclusions, follows):
    assert implies(conditions(premises), conditions(conclusions), FIELDS) is follows


NUMBERS = st.builds(
    lambda pair, op, value, literal: Condition(
        pair[0], op, value if literal else None, None if literal else pair[1]
    ),
    st.permutations(["x", "y", "z"]),
    st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
    st.integers(0, 3),
    st.booleans(),
)
WORDS = st.one_of(
    st.builds(Condition, st.sampled_from("bc"), st.sampled_from(["==", "!="]), st.booleans(), st.none()),
    st.builds(Condition, st.just("b"), st.sampled_from(["==", "!="]), st.none(), st.just("c")),
    st.builds(Condition, st.just("s"), st.sampled_from(["==", "!="]), st.sampled_from("uv"), st.none()),
    st.builds(Condition, st.just("s"), st.sampled_from(["==", "!="]), st.none(), st.just("t")),
)
FACTS = [
    dict(zip("xyzbcst", values, strict=True))
    for values in product(range(-1, 5), range(-1, 5), range(-1, 5), [True], [False], "u", "v")
] + [
    dict(zip("xyzbcst", values, strict=True))
    for values in product([0], [0], [0], [True, False], [True, False], "uv", "vw")
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(NUMBERS, WORDS), min_size=1, max_size=6))
def test_nothing_that_some_fact_meets_is_called_a_contradiction(some):
    if any(all(condition.holds(fact) for condition in some) for fact in FACTS):
        assert not contradicts(some, FIELDS)


@settings(max_examples=300, deadline=None)
@given(st.lists(NUMBERS.filter(lambda c: c.op != "!=" or c.other is None), min_size=1, max_size=5))
def test_every_contradiction_of_numbers_is_found(some):
    # Three differences of literals up to 3 with steps of one fit in this box if they fit anywhere.
    box = (dict(zip("xyz", values, strict=True)) for values in product(range(-4, 8), repeat=3))
    if not any(all(condition.holds(fact) for condition in some) for fact in box):
        assert contradicts(some, FIELDS)
