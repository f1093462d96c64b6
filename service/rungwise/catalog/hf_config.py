"""Reading a model's dimensions from the text of a Hugging Face config.json."""

import re
from collections.abc import Mapping
from typing import Any

from rungwise.catalog.families import DENSE_LAYERS_KEYS, FAMILIES, SHARED_EXPERT_KEYS, UNREADABLE, Family
from rungwise.catalog.json_text import parse_json
from rungwise.catalog.names import shown
from rungwise.domain.errors import FieldViolation, InvalidRequest
from rungwise.domain.model import Model

_TEXT_TOWERS = ("text_config", "llm_config", "language_config")
_CORRECT = "correct the value: see the model's published config.json"
_MODEL_TYPE = re.compile(r"[A-Za-z0-9_.-]{1,64}")

_SPELLINGS: dict[str, tuple[str, ...]] = {
    # GPT-2 and T5 write some of the names their own way.
    "num_hidden_layers": ("num_hidden_layers", "n_layer", "num_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model"),
    "intermediate_size": ("intermediate_size", "n_inner", "d_ff", "ffn_dim"),
    "num_attention_heads": ("num_attention_heads", "n_head", "num_heads"),
    "num_key_value_heads": ("num_key_value_heads",),
    "head_dim": ("head_dim",),
    "qk_nope_head_dim": ("qk_nope_head_dim",),
    "qk_rope_head_dim": ("qk_rope_head_dim",),
    "vocab_size": ("vocab_size",),
    "max_position_embeddings": ("max_position_embeddings", "n_positions"),
    "num_experts": ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"),
    "num_experts_per_tok": ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k"),
    "moe_intermediate_size": ("moe_intermediate_size",),
}
_LARGEST = {
    "num_hidden_layers": 1_000,
    "hidden_size": 131_072,
    "intermediate_size": 1_048_576,
    "num_attention_heads": 4_096,
    "num_key_value_heads": 4_096,
    "head_dim": 8_192,
    "qk_nope_head_dim": 4_096,
    "qk_rope_head_dim": 4_096,
    "vocab_size": 10_000_000,
    "max_position_embeddings": 16_777_216,
    "num_experts": 16_384,
    "num_experts_per_tok": 16_384,
    "moe_intermediate_size": 1_048_576,
}


def read_hf_config(text: str, field: str) -> Model:
    """Read the decoder that a config.json describes; of a multimodal model its text tower.

    What the file leaves out is what transformers fills in for that `model_type`. An architecture that the
    estimator cannot read comes back with `unsupported` set. Raises InvalidRequest with one violation for each
    key that is missing or unsound, at `field`.KEY.
    """
    outer = parse_json(text, field=field)
    if not isinstance(outer, dict):
        suggestion = "give the text of the model's config.json as it was downloaded"
        raise InvalidRequest([FieldViolation(field, "must be a JSON object", suggestion)])
    tower = next((key for key in _TEXT_TOWERS if isinstance(outer.get(key), dict)), None)
    reader = _ConfigReader(outer, tower, field)
    model_type = reader.model_type()
    family = FAMILIES.get(model_type, Family())
    reader.defaults = family.defaults
    unsupported = _unsupported(model_type, outer, reader.config) if model_type else ""
    reader.readable = not unsupported

    layers = reader.size("num_hidden_layers")
    hidden = reader.size("hidden_size")
    heads = reader.size("num_attention_heads")
    vocab = reader.size("vocab_size")
    kv_heads = reader.optional_size("num_key_value_heads") or heads
    head_dim = reader.head_dim(hidden, heads)
    experts = (
        reader.size("num_experts") if family.moe else reader.optional_size("num_experts", smallest=0) or 0
    )
    routed = reader.size("num_experts_per_tok") if experts > 1 else 0
    width = reader.width(family.moe_width_key, experts)
    max_position_embeddings = reader.optional_size("max_position_embeddings")
    tied = reader.tie_word_embeddings(family.tie_word_embeddings)
    bias = reader.flag(family.bias_key, family.qkv_bias) if family.bias_key else family.qkv_bias
    if heads and kv_heads and heads % kv_heads:
        reader.fault("num_key_value_heads", f"{kv_heads} does not divide num_attention_heads {heads}")
    if routed > experts > 1:
        reader.fault("num_experts_per_tok", f"{routed} is more than the {experts} experts")
    if reader.violations:
        raise InvalidRequest(reader.violations)
    return Model(
        id=f"config.json ({model_type})",
        model_type=model_type,
        num_hidden_layers=layers,
        hidden_size=hidden,
        intermediate_size=width,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=head_dim,
        vocab_size=vocab,
        tie_word_embeddings=tied,
        max_position_embeddings=max_position_embeddings,
        num_experts=experts if experts > 1 else 0,
        num_experts_per_tok=routed,
        gated_mlp=family.gated_mlp,
        qkv_bias=bias,
        qk_norm=family.qk_norm,
        unsupported=unsupported,
        source=f"config.json, {tower}: other towers are not counted" if tower else "config.json",
    )


def _unsupported(model_type: str, outer: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Why the estimator cannot read this architecture; empty if it can.

    Sliding windows are no reason: they shorten the KV cache of inference, which training does not hold.
    """
    if model_type in UNREADABLE:
        return UNREADABLE[model_type]
    if config.get("is_encoder_decoder") is True or outer.get("is_encoder_decoder") is True:
        return "encoder-decoder"
    if config.get("kv_lora_rank"):
        return "multi-head latent attention"
    layer_types = config.get("layer_types")
    if isinstance(layer_types, list):
        foreign = sorted({t for t in layer_types if isinstance(t, str) and not t.endswith("_attention")})
        if "linear_attention" in layer_types:
            return "hybrid of linear and full attention"
        if foreign:
            return f"hybrid of attention and {shown(foreign[0])} layers"
    if any(key.startswith(("mamba_", "ssm_", "linear_num_")) for key in config):
        return "hybrid of attention and state-space or linear-attention layers"
    if any(config.get(key) for key in SHARED_EXPERT_KEYS):
        return "experts that every token uses (shared experts)"
    step = config.get("decoder_sparse_step")
    if any(config.get(key) for key in DENSE_LAYERS_KEYS) or (isinstance(step, int) and step > 1):
        return "a mix of dense and MoE layers"
    if model_type not in FAMILIES:
        return f"unknown architecture {model_type}"
    return ""


class _ConfigReader:
    """Reads typed values from the file, or from its text tower, and notes each fault with its place."""

    def __init__(self, outer: dict[str, Any], tower: str | None, field: str) -> None:
        self.outer = outer
        self.outer_field = field
        self.config: dict[str, Any] = outer[tower] if tower else outer
        self.field = f"{field}.{tower}" if tower else field
        self.readable = True
        """Whether the estimator can use the dimensions; if not, a missing one is no fault, since none is used."""
        self.defaults: Mapping[str, int] = {}
        self.violations: list[FieldViolation] = []

    def model_type(self) -> str:
        """Give the tower's `model_type`, else the whole model's; empty, with a fault noted, if there is none."""
        value = self.config.get("model_type") or self.outer.get("model_type")
        if isinstance(value, str) and _MODEL_TYPE.fullmatch(value):
            return value
        what = "is missing" if value is None else "must be a word such as qwen3 or llama"
        self._add(f"{self.field}.model_type", what, "add the model's model_type")
        return ""

    def size(self, name: str) -> int:
        """Give a number that must be there; 0, with a fault noted, if it is not."""
        value = self.optional_size(name)
        if value is None and not self._is_faulty(name):
            if not self.readable:
                return 1
            self.missing(name)
        return value or 0

    def optional_size(self, name: str, smallest: int = 1) -> int | None:
        """Give a number, or the default of transformers, or None. A null counts as left out."""
        key = self._key(name)
        value = self.config.get(key)
        if value is None:
            return self.defaults.get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault(name, f"must be an integer, not {shown(repr(value), 40)}", key)
            return None
        if not smallest <= value <= _LARGEST[name]:
            self.fault(name, f"must be from {smallest} to {_LARGEST[name]}, not {value}", key)
            return None
        return value

    def head_dim(self, hidden: int, heads: int) -> int:
        """Width of a query head: as given; under latent attention its two parts; else hidden size by heads."""
        given = self.optional_size("head_dim")
        if given or self._is_faulty("head_dim"):
            return given or 0
        if self.config.get("qk_nope_head_dim") is not None:
            return self.size("qk_nope_head_dim") + self.size("qk_rope_head_dim")
        if heads and hidden % heads and self.readable:
            self.fault("head_dim", f"is missing, and hidden_size {hidden} is not a multiple of {heads} heads")
        return max(1, hidden // heads) if heads else 0

    def width(self, moe_width_key: bool, experts: int) -> int:
        """Width of the MLP or of one expert, which Mixtral calls intermediate_size, others moe_intermediate_size."""
        if experts > 1 and (moe_width_key or self.config.get("moe_intermediate_size") is not None):
            return self.size("moe_intermediate_size")
        return self.size("intermediate_size")

    def tie_word_embeddings(self, default: bool) -> bool:
        """The whole model's word outranks its tower's, as in transformers."""
        if self.outer.get("tie_word_embeddings") is not None:
            return self._boolean(self.outer, self.outer_field, "tie_word_embeddings", default)
        return self.flag("tie_word_embeddings", default)

    def flag(self, name: str, default: bool) -> bool:
        """Give a boolean; a null counts as left out."""
        return self._boolean(self.config, self.field, name, default)

    def _boolean(self, config: Mapping[str, Any], field: str, name: str, default: bool) -> bool:
        value = config.get(name)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self._add(f"{field}.{name}", f"must be true or false, not {shown(repr(value), 40)}", _CORRECT)
        return default

    def missing(self, name: str) -> None:
        """Note that a key is missing."""
        suggestion = "complete the config.json, or give the model's dimensions (model.dimensions) instead"
        self._add(f"{self.field}.{name}", "is missing", suggestion)

    def fault(self, name: str, description: str, key: str | None = None) -> None:
        """Note what is wrong with a key."""
        self._add(f"{self.field}.{key or name}", description, _CORRECT)

    def _add(self, place: str, description: str, suggestion: str) -> None:
        self.violations.append(FieldViolation(place, description, suggestion))

    def _is_faulty(self, name: str) -> bool:
        places = {f"{self.field}.{key}" for key in _SPELLINGS.get(name, (name,))}
        return any(violation.field in places for violation in self.violations)

    def _key(self, name: str) -> str:
        """Give the spelling that the file uses."""
        return next((key for key in _SPELLINGS[name] if self.config.get(key) is not None), name)
