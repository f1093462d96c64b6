"""The one place where errors become gRPC status, and a line in the log."""

import logging
import random
import uuid
from typing import NoReturn

import grpc
from google.protobuf.any_pb2 import Any as PackedMessage
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from rungwise.server.deadline import CallEnded
from rungwise.wire.status import Status, status_of

log = logging.getLogger("rungwise.server")

DOMAIN = "rungwise"
_RETRY_AFTER_MS = (100, 300)
"""Spread, so that callers who were refused together do not come back together; gRPC adds nothing to a pushback."""
_MESSAGE_BYTES = 600
_VIOLATION_BYTES = 3_600
"""Trailing metadata may have 8 KiB in all: a message is percent-encoded, details grow by a third in base64."""


class _Failure(grpc.Status):
    """A status with details, as `abort_with_status` takes it."""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        details: list[Message],
        more: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.code = code
        self.details = message
        packed = []
        for detail in details:
            packed.append(PackedMessage())
            packed[-1].Pack(detail)
        status = status_pb2.Status(code=code.value[0], message=message, details=packed)
        self.trailing_metadata = (("grpc-status-details-bin", status.SerializeToString()), *more)


def fail(context: grpc.ServicerContext, method: str, error: Exception, request_id: str = "") -> NoReturn:
    """End a call with the status of `error`. What nobody foresaw is INTERNAL: its traceback stays in the log."""
    if isinstance(error, CallEnded):
        _note(context, logging.INFO, method, "DEADLINE_EXCEEDED", "the call has ended", request_id)
        context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "the deadline passed before there was an answer")
    status = status_of(error)
    metadata = dict(status.metadata)
    if status.code == "INTERNAL":
        metadata["incident"] = incident = uuid.uuid4().hex
        log.error("%s failed, incident %s", method, incident, exc_info=error)
    else:
        _note(context, logging.INFO, method, status.code, f"{status.reason}: {status.message}", request_id)
    details: list[Message] = [
        error_details_pb2.ErrorInfo(reason=status.reason, domain=DOMAIN, metadata=metadata)
    ]
    if status.field_violations:
        details.append(_bad_request(status))
    message = _cut(status.message, _MESSAGE_BYTES)
    context.abort_with_status(_Failure(grpc.StatusCode[status.code], message, details))


def refuse(context: grpc.ServicerContext, method: str) -> NoReturn:
    """End a call that finds the server full: RESOURCE_EXHAUSTED, with the time to wait before the next attempt."""
    wait = random.randint(*_RETRY_AFTER_MS)
    retry = error_details_pb2.RetryInfo()
    retry.retry_delay.FromMilliseconds(wait)
    _note(context, logging.WARNING, method, "RESOURCE_EXHAUSTED", "the server is full", "")
    info = error_details_pb2.ErrorInfo(reason="OVERLOADED", domain=DOMAIN)
    context.abort_with_status(
        _Failure(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            f"the server is full; try again in {wait} ms",
            [info, retry],
            (("grpc-retry-pushback-ms", str(wait)),),
        )
    )


def _bad_request(status: Status) -> error_details_pb2.BadRequest:
    """Return as many violations as the status can carry; the last one says how many it cannot."""
    request = error_details_pb2.BadRequest()
    for number, violation in enumerate(status.field_violations):
        hint = f" ({violation.suggestion})" if violation.suggestion else ""
        request.field_violations.add(
            field=_cut(violation.field, 200), description=_cut(f"{violation.description}{hint}", 800)
        )
        if request.ByteSize() > _VIOLATION_BYTES:
            del request.field_violations[-1]
            left = len(status.field_violations) - number
            request.field_violations.add(description=f"and {left} more faults (correct these first)")
            break
    return request


def _cut(text: str, most_bytes: int) -> str:
    data = text.encode()
    return text if len(data) <= most_bytes else data[: most_bytes - 3].decode(errors="ignore") + "…"


def _note(
    context: grpc.ServicerContext, level: int, method: str, code: str, message: str, request_id: str
) -> None:
    if log.isEnabledFor(level):
        # A caller's words are quoted: they must not look like lines of the log.
        log.log(
            level,
            "%s %s peer=%s request_id=%r %r",
            method,
            code,
            context.peer(),
            _cut(request_id, 200),
            _cut(message, 400),
        )
