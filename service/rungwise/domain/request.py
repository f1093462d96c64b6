"""What a caller asks: field names as in the public contract (proto/rungwise/v1/request.proto).

Types and ranges are checked here, one field at a time; what needs the catalog or two fields together
is checked when the job is resolved (`rungwise.planning.job`).
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MAX_TOKENS = 16_777_216
"""Longest context that is accepted, in tokens: far beyond any model, and small enough that no product overflows."""
MAX_GPUS = 65_536
MAX_CONFIG_CHARACTERS = 1_048_576

Word = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""A short name without control characters."""
Tokens = Annotated[int, Field(ge=1, le=MAX_TOKENS)]
Count = Annotated[int, Field(ge=1, le=MAX_GPUS)]
Size = Annotated[int, Field(ge=1, le=2**31 - 1)]
Gib = Annotated[float, Field(gt=0, le=1_048_576, allow_inf_nan=False)]


class _Message(BaseModel):
    """A part of a request: strict types, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ModelDimensions(_Message):
    """Dimensions of a decoder-only transformer, for a model that the catalog does not hold."""

    model_type: Word
    num_hidden_layers: Annotated[int, Field(ge=1, le=1_000)]
    hidden_size: Annotated[int, Field(ge=1, le=131_072)]
    intermediate_size: Annotated[int, Field(ge=1, le=1_048_576)]
    num_attention_heads: Annotated[int, Field(ge=1, le=4_096)]
    num_key_value_heads: Annotated[int, Field(ge=1, le=4_096)] | None = None
    head_dim: Annotated[int, Field(ge=1, le=8_192)] | None = None
    vocab_size: Annotated[int, Field(ge=1, le=10_000_000)]
    tie_word_embeddings: bool | None = None
    max_position_embeddings: Tokens | None = None
    num_experts: Annotated[int, Field(ge=0, le=16_384)] | None = None
    num_experts_per_tok: Annotated[int, Field(ge=0, le=16_384)] | None = None


class ModelReference(_Message):
    """Exactly one of a catalog name, the text of a config.json, or dimensions."""

    name: Word | None = None
    hf_config_json: Annotated[str, Field(min_length=1, max_length=MAX_CONFIG_CHARACTERS)] | None = None
    dimensions: ModelDimensions | None = None


class Hardware(_Message):
    """The machines. `gpus` are the trainer's over all nodes; memory in GiB, per GPU or per node as named."""

    gpu: Word
    gpus: Count
    gpus_per_node: Annotated[int, Field(ge=1, le=1_024)] | None = None
    free_gib: Gib | None = None
    host_memory_gib: Gib | None = None
    cpu_cores: Count | None = None
    interconnect: Literal["infiniband", "roce", "ethernet"] | None = None


VERSION = r"^v?\d{1,4}(\.\d{1,4}){0,3}((a|b|rc|\.dev|\.post)\d{0,8})*(\+[0-9A-Za-z.]{1,40})?$"
"""A version as pip writes it: "2.7.1", "4.56.0.dev0", "2.6.0a0+git1234"."""
Version = Annotated[str, StringConstraints(max_length=80, pattern=VERSION)]


class Software(_Message):
    """Versions of the software: "2.7.1", "4.56.0.dev0", "2.6.0+cu124"."""

    torch: Version | None = None
    transformers: Version | None = None
    vllm: Version | None = None


class Rollout(_Message):
    """The rollout engines of a reinforcement-learning job."""

    engines: Count | None = None
    tensor_parallel: Count | None = None
    data_parallel: Count | None = None
    colocated: bool | None = None
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None


class Workload(_Message):
    """The training job. Lengths and budgets in tokens."""

    framework: Word | None = None
    method: Word | None = None
    task: Word | None = None
    max_model_len: Tokens
    max_token_len_per_gpu: Tokens | None = None
    micro_batch_size: Size | None = None
    train_batch_size: Size | None = None
    grad_accum: Size | None = None
    strategy: Word | None = None
    software: Software = Software()
    precision: Word | None = None
    optimizer: Word | None = None
    lora_rank: Annotated[int, Field(ge=1, le=65_536)] | None = None
    packing: bool | None = None
    rollout: Rollout = Rollout()


class Preferences(_Message):
    """What is wanted of the answer."""

    allow: Annotated[tuple[Word, ...], Field(max_length=64)] = ()
    forbid: Annotated[tuple[Word, ...], Field(max_length=64)] = ()
    objective: Literal["first"] | None = None
    min_fit_probability: Annotated[float, Field(ge=0.001, le=0.9999, allow_inf_nan=False)] | None = None
    locale: Literal["en", "zh"] | None = None
    trace_level: Literal[
        "TRACE_LEVEL_UNSPECIFIED", "TRACE_LEVEL_SUMMARY", "TRACE_LEVEL_REJECTIONS", "TRACE_LEVEL_FULL"
    ] = "TRACE_LEVEL_UNSPECIFIED"


class PlanRequest(_Message):
    """One job to plan."""

    request_id: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    model: ModelReference
    hardware: Hardware
    workload: Workload
    preferences: Preferences = Preferences()


class ExplainRequest(_Message):
    """One job to explain; `why_not` holds labels that the caller expected."""

    plan: PlanRequest
    why_not: Annotated[tuple[Word, ...], Field(max_length=64)] = ()
