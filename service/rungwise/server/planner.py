"""PlannerService: plans and explanations, each kept for the next caller who asks the same."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import grpc
from pydantic import TypeAdapter, ValidationError
from rungwise.domain.request import PlanRequest
from rungwise.planning.explain import explain
from rungwise.planning.job import violations
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan
from rungwise.server.cache import ResponseCache
from rungwise.server.deadline import Deadline, until
from rungwise.server.method import unary_method
from rungwise.server.receiving import ReceiveWatch
from rungwise.v1 import planner_service_pb2
from rungwise.wire import requests, to_proto
from rungwise.wire.from_proto import to_dict

SERVICE = planner_service_pb2.DESCRIPTOR.services_by_name["PlannerService"].full_name

_request_id = PlanRequest.model_fields["request_id"]
_REQUEST_ID = TypeAdapter(Annotated[str, *_request_id.metadata])


class Planner:
    """The service's answers from one knowledge. The same request gives the same bytes."""

    def __init__(self, knowledge: Knowledge, cache: ResponseCache) -> None:
        """Plan with `knowledge`; `cache` must hold answers from it alone."""
        self._knowledge = knowledge
        self._cache = cache

    def handlers(self, watch: ReceiveWatch) -> dict[str, "grpc.RpcMethodHandler[bytes, bytes]"]:
        """Return the service's methods by full name."""
        plan_method, explain_method = f"/{SERVICE}/Plan", f"/{SERVICE}/Explain"
        return {
            plan_method: unary_method(plan_method, planner_service_pb2.PlanRequest, self.plan, watch),
            explain_method: unary_method(
                explain_method, planner_service_pb2.ExplainRequest, self.explain, watch
            ),
        }

    def plan(self, request: planner_service_pb2.PlanRequest, deadline: Deadline) -> bytes:
        """Return a serialized PlanResponse. Raises as `planning.plan` does, and CallEnded."""

        def compute() -> bytes:
            knowledge = until(deadline, self._knowledge)
            job = requests.plan_request(to_dict(request), partial(violations, knowledge))
            return to_proto.plan_response(plan(knowledge, job)).SerializeToString(deterministic=True)

        return self._cached(b"P", request, request, compute)

    def explain(self, request: planner_service_pb2.ExplainRequest, deadline: Deadline) -> bytes:
        """Return a serialized ExplainResponse. Raises as `planning.explain` does, and CallEnded."""

        def compute() -> bytes:
            knowledge = until(deadline, self._knowledge)
            job = requests.explain_request(to_dict(request), partial(violations, knowledge))
            return to_proto.explain_response(explain(knowledge, job)).SerializeToString(deterministic=True)

        return self._cached(b"E", request, request.plan, compute)

    def _cached(
        self,
        kind: bytes,
        request: planner_service_pb2.PlanRequest | planner_service_pb2.ExplainRequest,
        job: planner_service_pb2.PlanRequest,
        compute: Callable[[], bytes],
    ) -> bytes:
        # The id does not change the answer, but a bad one is a fault, whatever was asked before.
        # Clearing a field of an absent message would make that present.
        if job.request_id and _is_request_id(job.request_id):
            job.ClearField("request_id")
        request.DiscardUnknownFields()
        key = kind + request.SerializeToString(deterministic=True)
        answer = self._cache.get(key)
        if answer is None:
            answer = compute()
            self._cache.put(key, answer)
        return answer


def _is_request_id(text: str) -> bool:
    try:
        _REQUEST_ID.validate_python(text)
    except ValidationError:
        return False
    return True
