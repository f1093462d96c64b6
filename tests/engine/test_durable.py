"""What happens when the engine behind the durable matcher misbehaves."""

import re
import sys
from pathlib import Path

import pytest
import rungwise.engine
from rungwise.domain.errors import RuleFailed

pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="durable-rules does not import on Python 3.13"
)

FACT = {
    "gpus": 6,
    "sequence_parallel_size": 4,
    "gpus_mod_sp": 2,
    "cpu_offload": False,
    "strategy": "fsdp",
}


class Unwell:
    """The real binding, whose next call of one function goes wrong."""

    def __init__(self, binding):
        self._binding = binding
        self.calls = []
        self.wrong = {}

    def __getattr__(self, name):
        real = getattr(self._binding, name)
        if not callable(real) or isinstance(real, type):
            return real

        def call(*arguments):
            self.calls.append(name)
            spoil = self.wrong.pop(name, None)
            return real(*arguments) if spoil is None else spoil(real, *arguments)

        return call


@pytest.fixture
def unwell(monkeypatch):
    from rungwise.engine import durable

    made = Unwell(durable.binding)
    monkeypatch.setattr(durable, "binding", made)
    return made


@pytest.fixture
def matcher(book, unwell):
    from rungwise.engine.durable import DurableMatcher

    return DurableMatcher(book.ruleset())


def raises(error):
    def spoil(real, *arguments):
        raise error

    return spoil


def cut_short(real, handle, facts):
    return real(handle, facts[: facts.rindex(",{")] + "]")


def engine_error(unwell):
    return unwell.error("error code: 303")


WRONG = [
    ("assert_fact", lambda u: raises(engine_error(u)), "the matcher failed: error code: 303"),
    ("assert_fact", lambda u: raises(MemoryError()), "the matcher failed: MemoryError"),
    ("assert_fact", lambda u: lambda real, *a: (2, 0), r"refused the first fact \(status 2\)"),
    ("start_action_for_state", lambda u: raises(engine_error(u)), "the matcher failed"),
    ("start_action_for_state", lambda u: lambda real, *a: None, "refused the first fact"),
    ("assert_facts", lambda u: raises(engine_error(u)), "the matcher failed"),
    ("assert_facts", lambda u: lambda real, *a: (2, 0), r"refused the facts \(status 2\)"),
    ("assert_facts", lambda u: cut_short, "did not read every fact"),
    ("complete_and_start_action", lambda u: raises(engine_error(u)), "the matcher failed"),
    ("complete_and_start_action", lambda u: lambda real, *a: "{}", "answered in an unknown form"),
    ("complete_and_start_action", lambda u: lambda real, *a: None, "did not read every fact"),
    ("delete_state", lambda u: raises(engine_error(u)), "the matcher failed"),
]


@pytest.mark.parametrize(("function", "spoil", "message"), WRONG)
def test_a_failure_of_the_engine_is_an_error_and_passes(matcher, unwell, function, spoil, message):
    right = matcher.match("legality", [FACT])
    assert right == [("sp-divides-gpus",)]
    unwell.wrong[function] = spoil(unwell)
    with pytest.raises(RuleFailed, match=message):
        matcher.match("legality", [FACT])
    assert not unwell.wrong
    assert matcher.match("legality", [FACT]) == right


def test_one_module_imports_the_engine():
    service = Path(rungwise.engine.__file__).parent.parent
    importers = [
        p.name for p in service.rglob("*.py") if re.search(r"^\s*(import|from) durable", p.read_text(), re.M)
    ]
    assert importers == ["durable.py"]


def test_every_session_is_deleted_once(matcher, unwell):
    unwell.calls.clear()
    for _ in range(3000):  # three times the sessions that the engine can hold
        matcher.match("legality", [FACT, {**FACT, "gpus_mod_sp": 0}])
    assert unwell.calls.count("delete_state") == 3000
    assert unwell.calls.count("create_ruleset") == 0


def test_failing_sessions_do_not_fill_the_engine(matcher, unwell):
    for _ in range(1100):
        unwell.wrong["assert_facts"] = cut_short
        with pytest.raises(RuleFailed):
            matcher.match("legality", [FACT])
    assert matcher.match("legality", [FACT]) == [("sp-divides-gpus",)]


def test_rules_are_compiled_once(matcher, unwell):
    assert unwell.calls.count("create_ruleset") == 1  # the other stage has no rules
    matcher.match("legality", [FACT])
    assert unwell.calls.count("create_ruleset") == 1
