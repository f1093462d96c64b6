"""Failed calls as typed errors, from what the server put into `grpc-status-details-bin`."""

from collections.abc import Iterable

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from rungwise.client.errors import (
    DeadlineExceededError,
    FieldViolation,
    InternalError,
    InvalidRequestError,
    NotFoundError,
    OverloadedError,
    RungwiseClientError,
    UnavailableError,
)

_DETAILS = "grpc-status-details-bin"
_ERRORS: dict[grpc.StatusCode, type[RungwiseClientError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: OverloadedError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceededError,
    grpc.StatusCode.INTERNAL: InternalError,
    grpc.StatusCode.UNKNOWN: InternalError,
}


def error_of(failed: grpc.RpcError, target: str, timeout: float) -> RungwiseClientError:
    """Return the typed error of a failed call to `target` that was given `timeout` seconds."""
    if not isinstance(failed, grpc.Call):
        return InternalError("UNKNOWN", str(failed))
    code, message = failed.code(), failed.details() or ""
    kind = _ERRORS.get(code, RungwiseClientError)
    if code is grpc.StatusCode.UNAVAILABLE:
        message = f"{target}: {message}"
    elif code is grpc.StatusCode.DEADLINE_EXCEEDED:
        message = f"{target}: no answer within {timeout:g} s"
    elif code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in message:
        # gRPC has one code for a full server and for a message that will never be taken.
        received = message.startswith("CLIENT:")  # the answer was too large, not the request
        kind = InternalError if received else InvalidRequestError
        return kind("INTERNAL" if received else "INVALID_ARGUMENT", message)
    info, violations, retry_after_s = error_details_pb2.ErrorInfo(), [], None
    for detail in _details(failed):
        bad_request, retry = error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        try:
            if detail.Unpack(bad_request):
                violations += [FieldViolation(v.field, v.description) for v in bad_request.field_violations]
            elif detail.Unpack(retry):
                retry_after_s = retry.retry_delay.ToTimedelta().total_seconds()
            else:
                detail.Unpack(info)
        except (DecodeError, OverflowError, ValueError):
            continue  # a detail that cannot be read takes nothing from the code and the message
    error = kind(code.name, message, reason=info.reason, violations=violations, metadata=info.metadata)
    if isinstance(error, OverloadedError):
        error.retry_after_s = retry_after_s
    return error


def _details(failed: grpc.Call) -> Iterable[Any]:
    """Return the details that the server sent; none if what came is no google.rpc.Status."""
    for key, value in failed.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            try:
                return list(status_pb2.Status.FromString(value).details)
            except DecodeError:
                return ()
    return ()
