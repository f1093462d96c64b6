"""A light client of the Rungwise service: needs grpcio, protobuf and googleapis-common-protos only."""

from rungwise.client.client import RungwiseClient
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

__all__ = [
    "DeadlineExceededError",
    "FieldViolation",
    "InternalError",
    "InvalidRequestError",
    "NotFoundError",
    "OverloadedError",
    "RungwiseClient",
    "RungwiseClientError",
    "UnavailableError",
]
