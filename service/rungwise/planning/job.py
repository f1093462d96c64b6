"""A request made concrete: names looked up and defaults filled in."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from rungwise.catalog.hf_config import read_hf_config
from rungwise.domain.errors import FieldViolation, InvalidRequest, NotFound
from rungwise.domain.model import Architecture, Gpu, Model
from rungwise.domain.request import VERSION, ModelDimensions, ModelReference, PlanRequest
from rungwise.planning.framework import Framework, FrameworkVersion
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.ladder import Ladder

METHODS = ("full", "lora", "qlora", "adapter")
TASKS = ("sft", "dpo", "kto", "reward", "rl", "pretrain", "inference")
STRATEGIES = ("fsdp", "fsdp2")
PRECISIONS = ("bf16", "fp16", "fp32")
OPTIMIZERS = ("adamw", "adamw_fused", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "muon")
T = TypeVar("T")
NODE_GPUS = 8
DEFAULT_FRAMEWORK = "trinity-rft"
DEFAULT_FRAMEWORK_OF_A_METHOD = "huggingface"
DEFAULT_FIT_PROBABILITY = 0.9


@dataclass(frozen=True)
class Job:
    """A resolved request. Memory in GiB, lengths in tokens."""

    request: PlanRequest
    locale: str
    model: Model
    architecture: Architecture
    gpu: Gpu
    framework: Framework
    framework_version: FrameworkVersion | None
    framework_version_text: str
    framework_version_given: bool
    framework_version_known: bool
    method: str
    task: str
    ladder: Ladder | None
    gpus: int
    gpus_per_node: int
    usable_gib: float
    strategy: str | None
    precision: str
    optimizer: str
    allow: frozenset[str]
    forbid: frozenset[str]
    min_fit_probability: float

    @property
    def max_model_len(self) -> int:
        """Prompt and response together, in tokens."""
        return self.request.workload.max_model_len

    @property
    def nodes(self) -> int:
        """Nodes that the trainer spans."""
        return self.gpus // self.gpus_per_node

    def default_token_budget(self, sequence_parallel_size: int) -> int:
        """Return ceil(sequences × max_model_len / SP)."""
        return -(-self.framework.token_budget_sequences * self.max_model_len // sequence_parallel_size)


def resolve(knowledge: Knowledge, request: PlanRequest) -> Job:
    """Return the job. Raises NotFound for an unknown model or GPU alone, else InvalidRequest with every violation."""
    faults = _Faults()
    workload, hardware, preferences = request.workload, request.hardware, request.preferences
    model = faults.attempt(lambda: _model(knowledge, request.model))
    gpu = faults.attempt(lambda: knowledge.catalog.gpu(hardware.gpu, "hardware.gpu"))
    framework, version_text = _framework(knowledge, request, faults)
    gpus_per_node = hardware.gpus_per_node or min(hardware.gpus, NODE_GPUS)
    if hardware.gpus % gpus_per_node:
        given = "" if hardware.gpus_per_node else ", the default beyond 8 GPUs"
        faults.add(
            "hardware.gpus",
            f"{hardware.gpus} is not a multiple of gpus_per_node {gpus_per_node}{given}",
            "give the GPUs of one node as gpus_per_node",
        )
    if gpu and hardware.free_gib is not None and hardware.free_gib > gpu.memory_gib:
        faults.add(
            "hardware.free_gib",
            f"{hardware.free_gib:g} GiB is more than {gpu.id} has ({gpu.memory_gib:g} GiB)",
            f"give at most {gpu.memory_gib:g}, or another GPU",
        )
    method = workload.method or (framework.default_method if framework else "full")
    task = workload.task or (framework.default_task if framework else "sft")
    faults.among("workload.method", method, METHODS)
    faults.among("workload.task", task, TASKS)
    precision = faults.among("workload.precision", workload.precision or "bf16", PRECISIONS)
    optimizer = faults.among("workload.optimizer", workload.optimizer or "adamw", OPTIMIZERS)
    strategy = faults.among("workload.strategy", workload.strategy, STRATEGIES) if workload.strategy else None
    if workload.lora_rank is not None and method == "full":
        faults.add(
            "workload.lora_rank",
            "method full has no adapters",
            "leave lora_rank out, or ask for method lora or qlora",
        )
    allow, allow_faults = knowledge.measures.resolve(preferences.allow, "preferences.allow", extended=True)
    forbid, forbid_faults = knowledge.measures.resolve(
        preferences.forbid, "preferences.forbid", extended=False
    )
    faults.extend((*allow_faults, *forbid_faults))
    for measure in sorted(allow & forbid):
        faults.add(
            "preferences.forbid", f"{measure} is both allowed and forbidden", "name it in one of the two"
        )
    faults.raise_if_any()
    if model is None or gpu is None or framework is None:
        raise AssertionError("a missing part is a fault, and faults were raised")
    version_given = version_text != ""
    version_text = version_text or framework.assumed_version
    version, known = framework.version(version_text) if version_text else (None, True)
    ladder = next(
        (
            candidate
            for candidate in knowledge.ladders.values()
            if candidate.framework == framework.id and method in candidate.methods and task in candidate.tasks
        ),
        None,
    )
    return Job(
        request=request,
        locale=preferences.locale or "en",
        model=model,
        architecture=knowledge.catalog.architecture(model.model_type),
        gpu=gpu,
        framework=framework,
        framework_version=version,
        framework_version_text=version_text,
        framework_version_given=version_given,
        framework_version_known=known,
        method=method,
        task=task,
        ladder=ladder,
        gpus=hardware.gpus,
        gpus_per_node=gpus_per_node,
        usable_gib=gpu.usable_gib if hardware.free_gib is None else hardware.free_gib,
        strategy=strategy,
        precision=precision,
        optimizer=optimizer,
        allow=allow,
        forbid=forbid,
        min_fit_probability=preferences.min_fit_probability or DEFAULT_FIT_PROBABILITY,
    )


def violations(knowledge: Knowledge, request: PlanRequest) -> tuple[FieldViolation, ...]:
    """Return the faults of a request that need the catalog or two fields together."""
    try:
        resolve(knowledge, request)
    except InvalidRequest as error:
        return error.violations
    except NotFound as error:
        return (_as_violation(error),)
    return ()


class _Faults:
    """Collects every fault before one error is raised."""

    def __init__(self) -> None:
        self._violations: list[FieldViolation] = []
        self._not_found: list[NotFound] = []

    def add(self, path: str, description: str, suggestion: str) -> None:
        self._violations.append(FieldViolation(path, description, suggestion))

    def extend(self, violations: tuple[FieldViolation, ...]) -> None:
        self._violations.extend(violations)

    def attempt(self, look_up: Callable[[], T]) -> T | None:
        try:
            return look_up()
        except InvalidRequest as error:
            self._violations.extend(error.violations)
        except NotFound as error:
            self._not_found.append(error)
        return None

    def among(self, path: str, value: str, known: tuple[str, ...]) -> str:
        if value not in known:
            near = get_close_matches(value[:80].casefold(), known, n=1, cutoff=0.6)
            hint = f"did you mean {near[0]!r}? known: " if near else "known: "
            self.add(path, f"unknown value {value[:80]!r}", hint + ", ".join(known))
        return value

    def raise_if_any(self) -> None:
        if len(self._not_found) == 1 and not self._violations:
            raise self._not_found[0]
        found = [*self._violations, *map(_as_violation, self._not_found)]
        if found:
            raise InvalidRequest(found)


def _as_violation(error: NotFound) -> FieldViolation:
    nearest = f"did you mean {', '.join(error.suggestions)}? " if error.suggestions else ""
    return FieldViolation(error.field, f"unknown {error.kind} '{error.name}'", nearest + error.hint)


def _model(knowledge: Knowledge, reference: ModelReference) -> Model:
    given = [
        name for name in ("name", "hf_config_json", "dimensions") if getattr(reference, name) is not None
    ]
    if len(given) != 1:
        raise InvalidRequest(
            [
                FieldViolation(
                    "model",
                    f"needs exactly one of name, hf_config_json and dimensions, has {', '.join(given) or 'none'}",
                    'for example {"name": "Qwen/Qwen3-8B"}',
                )
            ]
        )
    if reference.name is not None:
        return knowledge.catalog.model(reference.name, "model.name")
    if reference.hf_config_json is not None:
        return read_hf_config(reference.hf_config_json, "model.hf_config_json")
    assert reference.dimensions is not None
    return _model_of(reference.dimensions)


def _model_of(dimensions: ModelDimensions) -> Model:
    """Return the model of given dimensions, with the contract's defaults and not a family's."""
    given = dimensions.model_dump(exclude_none=True)
    heads, hidden = dimensions.num_attention_heads, dimensions.hidden_size
    if dimensions.head_dim is None and hidden % heads:
        field, description = (
            "model.dimensions.head_dim",
            f"hidden_size {hidden} is not a multiple of {heads} heads",
        )
        raise InvalidRequest([FieldViolation(field, description, "give the width of one head")])
    defaults = {"num_key_value_heads": heads, "head_dim": hidden // heads, "tie_word_embeddings": False}
    # Dimensions carry config.json's own names: one reader checks both, and knows what an architecture is made of.
    return read_hf_config(json.dumps(defaults | given), "model.dimensions")


def _framework(knowledge: Knowledge, request: PlanRequest, faults: _Faults) -> tuple[Framework | None, str]:
    """Return the framework, given or by default, and its version text."""
    workload = request.workload
    if workload.framework is None:
        by_method = workload.method is not None or workload.task not in (None, "rl")
        return knowledge.frameworks.get(DEFAULT_FRAMEWORK_OF_A_METHOD if by_method else DEFAULT_FRAMEWORK), ""
    name, _, version = workload.framework.partition("@")
    found = knowledge.frameworks.find(name.strip(), "workload.framework")
    if isinstance(found, FieldViolation):
        faults.extend((found,))
        return None, ""
    if "@" in workload.framework and not re.fullmatch(VERSION, version):
        faults.add(
            "workload.framework", f"{version[:80]!r} is not a version", f'write it as "{found.id}@1.2.3"'
        )
    return found, version
