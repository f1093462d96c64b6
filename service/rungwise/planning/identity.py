"""The name of a decision: same request, same rulebook, same planner, same id."""

import hashlib

from rungwise.domain.request import PlanRequest
from rungwise.planning.version import PLANNER_VERSION


def decision_id(request: PlanRequest, rulebook_revision: str) -> str:
    """Return 32 hex digits over everything that can change the decision.

    The caller's id, the language and the trace level change only how the answer is told. The id is guessable.
    """
    told = {"request_id": True, "preferences": {"locale", "trace_level"}}
    # Fields come in the order of the contract and unset ones not at all: one request has one text.
    # pydantic takes nested exclusions; its type says only one level.
    body = request.model_dump_json(exclude=told, exclude_none=True)  # type: ignore[arg-type]
    return hashlib.sha256(f"{PLANNER_VERSION}\n{rulebook_revision}\n{body}".encode()).hexdigest()[:32]
