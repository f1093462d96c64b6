"""A decoder-only transformer, as the estimator and the rules see it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_ .+=@/:()-]{1,128}$")]
"""A name that rules may compare: no quotes, no control characters."""


class Model(BaseModel):
    """Dimensions of one model; field names follow Hugging Face's config.json.

    `intermediate_size` is the width of the MLP; of one routed expert in a MoE model.
    `vocab_size` is padded as the weights are. Lengths are in tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Id
    model_type: Id
    num_hidden_layers: Annotated[int, Field(le=1_000)]
    hidden_size: Annotated[int, Field(le=131_072)]
    intermediate_size: Annotated[int, Field(le=1_048_576)]
    num_attention_heads: Annotated[int, Field(le=4_096)]
    num_key_value_heads: Annotated[int, Field(le=4_096)]
    head_dim: Annotated[int, Field(le=8_192)]
    vocab_size: Annotated[int, Field(le=10_000_000)]
    tie_word_embeddings: bool
    max_position_embeddings: int | None = None
    num_experts: int = 0
    num_experts_per_tok: int = 0
    gated_mlp: bool = True
    qkv_bias: bool = False
    qk_norm: bool = False
    parameters: int | None = None
    """Exact count from the published weights, where known; else the estimator's formula counts them."""
    unsupported: str = ""
    """Why the estimator cannot read this architecture ("multi-head latent attention"); empty if it can."""
    source: str = ""


class Architecture(BaseModel):
    """What holds for every model of one `model_type`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model_type: Id
    sequence_parallel: str
    """`supported`, `unsupported` or `unknown`: whether it trains under Ulysses sequence parallelism."""
    yarn_original_context: int = 0
    """Length in tokens that YaRN scales from by the vendor's convention; 0 if there is none."""
    yarn_max_native_context: int = 0
    """The convention is for models whose config.json says at most this many tokens; longer ones need another way."""
    source: str = ""


class Gpu(BaseModel):
    """One GPU type. Memory in GiB (2^30 bytes)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Id
    name: str
    vendor: str = "nvidia"
    aliases: tuple[str, ...] = ()
    architecture: str
    compute_capability: str = ""
    memory_gib: Annotated[float, Field(le=100_000)]
    """As sold."""
    usable_gib: float
    """What CUDA reports in total."""
    usable_verified: bool
    """Whether `usable_gib` was read from a real card; else it is derived, as `source` says."""
    bf16: bool
    flash_attention: bool
    interconnect: str
    """Link between the GPUs of one node: `nvlink`, `pcie`, `hccs`, `infinity_fabric`."""
    bf16_dense_tflops: float | None = None
    source: str
