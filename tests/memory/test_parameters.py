"""Parameter counts from dimensions, against counts made by hand; published totals are checked with the catalog."""

from typing import Any

import pytest
from rungwise.domain.model import Model
from rungwise.memory import parameters
from rungwise.memory.actor import Shape


def model(**changes: Any) -> Model:
    """Return a small model: hidden size 8, two heads of 4, one KV head, MLP of 16, 10 words, 3 layers."""
    dimensions: dict[str, Any] = {
        "id": "small",
        "model_type": "llama",
        "num_hidden_layers": 3,
        "hidden_size": 8,
        "intermediate_size": 16,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 4,
        "vocab_size": 10,
        "tie_word_embeddings": False,
    }
    return Model(**dimensions | changes)


COUNTS = [
    # changes, attention, MLP, layer, root, total, active
    # attention 8·8 (Q) + 2·8·4 (K, V) + 8·8 (O); MLP 3·8·16; two norms of 8; root 2·10·8 + 8
    ({}, 192, 384, 592, 168, 1_944, 1_944),
    ({"tie_word_embeddings": True}, 192, 384, 592, 88, 1_864, 1_864),
    ({"qkv_bias": True}, 208, 384, 608, 168, 1_992, 1_992),
    ({"qk_norm": True}, 200, 384, 600, 168, 1_968, 1_968),
    ({"gated_mlp": False}, 192, 256, 464, 168, 1_560, 1_560),
    ({"head_dim": 8}, 384, 384, 784, 168, 2_520, 2_520),  # Q and O twice as wide as the hidden size
    # four experts of 384 and a router of 4·8; two of them idle for a token
    ({"num_experts": 4, "num_experts_per_tok": 2}, 192, 384, 1_776, 168, 5_496, 3_192),
    ({"parameters": 2_000}, 192, 384, 592, 168, 2_000, 2_000),  # a published count outranks the formula
]


@pytest.mark.parametrize(("changes", "attention", "mlp", "layer", "root", "total", "active"), COUNTS)
def test_counts(
    changes: dict[str, Any], attention: int, mlp: int, layer: int, root: int, total: int, active: int
) -> None:
    counted = model(**changes)
    assert parameters.attention(counted) == attention
    assert parameters.mlp(counted) == mlp
    assert parameters.layer(counted) == layer
    assert parameters.root(counted) == root
    assert parameters.total(counted) == total
    assert parameters.active(counted) == active


def test_shape_of_a_model() -> None:
    assert Shape.of(model()) == Shape(1_944, 168, 80, 8, 3, 10)
