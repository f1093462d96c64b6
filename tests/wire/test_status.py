"""Errors as a caller meets them."""

from dataclasses import dataclass, field

import pytest
from rungwise.domain.errors import (
    FieldViolation,
    InvalidRequest,
    InvalidRulebook,
    MatcherUnavailable,
    NotFound,
    RulebookProblem,
    RuleFailed,
    RungwiseError,
)
from rungwise.wire.status import Status, error_object, exit_code, status_of


@dataclass
class _Refused(Exception):
    code: str = "RESOURCE_EXHAUSTED"
    reason: str = "OVERLOADED"
    message: str = "16 calls are in flight"
    violations: tuple[FieldViolation, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)


GPUS = FieldViolation("hardware.gpus", "must be at least 1, is 0", "from 1 to 65536")
HINT = "give dimensions instead"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (
            InvalidRequest([GPUS]),
            Status("INVALID_ARGUMENT", "INVALID_REQUEST", "hardware.gpus: must be at least 1, is 0", (GPUS,)),
            2,
        ),
        (
            NotFound("model", "Qwen9", "model.name", ["Qwen/Qwen3-8B", "Qwen/Qwen3-4B"], HINT),
            Status(
                "NOT_FOUND",
                "MODEL_NOT_FOUND",
                "unknown model 'Qwen9'; did you mean Qwen/Qwen3-8B, Qwen/Qwen3-4B?",
                (
                    FieldViolation(
                        "model.name",
                        "unknown model 'Qwen9'",
                        f"did you mean Qwen/Qwen3-8B, Qwen/Qwen3-4B? {HINT}",
                    ),
                ),
                {"suggestions": "Qwen/Qwen3-8B,Qwen/Qwen3-4B", "hint": HINT},
            ),
            2,
        ),
        (
            NotFound("rule", "x", "id", [], HINT),
            Status(
                "NOT_FOUND",
                "RULE_NOT_FOUND",
                "unknown rule 'x'",
                (FieldViolation("id", "unknown rule 'x'", HINT),),
                {"suggestions": "", "hint": HINT},
            ),
            2,
        ),
        (
            InvalidRulebook([RulebookProblem("limits/a.yaml", 3, 5, "unknown key `wen`")]),
            Status(
                "FAILED_PRECONDITION",
                "INVALID_RULEBOOK",
                "limits/a.yaml:3:5: unknown key `wen`",
                (FieldViolation("limits/a.yaml:3:5", "unknown key `wen`"),),
            ),
            2,
        ),
        (
            MatcherUnavailable("durable_rules does not import here: use portable"),
            Status(
                "FAILED_PRECONDITION",
                "MATCHER_UNAVAILABLE",
                "durable_rules does not import here: use portable",
            ),
            2,
        ),
        (
            RuleFailed("gpu-memory", "the fact lacks peak_mib"),
            Status(
                "INTERNAL",
                "RULE_FAILED",
                "gpu-memory: the fact lacks peak_mib",
                metadata={"rule": "gpu-memory"},
            ),
            5,
        ),
        (_Refused(), Status("RESOURCE_EXHAUSTED", "OVERLOADED", "16 calls are in flight"), 4),
        (
            _Refused("UNAVAILABLE", "UNAVAILABLE"),
            Status("UNAVAILABLE", "UNAVAILABLE", "16 calls are in flight"),
            4,
        ),
        (
            _Refused("INVALID_ARGUMENT", "INVALID_REQUEST", "no", (GPUS,)),
            Status("INVALID_ARGUMENT", "INVALID_REQUEST", "no", (GPUS,)),
            2,
        ),
        (_Refused("DATA_LOSS"), Status("DATA_LOSS", "OVERLOADED", "16 calls are in flight"), 5),
        (KeyError("/srv/secret/path"), Status("INTERNAL", "INTERNAL", "internal error"), 5),
        (RungwiseError("something new"), Status("INTERNAL", "INTERNAL", "internal error"), 5),
    ],
)
def test_every_error_has_a_status(error: Exception, status: Status, code: int):
    assert status_of(error) == status
    assert exit_code(error) == code
    assert error_object(error) == {
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
