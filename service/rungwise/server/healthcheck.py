"""Asks a server whether it serves: the probe of a container."""

import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

SERVING = 0
NOT_SERVING = 4


def healthcheck(target: str, timeout: float) -> int:
    """Return 0 if the server at `target` serves, else 4 and say why on standard error.

    `target` is HOST:PORT of the health port, which has no TLS; `timeout` in seconds.
    """
    # A proxy of the environment must not stand between a probe and its own machine.
    with grpc.insecure_channel(target, options=(("grpc.enable_http_proxy", 0),)) as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=timeout
            )
        except grpc.RpcError as error:
            return _not_serving(target, f"{error.code().name}: {error.details()}")
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
        return SERVING
    return _not_serving(target, health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def _not_serving(target: str, why: str) -> int:
    print(f"rungwise: {target} does not serve: {why}", file=sys.stderr)
    return NOT_SERVING
