"""Requests from outside as domain requests: one error that names every fault."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor
from pydantic import ValidationError
from rungwise.domain.errors import FieldViolation, InvalidRequest
from rungwise.domain.request import ExplainRequest, PlanRequest
from rungwise.v1 import planner_service_pb2
from rungwise.wire.shape import MOST_FAULTS, shaped
from rungwise.wire.violations import violation

_KEY = re.compile(r"[^.\[\]]+")
Request = TypeVar("Request", PlanRequest, ExplainRequest)
Further = Callable[[PlanRequest], Sequence[FieldViolation]]
"""Finds the faults that need the catalog, or two fields: `rungwise.planning.job.violations` with its knowledge."""

_PLAN = planner_service_pb2.DESCRIPTOR.message_types_by_name["PlanRequest"]
_EXPLAIN = planner_service_pb2.DESCRIPTOR.message_types_by_name["ExplainRequest"]
_REFERENCES = ("name", "hf_config_json", "dimensions")
_STAND_INS = {
    "model": {"name": "-"},
    "hardware.gpu": "-",
    "hardware.gpus": 1,
    "hardware.gpus_per_node": 1,
    "workload.max_model_len": 1,
}
"""What a faulty field is replaced by while `further` looks at the others; all else can be left out."""
_JUDGED_WITH = {
    "hardware.free_gib": ("hardware.gpu",),
    "workload.lora_rank": ("workload.framework", "workload.method", "workload.task"),
}
"""Fields whose faults depend on others: not judged while one of those is faulty."""


def plan_request(data: Any, further: Further | None = None) -> PlanRequest:
    """Read a plan request from plain values with the .proto's field names.

    `data` is what `json_text.parse_json` or `from_proto.to_dict` gives. Raises one InvalidRequest with every
    violation (the first 50, if there are more); if there is any, `further` is asked for more.
    """
    return _request(data, PlanRequest, _PLAN, further)


def explain_request(data: Any, further: Further | None = None) -> ExplainRequest:
    """Read an explain request as `plan_request` does; paths of the job's fields are paths in PlanRequest."""
    return _request(data, ExplainRequest, _EXPLAIN, further)


def _request(data: Any, kind: type[Request], message: Descriptor, further: Further | None) -> Request:
    faults: list[FieldViolation] = []
    values = shaped(data, message, "", faults)
    no_objects = {fault.field for fault in faults}
    faults = [
        FieldViolation(fault.field.removeprefix("plan."), fault.description, fault.suggestion)
        for fault in faults
    ]
    job = values if kind is PlanRequest else values.get("plan", {})
    faults += _reference_faults(job.get("model"), faults)
    request = None
    try:
        request = kind.model_validate(values)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            *above, _ = detail["loc"]
            # That the fields of what is no object are missing needs no saying.
            if detail["type"] != "missing" or ".".join(map(str, above)) not in no_objects:
                faults.append(violation(detail, kind))
    if request is not None and not faults:
        return request
    if further is not None:
        faults += _further_faults(job, {fault.field for fault in faults}, further)
    if len(faults) > MOST_FAULTS:
        faults[MOST_FAULTS:] = [
            FieldViolation("", f"and {len(faults) - MOST_FAULTS} more faults", "correct these first")
        ]
    raise InvalidRequest(faults)


def _reference_faults(model: Any, faults: Iterable[FieldViolation]) -> list[FieldViolation]:
    if not isinstance(model, dict) or any(_within(fault.field, "model") for fault in faults):
        return []
    given = [name for name in _REFERENCES if name in model]
    if len(given) == 1:
        return []
    return [
        FieldViolation(
            "model",
            f"needs exactly one of name, hf_config_json and dimensions, has {', '.join(given) or 'none'}",
            'for example {"name": "Qwen/Qwen3-8B"}',
        )
    ]


def _further_faults(job: Mapping[str, Any], faulty: Set[str], further: Further) -> list[FieldViolation]:
    """Return what `further` finds in the fields that are not `faulty`."""
    unjudged = {field for field, others in _JUDGED_WITH.items() if not faulty.isdisjoint(others)}
    for field in faulty:
        unjudged.add("model" if _within(field, "model") else field)
    sound: Any = job
    for field in unjudged:
        sound = _without(sound, _KEY.findall(field))
    sound = {**sound, **{part: dict(sound.get(part, {})) for part in ("hardware", "workload")}}
    for field, stand_in in _STAND_INS.items():
        part, _, name = field.rpartition(".")
        place = sound[part] if part else sound
        if name not in place and (name != "gpus_per_node" or field in faulty):
            place[name] = stand_in
            unjudged.add(field)
    found = further(PlanRequest.model_validate(sound))
    return [fault for fault in found if not any(_within(fault.field, field) for field in unjudged)]


def _without(values: Any, keys: Sequence[str]) -> Any:
    """Return `values` without the field that `keys` lead to; an entry of a list gives its place to a word."""
    match values, keys:
        case dict(), [key] if key in values:
            return {name: value for name, value in values.items() if name != key}
        case dict(), [key, *inner] if key in values:
            return {**values, key: _without(values[key], inner)}
        case tuple(), [index] if index.isdecimal() and int(index) < len(values):
            return (*values[: int(index)], "-", *values[int(index) + 1 :])
    return values


def _within(field: str, path: str) -> bool:
    return field == path or field.startswith((f"{path}.", f"{path}["))
