"""Takes from facts what the rules of one stage compare, and refuses facts that could not be compared."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rungwise.domain.errors import RuleFailed
from rungwise.engine.condition import OPERATORS, Condition
from rungwise.engine.facts import SAFE_STRING, Fact, Value, values_at
from rungwise.engine.rule import Rule
from rungwise.engine.ruleset import RuleSet
from rungwise.engine.strict_yaml import MAX_INT

_TYPES: dict[str, type] = {"int": int, "bool": bool, "str": str}


class Operands:
    """The compared fields of some rules of a stage, in a fixed order.

    A fact that lacks one, or gives it another type, is an error of the rule that needs it: it must never read
    as "the rule does not apply".
    """

    def __init__(self, ruleset: RuleSet, stage: str, rules: Sequence[Rule]) -> None:
        """Take the fields that `rules` compare; all of them are of `stage`."""
        self._rules = rules
        self.names: tuple[str, ...] = tuple(
            dict.fromkeys(name for rule in rules for name in rule.compared_fields)
        )
        self.places = {name: index for index, name in enumerate(self.names)}
        self._fields = [ruleset.schema.stages[stage][name] for name in self.names]
        self._types = tuple(_TYPES[field.type] for field in self._fields)
        self._get = values_at(self.names)
        self._strings = [
            (index, None if field.values is None else frozenset(field.values))
            for index, field in enumerate(self._fields)
            if field.type == "str"
        ]
        self._ints = [index for index, field in enumerate(self._fields) if field.type == "int"]

    def read(self, facts: Sequence[Fact]) -> list[tuple[Value, ...]]:
        """Give each fact's values in the order of `names`. Raises RuleFailed naming field and rule."""
        try:
            rows = [self._get(fact) for fact in facts]
        except KeyError as error:
            raise self._failure(error.args[0], f"the fact lacks {error.args[0]}") from None
        types = self._types
        if any(tuple(map(type, row)) != types for row in rows) or not self._allowed(rows):
            for row in rows:
                for field, value in zip(self._fields, row, strict=True):
                    fault = field.fault(value)
                    if fault:
                        raise self._failure(field.name, fault)
        return rows

    def _allowed(self, rows: Sequence[tuple[Any, ...]]) -> bool:
        """Whether every value is within bounds; types were checked. Looks at columns, which is quicker."""
        columns = list(zip(*rows, strict=True))
        for index in self._ints if rows else ():
            column = columns[index]
            if max(column) > MAX_INT or min(column) < -MAX_INT:
                return False
        for index, closed in self._strings if rows else ():
            column = columns[index]
            if not (closed.issuperset(column) if closed else all(map(SAFE_STRING.fullmatch, column))):
                return False
        return True

    def _failure(self, name: str, message: str) -> RuleFailed:
        rule = next(rule for rule in self._rules if name in rule.compared_fields)
        return RuleFailed(rule.id, message)


def test_at(condition: Condition, places: Mapping[str, int]) -> Callable[[Sequence[Value]], bool]:
    """Make a test of `condition` on values that stand at `places`."""
    compare = OPERATORS[condition.op]
    left = places[condition.field]
    if condition.other is None:
        literal = condition.value
        return lambda values: compare(values[left], literal)
    right = places[condition.other]
    return lambda values: compare(values[left], values[right])
