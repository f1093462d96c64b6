"""What pydantic finds in a request, in a training engineer's words: what is wrong, and what would be right."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import ErrorDetails
from rungwise.domain.errors import FieldViolation
from rungwise.domain.request import ExplainRequest, PlanRequest
from rungwise.wire.shape import nearest_name, value_text

_EXAMPLES = {
    "plan": 'for example {"model": …, "hardware": …, "workload": …}',
    "model": 'for example {"name": "Qwen/Qwen3-8B"}',
    "hardware": 'for example {"gpu": "a100-80gb", "gpus": 4}',
    "hardware.gpu": 'for example "a100-80gb"',
    "hardware.gpus": "for example 4",
    "workload": 'for example {"max_model_len": 20480}',
    "workload.max_model_len": "for example 20480",
}
_KINDS = {
    "bool": ("must be true or false", "write it without quotation marks"),
    "float": ("must be a number", "write it without quotation marks"),
    "int": ("must be a whole number", "write it without fraction and unit"),
    "string": ("must be a string", "write it in quotation marks"),
}
_BOUNDS = {
    "greater_than": ("must be above", "gt"),
    "greater_than_equal": ("must be at least", "ge"),
    "less_than": ("must be below", "lt"),
    "less_than_equal": ("must be at most", "le"),
}


def violation(error: ErrorDetails, request: type[PlanRequest] | type[ExplainRequest]) -> FieldViolation:
    """Return one of pydantic's errors as a violation of `request`."""
    field = field_path(error["loc"])
    description, suggestion = _words(error, field, _schema(request, error["loc"]))
    return FieldViolation(field, description, suggestion)


def field_path(keys: tuple[int | str, ...]) -> str:
    """Return the path of a field in PlanRequest; of ExplainRequest's own fields, in that.

    >>> field_path(("plan", "preferences", "forbid", 1))
    'preferences.forbid[1]'
    """
    path = ""
    for key in keys:
        path += f"[{key}]" if isinstance(key, int) else f".{key}"
    return path.removeprefix(".").removeprefix("plan.")


def _words(error: ErrorDetails, field: str, schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return description and suggestion."""
    kind, value, context = error["type"], value_text(error["input"]), error.get("ctx", {})
    if kind in _BOUNDS:
        bound, key = _BOUNDS[kind]
        return f"{bound} {_number(context[key])}, is {value}", _range(schema)
    match kind:
        case "missing":
            return "is missing", _EXAMPLES.get(field, "copy it from the model's config.json")
        case "literal_error":
            known = list(schema["enum"]) if "enum" in schema else [schema["const"]]
            return f"unknown value {value}", nearest_name(str(error["input"]), known)
        case "string_too_short":
            return "is empty", _EXAMPLES.get(field, "leave it out, or give it a value")
        case "string_too_long":
            length, most = len(error["input"]), context["max_length"]
            return f"has {length} characters", f"at most {most} are accepted"
        case "string_pattern_mismatch" if "software." in field:
            return f"{value} is not a version", 'for example "2.7.1"'
        case "string_pattern_mismatch":
            return f"holds a control character: {value}", "remove it"
        case "string_unicode":
            return "is not valid Unicode", "remove the lone surrogates"
        case "too_long":
            return f"has more than {context['max_length']} entries", f"at most {context['max_length']}"
        case "finite_number":
            return f"must be a finite number, is {value}", _range(schema)
    description, suggestion = _KINDS.get(kind.partition("_")[0], (error["msg"], ""))
    return f"{description}, is {value}", suggestion


def _range(schema: Mapping[str, Any]) -> str:
    parts = [
        f"{words} {_number(schema[key])}"
        for key, words in (
            ("minimum", "from"),
            ("exclusiveMinimum", "above"),
            ("maximum", "to"),
            ("exclusiveMaximum", "and below"),
        )
        if key in schema
    ]
    return " ".join(parts)


def _schema(
    request: type[PlanRequest] | type[ExplainRequest], keys: tuple[int | str, ...]
) -> Mapping[str, Any]:
    """Return the JSON schema of one field: the only place where pydantic tells the range of an optional one."""
    definitions, schema = _definitions(request)
    for key in keys:
        schema = schema["items"] if isinstance(key, int) else schema["properties"][key]
        schema = next((s for s in schema.get("anyOf", ()) if s.get("type") != "null"), schema)
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
    return schema


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


@cache
def _definitions(request: type[PlanRequest] | type[ExplainRequest]) -> tuple[dict[str, Any], dict[str, Any]]:
    schema = TypeAdapter(request).json_schema()
    return schema["$defs"], schema
