"""An answer as YAML: the content of its JSON form, with numbers as numbers."""

import json
from typing import Any

import yaml
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from rungwise.wire.to_json import to_json

_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_LONG = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)


def yaml_text(message: Message) -> str:
    """Return a message as one YAML document: .proto names, all fields, full enum names, GiB unrounded."""
    values = json.loads(to_json(message))
    _restore_integers(values, message.DESCRIPTOR)
    text: str = yaml.dump(values, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    return text


def _restore_integers(values: dict[str, Any], descriptor: Any) -> None:
    """Undo protobuf's JSON spelling of 64-bit integers, which are strings there."""
    for name, value in values.items():
        field = descriptor.fields_by_name[name]
        inner = field.message_type
        if field.cpp_type in _LONG:
            values[name] = [int(item) for item in value] if field.is_repeated else int(value)
        elif inner is not None and inner.file.package == descriptor.file.package:
            if inner.GetOptions().map_entry:
                continue
            for part in value if field.is_repeated else [value]:
                _restore_integers(part, inner)
