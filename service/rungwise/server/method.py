"""One method of a service: bytes in, bytes out, with everything that can go wrong in between."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from rungwise.domain.errors import FieldViolation, InvalidRequest
from rungwise.server.deadline import Deadline
from rungwise.server.errors import fail
from rungwise.server.receiving import ReceiveWatch

Request = TypeVar("Request", bound=Message)


def unary_method(
    name: str,
    request_type: type[Request],
    answer: Callable[[Request, Deadline], bytes],
    watch: ReceiveWatch,
    threads: ThreadPoolExecutor | None = None,
) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """Return the handler of a unary method; `answer` takes the request and gives the serialized response.

    It takes a stream of one message, which is the same on the wire: the handler then runs before the request is
    there, and may give up waiting for it. It runs on `threads`, by default on the server's.
    """

    def behaviour(requests: Iterator[bytes], context: grpc.ServicerContext) -> bytes:
        request_id = ""
        try:
            deadline = Deadline(context)
            deadline.check()
            request = parse(watch.receive(requests, context), request_type)
            request_id = getattr(request, "request_id", "")
            return answer(request, deadline)
        except grpc.RpcError:
            raise  # gRPC's own: the call was cancelled while its request was waited for
        except Exception as error:
            fail(context, name, error, request_id)

    behaviour.experimental_thread_pool = threads  # type: ignore[attr-defined]
    return grpc.stream_unary_rpc_method_handler(behaviour)


def parse(data: bytes | None, request_type: type[Request]) -> Request:
    """Return the request. Raises InvalidRequest if there is none, or other bytes."""
    kind = request_type.DESCRIPTOR.full_name
    if data is None:
        raise InvalidRequest([FieldViolation("", "the call has no request message", f"send one {kind}")])
    request = request_type()
    try:
        request.ParseFromString(data)
    except DecodeError:
        fault = FieldViolation(
            "", f"the message is not a {kind}", "serialize it with this service's .proto files"
        )
        raise InvalidRequest([fault]) from None
    return request
