"""Planning on a server."""

from collections.abc import Sequence
from typing import Any

from google.protobuf.json_format import ParseDict, ParseError
from rungwise.cli.address import checked_address
from rungwise.cli.failure import usage
from rungwise.client import RungwiseClient
from rungwise.v1.planner_service_pb2 import ExplainResponse, PlanRequest, PlanResponse
from rungwise.wire.requests import plan_request

DEFAULT_TIMEOUT = 10.0
"""Seconds for one request, attempts at a busy server included."""


class RemotePlanner:
    """Asks a server; its rulebook decides, and it judges the requests."""

    def __init__(self, target: str, timeout: str | None) -> None:
        """Connect on the first request. Raises a usage failure for an address or a timeout that is none."""
        try:
            seconds = DEFAULT_TIMEOUT if timeout is None else float(timeout)
            self._client = RungwiseClient(checked_address("--server", target), timeout=seconds)
        except ValueError as error:
            raise usage("--timeout", f"{timeout!r} is not a number of seconds above 0") from error

    def plan(self, request: Any) -> PlanResponse:
        """Plan a job given as plain values. Raises InvalidRequest, RungwiseClientError."""
        return self._client.plan(_message(request))

    def explain(self, request: Any, why_not: Sequence[str]) -> ExplainResponse:
        """Explain a job; raises as `plan`."""
        return self._client.explain(_message(request), why_not=why_not)


def _message(request: Any) -> PlanRequest:
    """Return the message. What has no place in one never reaches the server, so that is told here."""
    try:
        return ParseDict(request, PlanRequest())
    except (ParseError, ValueError, TypeError, AttributeError) as error:
        plan_request(request)
        raise ParseError(f"no request message: {error}") from error
