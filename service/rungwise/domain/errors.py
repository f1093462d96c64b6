"""The errors that a caller can meet.

RungwiseError
├── InvalidRequest    the request breaks the contract; carries every violation
├── NotFound          an unknown model, GPU or rule; carries the nearest names
├── InvalidRulebook   a rulebook that cannot be used; carries every problem with file and line
├── RuleFailed        a rule could not be evaluated: never read as "does not apply"
└── MatcherUnavailable  the matcher that was asked for does not run on this Python
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One fault of a request: where (`hardware.gpus`), what, and the way out."""

    field: str
    description: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class RulebookProblem:
    """One fault of a rulebook. `line` and `column` count from 1; 0 where a file has no such place."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.message}"


class RungwiseError(Exception):
    """Base of all errors. `reason` is a stable word for machines, UPPER_SNAKE_CASE."""

    reason = "RUNGWISE_ERROR"


class InvalidRequest(RungwiseError):
    """The request breaks the contract."""

    reason = "INVALID_REQUEST"

    def __init__(self, violations: Sequence[FieldViolation]) -> None:
        """Keep every violation; the message joins them."""
        self.violations = tuple(violations)
        super().__init__(
            "; ".join(f"{v.field}: {v.description}" if v.field else v.description for v in violations)
        )


class NotFound(RungwiseError):
    """A name that the catalog or the rulebook does not hold."""

    def __init__(self, kind: str, name: str, field: str, suggestions: Sequence[str], hint: str) -> None:
        """`kind` is "model", "GPU" or "rule"; `name` is printable already; `hint` says how to do without the name."""
        self.kind = kind
        self.name = name
        self.field = field
        self.suggestions = tuple(suggestions)
        self.hint = hint
        self.reason = f"{kind.upper()}_NOT_FOUND"
        nearest = f"; did you mean {', '.join(self.suggestions)}?" if self.suggestions else ""
        super().__init__(f"unknown {kind} '{name}'{nearest}")


class InvalidRulebook(RungwiseError):
    """A rulebook that cannot be used."""

    reason = "INVALID_RULEBOOK"

    def __init__(self, problems: Sequence[RulebookProblem]) -> None:
        """Keep every problem; the message has one line for each."""
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


class RuleFailed(RungwiseError):
    """A rule, or the matcher itself, failed while it was evaluated."""

    reason = "RULE_FAILED"

    def __init__(self, rule: str, message: str) -> None:
        """`rule` is the rule's id, or the stage if no single rule is known."""
        self.rule = rule
        super().__init__(f"{rule}: {message}")


class MatcherUnavailable(RungwiseError):
    """The matcher that the settings ask for does not run here; the message says why and the way out."""

    reason = "MATCHER_UNAVAILABLE"
