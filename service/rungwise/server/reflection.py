"""Server reflection: clients without the .proto files ask for them (grpcurl does)."""

from collections.abc import Iterable, Iterator
from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import (
    SERVICE_NAME,
    ReflectionServicer,
)
from rungwise.server.admission import AdmissionPool
from rungwise.server.receiving import ReceiveWatch

SERVICE = SERVICE_NAME


def reflection_method(
    services: Iterable[str], threads: AdmissionPool, watch: ReceiveWatch
) -> dict[str, "grpc.RpcMethodHandler[Any, Any]"]:
    """Return reflection's one method by full name. A stream holds a thread, so `watch` ends it after a while."""
    servicer = ReflectionServicer([*services, SERVICE])

    def behaviour(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        with watch.waiting(context):
            yield from servicer.ServerReflectionInfo(requests, context)

    behaviour.experimental_thread_pool = threads  # type: ignore[attr-defined]
    return {
        f"/{SERVICE}/ServerReflectionInfo": grpc.stream_stream_rpc_method_handler(
            behaviour,
            reflection_pb2.ServerReflectionRequest.FromString,
            reflection_pb2.ServerReflectionResponse.SerializeToString,
        )
    }
