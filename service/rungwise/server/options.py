"""Settings of the server."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from rungwise.domain.errors import FieldViolation, InvalidRequest
from rungwise.planning.knowledge import MatcherKind

Port = Annotated[int, Field(ge=0, le=65_535)]
Seconds = Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)]


class ServerOptions(BaseModel):
    """Everything that can be set about a server; the defaults suit one machine with few cores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: Annotated[str, Field(min_length=1, max_length=253)] = "127.0.0.1"
    """Address or name to listen on; a name stands for the first address that it resolves to."""
    port: Port = 50051
    """0: any free port; the line that tells that the server is ready names it."""
    health_port: Port | None = None
    """Port for probes, always without TLS. None: the next one after `port`, any free one if `port` is 0."""
    threads: Annotated[int, Field(ge=1, le=64)] = 4
    maximum_concurrent_rpcs: Annotated[int, Field(ge=1, le=10_000)] = 16
    """Calls that may be in flight, running or queued; the next one is refused at once."""
    max_message_bytes: Annotated[int, Field(ge=1_024, le=64 * 2**20)] = 2 * 2**20
    cache_entries: Annotated[int, Field(ge=0, le=1_000_000)] = 4_096
    """Answers that are kept; 0: none."""
    cache_bytes: Annotated[int, Field(ge=0, le=2**36)] = 64 * 2**20
    """Bytes of the kept answers and their requests together."""
    receive_seconds: Seconds = 10.0
    """How long a call may hold a thread while its request arrives; then it is cancelled."""
    drain_seconds: Annotated[float, Field(ge=0, le=3_600, allow_inf_nan=False)] = 10.0
    """How long running calls may take to end when the server stops."""
    rulebook: tuple[Path, ...] = ()
    """Overlays over the built-in rulebook, in order."""
    matcher: MatcherKind = "auto"
    reflection: bool = True
    tls_cert: Path | None = None
    """PEM certificate chain; together with `tls_key`."""
    tls_key: Path | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "ServerOptions":
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key go together: give both or neither")
        if self.port and self.health_port == self.port:
            raise ValueError(f"port and health_port are both {self.port}: give different ones")
        if self.port == 65_535 and self.health_port is None:
            raise ValueError("there is no port after 65535: give health_port too")
        return self

    @property
    def probe_port(self) -> int:
        """The port for probes, 0 for any free one."""
        if self.health_port is not None:
            return self.health_port
        return self.port + 1 if self.port else 0


def server_options(**given: Any) -> ServerOptions:
    """Check settings. Raises InvalidRequest with every fault; `field` is the setting's name."""
    try:
        return ServerOptions(**given)
    except ValidationError as error:
        raise InvalidRequest(
            [
                FieldViolation(".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, "))
                for fault in error.errors(include_url=False)
            ]
        ) from error
