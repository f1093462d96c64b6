"""Runs a server until it is told to stop."""

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from rungwise.domain.errors import RungwiseError
from rungwise.planning.knowledge import load_knowledge
from rungwise.server.grpc_server import RungwiseServer
from rungwise.server.listening import BadCertificate, CannotListen
from rungwise.server.options import ServerOptions
from rungwise.wire.status import exit_code

BAD_INPUT = 2
UNREACHABLE = 4


def serve(options: ServerOptions) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code. Call it on the main thread.

    0: told to stop, and did, after running calls ended or `drain_seconds` passed. 2: a rulebook or certificate that
    cannot be used. 4: the address cannot be listened on. A second signal ends the process at once.
    """
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    with _stop_signals() as stopping:
        try:
            knowledge = load_knowledge(options.rulebook, options.matcher)
            server = RungwiseServer(knowledge, options)
        except RungwiseError as error:
            return _tell(error, exit_code(error))
        except BadCertificate as error:
            return _tell(error, BAD_INPUT)
        except CannotListen as error:
            return _tell(error, UNREACHABLE)
        server.start()
        matcher = type(knowledge.matcher).__name__.removesuffix("Matcher").lower()
        print(
            f"listening on {server.address}, health on {server.health_address}, "
            f"rulebook {knowledge.revision}, matcher {matcher}",
            flush=True,
        )
        stopping.wait()
        logging.getLogger("rungwise.server").info("stopping; running calls have %g s", options.drain_seconds)
        server.stop(options.drain_seconds)
    return 0


@contextmanager
def _stop_signals() -> Iterator[Event]:
    """Give an event that SIGTERM and SIGINT set; after the first, a second one does what it does by default."""
    stopping = Event()
    previous = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def stop(_number: int, _frame: FrameType | None) -> None:
        for number in previous:
            signal.signal(number, signal.SIG_DFL)
        stopping.set()

    for number in previous:
        signal.signal(number, stop)
    try:
        yield stopping
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _tell(error: Exception, code: int) -> int:
    print(f"rungwise: {error}", file=sys.stderr)
    return code
