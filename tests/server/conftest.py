from collections.abc import Callable, Iterator
from dataclasses import replace

import grpc
import pytest
from rungwise.planning.knowledge import Knowledge, load_knowledge
from rungwise.server.grpc_server import RungwiseServer
from rungwise.server.options import ServerOptions


@pytest.fixture(scope="session")
def knowledge() -> Knowledge:
    return load_knowledge()


@pytest.fixture
def start(knowledge) -> Iterator[Callable[..., tuple[RungwiseServer, grpc.Channel]]]:
    """Start a server with a matcher of the test and some options; returns it and a channel."""
    started = []

    def make(matcher=None, **options):
        known = replace(knowledge, matcher=matcher) if matcher else knowledge
        server = RungwiseServer(known, ServerOptions(**{"port": 0, "threads": 4, **options}))
        server.start()
        channel = grpc.insecure_channel(server.address)
        started.append((server, channel))
        return server, channel

    yield make
    for server, channel in started:
        channel.close()
        server.stop(5)


@pytest.fixture(scope="module")
def server(knowledge) -> Iterator[RungwiseServer]:
    server = RungwiseServer(knowledge, ServerOptions(port=0))
    server.start()
    yield server
    server.stop(5)


@pytest.fixture(scope="module")
def channel(server) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(server.address) as channel:
        yield channel
