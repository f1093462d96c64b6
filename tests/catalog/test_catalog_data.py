"""The tables as they are shipped: sources, and dimensions that give the published parameter counts."""

from typing import Any

import pytest
from rungwise.catalog.catalog import Catalog
from rungwise.catalog.families import FAMILIES, UNREADABLE
from rungwise.domain.model import Model
from rungwise.memory.parameters import layer, root

NAMED_GPUS = [
    "a100-80gb",
    "a100-40gb",
    "h20-96gb",
    "h20-141gb",
    "h100-80gb",
    "h200-141gb",
    "h800-80gb",
    "a800-80gb",
    "a10-24gb",
    "l20-48gb",
    "l40s-48gb",
    "rtx4090-24gb",
    "rtx3090-24gb",
    "v100-32gb",
    "b200-180gb",
]
NAMED_MODELS = [
    "Qwen3-0.6B",
    "Qwen3-1.7B",
    "Qwen3-4B",
    "Qwen3-8B",
    "Qwen3-14B",
    "Qwen3-32B",
    "Qwen3-30B-A3B",
    "Qwen3-30B-A3B-Instruct-2507",
    "Qwen2.5-0.5B",
    "Qwen2.5-1.5B",
    "Qwen2.5-3B",
    "Qwen2.5-7B",
    "Qwen2.5-14B",
    "Qwen2.5-32B",
    "Qwen2.5-72B-Instruct",
    "QwQ-32B",
    "DeepSeek-R1-Distill-Qwen-7B",
    "DeepSeek-R1-Distill-Llama-70B",
    "Llama-3-8B",
    "Llama-3.1-70B-Instruct",
    "Llama-3.2-1B",
    "Llama-3.3-70B-Instruct",
    "Mistral-7B-v0.3",
    "Mixtral-8x7B-v0.1",
    "gemma-2-9b",
    "gemma-3-27b-it",
    "phi-4",
    "DeepSeek-V3",
]

USABLE_GIB = [
    ("a100-80gb", 79.15),
    ("h20-96gb", 95.0),
    ("h100-80gb", 79.15),
    ("h800-80gb", 79.15),
    ("a800-80gb", 79.15),
    ("a100-40gb", 39.4),
    ("h200-141gb", 139.8),
]


def exact_count(model: Model) -> int:
    """Parameters, module by module, with each family's own norms; written apart from the estimator's formula."""
    width, heads, kv_heads = model.hidden_size, model.num_attention_heads, model.num_key_value_heads
    query, key = heads * model.head_dim, kv_heads * model.head_dim
    attention = width * query + 2 * width * key + query * width
    if model.qkv_bias:
        attention += query + 2 * key
    if model.qk_norm:
        # OLMo 2 norms all heads together, Qwen3 and Gemma 3 one head at a time.
        attention += query + key if model.model_type == "olmo2" else 2 * model.head_dim
    projections = 3 if model.gated_mlp else 2
    experts = max(model.num_experts, 1)
    mlp = experts * projections * width * model.intermediate_size
    router = width * model.num_experts
    # Gemma 2 and 3 norm before and after each block.
    norms = (4 if model.model_type in ("gemma2", "gemma3_text") else 2) * width
    embeddings = (1 if model.tie_word_embeddings else 2) * model.vocab_size * width
    return model.num_hidden_layers * (attention + mlp + router + norms) + embeddings + width


def test_the_named_gpus_are_there(catalog: Catalog) -> None:
    assert set(NAMED_GPUS) <= {gpu.id for gpu in catalog.gpus()}


@pytest.mark.parametrize("name", NAMED_MODELS)
def test_the_named_models_are_there(catalog: Catalog, name: str) -> None:
    assert catalog.model(name).num_hidden_layers > 1


@pytest.mark.parametrize(("gpu", "usable"), USABLE_GIB)
def test_usable_memory(catalog: Catalog, gpu: str, usable: float) -> None:
    assert catalog.gpu(gpu).usable_gib == usable


def test_every_row_names_its_source(documents: dict[str, Any]) -> None:
    rows = [
        row
        for document in documents.values()
        for table in document.values()
        if isinstance(table, list)
        for row in table
    ]
    assert len(rows) > 180
    assert [row for row in rows if len(row["source"]) < 10] == []


def test_dimensions_give_the_published_counts(catalog: Catalog) -> None:
    """Every model that the estimator reads, to the parameter; so tied embeddings and biases are right too."""
    readable = [model for model in catalog.models() if not model.unsupported]
    assert len(readable) > 100
    wrong = {model.id: (exact_count(model), model.parameters) for model in readable}
    assert {name: counts for name, counts in wrong.items() if counts[0] != counts[1]} == {}


def test_the_estimators_formula_is_within_half_a_percent(catalog: Catalog) -> None:
    off = {}
    for model in catalog.models():
        if model.parameters and not model.unsupported:
            counted = model.num_hidden_layers * layer(model) + root(model)
            if abs(counted / model.parameters - 1) > 0.005:
                off[model.id] = counted
    assert off == {}


def test_every_model_type_has_an_architecture_row(documents: dict[str, Any], catalog: Catalog) -> None:
    known = {row["model_type"] for row in documents["catalog/architectures.yaml"]["architectures"]}
    assert {model.model_type for model in catalog.models()} - known == set()
    assert set(FAMILIES) - known == set()


def test_unsupported_rows_are_those_that_a_config_would_be(catalog: Catalog) -> None:
    for model in catalog.models():
        assert model.unsupported == UNREADABLE.get(model.model_type, ""), model.id
        if not model.unsupported:
            family = FAMILIES[model.model_type]
            assert (model.qk_norm, model.qkv_bias) == (family.qk_norm, family.qkv_bias), model.id


def test_old_cards_have_neither_bf16_nor_flash_attention(catalog: Catalog) -> None:
    for gpu in catalog.gpus():
        if gpu.vendor == "nvidia":
            modern = float(gpu.compute_capability) >= 8.0
            assert (gpu.bf16, gpu.flash_attention) == (modern, modern), gpu.id


def test_yarn_conventions(catalog: Catalog) -> None:
    table = {name: catalog.architecture(name) for name in ("qwen3", "qwen3_moe", "qwen2", "llama")}
    conventions = {
        name: (row.yarn_original_context, row.yarn_max_native_context) for name, row in table.items()
    }
    assert conventions == {
        "qwen3": (32_768, 40_960),
        "qwen3_moe": (32_768, 40_960),
        "qwen2": (32_768, 32_768),
        "llama": (0, 0),
    }
