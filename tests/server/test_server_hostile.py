"""Input that nobody sends on purpose, or only on purpose."""

import socket
import threading
import time

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rungwise.v1 import planner_service_pb2
from serving import EXPLAIN, PLAN, plan_request, until

HARMLESS = {"OK", "INVALID_ARGUMENT", "NOT_FOUND"}
METHODS = [PLAN, EXPLAIN] + [
    f"/rungwise.v1.CatalogService/{name}"
    for name in ("ListModels", "GetModel", "ListGpus", "GetGpu", "ListRules", "GetRule")
]
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def code(channel, method, data):
    call = channel.unary_unary(method).future(data, timeout=20)
    call.exception(timeout=25)
    return call.code().name


@quick
@given(method=st.sampled_from(METHODS), data=st.binary(max_size=200))
def test_any_bytes(channel, method, data):
    assert code(channel, method, data) in HARMLESS


@quick
@given(data=st.data())
def test_a_request_with_some_bytes_changed(channel, data):
    message = bytearray(plan_request(locale="en", forbid=["cpu_offload"]).SerializeToString())
    places = st.integers(0, len(message) - 1)
    for place, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=4)):
        message[place] = value
    assert code(channel, PLAN, bytes(message)) in HARMLESS


@quick
@given(
    name=st.text(max_size=300),
    gpu=st.text(max_size=300),
    gpus=st.integers(-(2**31), 2**31 - 1),
    length=st.integers(-(2**63), 2**63 - 1),
    free=st.floats(),
    words=st.lists(st.text(max_size=20), max_size=5),
    config=st.none() | st.text(max_size=50),
)
def test_any_values(channel, name, gpu, gpus, length, free, words, config):
    request = planner_service_pb2.PlanRequest(
        request_id=name,
        hardware={"gpu": gpu, "gpus": gpus, "free_gib": free},
        workload={"max_model_len": length, "framework": name},
        preferences={"forbid": words, "allow": words, "locale": gpu},
    )
    if config is None:
        request.model.name = name
    else:
        request.model.hf_config_json = config
    assert code(channel, PLAN, request.SerializeToString()) in HARMLESS


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{" * 100_000, "INVALID_ARGUMENT"),
        ("[" * 1_000_000, "INVALID_ARGUMENT"),
        ('{"hidden_size": 1' + "0" * 900_000 + "}", "INVALID_ARGUMENT"),
        ('{"hidden_size": 1e999}', "INVALID_ARGUMENT"),
        (" " * 1_048_577, "INVALID_ARGUMENT"),
        ("\x00", "INVALID_ARGUMENT"),
    ],
    ids=["braces", "brackets", "digits", "overflow", "long", "NUL"],
)
def test_hostile_model_files(channel, config, expected):
    request = plan_request()
    request.model.hf_config_json = config
    begun = time.monotonic()
    assert code(channel, PLAN, request.SerializeToString()) == expected
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    "data",
    [b"\x13" * 50_000 + b"\x14" * 50_000, b"\x0a" * 100_000, b"\x12\xff\xff\xff\xff\x07"],
    ids=["nested groups", "nested messages", "length beyond the end"],
)
def test_hostile_messages(channel, data):
    assert code(channel, PLAN, data) == "INVALID_ARGUMENT"


def test_a_message_above_the_limit_is_refused_and_the_connection_lives(channel):
    assert code(channel, PLAN, b"\x00" * (3 * 2**20)) == "RESOURCE_EXHAUSTED"
    assert code(channel, PLAN, plan_request().SerializeToString()) == "OK"


def test_a_call_without_a_message(channel):
    with pytest.raises(grpc.RpcError) as caught:
        channel.stream_unary(PLAN)(iter([]), timeout=10)
    assert caught.value.code().name == "INVALID_ARGUMENT"
    assert "no request message" in caught.value.details()


def test_calls_whose_message_never_comes_do_not_hold_the_threads(start):
    server, channel = start(receive_seconds=1)
    release = threading.Event()

    def never():
        release.wait(30)
        yield from ()

    silent = [channel.stream_unary(PLAN).future(never()) for _ in range(4)]
    until(lambda: server.pool.in_flight == 4)
    begun = time.monotonic()
    assert code(channel, PLAN, plan_request().SerializeToString()) == "OK"
    assert time.monotonic() - begun < 3
    assert {call.exception(timeout=10).code().name for call in silent} == {"CANCELLED"}
    release.set()
    until(lambda: server.pool.in_flight == 0)


def test_garbage_instead_of_http2(server):
    host, port = server.address.rsplit(":", 1)
    for garbage in (
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 10_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 99,
    ):
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            connection.sendall(garbage)
    with grpc.insecure_channel(server.address) as channel:
        assert code(channel, PLAN, plan_request().SerializeToString()) == "OK"
