"""TLS on the main port; the port for probes has none."""

import shutil
import subprocess

import grpc
import pytest
from rungwise.server.healthcheck import healthcheck
from rungwise.server.listening import BadCertificate, credentials
from serving import PLAN, plan_request

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subject = "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    files = f"-keyout {key} -out {certificate}"
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 {subject} {files}".split(),
        check=True,
        capture_output=True,
    )
    return certificate, key


def test_a_client_that_trusts_the_certificate_plans(start, pair):
    certificate, key = pair
    server, plain = start(tls_cert=certificate, tls_key=key)
    trust = grpc.ssl_channel_credentials(certificate.read_bytes())
    with grpc.secure_channel(server.address, trust) as channel:
        assert channel.unary_unary(PLAN)(plan_request().SerializeToString(), timeout=10)
    with pytest.raises(grpc.RpcError) as caught:
        plain.unary_unary(PLAN)(plan_request().SerializeToString(), timeout=5)
    assert caught.value.code().name == "UNAVAILABLE"
    assert healthcheck(server.health_address, 5) == 0


def test_a_certificate_that_cannot_be_used(pair, tmp_path):
    certificate, key = pair
    broken = tmp_path / "broken.pem"
    broken.write_text("-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n")
    locked = tmp_path / "locked.pem"
    subprocess.run(
        ["openssl", "rsa", "-aes256", "-passout", "pass:secret", "-in", str(key), "-out", str(locked)],
        check=True,
        capture_output=True,
    )
    for paths in (
        (tmp_path / "none.pem", key),
        (certificate, tmp_path / "none.pem"),
        (broken, key),
        (certificate, certificate),
        (certificate, locked),
        (tmp_path, key),
    ):
        with pytest.raises(BadCertificate, match="cannot use the certificate"):
            credentials(*paths)
