"""The schema that editors use says what the loader says, as far as a schema can."""

import json
from importlib.resources import files

import pytest
import yaml
from jsonschema import Draft202012Validator

SCHEMA = json.loads(files("rungwise.rulebook").joinpath("rule.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
LIMIT = "limits/sp-divides-gpus.yaml"


def parsed(book, path):
    return yaml.safe_load((book.directory / path).read_text())


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", [LIMIT, "advice/offload-is-slow.yaml"])
def test_sound_rules_pass(book, path):
    VALIDATOR.validate(parsed(book, path))


FAULTS = [
    ("schema_version", 2),
    ("id", "Sp"),
    ("title", {"en": "x"}),
    ("kind", "filter"),
    ("since", "0.1"),
    ("status", "fine"),
    ("when", []),
    ("when", ["gpus = 1"]),
    ("when", ["gpus > 1.5"]),
    ("when", ["gpus > 1", "gpus > 1"]),
    ("then", {"severity": "info"}),
    ("because", {"en": "x", "zh": " "}),
    ("source", ""),
    ("confidence", "sure"),
    ("owner", "me"),
    ("replaces", "sp-divides-gpus"),
]


@pytest.mark.parametrize(("key", "value"), FAULTS)
def test_faulty_rules_do_not(book, key, value):
    assert not VALIDATOR.is_valid({**parsed(book, LIMIT), key: value})


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_every_key_is_needed(book, key):
    rule = parsed(book, LIMIT)
    del rule[key]
    assert not VALIDATOR.is_valid(rule)


def test_a_replacement_passes(book):
    VALIDATOR.validate({**parsed(book, LIMIT), "replaces": "sp-divides-gpus", "reason": "measured"})
