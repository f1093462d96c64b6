"""The name of a decision: same request, same rulebook, same planner, same id."""

import hashlib
import json

from rungwise.domain.request import PlanRequest
from rungwise.planning.version import PLANNER_VERSION


def decision_id(request: PlanRequest, rulebook_revision: str) -> str:
    """Return 32 hex digits over everything that can change the decision.

    The caller's id, the language and the trace level change only how the answer is told. The id is guessable.
    """
    told = {"request_id": True, "preferences": {"locale", "trace_level"}}
    body = request.model_dump(mode="json", exclude=told, exclude_none=True)  # type: ignore[arg-type]
    canonical = json.dumps([body, rulebook_revision, PLANNER_VERSION], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
