"""The address that a server listens on, and whether it may."""

import socket
import ssl
from pathlib import Path

import grpc


class CannotListen(Exception):
    """The address cannot be listened on; the message says why and the way out."""


class BadCertificate(Exception):
    """The TLS certificate or its key cannot be used; the message says why."""


def listen(server: grpc.Server, host: str, port: int, credentials: grpc.ServerCredentials | None) -> str:
    """Let `server` listen on the first address of `host`. Returns "ADDRESS:PORT". Raises CannotListen."""
    try:
        family, _, _, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise CannotListen(f"cannot resolve the host {host[:80]!r}: {error}") from error
    address = f"[{place[0]}]" if family == socket.AF_INET6 else str(place[0])
    # Asked first in plain words: gRPC does not tell why it failed.
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(place)
        except OSError as error:
            raise _cannot_listen(f"{address}:{port}", error.strerror or str(error)) from error
    try:
        if credentials is None:
            port = server.add_insecure_port(f"{address}:{port}")
        else:
            port = server.add_secure_port(f"{address}:{port}", credentials)
    except RuntimeError as error:
        raise _cannot_listen(f"{address}:{port}", "somebody else listens there") from error
    return f"{address}:{port}"


def credentials(certificate: Path, key: Path) -> grpc.ServerCredentials:
    """Read a PEM certificate chain and its key. Raises BadCertificate."""
    for file in (certificate, key):
        if file.exists() and not file.is_file():
            raise BadCertificate(
                f"cannot use the certificate {certificate} with the key {key}: {file} is not a regular file"
            )
    try:
        # gRPC accepts anything and then refuses every handshake.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key, password=lambda: "")
        return grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    except (OSError, ValueError) as error:
        raise BadCertificate(
            f"cannot use the certificate {certificate} with the key {key}: {error}"
        ) from error


def _cannot_listen(address: str, why: str) -> CannotListen:
    return CannotListen(f"cannot listen on {address}: {why}; choose another port or host")
