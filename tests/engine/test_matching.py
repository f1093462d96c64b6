"""Both matchers give the same answers, and neither reads an error as "does not apply"."""

import gc
import random
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rungwise.domain.errors import MatcherUnavailable, RuleFailed
from rungwise.engine.condition import OPERATORS, Condition
from rungwise.engine.facts import FactField, FactSchema
from rungwise.engine.matching import make_matcher
from rungwise.engine.rule import Recommendation, Rule
from rungwise.engine.ruleset import RuleSet

DURABLE = pytest.param(
    "durable",
    marks=pytest.mark.skipif(
        sys.version_info >= (3, 13), reason="durable-rules does not import on Python 3.13"
    ),
)
needs_durable = DURABLE.marks[0]
BOTH = pytest.mark.parametrize("kind", ["portable", DURABLE])

FIELDS = {
    field.name: field
    for field in (
        *(FactField(name, "int", None, "", "m") for name in ("a", "b", "c", "d")),
        *(FactField(name, "bool", None, "", "m") for name in ("p", "q")),
        FactField("s", "str", ("one", "two"), "", "m"),
        FactField("id", "str", None, "", "m"),  # names that mean something to the engine
        FactField("sid", "str", None, "", "m"),
        FactField("kind", "int", None, "", "m"),
    )
}
SCHEMA = FactSchema({"legality": FIELDS, "advice": FIELDS})
FACT = {"a": 1, "b": 2, "c": 3, "d": 4, "p": True, "q": False, "s": "one", "id": "x", "sid": "y", "kind": 2}


def rule(rule_id, *when, stage="legality"):
    return Rule(
        id=rule_id,
        title={"en": "t", "zh": "t"},
        kind="advice",
        since="0.1.0",
        status="stable",
        stage=stage,
        when=when,
        when_text=tuple(map(str, when)),
        then=Recommendation(severity="info"),
        because={"en": "b", "zh": "b"},
        rationale="r",
        source="s",
        confidence="low",
    )


def ruleset(*rules):
    return RuleSet(SCHEMA, "0" * 64, tuple(sorted(rules, key=lambda r: r.id)), {})


def test_kinds(book):
    assert type(make_matcher(book.ruleset(), "portable")).__name__ == "PortableMatcher"
    wanted = "DurableMatcher" if sys.version_info < (3, 13) else "PortableMatcher"
    assert type(make_matcher(book.ruleset(), "auto")).__name__ == wanted


def test_where_durable_rules_does_not_import(book, monkeypatch):
    monkeypatch.setitem(sys.modules, "durable_rules_engine", None)
    monkeypatch.delitem(sys.modules, "rungwise.engine.durable", raising=False)
    assert type(make_matcher(book.ruleset(), "auto")).__name__ == "PortableMatcher"
    with pytest.raises(MatcherUnavailable, match=r"before 3\.13.*set the matcher to auto or portable"):
        make_matcher(book.ruleset(), "durable")


CONDITIONS = [
    (Condition("a", "==", 1, None), True),
    (Condition("a", "!=", 1, None), False),
    (Condition("a", "<", 1, None), False),
    (Condition("a", "<=", 1, None), True),
    (Condition("a", ">", 0, None), True),
    (Condition("a", ">=", 2, None), False),
    (Condition("a", ">", -5, None), True),
    (Condition("a", "==", None, "b"), False),
    (Condition("a", "!=", None, "b"), True),
    (Condition("a", "<", None, "b"), True),
    (Condition("a", "<=", None, "b"), True),
    (Condition("a", ">", None, "b"), False),
    (Condition("a", ">=", None, "b"), False),
    (Condition("p", "==", True, None), True),
    (Condition("p", "!=", True, None), False),
    (Condition("q", "==", False, None), True),
    (Condition("p", "==", None, "q"), False),
    (Condition("p", "!=", None, "q"), True),
    (Condition("s", "==", "one", None), True),
    (Condition("s", "!=", "two", None), True),
    (Condition("id", "==", "x", None), True),
    (Condition("id", "!=", None, "sid"), True),
    (Condition("id", "==", None, "sid"), False),
    (Condition("kind", "==", 2, None), True),
    (Condition("kind", "==", 1, None), False),
]


@BOTH
@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_one_condition(kind, condition, holds):
    matcher = make_matcher(ruleset(rule("r", condition)), kind)
    assert matcher.match("legality", [FACT]) == [("r",) if holds else ()]


@BOTH
def test_ids_come_in_order_for_each_fact(kind):
    rules = [rule(name, Condition("a", ">", index, None)) for index, name in enumerate(["c", "a", "b"])]
    matcher = make_matcher(ruleset(*rules), kind)
    facts = [{**FACT, "a": a} for a in (0, 3, 1, 2)]
    assert matcher.match("legality", facts) == [(), ("a", "b", "c"), ("c",), ("a", "c")]


@BOTH
def test_no_facts_no_rules_no_stage(kind):
    matcher = make_matcher(ruleset(rule("r", Condition("a", "==", 1, None))), kind)
    assert matcher.match("legality", []) == []
    assert matcher.match("advice", []) == []
    assert matcher.match("advice", [FACT, {}]) == [(), ()]
    with pytest.raises(RuleFailed, match=r"memory: facts\.yaml has no such stage"):
        matcher.match("memory", [FACT])


@BOTH
def test_stages_are_apart(kind):
    one, other = (
        rule("one", Condition("a", "==", 1, None)),
        rule("two", Condition("a", "==", 1, None), stage="advice"),
    )
    matcher = make_matcher(ruleset(one, other), kind)
    assert matcher.match("legality", [FACT]) == [("one",)]
    assert matcher.match("advice", [FACT]) == [("two",)]


UNFIT = [
    ("a", None, "the fact lacks a"),
    ("a", True, "a is True, not a whole number"),
    ("a", 1.0, "a is 1.0, not a whole number"),
    ("a", "1", "a is '1', not a whole number"),
    ("a", 2**53, r"a is beyond 2\^53-1"),
    ("p", 1, "p is 1, not true or false"),
    ("s", "three", "s is 'three', not one of one, two"),
    ("id", 'x","kind":2,"a":"', r"id is .*, not at most 128"),
    ("id", "x\\", r"id is .*, not at most 128"),
    ("id", "x\x00", r"id is .*, not at most 128"),
    ("id", "x" * 129, r"id is .*, not at most 128"),
]


@BOTH
@pytest.mark.parametrize(("field", "value", "message"), UNFIT)
def test_an_unfit_fact_is_an_error_of_the_rule(kind, field, value, message):
    rules = [
        rule("any", Condition("b", ">", 0, None)),
        rule(
            "needs",
            Condition("b", ">", 9, None),
            *(
                Condition(name, "!=", {"int": 0, "bool": False, "str": "two"}[FIELDS[name].type], None)
                for name in ("a", "p", "s", "id")
            ),
        ),
    ]
    matcher = make_matcher(ruleset(*rules), kind)
    unfit = {name: known for name, known in FACT.items() if name != field}
    if value is not None:
        unfit[field] = value
    with pytest.raises(RuleFailed, match=message) as caught:
        matcher.match("legality", [FACT, unfit])
    assert caught.value.rule == "needs"
    assert matcher.match("legality", [FACT]) == [("any",)]


def compared(kinds, left, others, values):
    ops = sorted(OPERATORS) if kinds == "int" else ["!=", "=="]
    literal = st.builds(Condition, left, st.sampled_from(ops), values, st.none())
    field = st.tuples(left, others).filter(lambda pair: pair[0] != pair[1])
    both = st.builds(lambda pair, op: Condition(pair[0], op, None, pair[1]), field, st.sampled_from(ops))
    return st.one_of(literal, both)


EDGES = st.sampled_from([0, 1, 2, -1, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53 - 1, 1 - 2**53])
INTS = st.one_of(st.integers(0, 3), EDGES)
STRINGS = st.sampled_from(["one", "two", "", "Env + SP=2", "1", "true", "null", "a.b/c:d@e-f_g"])
INT_NAMES, BOOL_NAMES, STR_NAMES = (
    st.sampled_from("abcd"),
    st.sampled_from("pq"),
    st.sampled_from(["id", "sid"]),
)
CONDITION = st.one_of(
    compared("int", INT_NAMES, INT_NAMES, INTS),
    compared("bool", BOOL_NAMES, BOOL_NAMES, st.booleans()),
    compared("str", STR_NAMES, STR_NAMES, STRINGS),
    compared("str", st.just("s"), st.just("id"), st.sampled_from(["one", "two"])),
)
WHENS = st.lists(st.lists(CONDITION, min_size=1, max_size=4, unique=True), min_size=1, max_size=12)
A_FACT = st.fixed_dictionaries(
    {
        **dict.fromkeys(("a", "b", "c", "d", "kind"), INTS),
        **{name: st.booleans() for name in ("p", "q")},
        "s": st.sampled_from(["one", "two"]),
        "id": STRINGS,
        "sid": STRINGS,
    }
)


@needs_durable
@settings(max_examples=300, deadline=None)
@given(WHENS, st.lists(A_FACT, max_size=8))
def test_both_matchers_agree_with_the_conditions(whens, facts):
    rules = ruleset(*(rule(f"r{number}", *when) for number, when in enumerate(whens)))
    expected = [tuple(r.id for r in rules.rules if all(c.holds(fact) for c in r.when)) for fact in facts]
    assert make_matcher(rules, "portable").match("legality", facts) == expected
    assert make_matcher(rules, "durable").match("legality", facts) == expected


def large_ruleset(count, seed):
    chance = random.Random(seed)
    rules = []
    for number in range(count):
        left, right = chance.sample("abcd", 2)
        rules.append(
            rule(
                f"r{number:03}",
                Condition(left, chance.choice(sorted(OPERATORS)), chance.randint(0, 40), None),
                Condition(left, chance.choice(["<", ">", "!="]), None, right),
                Condition("p", "==", chance.random() < 0.5, None),
            )
        )
    return ruleset(*rules)


def random_facts(count, seed):
    chance = random.Random(seed)
    return [
        {**FACT, **{n: chance.randint(0, 40) for n in "abcd"}, "p": chance.random() < 0.5}
        for _ in range(count)
    ]


@needs_durable
@pytest.mark.parametrize(("rules", "facts"), [(1, 1), (48, 5), (49, 5), (200, 20), (6, 700)])
def test_what_is_too_much_for_one_session_is_split(rules, facts):
    many, data = large_ruleset(rules, rules), random_facts(facts, facts)
    expected = make_matcher(many, "portable").match("legality", data)
    assert any(expected) or rules == 1
    assert make_matcher(many, "durable").match("legality", data) == expected


@needs_durable
def test_a_rule_with_the_most_tests_of_one_rule():
    whens = [Condition("a", "!=", number, None) for number in range(300)]
    rules = ruleset(rule("r", *whens), rule("s", Condition("a", "==", 7, None)))
    data = [{**FACT, "a": a} for a in (7, 300)]
    assert make_matcher(rules, "durable").match("legality", data) == [("s",), ("r",)]


@BOTH
def test_eight_threads_on_one_matcher(kind):
    rules = large_ruleset(12, 1)
    matcher, oracle = make_matcher(rules, kind), make_matcher(rules, "portable")
    wrong = []

    def hammer(seed):
        for round_ in range(60):
            data = random_facts(6, seed * 1000 + round_)
            if matcher.match("legality", data) != oracle.match("legality", data):
                wrong.append(seed)

    threads = [threading.Thread(target=hammer, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong


def resident_kib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


@needs_durable
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_stays_flat_over_many_decisions(decisions):
    matcher, facts = make_matcher(large_ruleset(10, 2), "durable"), random_facts(12, 3)
    expected = matcher.match("legality", facts)
    for _ in range(decisions // 10):
        matcher.match("legality", facts)
    gc.collect()
    before = resident_kib()
    for _ in range(decisions):
        assert matcher.match("legality", facts) == expected
    gc.collect()
    assert resident_kib() - before < 1024


@needs_durable
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_reloading_a_rulebook_gives_its_memory_back():
    rules, facts = large_ruleset(10, 2), random_facts(2, 3)
    for _ in range(20):
        make_matcher(rules, "durable").match("legality", facts)
    gc.collect()
    before = resident_kib()
    for _ in range(100):
        make_matcher(rules, "durable").match("legality", facts)
    gc.collect()
    assert resident_kib() - before < 4096
