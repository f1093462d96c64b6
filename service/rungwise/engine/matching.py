"""Which rules of a stage match which facts: the one question that the planner asks the engine."""

from collections.abc import Sequence
from typing import Literal, Protocol

from rungwise.domain.errors import MatcherUnavailable
from rungwise.engine.facts import Fact
from rungwise.engine.portable import PortableMatcher
from rungwise.engine.ruleset import RuleSet

MatcherKind = Literal["auto", "durable", "portable"]


class Matcher(Protocol):
    """Matches facts against the rules of a rulebook; safe to use from several threads."""

    def match(self, stage: str, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        """Give, for each fact, the ids of the stage's rules that match it, in id order.

        Raises RuleFailed if a rule could not be evaluated, a fact lacking a compared field included.
        """
        ...


def make_matcher(ruleset: RuleSet, kind: MatcherKind = "auto") -> Matcher:
    """Make the matcher for a rulebook: durable-rules where it imports, else the portable one (`auto`).

    Both answer alike. Raises MatcherUnavailable if `durable` is asked for where it does not import.
    """
    if kind == "portable":
        return PortableMatcher(ruleset)
    try:
        from rungwise.engine.durable import DurableMatcher
    except ImportError as error:
        if kind == "auto":
            return PortableMatcher(ruleset)
        raise MatcherUnavailable(
            f"the durable matcher does not run here ({error}): durable-rules 2.0.28 needs CPython before "
            "3.13 and a C compiler to install; set the matcher to auto or portable: the answers are the same"
        ) from error
    return DurableMatcher(ruleset)
