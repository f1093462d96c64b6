"""Takes from facts what the rules of one stage compare, and refuses facts that could not be compared."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from rungwise.domain.errors import RuleFailed
from rungwise.engine.facts import SAFE_STRING, Fact, Value
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
        self.names = tuple(dict.fromkeys(name for rule in rules for name in rule.compared_fields))
        self._fields = [ruleset.schema.stages[stage][name] for name in self.names]
        self._types = tuple(_TYPES[field.type] for field in self._fields)
        self._get = _getter(self.names)
        self._strings = [
            (index, None if field.values is None else frozenset(field.values))
            for index, field in enumerate(self._fields)
            if field.type == "str"
        ]
        self._ints = [index for index, field in enumerate(self._fields) if field.type == "int"]

    def read(self, fact: Fact) -> tuple[Value, ...]:
        """Give the fact's values in the order of `names`. Raises RuleFailed naming field and rule."""
        try:
            values = self._get(fact)
        except KeyError as error:
            raise self._failure(error.args[0], f"the fact lacks {error.args[0]}") from None
        if tuple(map(type, values)) != self._types or not self._allowed(values):
            for field, value in zip(self._fields, values, strict=True):
                fault = field.fault(value)
                if fault:
                    raise self._failure(field.name, fault)
        return values

    def _allowed(self, values: tuple[Any, ...]) -> bool:
        """Whether every value is within bounds; types were checked."""
        for index in self._ints:
            if not -MAX_INT <= values[index] <= MAX_INT:
                return False
        for index, closed in self._strings:
            value = values[index]
            if value not in closed if closed else not SAFE_STRING.fullmatch(value):
                return False
        return True

    def _failure(self, name: str, message: str) -> RuleFailed:
        rule = next(rule for rule in self._rules if name in rule.compared_fields)
        return RuleFailed(rule.id, message)


def _getter(names: tuple[str, ...]) -> Callable[[Fact], tuple[Value, ...]]:
    if len(names) > 1:
        return itemgetter(*names)
    return lambda fact: tuple(fact[name] for name in names)
