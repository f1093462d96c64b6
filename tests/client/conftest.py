"""Servers on loopback."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from fake_planner import FakePlanner


@pytest.fixture
def planner() -> Iterator[FakePlanner]:
    fake = FakePlanner()
    server = grpc.server(ThreadPoolExecutor(8), handlers=fake.handlers(), options=[("grpc.so_reuseport", 0)])
    fake.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield fake
    fake.released.set()
    server.stop(None).wait(10)


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
