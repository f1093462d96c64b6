"""grpc.health.v1: whether the server answers questions, for probes and for clients."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import (
    OVERALL_HEALTH,
    SERVICE_NAME,
    HealthServicer,
)
from rungwise.catalog.names import shown
from rungwise.domain.errors import InvalidRequest, NotFound
from rungwise.server.deadline import Deadline
from rungwise.server.errors import fail
from rungwise.server.method import parse, unary_method
from rungwise.server.receiving import ReceiveWatch

SERVICE = SERVICE_NAME


class Health:
    """The health of some services and of the whole. Not serving until `serving` is called."""

    def __init__(self, services: Iterable[str]) -> None:
        """Know `services`, by full name, besides the whole."""
        self._names = (OVERALL_HEALTH, *services)
        self._servicer = HealthServicer()
        self._set(health_pb2.HealthCheckResponse.NOT_SERVING)

    def serving(self) -> None:
        """Tell that a rulebook is loaded and calls are taken."""
        self._set(health_pb2.HealthCheckResponse.SERVING)

    def stopping(self) -> None:
        """Tell, for good, that no more calls are taken."""
        self._servicer.enter_graceful_shutdown()

    def handler(self, threads: ThreadPoolExecutor, watch: ReceiveWatch) -> grpc.GenericRpcHandler:
        """Return the service for one listener, on threads that no other work can fill."""

        # The library would keep the threads on its class, where two listeners overwrite each other's.
        def stream(
            requests: Iterator[bytes], context: grpc.ServicerContext, send: Callable[[Any], None]
        ) -> None:
            try:
                request = parse(watch.receive(requests, context), health_pb2.HealthCheckRequest)
            except InvalidRequest as error:
                fail(context, f"/{SERVICE}/Watch", error)
            self._servicer.Watch(request, context, send)

        # gRPC then calls it with a function to send by, and no thread stays with the stream.
        stream.experimental_non_blocking = True  # type: ignore[attr-defined]
        stream.experimental_thread_pool = threads  # type: ignore[attr-defined]
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Check": unary_method(
                    f"/{SERVICE}/Check", health_pb2.HealthCheckRequest, self._check, watch, threads
                ),
                "Watch": grpc.stream_stream_rpc_method_handler(
                    stream,
                    response_serializer=health_pb2.HealthCheckResponse.SerializeToString,
                ),
            },
        )

    def _check(self, request: health_pb2.HealthCheckRequest, _deadline: Deadline) -> bytes:
        if request.service not in self._names:
            hint = f"known: {', '.join(filter(None, self._names))}, and the empty name for the whole"
            raise NotFound("service", shown(request.service), "service", (), hint)
        # Of a known service the library's method asks nothing of its context.
        answer: bytes = self._servicer.Check(request, None).SerializeToString()
        return answer

    def _set(self, status: health_pb2.HealthCheckResponse.ServingStatus.ValueType) -> None:
        for name in self._names:
            self._servicer.set(name, status)
