"""Errors as a caller meets them: gRPC's code by name, a reason for machines, violations, an exit code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from rungwise.domain.errors import (
    FieldViolation,
    InvalidRequest,
    InvalidRulebook,
    MatcherUnavailable,
    NotFound,
    RuleFailed,
)

EXIT_CODES = {
    "INVALID_ARGUMENT": 2,
    "NOT_FOUND": 2,
    "FAILED_PRECONDITION": 2,
    "UNAUTHENTICATED": 2,
    "PERMISSION_DENIED": 2,
    "ALREADY_EXISTS": 2,
    "RESOURCE_EXHAUSTED": 4,
    "UNAVAILABLE": 4,
    "DEADLINE_EXCEEDED": 4,
    "INTERNAL": 5,
}
"""The command line's exit code for each code of gRPC; 5 for one that is not here."""


@dataclass(frozen=True, slots=True)
class Status:
    """What is told of an error. `code` is gRPC's name for it, `reason` ours: stable, UPPER_SNAKE_CASE."""

    code: str
    reason: str
    message: str
    field_violations: tuple[FieldViolation, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class RemoteError(Protocol):
    """An error that a server told: the client's errors have this shape."""

    code: str
    reason: str
    message: str
    violations: Sequence[Any]
    metadata: Mapping[str, str]


def status_of(error: Exception) -> Status:
    """Return the status of any error. One that nobody foresaw is INTERNAL, and nothing of it is told."""
    match error:
        case InvalidRequest():
            return Status("INVALID_ARGUMENT", error.reason, str(error), error.violations)
        case NotFound():
            metadata = {"suggestions": ",".join(error.suggestions), "hint": error.hint}
            return Status("NOT_FOUND", error.reason, str(error), (_not_found(error),), metadata)
        case InvalidRulebook():
            problems = tuple(
                FieldViolation(f"{p.file}:{p.line}:{p.column}" if p.line else p.file, p.message)
                for p in error.problems
            )
            return Status("FAILED_PRECONDITION", error.reason, str(error), problems)
        case MatcherUnavailable():
            return Status("FAILED_PRECONDITION", error.reason, str(error))
        case RuleFailed():
            return Status("INTERNAL", error.reason, str(error), metadata={"rule": error.rule})
        case RemoteError():
            violations = tuple(FieldViolation(v.field, v.description, v.suggestion) for v in error.violations)
            return Status(error.code, error.reason, error.message, violations, error.metadata)
    return Status("INTERNAL", "INTERNAL", "internal error")


def error_object(error: Exception) -> dict[str, Any]:
    """Return the JSON object that stands for the answer."""
    status = status_of(error)
    return {
        "error": {
            "code": status.code,
            "reason": status.reason,
            "message": status.message,
            "field_violations": [
                {"field": v.field, "description": v.description, "suggestion": v.suggestion}
                for v in status.field_violations
            ],
        }
    }


def exit_code(error: Exception) -> int:
    """Return the command line's exit code."""
    return EXIT_CODES.get(status_of(error).code, 5)


def _not_found(error: NotFound) -> FieldViolation:
    nearest = f"did you mean {', '.join(error.suggestions)}? " if error.suggestions else ""
    return FieldViolation(error.field, f"unknown {error.kind} {error.name!r}", nearest + error.hint)
