"""How many calls may be in flight: beyond that a call is refused at once, and told when to come back."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, ParamSpec, TypeVar

import grpc
from rungwise.server.errors import refuse

P = ParamSpec("P")
T = TypeVar("T")


class AdmissionPool(ThreadPoolExecutor):
    """Threads that count the calls that they have: running and queued.

    gRPC hands every call to its pool exactly once and the future that comes out ends exactly once, however the call
    ends: answered, failed, or cancelled before a thread got to it.
    """

    def __init__(self, threads: int, limit: int, name: str) -> None:
        """Run calls on `threads` threads; `limit` calls fill the pool."""
        super().__init__(threads, thread_name_prefix=name)
        self._limit = limit
        self._in_flight = 0
        self._lock = Lock()

    @property
    def in_flight(self) -> int:
        """Calls that are running or queued."""
        return self._in_flight

    @property
    def full(self) -> bool:
        """Whether the next call must be refused."""
        return self._in_flight >= self._limit

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Queue a call. Raises RuntimeError after shutdown."""
        future = super().submit(fn, *args, **kwargs)
        with self._lock:
            self._in_flight += 1
        future.add_done_callback(self._left)
        return future

    def _left(self, _: "Future[Any]") -> None:
        with self._lock:
            self._in_flight -= 1


class Admission(grpc.GenericRpcHandler):
    """Finds the handler of a call, or the one that refuses it while the pool is full.

    gRPC asks on its one serving thread and submits the call before it asks again, so that the limit is exact. A
    refusal has its own thread: on the pool's it would wait for the calls that it is refused for.
    """

    def __init__(
        self,
        handlers: Mapping[str, "grpc.RpcMethodHandler[bytes, bytes]"],
        pool: AdmissionPool,
        refusals: ThreadPoolExecutor,
    ) -> None:
        """`handlers` by full method name: `/rungwise.v1.PlannerService/Plan`."""
        self._handlers = handlers
        self._pool = pool
        self._refusing = {method: _refusing(method, refusals) for method in handlers}

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        """Return the handler of the method; None for a method of others."""
        method = handler_call_details.method
        return self._refusing.get(method) if self._pool.full else self._handlers.get(method)


def _refusing(method: str, threads: ThreadPoolExecutor) -> "grpc.RpcMethodHandler[bytes, bytes]":
    # As a stream the call is refused before its request has arrived.
    def behaviour(_requests: Any, context: grpc.ServicerContext) -> bytes:
        refuse(context, method)

    behaviour.experimental_thread_pool = threads  # type: ignore[attr-defined]
    return grpc.stream_unary_rpc_method_handler(behaviour)
