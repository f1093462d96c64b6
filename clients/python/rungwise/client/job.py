"""A plan request from keyword arguments: each field of a job by its own name."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypedDict

from google.protobuf.message import Message
from rungwise.client.errors import FieldViolation, InvalidRequestError
from rungwise.v1 import planner_service_pb2, request_pb2


class Job(TypedDict, total=False):
    """Fields of a PlanRequest, named as in the contract; None leaves one out. GiB, tokens, per GPU or per node.

    `model` is a catalog name; of a model that is not there, give `hf_config_json` or `dimensions` instead.
    """

    request_id: str
    model: str | None
    hf_config_json: str | None
    dimensions: request_pb2.ModelDimensions | Mapping[str, Any] | None
    gpu: str
    gpus: int
    gpus_per_node: int | None
    free_gib: float | None
    host_memory_gib: float | None
    cpu_cores: int | None
    interconnect: str | None
    framework: str | None
    method: str | None
    task: str | None
    max_model_len: int
    max_token_len_per_gpu: int | None
    micro_batch_size: int | None
    train_batch_size: int | None
    grad_accum: int | None
    strategy: str | None
    software: request_pb2.Software | Mapping[str, Any] | None
    precision: str | None
    optimizer: str | None
    lora_rank: int | None
    packing: bool | None
    rollout: request_pb2.Rollout | Mapping[str, Any] | None
    allow: Sequence[str]
    forbid: Sequence[str]
    objective: str | None
    min_fit_probability: float | None
    locale: str | None
    trace_level: request_pb2.TraceLevel | str | None


_PARTS: dict[str, type[Message]] = {
    "hardware": request_pb2.Hardware,
    "workload": request_pb2.Workload,
    "preferences": request_pb2.Preferences,
}
_PLACES = {
    "request_id": ("", "request_id"),
    "model": ("model", "name"),
    "hf_config_json": ("model", "hf_config_json"),
    "dimensions": ("model", "dimensions"),
    **{field.name: (part, field.name) for part, kind in _PARTS.items() for field in kind.DESCRIPTOR.fields},
}
"""Where each field of a Job stands in PlanRequest."""


def plan_request(job: Mapping[str, Any]) -> planner_service_pb2.PlanRequest:
    """Return the request. Raises TypeError for an unknown name, InvalidRequestError for values of a wrong type."""
    for name in job:
        if name not in _PLACES:
            near = get_close_matches(name[:80], _PLACES, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"a job has no field {name!r}{hint}")
    request = planner_service_pb2.PlanRequest()
    violations = []
    for name, value in job.items():
        part, field = _PLACES[name]
        message: Message = getattr(request, part) if part else request
        try:
            if field in ("allow", "forbid") and isinstance(value, str):
                raise TypeError("must be a list of names, is one string")
            message.MergeFrom(type(message)(**{field: value}))
        except (TypeError, ValueError) as error:
            violations.append(FieldViolation(f"{part}.{field}".removeprefix("."), str(error)))
    given = [name for name in ("model", "hf_config_json", "dimensions") if job.get(name) is not None]
    if len(given) > 1:
        violations.append(FieldViolation("model", f"needs exactly one of {', '.join(given)}"))
    if violations:
        faults = "; ".join(f"{v.field}: {v.description}" for v in violations)
        raise InvalidRequestError("INVALID_ARGUMENT", faults, reason="INVALID_REQUEST", violations=violations)
    return request
