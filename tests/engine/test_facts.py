import pytest
import yaml
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.facts import FactField, FactSchema


def test_the_units_of_a_stage(book):
    schema = book.ruleset().schema
    assert list(schema.stages) == ["legality", "memory"]
    assert schema.units("memory") == {"peak_mib": "MiB", "usable_mib": "MiB"}
    assert schema.stages["legality"]["strategy"].values == ("fsdp", "fsdp2")


FAULTS = [
    (
        "gpus: {type: int, meaning: GPUs}",
        "gpus: {type: float, meaning: x}",
        "5:5",
        "type 'float' is not one of int",
    ),
    ("gpus: {type: int, meaning: GPUs}", "gpus: {type: int}", "5:5", "`meaning` is missing"),
    ("gpus: {type: int, meaning: GPUs}", "gpus: int", "5:5", "gpus is described by"),
    (
        "gpus: {type: int, meaning: GPUs}",
        "gpus: {type: int, meaning: a, rounded: b}",
        "5:5",
        "unknown key `rounded`",
    ),
    (
        "gpus: {type: int, meaning: GPUs}",
        "GPUs: {type: int, meaning: a}",
        "5:5",
        "'GPUs' is not a field name",
    ),
    ("unit: tokens", "unit: words", "8:5", "unit 'words' is not one of MiB"),
    (
        "{type: bool, meaning: offload}",
        "{type: bool, unit: MiB, meaning: x}",
        "9:5",
        "only an int has a unit",
    ),
    (
        "{type: bool, meaning: offload}",
        "{type: bool, values: [a], meaning: x}",
        "9:5",
        "only a str has values",
    ),
    ("[fsdp, fsdp2]", "[fsdp, fsdp]", "11:5", "a value is listed twice"),
    ("[fsdp, fsdp2]", "[fsdp, 2]", "11:5", "the value 2 is not a plain string"),
    ("[fsdp, fsdp2]", "[]", "11:5", "`values` of a str is a list"),
    ("stages:", "phases:", "1:1", "`stages` maps each stage"),
]


@pytest.mark.parametrize(("old", "new", "place", "message"), FAULTS)
def test_a_fault_of_facts_yaml_is_named(book, old, new, place, message):
    book.edit("facts.yaml", old, new)
    with pytest.raises(InvalidRulebook, match=f"^facts.yaml:{place}: ") as caught:
        book.ruleset()
    assert message in str(caught.value)


def test_parsed_facts_are_enough():
    document = yaml.safe_load("stages: {a: {x: {type: int}, y: {type: str, meaning: m}}}")
    with pytest.raises(InvalidRulebook) as caught:
        FactSchema.from_document(document)
    assert [str(problem) for problem in caught.value.problems] == [
        "facts.yaml: stages.a.x: `meaning` is missing",
        "facts.yaml: stages.a.y: `values` of a str is a list of its values, or the word catalog",
    ]


VALUES = [
    ("int", None, 5, ""),
    ("int", None, True, "x is True, not a whole number"),
    ("int", None, 1.0, "x is 1.0, not a whole number"),
    ("int", None, 2**53, "x is beyond 2^53-1"),
    ("int", None, 1 - 2**53, ""),
    ("bool", None, False, ""),
    ("bool", None, 0, "x is 0, not true or false"),
    ("str", ("a", "b"), "b", ""),
    ("str", ("a", "b"), "c", "x is 'c', not one of a, b"),
    ("str", None, "Env + Offload + SP=4", ""),
    ("str", None, "", ""),
    ("str", None, "a" * 129, "not at most 128"),
    ("str", None, 'a"b', "not at most 128"),
    ("str", None, "a\\b", "not at most 128"),
    ("str", None, "a\n", "not at most 128"),
    ("str", None, "中", "not at most 128"),
    ("str", None, None, "x is None, not a string"),
]


@pytest.mark.parametrize(("kind", "values", "value", "fault"), VALUES)
def test_a_value_is_checked_against_its_field(kind, values, value, fault):
    found = FactField("x", kind, values, "", "m").fault(value)
    assert (fault in found) if fault else not found
