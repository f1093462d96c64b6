"""The rulebook that ships: sound, its cases pass with both matchers, and editors agree."""

import json
import sys
from importlib.resources import files

import pytest
import yaml
from jsonschema import Draft202012Validator
from rungwise.engine.casetest import run_cases
from rungwise.engine.check import check
from rungwise.engine.documents import read_documents

RULEBOOK = files("rungwise.rulebook")
KINDS = [
    "portable",
    pytest.param(
        "durable",
        marks=pytest.mark.skipif(
            sys.version_info >= (3, 13), reason="durable-rules does not import on Python 3.13"
        ),
    ),
]


def test_it_is_sound():
    assert [str(problem) for problem in check([RULEBOOK])] == []


@pytest.mark.parametrize("kind", KINDS)
def test_its_cases_pass(kind):
    report = run_cases([RULEBOOK], kind)
    assert [str(failure) for failure in report.failures] == []
    assert report.passed


def test_its_rules_pass_the_editors_schema():
    validator = Draft202012Validator(
        json.loads(RULEBOOK.joinpath("rule.schema.json").read_text(encoding="utf-8"))
    )
    documents = read_documents([RULEBOOK])
    paths = [*documents.under("limits"), *documents.under("advice")]
    assert paths
    for path in paths:
        text = RULEBOOK.joinpath(path).read_text(encoding="utf-8")
        assert text.startswith("# yaml-language-server: $schema=../rule.schema.json\n"), path
        validator.validate(yaml.safe_load(text))


def test_it_loads_quickly(benchmark_seconds):
    assert benchmark_seconds(lambda: read_documents([RULEBOOK])) < 0.25
