"""Request messages as plain values, with the .proto's field names: what `requests` checks."""

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

_REQUIRED_NUMBERS = {
    "rungwise.v1.Hardware": ("gpus",),
    "rungwise.v1.Workload": ("max_model_len",),
}
"""Passed on as 0 when they are not set: the violation then says what the smallest value is, for a sent 0 too."""


def to_dict(message: Message) -> dict[str, Any]:
    """Return the fields that are set. Unset ones are absent; enums are names, int64 stays int.

    A number that an enum does not know stays a number. For messages without maps, as all requests are.
    """
    values: dict[str, Any] = dict.fromkeys(_REQUIRED_NUMBERS.get(message.DESCRIPTOR.full_name, ()), 0)
    for field, value in message.ListFields():
        values[field.name] = (
            [_plain(field, item) for item in value] if field.is_repeated else _plain(field, value)
        )
    return values


def _plain(field: FieldDescriptor, value: Any) -> Any:
    if field.message_type is not None:
        return to_dict(value)
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known else value
    return value
