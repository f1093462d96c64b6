from pathlib import Path

import pytest
from rungwise.domain.errors import InvalidRequest
from rungwise.server.options import ServerOptions, server_options


@pytest.mark.parametrize(
    ("given", "port"),
    [
        ({}, 50052),
        ({"port": 0}, 0),
        ({"port": 7000}, 7001),
        ({"port": 7000, "health_port": 0}, 0),
        ({"port": 65_535, "health_port": 1}, 1),
    ],
)
def test_the_port_for_probes(given, port):
    assert server_options(**given).probe_port == port


@pytest.mark.parametrize(
    ("given", "faults"),
    [
        ({"port": 65_536, "threads": 0}, [("port", "65535"), ("threads", "greater than or equal to 1")]),
        ({"maximum_concurrent_rpcs": 0}, [("maximum_concurrent_rpcs", "1")]),
        ({"port": "http"}, [("port", "integer")]),
        ({"receive_seconds": float("nan")}, [("receive_seconds", "")]),
        ({"drain_seconds": -1}, [("drain_seconds", "0")]),
        ({"matcher": "fast"}, [("matcher", "'portable'")]),
        ({"colour": "blue"}, [("colour", "not permitted")]),
        ({"tls_cert": Path("cert.pem")}, [("", "tls_cert and tls_key go together")]),
        ({"port": 7000, "health_port": 7000}, [("", "both 7000")]),
        ({"port": 65_535}, [("", "give health_port too")]),
    ],
)
def test_every_fault_of_the_settings(given, faults):
    with pytest.raises(InvalidRequest) as caught:
        server_options(**given)
    found = caught.value.violations
    assert [violation.field for violation in found] == [field for field, _ in faults]
    assert all(part in v.description for v, (_, part) in zip(found, faults, strict=True)), found


def test_both_ports_may_be_any():
    assert ServerOptions(port=0, health_port=0).probe_port == 0
