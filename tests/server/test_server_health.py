"""Who asks for the health of the server is answered on both ports, in every state."""

import socket
import threading

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from rungwise.server.healthcheck import healthcheck
from serving import PLAN, GatedMatcher, plan_request, until

SERVING, NOT_SERVING = "SERVING", "NOT_SERVING"


def health(address, service=""):
    with grpc.insecure_channel(address) as channel:
        request = health_pb2.HealthCheckRequest(service=service)
        answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=5)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


@pytest.mark.parametrize("service", ["", "rungwise.v1.PlannerService", "rungwise.v1.CatalogService"])
def test_both_ports_know_the_services(server, service):
    assert health(server.address, service) == SERVING
    assert health(server.health_address, service) == SERVING


def test_an_unknown_service_is_not_found(server):
    with pytest.raises(grpc.RpcError) as caught:
        health(server.health_address, "rungwise.v1.Planner")
    assert caught.value.code().name == "NOT_FOUND"
    assert "unknown service 'rungwise.v1.Planner'" in caught.value.details()


def test_the_port_for_probes_serves_nothing_else(server):
    with grpc.insecure_channel(server.health_address) as channel, pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary(PLAN)(plan_request().SerializeToString(), timeout=5)
    assert caught.value.code().name == "UNIMPLEMENTED"


def test_a_stopping_server_says_so_and_finishes_what_runs(start, knowledge):
    matcher = GatedMatcher(knowledge.matcher)
    server, channel = start(matcher)
    with grpc.insecure_channel(server.health_address) as probe:
        states = health_pb2_grpc.HealthStub(probe).Watch(health_pb2.HealthCheckRequest(), timeout=20)
        assert next(states).status == health_pb2.HealthCheckResponse.SERVING
        call = channel.unary_unary(PLAN).future(plan_request().SerializeToString(), timeout=20)
        until(lambda: matcher.arrived == 1)
        stopping = threading.Thread(target=server.stop, args=(10,))
        stopping.start()
        assert next(states).status == health_pb2.HealthCheckResponse.NOT_SERVING
        assert health(server.health_address) == NOT_SERVING
        assert healthcheck(server.health_address, 5) == 4
        with pytest.raises(grpc.RpcError) as caught, grpc.insecure_channel(server.address) as other:
            other.unary_unary(PLAN)(plan_request().SerializeToString(), timeout=5)
        assert caught.value.code().name == "UNAVAILABLE"
        assert not call.done()
        matcher.gate.set()
        assert call.result(timeout=10)
        stopping.join(10)
    with pytest.raises(grpc.RpcError) as caught:
        health(server.health_address)
    assert caught.value.code().name == "UNAVAILABLE"


@pytest.mark.parametrize("method", ["Check", "Watch"])
@pytest.mark.parametrize("port", ["address", "health_address"])
def test_calls_whose_message_never_comes_do_not_blind_the_probes(start, method, port):
    server, _ = start(receive_seconds=1)
    release = threading.Event()

    def never():
        release.wait(30)
        yield from ()

    with grpc.insecure_channel(getattr(server, port)) as channel:
        silent = [channel.stream_stream(f"/grpc.health.v1.Health/{method}")(never()) for _ in range(4)]
        assert healthcheck(getattr(server, port), 5) == 0
        for call in silent:
            with pytest.raises(grpc.RpcError) as caught:
                next(call)
            assert caught.value.code().name == "CANCELLED"
    release.set()


@pytest.mark.parametrize("method", ["Check", "Watch"])
def test_what_is_no_health_check_is_a_fault(server, method):
    with grpc.insecure_channel(server.health_address) as channel:
        for data in ([b"\xff\xff"], []):
            with pytest.raises(grpc.RpcError) as caught:
                next(channel.stream_stream(f"/grpc.health.v1.Health/{method}")(iter(data), timeout=5))
            assert caught.value.code().name == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "target",
    ["127.0.0.1:1", "no-such-host.invalid:50052", "nonsense", ""],
    ids=["closed", "host", "text", "empty"],
)
def test_healthcheck_of_nobody(target, capsys):
    assert healthcheck(target, 1.0) == 4
    assert f"rungwise: {target} does not serve: " in capsys.readouterr().err


def test_healthcheck(server, capsys, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert healthcheck(server.health_address, 5.0) == 0
    assert healthcheck(server.address, 5.0) == 0
    assert capsys.readouterr().err == ""


def test_healthcheck_of_a_server_that_does_not_answer(capsys):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert healthcheck(f"127.0.0.1:{silent.getsockname()[1]}", 0.5) == 4
    assert "does not serve" in capsys.readouterr().err
