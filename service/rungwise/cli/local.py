"""Planning in this process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rungwise.domain.errors import FieldViolation
from rungwise.domain.request import PlanRequest
from rungwise.engine.matching import MatcherKind
from rungwise.planning.explain import explain
from rungwise.planning.job import violations
from rungwise.planning.knowledge import load_knowledge
from rungwise.planning.plan import plan
from rungwise.v1.planner_service_pb2 import ExplainResponse, PlanResponse
from rungwise.wire.requests import explain_request, plan_request
from rungwise.wire.to_proto import explain_response, plan_response


class LocalPlanner:
    """Plans with a rulebook of this machine."""

    def __init__(self, overlays: Sequence[Path], matcher: MatcherKind) -> None:
        """Load the rulebook. Raises InvalidRulebook, MatcherUnavailable."""
        self._knowledge = load_knowledge(overlays, matcher)

    def plan(self, request: Any) -> PlanResponse:
        """Plan a job given as plain values. Raises InvalidRequest, NotFound, RuleFailed."""
        return plan_response(plan(self._knowledge, plan_request(request, self._violations)))

    def explain(self, request: Any, why_not: Sequence[str]) -> ExplainResponse:
        """Explain a job; raises as `plan`."""
        asked = {"plan": request, "why_not": list(why_not)}
        return explain_response(explain(self._knowledge, explain_request(asked, self._violations)))

    def _violations(self, request: PlanRequest) -> Sequence[FieldViolation]:
        return violations(self._knowledge, request)
