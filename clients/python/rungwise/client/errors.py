"""What can go wrong with a call.

RungwiseClientError
├── InvalidRequestError     the request breaks the contract; carries every violation
├── NotFoundError           an unknown model, GPU or rule; carries the nearest names
├── OverloadedError         the server refuses calls for now; says when to come back
├── UnavailableError        the server cannot be reached, or holds no rulebook yet
├── DeadlineExceededError   no answer within the call's timeout
└── InternalError           the server failed

A code that none of these stands for (UNAUTHENTICATED, UNIMPLEMENTED) is the base class itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One fault of a request: where (`hardware.gpus`), what, and the way out if it is told apart."""

    field: str
    description: str
    suggestion: str = ""


class RungwiseClientError(Exception):
    """A call that failed. `code` is gRPC's name of the status, `reason` the server's word for machines."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        reason: str = "",
        violations: Sequence[FieldViolation] = (),
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what the server told; `metadata` is that of its ErrorInfo."""
        self.code = code
        self.message = message
        self.reason = reason or code
        self.violations = tuple(violations)
        self.metadata = dict(metadata or {})
        super().__init__(f"{code}: {message}")


class InvalidRequestError(RungwiseClientError):
    """The request breaks the contract: INVALID_ARGUMENT, or refused before it was sent."""


class NotFoundError(RungwiseClientError):
    """A name that the server does not know: NOT_FOUND."""

    @property
    def suggestions(self) -> tuple[str, ...]:
        """The nearest names, best first."""
        return tuple(filter(None, self.metadata.get("suggestions", "").split(",")))

    @property
    def hint(self) -> str:
        """How to do without the name."""
        return self.metadata.get("hint", "")


class OverloadedError(RungwiseClientError):
    """The server refuses calls for now: RESOURCE_EXHAUSTED, after all retries."""

    retry_after_s: float | None = None
    """Seconds after which the server wants to be asked again; None if it did not say."""


class UnavailableError(RungwiseClientError):
    """The server cannot be reached, or has no rulebook yet: UNAVAILABLE, after all retries."""


class DeadlineExceededError(RungwiseClientError):
    """No answer within the timeout: DEADLINE_EXCEEDED."""


class InternalError(RungwiseClientError):
    """The server failed: INTERNAL or UNKNOWN."""
