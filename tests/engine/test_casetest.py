import sys

import pytest
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.casetest import RuleCoverage, run_cases

CASES = "limits/sp-divides-gpus.cases.yaml"
KINDS = [
    "portable",
    pytest.param(
        "durable",
        marks=pytest.mark.skipif(
            sys.version_info >= (3, 13), reason="durable-rules does not import on Python 3.13"
        ),
    ),
]


@pytest.mark.parametrize("kind", KINDS)
def test_cases_run_and_are_counted(book, kind):
    report = run_cases([book.directory], kind)
    assert report.passed
    assert report.ran == 4
    assert report.failures == ()
    assert report.coverage == (RuleCoverage("offload-is-slow", 1, 1), RuleCoverage("sp-divides-gpus", 1, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_that_fails_has_its_line_and_reason(book, kind):
    book.edit("limits/sp-divides-gpus.yaml", "gpus_mod_sp != 0", "gpus_mod_sp == 0")
    report = run_cases([book.directory], kind)
    assert not report.passed
    assert [str(failure) for failure in report.failures] == [
        f"{CASES}:4:5: SP=4 on 6 GPUs: should fire sp-divides-gpus, but gpus_mod_sp == 0 is not true",
        f"{CASES}:5:5: SP=2 on 6 GPUs: should not fire sp-divides-gpus, but all its conditions are true",
    ]


def test_a_faulty_case_is_a_failure(book):
    book.edit(CASES, "fires: true", "fires: maybe")
    report = run_cases([book.directory], "portable")
    assert not report.passed
    assert [str(failure) for failure in report.failures] == [f"{CASES}:4:28: `fires` is true or false"]
    assert report.ran == 3


def test_no_case_is_a_failure(book):
    for path in ("limits/sp-divides-gpus", "advice/offload-is-slow"):
        (book.directory / f"{path}.cases.yaml").unlink()
        (book.directory / f"{path}.yaml").unlink()
    report = run_cases([book.directory], "portable")
    assert report.ran == 0
    assert not report.passed
    assert [str(failure) for failure in report.failures] == [f"{book.directory}: no case ran"]


def test_missing_cases_are_failures(book):
    (book.directory / CASES).unlink()
    report = run_cases([book.directory], "portable")
    assert not report.passed
    assert report.coverage[1] == RuleCoverage("sp-divides-gpus", 0, 0)


def test_a_rulebook_that_cannot_be_loaded(book):
    book.edit("limits/sp-divides-gpus.yaml", "confidence: high", "confidence: sure")
    with pytest.raises(InvalidRulebook):
        run_cases([book.directory], "portable")
