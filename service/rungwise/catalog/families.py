"""What transformers fills in, per `model_type`, when a config.json leaves it out.

Read in the configuration and modeling classes of transformers 5.24.0
(src/transformers/models/NAME/configuration_NAME.py and modeling_NAME.py). A saved config.json omits what
equals a default: above all `tie_word_embeddings: true`, and most of Gemma 3's nested text_config.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Family:
    """Defaults of one `model_type`. Without any: Llama's, the commonest."""

    defaults: Mapping[str, int] = field(default_factory=dict)
    """Dimensions. Without one, `num_key_value_heads` is `num_attention_heads`, `head_dim` hidden size by heads."""
    tie_word_embeddings: bool = False
    qkv_bias: bool = False
    bias_key: str = ""
    """The key that overrides `qkv_bias`."""
    qk_norm: bool = False
    gated_mlp: bool = True
    moe: bool = False
    """Whether every layer is a mixture of experts."""
    moe_width_key: bool = False
    """Whether an expert's width is `moe_intermediate_size`; else it is `intermediate_size`."""


_QWEN3_VL_MOE = Family(
    {"num_key_value_heads": 16}, bias_key="attention_bias", qk_norm=True, moe=True, moe_width_key=True
)
_GEMMA3 = Family(
    {
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "vocab_size": 262_208,
        "max_position_embeddings": 131_072,
    },
    tie_word_embeddings=True,
    bias_key="attention_bias",
    qk_norm=True,
)
_QWEN2_VL = Family({"num_key_value_heads": 8}, qkv_bias=True)
_QWEN3_VL = Family({"num_key_value_heads": 32, "head_dim": 128}, bias_key="attention_bias", qk_norm=True)

FAMILIES: dict[str, Family] = {
    "llama": Family(bias_key="attention_bias"),
    "mistral": Family({"num_key_value_heads": 8}),
    "ministral": Family({"num_key_value_heads": 8}),
    "mixtral": Family({"num_key_value_heads": 8}, moe=True),
    "qwen2": Family({"num_key_value_heads": 32}, qkv_bias=True),
    "qwen2_vl": _QWEN2_VL,
    "qwen2_vl_text": _QWEN2_VL,
    "qwen2_5_vl": _QWEN2_VL,
    "qwen2_5_vl_text": _QWEN2_VL,
    "qwen3": Family({"num_key_value_heads": 32, "head_dim": 128}, bias_key="attention_bias", qk_norm=True),
    "qwen3_moe": Family(
        {"num_key_value_heads": 4}, bias_key="attention_bias", qk_norm=True, moe=True, moe_width_key=True
    ),
    "qwen3_vl": _QWEN3_VL,
    "qwen3_vl_text": _QWEN3_VL,
    "qwen3_vl_moe": _QWEN3_VL_MOE,
    "qwen3_vl_moe_text": _QWEN3_VL_MOE,
    "gemma": Family(
        {"num_key_value_heads": 16, "head_dim": 256}, tie_word_embeddings=True, bias_key="attention_bias"
    ),
    "gemma2": Family(
        {"num_key_value_heads": 4, "head_dim": 256}, tie_word_embeddings=True, bias_key="attention_bias"
    ),
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "phi3": Family(),
    "olmo": Family(bias_key="attention_bias"),
    "olmo2": Family(bias_key="attention_bias", qk_norm=True),
    "olmo3": Family(bias_key="attention_bias", qk_norm=True),
    "olmoe": Family(bias_key="attention_bias", qk_norm=True, moe=True),
    "granite": Family(bias_key="attention_bias"),
    "granitemoe": Family(bias_key="attention_bias", moe=True),
    "smollm3": Family({"num_key_value_heads": 4}, tie_word_embeddings=True, bias_key="attention_bias"),
    "seed_oss": Family({"num_key_value_heads": 8, "head_dim": 128}, qkv_bias=True, bias_key="attention_bias"),
    "glm": Family({"num_key_value_heads": 2, "head_dim": 128}, qkv_bias=True, bias_key="attention_bias"),
    "glm4": Family({"num_key_value_heads": 2, "head_dim": 128}, qkv_bias=True, bias_key="attention_bias"),
    "starcoder2": Family(
        {"num_key_value_heads": 2},
        tie_word_embeddings=True,
        qkv_bias=True,
        bias_key="use_bias",
        gated_mlp=False,
    ),
}

UNREADABLE: dict[str, str] = {
    "deepseek_v2": "multi-head latent attention",
    "deepseek_v3": "multi-head latent attention",
    "kimi_k2": "multi-head latent attention",
    "minicpm3": "multi-head latent attention",
    "qwen3_next": "hybrid of linear and full attention",
    "qwen3_5": "hybrid of linear and full attention",
    "qwen3_5_text": "hybrid of linear and full attention",
    "qwen3_5_moe": "hybrid of linear and full attention",
    "qwen3_5_moe_text": "hybrid of linear and full attention",
    "mamba": "state-space model without attention",
    "mamba2": "state-space model without attention",
    "falcon_mamba": "state-space model without attention",
    "falcon_h1": "hybrid of attention and state-space layers",
    "jamba": "hybrid of attention and state-space layers",
    "zamba2": "hybrid of attention and state-space layers",
    "nemotron_h": "hybrid of attention and state-space layers",
    "granitemoehybrid": "hybrid of attention and state-space layers",
    "recurrent_gemma": "hybrid of attention and recurrent layers",
    "rwkv": "recurrent model without attention",
    "t5": "encoder-decoder",
    "mt5": "encoder-decoder",
    "bart": "encoder-decoder",
    "bert": "encoder without a causal decoder",
    "gpt_oss": "attention sinks and experts in 4-bit weights",
    "llama4": "chunked attention, and layers with and without experts",
    "llama4_text": "chunked attention, and layers with and without experts",
    "gemma3n": "per-layer embeddings",
    "gemma3n_text": "per-layer embeddings",
    "gemma4": "layers of unlike attention width",
    "gemma4_text": "layers of unlike attention width",
}
"""Architectures whose memory the estimator has no terms for, and what it has none for."""

SHARED_EXPERT_KEYS = ("n_shared_experts", "num_shared_experts", "shared_expert_intermediate_size")
DENSE_LAYERS_KEYS = ("first_k_dense_replace", "mlp_only_layers")
