"""Peak memory of one GPU of an RL trainer's actor: FSDP, fp32 shards, full recomputation, flash attention.

Two phases compete for the peak: the loss, where activations and logits are live, and the optimizer step. A phase is a
sum of terms; a term is a function of shape, layout and constants that returns bytes on one GPU. GiB are 2^30 bytes.

Symbols of the formulas: P parameters, R parameters of the root unit, E of the embedding, N GPUs, T tokens of a
micro-batch on one GPU, h hidden size, l layers, V vocabulary, S sequence-parallel size.

The forms follow from how FSDP, checkpointing and AdamW hold memory; the constants (`ActorConstants`) were fitted by
interval-censored maximum likelihood to 238 published maxima of Trinity-RFT's configuration guide.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import log2
from typing import Annotated, NamedTuple

from pydantic import Field
from rungwise.domain.model import Model
from rungwise.domain.plan import MemoryComponent
from rungwise.memory import parameters

GIB = 2**30
Amount = Annotated[float, Field(ge=0, le=1_000, allow_inf_nan=False)]
"""Bytes or GiB, as the name of the constant says."""


@dataclass(frozen=True, slots=True)
class ActorConstants:
    """Constants of one framework version; catalog/frameworks/*.yaml says what each stands for."""

    logit_bytes: Amount
    logit_bytes_per_sp_doubling: Amount
    fragmentation_logit_bytes: Amount
    fragmentation_several_gpus_gib: Amount
    fragmentation_state_bytes: Amount
    sp_step_gib: Amount
    context_gib: Amount
    offload_context_gib: Amount


class Shape(NamedTuple):
    """What the actor's memory depends on of a model: parameter counts and dimensions."""

    parameters: int
    root_parameters: int
    embedding_parameters: int
    hidden_size: int
    num_hidden_layers: int
    vocab_size: int

    @classmethod
    def of(cls, model: Model) -> "Shape":
        """Count the model's parameters, once for all candidates."""
        return cls(
            parameters.total(model),
            parameters.root(model),
            parameters.embedding(model),
            model.hidden_size,
            model.num_hidden_layers,
            model.vocab_size,
        )


class Layout(NamedTuple):
    """How a candidate lies on the GPUs. `tokens`: token budget of one micro-batch on one GPU."""

    gpus: int
    sequence_parallel_size: int
    tokens: int
    expandable_segments: bool
    cpu_offload: bool


TermFunction = Callable[[Shape, Layout, ActorConstants], float]


def weights(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """4 B × P / N: FSDP keeps fp32 shards of the weights and casts to bf16 for compute; SP ranks shard too."""
    return 4 * shape.parameters / layout.gpus


def gradients(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """4 B × P / N: fp32 gradient shards; they persist over the micro-batches of one update."""
    return 4 * shape.parameters / layout.gpus


def optimizer_states(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """8 B × P / N: AdamW's two fp32 moments."""
    return 8 * shape.parameters / layout.gpus


def bf16_weights(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """2 B × P, N = 1: on one GPU FSDP does not shard and keeps a bf16 copy of the weights."""
    return 2 * shape.parameters if layout.gpus == 1 else 0


def unsharded_root(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """4 B × R: embedding and output layer, gathered in bf16, and their bf16 gradients."""
    return 4 * shape.root_parameters


def gathered_output_layer(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """2 B × E: under CPU offload only the output layer's bf16 weights are on the GPU at the loss."""
    return 2 * shape.embedding_parameters


def activation_checkpoints(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """T × 2 B × h × l: one bf16 layer input per layer and token, kept for recomputation."""
    return layout.tokens * 2 * shape.hidden_size * shape.num_hidden_layers


def logits(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """T × (logit_bytes + logit_bytes_per_sp_doubling × log2 S) × V: all logit-sized tensors live at the loss."""
    doublings = log2(layout.sequence_parallel_size)
    width = constants.logit_bytes + constants.logit_bytes_per_sp_doubling * doublings
    return layout.tokens * width * shape.vocab_size


def loss_fragmentation(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """T × fragmentation_logit_bytes × V + fragmentation_several_gpus_gib if N > 1: what the default allocator wastes.

    Expandable segments remove it.
    """
    if layout.expandable_segments:
        return 0
    several = constants.fragmentation_several_gpus_gib * GIB if layout.gpus > 1 else 0
    return layout.tokens * constants.fragmentation_logit_bytes * shape.vocab_size + several


def adamw_temporaries(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """4 B × P / N: the foreach AdamW holds one fp32 list as large as the sharded weights during its step."""
    return 4 * shape.parameters / layout.gpus


def sp_step_buffers(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """sp_step_gib × log2 S: held by SP's process groups in the optimizer step; inferred from the published maxima."""
    return constants.sp_step_gib * log2(layout.sequence_parallel_size) * GIB


def step_fragmentation(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """fragmentation_state_bytes × P / N: what the default allocator wastes in the optimizer step.

    Expandable segments remove it.
    """
    return (
        0
        if layout.expandable_segments
        else constants.fragmentation_state_bytes * shape.parameters / layout.gpus
    )


def cuda_context(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """context_gib: CUDA context, NCCL buffers and library workspaces."""
    return constants.context_gib * GIB


def offload_staging(shape: Shape, layout: Layout, constants: ActorConstants) -> float:
    """offload_context_gib: buffers through which the CPU-offload policy moves shards."""
    return constants.offload_context_gib * GIB


STATES: tuple[TermFunction, ...] = (weights, gradients, optimizer_states, bf16_weights)
ACTIVATIONS: tuple[TermFunction, ...] = (activation_checkpoints, logits, loss_fragmentation)
OUTSIDE_THE_ALLOCATOR: tuple[TermFunction, ...] = (cuda_context, offload_staging)
"""What torch's allocator neither hands out nor reserves."""
FRAGMENTATION: tuple[TermFunction, ...] = (loss_fragmentation, step_fragmentation)
"""What torch's allocator reserves and cannot hand out."""
LOSS = (*STATES, unsharded_root, *ACTIVATIONS, cuda_context)
OPTIMIZER_STEP = (*STATES, adamw_temporaries, sp_step_buffers, step_fragmentation, cuda_context)
LOSS_UNDER_OFFLOAD = (gathered_output_layer, *ACTIVATIONS, cuda_context, offload_staging)
"""States are on the host, and so is the optimizer step."""


class Estimate(NamedTuple):
    """The peak phase of a candidate, in bytes."""

    phase: str
    functions: tuple[TermFunction, ...]
    sizes: tuple[float, ...]
    peak: float
    shape: Shape
    layout: Layout
    constants: ActorConstants

    def size(self, *functions: TermFunction) -> float:
        """Return the sum of `functions` that belong to the peak phase, in bytes."""
        return sum(
            size for function, size in zip(self.functions, self.sizes, strict=True) if function in functions
        )

    def components(self) -> tuple[MemoryComponent, ...]:
        """Return the parts of the peak phase that are not empty, in GiB, with formulas; they sum to the peak."""
        shape, layout, constants = self.shape, self.layout, self.constants
        values = {
            "P": shape.parameters,
            "R": shape.root_parameters,
            "E": shape.embedding_parameters,
            "N": layout.gpus,
            "T": layout.tokens,
            "h": shape.hidden_size,
            "l": shape.num_hidden_layers,
            "V": shape.vocab_size,
            "S": layout.sequence_parallel_size,
            "constants": constants,
        }
        return tuple(
            MemoryComponent(function.__name__, size / GIB, _formula(function).format_map(values))
            for function, size in zip(self.functions, self.sizes, strict=True)
            if size
        )


_SYMBOL = re.compile(r"\b(?:([PRENThlVS])|([a-z_]+_(?:bytes|gib|doubling)))\b")


@cache
def _formula(function: TermFunction) -> str:
    """Return the formula that a term's docstring starts with, and a template of its symbols' and constants' values."""
    formula = (function.__doc__ or "").partition(":")[0]
    names = dict.fromkeys(
        f"{symbol} = {{{symbol}:,}}" if symbol else f"{constant} = {{constants.{constant}:g}}"
        for symbol, constant in _SYMBOL.findall(formula)
    )
    return f"{formula}; {', '.join(names)}"


def estimate(shape: Shape, layout: Layout, constants: ActorConstants) -> Estimate:
    """Return the larger of the phases."""
    if layout.cpu_offload:
        return _phase("loss", LOSS_UNDER_OFFLOAD, shape, layout, constants)
    loss = _phase("loss", LOSS, shape, layout, constants)
    step = _phase("optimizer_step", OPTIMIZER_STEP, shape, layout, constants)
    return step if step.peak > loss.peak else loss


def _phase(
    name: str, functions: tuple[TermFunction, ...], shape: Shape, layout: Layout, constants: ActorConstants
) -> Estimate:
    sizes = tuple([function(shape, layout, constants) for function in functions])
    return Estimate(name, functions, sizes, sum(sizes), shape, layout, constants)
