"""Reading config.json: what it says, what transformers fills in, and what is refused."""

import contextlib
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rungwise.catalog.catalog import Catalog
from rungwise.catalog.hf_config import read_hf_config
from rungwise.domain.errors import FieldViolation, InvalidRequest

FIELD = "model.hf_config_json"
QWEN3 = {
    "model_type": "qwen3",
    "num_hidden_layers": 36,
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
}
LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 8,
    "vocab_size": 100,
}

# File under data/ and the model of the catalog that it describes.
SAME_AS_THE_CATALOG = [
    ("qwen3-8b", "Qwen/Qwen3-8B"),
    ("qwen2.5-7b", "Qwen/Qwen2.5-7B"),
    ("llama-3.1-8b", "meta-llama/Llama-3.1-8B"),
    ("gemma-3-4b", "google/gemma-3-4b-it"),
    ("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"),
    ("qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-V3"),
]


def violations(text: str | dict[str, Any]) -> list[FieldViolation]:
    with pytest.raises(InvalidRequest) as caught:
        read_hf_config(text if isinstance(text, str) else json.dumps(text), FIELD)
    assert all(violation.suggestion for violation in caught.value.violations)
    return list(caught.value.violations)


@pytest.mark.parametrize(("file", "name"), SAME_AS_THE_CATALOG)
def test_a_config_says_what_the_catalog_says(catalog: Catalog, data: Path, file: str, name: str) -> None:
    read = read_hf_config((data / f"{file}.json").read_text(), FIELD)
    apart = {"id", "parameters", "source"}
    assert read.model_dump(exclude=apart) == catalog.model(name).model_dump(exclude=apart)
    assert read.id == f"config.json ({read.model_type})"


def test_five_faults_are_all_named(data: Path) -> None:
    found = violations((data / "five-faults.json").read_text())
    assert {violation.field.removeprefix(f"{FIELD}."): violation.description for violation in found} == {
        "num_hidden_layers": "must be from 1 to 1000, not 0",
        "hidden_size": "must be an integer, not '4096'",
        "num_attention_heads": "must be an integer, not True",
        "vocab_size": "is missing",
        "intermediate_size": "must be an integer, not 12288.0",
    }
    assert len(found) == 5


# Changes to LLAMA, and what must come out.
FILLED_IN = [
    ({}, {"num_key_value_heads": 8, "head_dim": 8, "tie_word_embeddings": False, "qkv_bias": False}),
    ({"attention_bias": True}, {"qkv_bias": True}),
    ({"tie_word_embeddings": True}, {"tie_word_embeddings": True}),
    ({"head_dim": None, "num_key_value_heads": None}, {"num_key_value_heads": 8, "head_dim": 8}),
    ({"head_dim": 16}, {"head_dim": 16}),
    ({"max_position_embeddings": None}, {"max_position_embeddings": None}),
    ({"model_type": "mistral"}, {"num_key_value_heads": 8}),
    ({"model_type": "qwen2", "num_key_value_heads": 2}, {"qkv_bias": True, "qk_norm": False}),
    ({"model_type": "qwen3", "num_key_value_heads": 2}, {"head_dim": 128, "qk_norm": True}),
    ({"model_type": "gemma2"}, {"head_dim": 256, "num_key_value_heads": 4, "tie_word_embeddings": True}),
    ({"model_type": "gemma3_text"}, {"num_key_value_heads": 4, "qk_norm": True, "tie_word_embeddings": True}),
    ({"model_type": "olmo2"}, {"qk_norm": True, "tie_word_embeddings": False}),
    ({"model_type": "phi3"}, {"num_key_value_heads": 8, "gated_mlp": True}),
    ({"model_type": "starcoder2"}, {"num_key_value_heads": 2, "gated_mlp": False, "qkv_bias": True}),
    ({"model_type": "smollm3"}, {"num_key_value_heads": 4, "tie_word_embeddings": True}),
    ({"num_local_experts": 1}, {"num_experts": 0, "num_experts_per_tok": 0}),
]


@pytest.mark.parametrize(("change", "expected"), FILLED_IN)
def test_what_a_file_leaves_out(change: dict[str, Any], expected: dict[str, Any]) -> None:
    model = read_hf_config(json.dumps(LLAMA | change), FIELD)
    assert {name: getattr(model, name) for name in expected} == expected
    assert model.unsupported == ""


def test_the_text_tower_of_a_multimodal_model_is_read() -> None:
    outer = {
        "model_type": "qwen2_5_vl",
        "tie_word_embeddings": True,
        "text_config": LLAMA | {"model_type": "qwen2_5_vl_text", "tie_word_embeddings": False},
        "vision_config": {"hidden_size": 1},
    }
    model = read_hf_config(json.dumps(outer), FIELD)
    assert (model.model_type, model.hidden_size, model.tie_word_embeddings) == ("qwen2_5_vl_text", 64, True)
    assert "text_config" in model.source


def test_faults_of_a_text_tower_name_their_place() -> None:
    outer = {"model_type": "gemma3", "tie_word_embeddings": 1, "text_config": {"model_type": "gemma3_text"}}
    assert [violation.field for violation in violations(outer)] == [
        f"{FIELD}.text_config.num_hidden_layers",
        f"{FIELD}.text_config.hidden_size",
        f"{FIELD}.text_config.intermediate_size",
        f"{FIELD}.tie_word_embeddings",
    ]


UNREADABLE = [
    ({"model_type": "qwen3_next"}, "hybrid of linear and full attention"),
    ({"model_type": "qwen3_5_moe"}, "hybrid of linear and full attention"),
    ({"layer_types": ["linear_attention", "full_attention"]}, "hybrid of linear and full attention"),
    ({"layer_types": ["mamba", "full_attention"]}, "hybrid of attention and mamba layers"),
    ({"mamba_d_state": 16}, "hybrid of attention and state-space or linear-attention layers"),
    ({"kv_lora_rank": 512}, "multi-head latent attention"),
    ({"is_encoder_decoder": True}, "encoder-decoder"),
    ({"model_type": "t5"}, "encoder-decoder"),
    ({"n_shared_experts": 1}, "experts that every token uses (shared experts)"),
    ({"first_k_dense_replace": 1}, "a mix of dense and MoE layers"),
    ({"decoder_sparse_step": 2}, "a mix of dense and MoE layers"),
    ({"model_type": "brand_new"}, "unknown architecture brand_new"),
    ({"model_type": "gpt_oss"}, "attention sinks and experts in 4-bit weights"),
    ({"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 8}, ""),
]


@pytest.mark.parametrize(("change", "reason"), UNREADABLE)
def test_architectures_that_the_estimator_cannot_read(change: dict[str, Any], reason: str) -> None:
    assert read_hf_config(json.dumps(LLAMA | change), FIELD).unsupported == reason


def test_names_of_other_families_are_understood() -> None:
    config = {"model_type": "t5", "num_layers": 3, "d_model": 8, "d_ff": 16, "num_heads": 2, "vocab_size": 9}
    model = read_hf_config(json.dumps(config), FIELD)
    assert (model.num_hidden_layers, model.hidden_size, model.num_attention_heads) == (3, 8, 2)


def test_an_unreadable_architecture_needs_no_dimensions() -> None:
    config = {"model_type": "mamba2", "num_hidden_layers": 2, "hidden_size": 8, "vocab_size": 9}
    model = read_hf_config(json.dumps(config), FIELD)
    assert "state-space" in model.unsupported or "mamba" in model.unsupported.lower()
    assert model.num_attention_heads == 1
    (fault,) = violations({**config, "vocab_size": "many"})
    assert fault.field == f"{FIELD}.vocab_size"


KEY_FAULTS = [
    ({"num_key_value_heads": 3}, "num_key_value_heads", "3 does not divide num_attention_heads 32"),
    ({"num_hidden_layers": 1001}, "num_hidden_layers", "must be from 1 to 1000, not 1001"),
    ({"hidden_size": 131073}, "hidden_size", "must be from 1 to 131072, not 131073"),
    ({"vocab_size": 10**7 + 1}, "vocab_size", "must be from 1 to 10000000, not 10000001"),
    ({"vocab_size": -5}, "vocab_size", "must be from 1 to 10000000, not -5"),
    ({"head_dim": [1]}, "head_dim", "must be an integer, not [1]"),
    ({"max_position_embeddings": "long"}, "max_position_embeddings", "must be an integer, not 'long'"),
    ({"tie_word_embeddings": "no"}, "tie_word_embeddings", "must be true or false, not 'no'"),
    ({"attention_bias": 0}, "attention_bias", "must be true or false, not 0"),
    ({"model_type": None}, "model_type", "is missing"),
    ({"model_type": 3}, "model_type", "must be a word such as qwen3 or llama"),
    ({"model_type": "qwen3; rm"}, "model_type", "must be a word such as qwen3 or llama"),
    ({"model_type": "x" * 65}, "model_type", "must be a word such as qwen3 or llama"),
    (
        {"model_type": "llama", "head_dim": None, "hidden_size": 100},
        "head_dim",
        "is missing, and hidden_size 100",
    ),
    (
        {"model_type": "qwen3_moe", "moe_intermediate_size": 8, "num_experts_per_tok": 2},
        "num_experts",
        "is missing",
    ),
    ({"model_type": "mixtral", "num_local_experts": 8}, "num_experts_per_tok", "is missing"),
    ({"model_type": "mixtral", "num_local_experts": "8"}, "num_local_experts", "must be an integer, not '8'"),
    (
        {"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3},
        "num_experts_per_tok",
        "3 is more than the 2 experts",
    ),
    (
        {"model_type": "qwen3_moe", "num_experts": 8, "num_experts_per_tok": 2},
        "moe_intermediate_size",
        "is missing",
    ),
]


@pytest.mark.parametrize(("change", "key", "description"), KEY_FAULTS)
def test_faults_of_one_key(change: dict[str, Any], key: str, description: str) -> None:
    found = violations(QWEN3 | change)
    assert [violation.field for violation in found] == [f"{FIELD}.{key}"]
    assert found[0].description.startswith(description)


NOT_STRICT_JSON = [  # the parser's own table is in test_json_text.py
    ("", "is not JSON"),
    ("[]", "must be a JSON object"),
    ("3", "must be a JSON object"),
    ("null", "must be a JSON object"),
    ('{"a": NaN}', "has NaN, which is not JSON"),
    ('{"a": 1e999}', "has a number too large for a double"),
    ('{"a": 1, "a": 2}', "has the key 'a' twice"),
    (r'{"a": "\ud800"}', "holds a NUL or a lone surrogate"),
    ('{"a":' * 100_000, "is nested deeper than 32"),
]


@pytest.mark.parametrize(("text", "description"), NOT_STRICT_JSON, ids=range(len(NOT_STRICT_JSON)))
def test_json_that_parsers_disagree_about_is_refused(text: str, description: str) -> None:
    begun = time.perf_counter()
    found = violations(text)
    assert time.perf_counter() - begun < 2
    assert [violation.field for violation in found] == [FIELD]
    assert found[0].description.startswith(description)


def test_brackets_inside_strings_do_not_nest() -> None:
    text = json.dumps(LLAMA | {"note": "[{" * 100 + '\\"' + "[" * 100})
    assert read_hf_config(text, FIELD).hidden_size == 64


def test_an_empty_object_names_every_key_that_is_needed() -> None:
    assert {
        violation.field.removeprefix(f"{FIELD}."): violation.description for violation in violations("{}")
    } == {
        "model_type": "is missing",
        "num_hidden_layers": "is missing",
        "hidden_size": "is missing",
        "num_attention_heads": "is missing",
        "vocab_size": "is missing",
        "intermediate_size": "is missing",
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from([*QWEN3, "text_config", "num_experts", "moe_intermediate_size"]), json_values
    )
)
def test_any_change_is_read_or_refused(change: dict[str, Any]) -> None:
    text = json.dumps(QWEN3 | change)
    model = None
    with contextlib.suppress(InvalidRequest):
        model = read_hf_config(text, FIELD)
    if model is None:
        assert all(violation.field.startswith(FIELD) for violation in violations(text))
    else:
        assert model.num_attention_heads % model.num_key_value_heads == 0
        assert 1 <= model.head_dim <= 131_072
        assert model.num_experts_per_tok <= model.num_experts


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        read_hf_config(text, FIELD)
