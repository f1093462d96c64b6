"""The server as a process of its own."""

import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from rungwise.server.healthcheck import healthcheck
from serving import PLAN, plan_request, until

SERVE = """
import sys
from pathlib import Path
from rungwise.server.options import ServerOptions
from rungwise.server.serve import serve
sys.exit(serve(ServerOptions({})))
"""
READY = re.compile(
    r"listening on (127\.0\.0\.1:\d+), health on (127\.0\.0\.1:\d+), rulebook ([0-9a-f]+), matcher (\w+)\n"
)


@contextmanager
def process(*arguments):
    child = subprocess.Popen(
        [sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def options(**given):
    return SERVE.format(", ".join(f"{name}={value!r}" for name, value in given.items()))


def ready(child):
    line = child.stdout.readline()
    match = READY.fullmatch(line)
    assert match, line or child.stderr.read()
    return match.groups()


def run(**given):
    done = subprocess.run(
        [sys.executable, "-c", options(**given)], capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_listens_and_stops_when_told(knowledge, number):
    with process("-c", options(port=0)) as child:
        address, health_address, revision, matcher = ready(child)
        assert (revision, matcher) == (
            knowledge.revision,
            "durable" if sys.version_info < (3, 13) else "portable",
        )
        assert healthcheck(health_address, 5) == healthcheck(address, 5) == 0
        with grpc.insecure_channel(address) as channel:
            assert channel.unary_unary(PLAN)(plan_request().SerializeToString(), timeout=10)
            child.send_signal(number)
            assert child.wait(10) == 0
        assert "Traceback" not in child.stderr.read()


def test_sigterm_lets_running_calls_end():
    with process(Path(__file__).parent / "slow_server.py", 1.0) as child:
        address, health_address, _, _ = ready(child)
        with grpc.insecure_channel(address) as channel, grpc.insecure_channel(health_address) as probe:
            call = channel.unary_unary(PLAN).future(plan_request().SerializeToString(), timeout=20)
            assert child.stdout.readline() == "deciding\n"
            child.terminate()

            def status():
                stub = health_pb2_grpc.HealthStub(probe)
                return stub.Check(health_pb2.HealthCheckRequest(), timeout=5).status

            until(lambda: status() == health_pb2.HealthCheckResponse.NOT_SERVING)
            assert not call.done()
            assert call.result(timeout=10)
        assert child.wait(10) == 0


def test_a_second_signal_ends_it_at_once():
    with process(Path(__file__).parent / "slow_server.py", 30.0) as child:
        address, *_ = ready(child)
        with grpc.insecure_channel(address) as channel:
            call = channel.unary_unary(PLAN).future(plan_request().SerializeToString(), timeout=20)
            assert child.stdout.readline() == "deciding\n"
            child.terminate()
            while "stopping" not in child.stderr.readline():
                assert child.poll() is None
            child.terminate()
            assert child.wait(5) == -signal.SIGTERM
            assert call.exception(timeout=10).code().name == "UNAVAILABLE"


@pytest.mark.parametrize("taken", ["port", "health_port"])
def test_a_port_that_somebody_listens_on(server, taken):
    number = int(server.address.rpartition(":")[2])
    code, out, error = run(**{"port": 0, "health_port": 0, taken: number})
    assert (code, out) == (4, "")
    assert f"rungwise: cannot listen on 127.0.0.1:{number}: Address already in use; choose another" in error


@pytest.mark.parametrize("host", ["no-such-host.invalid", "256.1.1.1", "a" * 70, "\x00"])
def test_a_host_that_does_not_resolve(host):
    code, out, error = run(port=0, host=host)
    assert (code, out) == (4, "")
    assert "rungwise: cannot resolve the host" in error


def test_an_address_of_another_machine():
    code, _, error = run(port=0, host="192.0.2.1")
    assert code == 4
    assert "rungwise: cannot listen on 192.0.2.1:0: Cannot assign requested address" in error


@pytest.mark.skipif(not socket.has_ipv6, reason="this Python has no IPv6")
def test_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with process("-c", options(port=0, host="::1")) as child:
        address = re.match(r"listening on (\[::1\]:\d+), ", child.stdout.readline())[1]
        assert healthcheck(address, 5) == 0


def test_a_rulebook_that_cannot_be_used(tmp_path):
    (tmp_path / "limits").mkdir()
    (tmp_path / "limits" / "site-broken.yaml").write_text("id: [1,\n")
    code, out, error = run(port=0, rulebook=(str(tmp_path),))
    assert (code, out) == (2, "")
    assert re.search(r"^rungwise: .*limits/site-broken\.yaml:\d+:\d+: ", error, re.MULTILINE)


def test_a_rulebook_that_is_not_there(tmp_path):
    code, _, error = run(port=0, rulebook=(str(tmp_path / "none"),))
    assert code == 2
    assert "none" in error
