"""The options that describe a job, and the place of each in a PlanRequest.

One table serves three readers: the parser, the request, and the messages that name an option for a field.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Any, Literal

import typer

Kind = Literal["word", "words", "integer", "number", "switch"]

_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_NUMBER = re.compile(r"[+-]?([0-9.]+([eE][+-]?[0-9]+)?|nan|inf(inity)?)", re.IGNORECASE)
_TYPES: Mapping[Kind, Any] = {"words": list[str] | None, "switch": bool | None}
_METAVARS: Mapping[Kind, str] = {"integer": "N", "number": "X", "word": "TEXT", "words": "TEXT"}


@dataclass(frozen=True, slots=True)
class JobOption:
    """One option: its flag, the field that it fills (path in PlanRequest), what it takes."""

    flag: str
    field: str
    kind: Kind
    help: str
    metavar: str = ""

    @property
    def name(self) -> str:
        """The name of the Python parameter: `max_model_len` for `--max-model-len`."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def in_preferences(self) -> bool:
        """Whether it says what is wanted of the answer, and not what the job is."""
        return self.field.startswith("preferences.")


JOB_OPTIONS = (
    JobOption("--gpu", "hardware.gpu", "word", "GPU type; `rungwise gpus` lists them. Required.", "GPU"),
    JobOption("--gpus", "hardware.gpus", "integer", "The trainer's GPUs over all nodes. Required."),
    JobOption(
        "--max-model-len",
        "workload.max_model_len",
        "integer",
        "Prompt and response together, in tokens. Required.",
        "L",
    ),
    JobOption(
        "--gpus-per-node", "hardware.gpus_per_node", "integer", "GPUs in one node; default: --gpus up to 8."
    ),
    JobOption(
        "--free-gib", "hardware.free_gib", "number", "Free memory of one GPU; default: all that CUDA reports."
    ),
    JobOption("--host-memory-gib", "hardware.host_memory_gib", "number", "Host memory of one node."),
    JobOption("--cpu-cores", "hardware.cpu_cores", "integer", "CPU cores of one node."),
    JobOption(
        "--interconnect",
        "hardware.interconnect",
        "word",
        "Link between nodes: infiniband, roce or ethernet.",
        "LINK",
    ),
    JobOption(
        "--framework",
        "workload.framework",
        "word",
        "Training framework, also with a version: trinity-rft@0.5.2.",
        "F[@V]",
    ),
    JobOption("--method", "workload.method", "word", "full, lora, qlora or adapter.", "METHOD"),
    JobOption("--task", "workload.task", "word", "sft, dpo, kto, reward, rl, pretrain or inference.", "TASK"),
    JobOption(
        "--max-token-len-per-gpu",
        "workload.max_token_len_per_gpu",
        "integer",
        "Token budget of a micro-batch on one GPU; default: the framework's.",
    ),
    JobOption("--micro-batch-size", "workload.micro_batch_size", "integer", "Sequences in a micro-batch."),
    JobOption(
        "--train-batch-size", "workload.train_batch_size", "integer", "Sequences in a batch over all GPUs."
    ),
    JobOption("--grad-accum", "workload.grad_accum", "integer", "Gradient-accumulation steps."),
    JobOption("--strategy", "workload.strategy", "word", "fsdp or fsdp2; default: the rung's own.", "NAME"),
    JobOption("--precision", "workload.precision", "word", "bf16, fp16 or fp32; default: bf16.", "NAME"),
    JobOption("--optimizer", "workload.optimizer", "word", "Optimizer; default: adamw.", "NAME"),
    JobOption("--lora-rank", "workload.lora_rank", "integer", "Rank of LoRA adapters."),
    JobOption("--packing", "workload.packing", "switch", "Whether samples are packed."),
    JobOption("--torch", "workload.software.torch", "word", "torch version.", "V"),
    JobOption("--transformers", "workload.software.transformers", "word", "transformers version.", "V"),
    JobOption("--vllm", "workload.software.vllm", "word", "vllm version.", "V"),
    JobOption("--rollout-engines", "workload.rollout.engines", "integer", "Rollout engines."),
    JobOption(
        "--rollout-tensor-parallel",
        "workload.rollout.tensor_parallel",
        "integer",
        "Tensor-parallel size of one engine.",
    ),
    JobOption(
        "--rollout-data-parallel",
        "workload.rollout.data_parallel",
        "integer",
        "Data-parallel size of one engine.",
    ),
    JobOption(
        "--rollout-colocated",
        "workload.rollout.colocated",
        "switch",
        "Whether the engines share the trainer's GPUs.",
    ),
    JobOption(
        "--rollout-gpu-memory-utilization",
        "workload.rollout.gpu_memory_utilization",
        "number",
        "Share of a GPU that an engine takes.",
    ),
    JobOption("--allow", "preferences.allow", "words", "Opt-in measure to allow; repeatable.", "MEASURE"),
    JobOption("--forbid", "preferences.forbid", "words", "Measure to do without; repeatable.", "MEASURE"),
    JobOption("--objective", "preferences.objective", "word", "Which rung to take: first.", "NAME"),
    JobOption(
        "--min-fit-probability",
        "preferences.min_fit_probability",
        "number",
        "Probability that an estimated rung must reach; default: 0.9.",
        "P",
    ),
    JobOption("--trace", "preferences.trace_level", "word", "summary, rejections or full.", "LEVEL"),
    JobOption("--lang", "preferences.locale", "word", "Language of the answer: en or zh.", "LANG"),
)

_OPTION_OF_FIELD = {option.field: option.flag for option in JOB_OPTIONS}
_TRACE_LEVELS = {level: f"TRACE_LEVEL_{level.upper()}" for level in ("summary", "rejections", "full")}


def job_parameters() -> Iterator[Parameter]:
    """Yield the options as parameters for typer.

    Numbers are taken as text: whether they are numbers, and in range, is the request's to say, all at once.
    """
    for option in JOB_OPTIONS:
        flags = (
            [option.flag, f"--no-{option.name.replace('_', '-')}"]
            if option.kind == "switch"
            else [option.flag]
        )
        declaration = typer.Option(
            "/".join(flags),
            help=option.help,
            metavar=None if option.kind == "switch" else option.metavar or _METAVARS[option.kind],
            show_default=False,
        )
        annotation: Any = Annotated[_TYPES.get(option.kind, str | None), declaration]
        yield Parameter(option.name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def given_job_flags(values: Mapping[str, Any]) -> list[str]:
    """List the flags that describe the job itself and were given."""
    return [o.flag for o in JOB_OPTIONS if not o.in_preferences and values[o.name] not in (None, [])]


def request_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Build the PlanRequest, without its model, from the options that were given."""
    request: dict[str, Any] = {"hardware": {}, "workload": {}}
    for option in JOB_OPTIONS:
        value = values[option.name]
        if value is None or value == []:
            continue
        *parents, leaf = option.field.split(".")
        part = request
        for parent in parents:
            part = part.setdefault(parent, {})
        part[leaf] = _converted(option, value)
    return request


def option_of(field: str) -> str:
    """Name the option that fills a field of the request, "" if none does: `--gpus` for `hardware.gpus`."""
    field = field.partition("[")[0]
    if field == "model" or field.startswith("model."):
        return "MODEL"
    return _OPTION_OF_FIELD.get(field, "")


def _converted(option: JobOption, value: Any) -> Any:
    if option.field == "preferences.trace_level":
        return _TRACE_LEVELS.get(value, value)
    if option.kind == "integer" and _INTEGER.fullmatch(value):
        return int(value)
    if option.kind == "number" and _NUMBER.fullmatch(value):
        try:
            return float(value)
        except ValueError:
            return value
    return value
