"""What went wrong, as the command line tells it: words on standard error, or one JSON object on standard output."""

import sys
from collections.abc import Sequence
from typing import Any

from rungwise.cli.job_options import option_of
from rungwise.cli.output import printable
from rungwise.domain.errors import FieldViolation

BAD_INPUT = 2
INTERNAL = 5


class Failure(Exception):
    """A failed command: status code as in gRPC, a stable reason, every violation, and the exit code."""

    def __init__(
        self, code: str, reason: str, message: str, exit_code: int, violations: Sequence[FieldViolation] = ()
    ) -> None:
        """Keep the parts, in the shape that `rungwise.wire.status` tells of any error."""
        self.code = code
        self.reason = reason
        self.message = message
        self.exit_code = exit_code
        self.violations = tuple(violations)
        self.metadata: dict[str, str] = {}
        super().__init__(message)

    def as_object(self) -> dict[str, Any]:
        """Return the object that stands for the answer in JSON output."""
        from rungwise.wire.status import error_object

        return error_object(self)

    def as_text(self) -> str:
        """Return the lines for a reader; a field is followed by the option that fills it."""
        match self.violations:
            case ():
                lines = [f"rungwise: {self.message}"]
            case (violation,):
                first, *rest = _lines(violation)
                lines = [f"rungwise: {first}", *rest]
            case _:
                lines = [f"rungwise: {len(self.violations)} faults"]
                lines += (f"  {line}" for violation in self.violations for line in _lines(violation))
        return printable("\n".join(lines))


def usage(place: str, description: str, suggestion: str = "") -> Failure:
    """Make the failure of a command line that cannot be understood; `place` is an option or argument."""
    message = f"{place}: {description}" if place else description
    return Failure(
        "INVALID_ARGUMENT", "USAGE", message, BAD_INPUT, [FieldViolation(place, description, suggestion)]
    )


def failure_of(error: Exception) -> Failure:
    """Tell any error as a failure. What nobody foresaw is INTERNAL and shows nothing of the inside."""
    if isinstance(error, Failure):
        return error
    from rungwise.wire.status import exit_code, status_of

    status = status_of(error)
    return Failure(status.code, status.reason, status.message, exit_code(error), status.field_violations)


def tell(failure: Failure) -> None:
    """Print a failure for a reader."""
    if sys.stderr is not None:
        print(failure.as_text(), file=sys.stderr)


def _lines(violation: FieldViolation) -> list[str]:
    option = option_of(violation.field)
    place = f"{violation.field} ({option})" if option else violation.field
    lines = [f"{place}: {violation.description}" if place else violation.description]
    return [*lines, f"    {violation.suggestion}"] if violation.suggestion else lines
