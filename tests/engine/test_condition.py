import pytest
from rungwise.engine.condition import Condition, parse_condition
from rungwise.engine.facts import FactField

FIELDS = {
    "gpus": FactField("gpus", "int", None, "", "m"),
    "sp": FactField("sp", "int", None, "", "m"),
    "length": FactField("length", "int", None, "tokens", "m"),
    "peak": FactField("peak", "int", None, "MiB", "m"),
    "offload": FactField("offload", "bool", None, "", "m"),
    "bf16": FactField("bf16", "bool", None, "", "m"),
    "label": FactField("label", "str", None, "", "m"),
    "strategy": FactField("strategy", "str", ("fsdp", "fsdp2"), "", "m"),
}

GOOD = [
    ("gpus == 6", Condition("gpus", "==", 6, None)),
    ("gpus != -1", Condition("gpus", "!=", -1, None)),
    ("gpus<=6", Condition("gpus", "<=", 6, None)),
    ("  gpus >= sp ", Condition("gpus", ">=", None, "sp")),
    ("length > 9007199254740991", Condition("length", ">", 2**53 - 1, None)),
    ("length < gpus", Condition("length", "<", None, "gpus")),
    ("offload == true", Condition("offload", "==", True, None)),
    ("offload != bf16", Condition("offload", "!=", None, "bf16")),
    ("label == 'Env + SP=2'", Condition("label", "==", "Env + SP=2", None)),
    ("label != ''", Condition("label", "!=", "", None)),
    ("strategy == 'fsdp2'", Condition("strategy", "==", "fsdp2", None)),
    ("strategy == label", Condition("strategy", "==", None, "label")),
]


@pytest.mark.parametrize(("text", "condition"), GOOD)
def test_a_condition_is_read_and_written_back(text, condition):
    read = parse_condition(text, FIELDS)
    assert read == condition
    assert type(read.value) is type(condition.value)
    assert parse_condition(str(read), FIELDS) == read


BAD = [
    ("", "is not `field op value`"),
    ("gpus", "is not `field op value`"),
    ("gpus = 6", "is not `field op value`"),
    ("gpus ==", "is not `field op value`"),
    ("gpus => 6", "is not `field op value`"),
    ("gpus == 6 and sp == 2", "neither a field nor a whole number"),
    ("gpu == 6", "unknown field 'gpu'; did you mean gpus?"),
    ("__class__ == 6", "unknown field '__class__'"),
    ("gpus == spp", "unknown field 'spp'; did you mean sp?"),
    ("gpus == 6.0", "'6.0' is neither a field nor a whole number"),
    ("gpus == 1e3", "'1e3' is neither a field nor a whole number"),
    ("gpus == 1_000", "'1_000' is neither a field nor a whole number"),
    ("gpus == 010", "'010' is neither a field nor a whole number"),
    ("gpus == 9007199254740992", "beyond 2^53-1"),
    ("gpus == " + "9" * 200, "beyond 2^53-1"),
    ("gpus ==" + " " * 100_000 + "x y", "at most 300 characters long"),
    ("gpus == true", "gpus is int: it cannot be compared with true"),
    ("gpus == '6'", "gpus is int: it cannot be compared with '6'"),
    ("offload == 1", "offload is bool: it cannot be compared with 1"),
    ("offload == True", "'True' is neither a field nor true or false"),
    ("offload < true", "offload is bool: it can be compared with == and != only, not <"),
    ("label >= 'a'", "label is str: it can be compared with == and != only, not >="),
    ("label == vanilla", "vanilla is not a field; a string is written in quotes: 'vanilla'"),
    ("strategy == fsdp2", "fsdp2 is not a field; a string is written in quotes: 'fsdp2'"),
    ("strategy == 'zero'", "strategy is never 'zero'; it is one of fsdp, fsdp2"),
    ("label == 'a", "is not a string"),
    ("label == '", "is not a string"),
    ("label == 'a'b'", "is not a string"),
    ("label == '中'", "is not a string"),
    ('label == "a"', "neither a field nor a string in single quotes"),
    ("gpus == gpus", "gpus is compared with itself"),
    ("gpus == offload", "gpus is int and offload is bool"),
    ("length < peak", "length is in tokens and peak is in MiB"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_faulty_condition_says_what_is_wrong(text, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the table holds the messages
        parse_condition(text, FIELDS)
    assert message in str(caught.value)


HOLDS = [
    ("gpus == 6", True),
    ("gpus != 6", False),
    ("gpus < 6", False),
    ("gpus <= 6", True),
    ("gpus > sp", True),
    ("gpus >= sp", True),
    ("offload == true", False),
    ("offload != bf16", True),
    ("label == 'Env'", True),
    ("strategy == label", False),
]


@pytest.mark.parametrize(("text", "holds"), HOLDS)
def test_a_condition_compares(text, holds):
    fact = {"gpus": 6, "sp": 4, "offload": False, "bf16": True, "label": "Env", "strategy": "fsdp"}
    assert parse_condition(text, FIELDS).holds(fact) is holds


def test_a_missing_field_is_not_false():
    with pytest.raises(KeyError):
        parse_condition("gpus == 6", FIELDS).holds({})
