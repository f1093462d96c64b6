"""Matches rules in plain Python: where durable-rules does not run, and as the oracle it is tested against."""

from collections.abc import Sequence

from rungwise.domain.errors import RuleFailed
from rungwise.engine.facts import Fact, Value
from rungwise.engine.operands import Operands, test_at
from rungwise.engine.ruleset import RuleSet


class _Stage:
    def __init__(self, ruleset: RuleSet, stage: str) -> None:
        rules = ruleset.stage(stage)
        self.operands = Operands(ruleset, stage, rules)
        places = self.operands.places
        self.rules = [(rule.id, [test_at(condition, places) for condition in rule.when]) for rule in rules]

    def match(self, values: Sequence[Value]) -> tuple[str, ...]:
        matched = []
        for rule_id, tests in self.rules:
            for test in tests:
                if not test(values):
                    break
            else:
                matched.append(rule_id)
        return tuple(matched)


class PortableMatcher:
    """Matches without any engine."""

    def __init__(self, ruleset: RuleSet) -> None:
        self._stages = {stage: _Stage(ruleset, stage) for stage in ruleset.schema.stages}

    def match(self, stage: str, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        """Give, for each fact, the ids of the stage's rules that match it, in id order."""
        compiled = self._stages.get(stage)
        if compiled is None:
            raise RuleFailed(stage, "facts.yaml has no such stage")
        return [compiled.match(values) for values in compiled.operands.read(facts)]
