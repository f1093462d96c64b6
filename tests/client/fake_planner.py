"""A planner on loopback that answers as a test tells it to."""

import threading
from collections.abc import Callable
from typing import Any, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message
from google.rpc import status_pb2
from rungwise.v1 import catalog_service_pb2 as catalog
from rungwise.v1 import planner_service_pb2

Answer = Callable[[Any, grpc.ServicerContext], Message]


def abort(
    context: grpc.ServicerContext,
    code: grpc.StatusCode,
    message: str,
    *details: Message,
    pushback_ms: int | None = None,
) -> NoReturn:
    """End a call as the server does, with details in `grpc-status-details-bin`."""
    status = status_pb2.Status(code=code.value[0], message=message)
    for detail in details:
        packed = Packed()
        packed.Pack(detail)
        status.details.append(packed)
    metadata: list[tuple[str, str | bytes]] = [("grpc-status-details-bin", status.SerializeToString())]
    if pushback_ms is not None:
        metadata.append(("grpc-retry-pushback-ms", str(pushback_ms)))
    context.set_trailing_metadata(metadata)
    context.abort(code, message)


class FakePlanner:
    """Keeps what it is asked, and answers with `answer`; its catalog sends back what it is asked."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.remaining: list[float] = []
        self.released = threading.Event()
        self.answer: Answer | None = None
        self.target = ""

    def handlers(self) -> tuple[grpc.GenericRpcHandler, ...]:
        """Return the handlers of both services."""
        return (
            _service(planner_service_pb2, "PlannerService", {"Plan": self._keep, "Explain": self._keep}),
            _service(
                catalog,
                "CatalogService",
                {
                    "ListModels": lambda request, _: catalog.ListModelsResponse(models=[{"id": "all"}]),
                    "GetModel": lambda request, _: catalog.GetModelResponse(model={"id": request.name}),
                    "ListGpus": lambda request, _: catalog.ListGpusResponse(gpus=[{"id": "all"}]),
                    "GetGpu": lambda request, _: catalog.GetGpuResponse(gpu={"id": request.name}),
                    "ListRules": lambda request, _: catalog.ListRulesResponse(
                        rules=[{"id": "all", "kind": request.kind, "title": request.locale}]
                    ),
                    "GetRule": lambda request, _: catalog.GetRuleResponse(
                        rule={"id": request.id, "title": request.locale}
                    ),
                },
            ),
        )

    def _keep(self, request: Any, context: grpc.ServicerContext) -> Message:
        self.requests.append(request)
        self.remaining.append(context.time_remaining())
        assert self.answer is not None
        return self.answer(request, context)


def _service(contract: Any, name: str, answers: dict[str, Answer]) -> grpc.GenericRpcHandler:
    methods = {
        method: grpc.unary_unary_rpc_method_handler(
            answer,
            request_deserializer=getattr(contract, f"{method}Request").FromString,
            response_serializer=getattr(contract, f"{method}Response").SerializeToString,
        )
        for method, answer in answers.items()
    }
    return grpc.method_handlers_generic_handler(f"rungwise.v1.{name}", methods)
