"""A slice of benchmarks/matchers.py: both matchers decide alike, and a matcher that does not is found out."""

import runpy
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from rungwise.engine.facts import Fact
from rungwise.engine.matching import Matcher, make_matcher
from rungwise.engine.ruleset import RuleSet

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "matchers.py"))
Maker = Callable[[RuleSet], Matcher]
first_difference: Callable[[int, Maker, Maker, Counter[str]], str] = BENCHMARK["first_difference"]


def portable(ruleset: RuleSet) -> Matcher:
    return make_matcher(ruleset, "portable")


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="durable-rules does not import on Python 3.13")
def test_both_matchers_decide_alike() -> None:
    seen: Counter[str] = Counter()
    assert first_difference(1_000, lambda rules: make_matcher(rules, "durable"), portable, seen) == ""
    assert seen["decisions"] == 1_000
    assert all(
        seen[kind] > 100 for kind in ("rejections", "advice", "OUTCOME_FEASIBLE", "OUTCOME_INFEASIBLE")
    )


class Forgetful:
    """Overlooks one rule."""

    def __init__(self, ruleset: RuleSet, stage: str) -> None:
        self._matcher = portable(ruleset)
        self._rule = next(rule.id for rule in ruleset.stage(stage) if rule.id.startswith("random."))

    def match(self, stage: str, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        found = self._matcher.match(stage, facts)
        return [tuple(rule for rule in rules if rule != self._rule) for rules in found]


@pytest.mark.parametrize("stage", ["legality", "memory", "advice"])
def test_an_overlooked_rule_is_found_out(stage: str) -> None:
    seen: Counter[str] = Counter()
    difference = first_difference(500, portable, lambda rules: Forgetful(rules, stage), seen)
    assert f"random.{stage}-0" in difference
    assert 0 < seen["decisions"] <= 500
