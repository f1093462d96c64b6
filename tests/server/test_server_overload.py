"""What happens when more is asked than can be answered."""

import time

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from serving import PLAN, GatedMatcher, details, plan_request, until

LIMIT = 16


@pytest.fixture
def gated(start, knowledge):
    """A server whose planning waits at a gate, and a function that fills it."""
    matcher = GatedMatcher(knowledge.matcher)
    server, channel = start(matcher, cache_entries=0)

    def fill(**call):
        calls = [
            channel.unary_unary(PLAN).future(plan_request(4_096 * (i + 1)).SerializeToString(), **call)
            for i in range(LIMIT)
        ]
        until(lambda: server.pool.in_flight == LIMIT and matcher.arrived == 4)
        return calls

    yield server, channel, matcher, fill
    matcher.gate.set()


def refusal(channel, method=PLAN):
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary(method)(plan_request().SerializeToString(), timeout=10)
    return caught.value


def test_a_full_server_refuses_at_once_and_says_when_to_come_back(gated):
    server, channel, matcher, fill = gated
    running = fill(timeout=30)
    for method in (PLAN, "/rungwise.v1.PlannerService/Explain", "/rungwise.v1.CatalogService/ListGpus"):
        begun = time.monotonic()
        error = refusal(channel, method)
        assert time.monotonic() - begun < 1
        found = details(error)
        assert (error.code().name, found["ErrorInfo"].reason) == ("RESOURCE_EXHAUSTED", "OVERLOADED")
        wait = found["RetryInfo"].retry_delay.ToMilliseconds()
        assert 100 <= wait <= 300
        assert dict(error.trailing_metadata())["grpc-retry-pushback-ms"] == str(wait)
        assert f"again in {wait} ms" in error.details()
    assert server.pool.in_flight == LIMIT
    matcher.gate.set()
    assert all(call.result(timeout=30) for call in running)
    until(lambda: server.pool.in_flight == 0)
    assert channel.unary_unary(PLAN)(plan_request().SerializeToString(), timeout=10)


def test_a_burst_is_refused_call_by_call(gated):
    server, channel, _, fill = gated
    fill(timeout=30)
    begun = time.monotonic()
    request = plan_request().SerializeToString()
    burst = [channel.unary_unary(PLAN).future(request, timeout=30) for _ in range(200)]
    errors = [call.exception(timeout=30) for call in burst]
    assert time.monotonic() - begun < 5
    waits = {details(error)["RetryInfo"].retry_delay.ToMilliseconds() for error in errors}
    assert len(waits) > 20, "callers that are refused together must not come back together"
    assert server.pool.in_flight == LIMIT


def test_health_and_reflection_answer_while_the_server_is_full(gated):
    server, channel, _, fill = gated
    fill(timeout=30)
    for address in (server.address, server.health_address):
        with grpc.insecure_channel(address) as probe:
            answer = health_pb2_grpc.HealthStub(probe).Check(health_pb2.HealthCheckRequest(), timeout=1)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
    database = ProtoReflectionDescriptorDatabase(channel)
    assert "rungwise.v1.PlannerService" in list(database.get_services())


def test_cancelled_calls_leave_and_those_in_the_queue_are_not_computed(gated):
    server, channel, matcher, fill = gated
    for call in fill(timeout=30):
        call.cancel()
    time.sleep(0.2)
    matcher.gate.set()
    until(lambda: server.pool.in_flight == 0)
    assert matcher.arrived == 4
    assert channel.unary_unary(PLAN)(plan_request().SerializeToString(), timeout=10)
    until(lambda: server.pool.in_flight == 0)


def test_a_call_whose_deadline_passed_in_the_queue_is_not_computed(gated):
    server, _, matcher, fill = gated
    calls = fill(timeout=0.5)
    assert {call.exception(timeout=10).code().name for call in calls} == {"DEADLINE_EXCEEDED"}
    matcher.gate.set()
    until(lambda: server.pool.in_flight == 0)
    assert matcher.arrived == 4


@pytest.mark.parametrize(("deadline", "finishes"), [(0.3, False), (None, True)])
def test_a_running_call_stops_at_the_next_question_after_its_deadline(gated, deadline, finishes):
    server, channel, matcher, _ = gated
    call = channel.unary_unary(PLAN).future(plan_request().SerializeToString(), timeout=deadline)
    until(lambda: matcher.arrived == 1)
    time.sleep(0.5)
    matcher.gate.set()
    until(lambda: server.pool.in_flight == 0)
    assert (call.exception(timeout=10) is None) == finishes
    assert (matcher.arrived > 1) == finishes


def test_reflection_streams_that_are_kept_open_do_not_fill_it_for_ever(start):
    server, channel = start(receive_seconds=1)
    method = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"

    def silent():
        time.sleep(4)
        yield b""

    streams = [channel.stream_stream(method)(silent(), timeout=30) for _ in range(4)]
    until(lambda: server._reflection.in_flight == 4)
    extra = channel.stream_stream(method)(iter([b""]), timeout=10)
    with pytest.raises(grpc.RpcError) as caught:
        next(extra)
    assert caught.value.code().name == "RESOURCE_EXHAUSTED"
    until(lambda: server._reflection.in_flight == 0, seconds=3)
    assert all(stream.code().name == "CANCELLED" for stream in streams)
