"""The server: services, admission, health and reflection on one port, health for probes on another."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from rungwise.planning.knowledge import Knowledge
from rungwise.server import catalog, health, planner
from rungwise.server.admission import Admission, AdmissionPool
from rungwise.server.cache import ResponseCache
from rungwise.server.catalog import CatalogViewer
from rungwise.server.health import Health
from rungwise.server.listening import credentials, listen
from rungwise.server.options import ServerOptions
from rungwise.server.planner import Planner
from rungwise.server.receiving import ReceiveWatch
from rungwise.server.reflection import reflection_method

_REFLECTION_THREADS = 4
_STREAMS_PER_CONNECTION = 256
_OUTER_BOUND = 256
"""Calls of all kinds, refusals that wait for their thread included; beyond it gRPC refuses without details."""


class RungwiseServer:
    """Made in one go: raises CannotListen and BadCertificate, and then listens without answering until `start`."""

    def __init__(
        self,
        knowledge: Knowledge,
        options: ServerOptions,
        extra: Sequence[grpc.GenericRpcHandler] = (),
    ) -> None:
        """Serve from `knowledge`; `options.rulebook` is not read. The services of `extra` pass no admission."""
        self._watch = ReceiveWatch(options.receive_seconds)
        self._health = Health((planner.SERVICE, catalog.SERVICE))
        self.pool = AdmissionPool(options.threads, options.maximum_concurrent_rpcs, "rungwise")
        self._refusals = ThreadPoolExecutor(1, thread_name_prefix="refusal")
        self._reflection = AdmissionPool(_REFLECTION_THREADS, _REFLECTION_THREADS, "reflection")
        self._health_threads = ThreadPoolExecutor(2, thread_name_prefix="health")
        self._probe_threads = ThreadPoolExecutor(2, thread_name_prefix="probe")

        cache = ResponseCache(options.cache_entries, options.cache_bytes)
        methods = Planner(knowledge, cache).handlers(self._watch) | CatalogViewer(knowledge).handlers(
            self._watch
        )
        handlers = [
            self._health.handler(self._health_threads, self._watch),
            self._admitted(methods, self.pool),
        ]
        if options.reflection:
            services = (planner.SERVICE, catalog.SERVICE, health.SERVICE)
            reflection = reflection_method(services, self._reflection, self._watch)
            handlers.append(self._admitted(reflection, self._reflection))
        self._server = grpc.server(
            self.pool,
            handlers=[*handlers, *extra],
            maximum_concurrent_rpcs=max(_OUTER_BOUND, 4 * options.maximum_concurrent_rpcs),
            options=(
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", options.max_message_bytes),
                ("grpc.max_concurrent_streams", _STREAMS_PER_CONNECTION),
            ),
        )
        self._probes = grpc.server(
            self._probe_threads,
            handlers=[self._health.handler(self._probe_threads, self._watch)],
            options=(("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", 4_096)),
        )
        tls = None
        if options.tls_cert is not None and options.tls_key is not None:
            tls = credentials(options.tls_cert, options.tls_key)
        self.address = listen(self._server, options.host, options.port, tls)
        self.health_address = listen(self._probes, options.host, options.probe_port, None)

    def start(self) -> None:
        """Answer calls."""
        self._watch.start()
        self._probes.start()
        self._server.start()
        self._health.serving()

    def stop(self, grace: float) -> None:
        """Turn unhealthy, take no more calls, give those that run `grace` seconds, and end for good."""
        self._health.stopping()
        self._server.stop(grace).wait()
        self._probes.stop(0).wait()
        self._watch.stop()
        for threads in (
            self.pool,
            self._refusals,
            self._reflection,
            self._health_threads,
            self._probe_threads,
        ):
            threads.shutdown(wait=False, cancel_futures=True)

    def _admitted(
        self, methods: Mapping[str, "grpc.RpcMethodHandler[Any, Any]"], pool: AdmissionPool
    ) -> grpc.GenericRpcHandler:
        return Admission(methods, pool, self._refusals)
