"""Which names find which GPU or model, and what is suggested when none does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rungwise.catalog.catalog import Catalog
from rungwise.catalog.names import gpu_key, nearest, shown
from rungwise.domain.errors import NotFound
from rungwise.domain.model import Model

FOUND_GPUS = [
    ("a100-80gb", "a100-80gb"),
    ("A100-80GB", "a100-80gb"),
    ("a100_80gb", "a100-80gb"),
    ("A100_80", "a100-80gb"),
    ("a100-80", "a100-80gb"),
    ("NVIDIA A100-SXM4-80GB", "a100-80gb"),
    ("NVIDIA-A100-SXM4-80GB", "a100-80gb"),
    ("nvidia-a100-80gb", "a100-80gb"),
    ("NVIDIA A100-SXM4-40GB", "a100-40gb"),
    ("nvidia-tesla-a100", "a100-40gb"),
    ("h20", "h20-96gb"),
    ("NVIDIA H20", "h20-96gb"),
    ("H20-3e", "h20-141gb"),
    ("H100", "h100-80gb"),
    ("NVIDIA H100 80GB HBM3", "h100-80gb"),
    ("nvidia-h100-mega-80gb", "h100-80gb"),
    ("NVIDIA H200", "h200-141gb"),
    ("H800", "h800-80gb"),
    ("a10", "a10-24gb"),
    ("A10G", "a10g-24gb"),
    ("L40S", "l40s-48gb"),
    ("L40", "l40-48gb"),
    ("4090", "rtx4090-24gb"),
    ("NVIDIA GeForce RTX 4090", "rtx4090-24gb"),
    ("Tesla V100-SXM2-32GB", "v100-32gb"),
    ("Tesla T4", "t4-16gb"),
    ("B200", "b200-180gb"),
]

UNKNOWN_GPUS = [
    ("a100", ("a100-40gb", "a100-80gb")),  # two sizes: the answer names both
    ("v100", ("v100-16gb", "v100-32gb")),
    ("a10080gb", ("a100-80gb",)),
    ("h20-69gb", ("h20-96gb",)),
    ("H100 PCIe", ("h100-80gb",)),
    ("NVIDIA A100 80GB PCIe", ("a100-80gb",)),
    ("tpu", ()),
    ("", ()),
    ("---", ()),
]

FOUND_MODELS = [
    ("Qwen/Qwen3-4B", "Qwen/Qwen3-4B"),
    ("qwen3-4b", "Qwen/Qwen3-4B"),
    ("QWEN/QWEN3-4B", "Qwen/Qwen3-4B"),
    ("Qwen3-4B-Instruct-2507", "Qwen/Qwen3-4B-Instruct-2507"),
    ("Qwen3-4B-Base", "Qwen/Qwen3-4B-Base"),
    ("Qwen2.5-7B", "Qwen/Qwen2.5-7B"),
    ("Llama-3-8B", "meta-llama/Meta-Llama-3-8B"),
    ("Meta-Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"),
    ("DeepSeek-R1-Distill-Llama-8B", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B"),
    ("gemma-3-4b-it", "google/gemma-3-4b-it"),
    ("phi-4", "microsoft/phi-4"),
]

UNKNOWN_MODELS = [
    ("Qwen3-8", "Qwen/Qwen3-8B"),
    ("qwen38b", "Qwen/Qwen3-8B"),
    ("Qwen3_8B", "Qwen/Qwen3-8B"),
    ("Qwen/Qwen38B", "Qwen/Qwen3-8B"),
    ("Qwen/Qwen3-4B-Instruct", "Qwen/Qwen3-4B-Instruct-2507"),
    ("Qwen3-7B", "Qwen/Qwen3-1.7B"),
    ("lama-3.1-8b", "meta-llama/Llama-3.1-8B"),
    ("llama3.1-8b", "meta-llama/Llama-3.1-8B"),
    ("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"),
    ("unsloth/Qwen3-8B", "Qwen/Qwen3-8B"),
]


@pytest.mark.parametrize(("name", "gpu"), FOUND_GPUS)
def test_gpu_is_found(catalog: Catalog, name: str, gpu: str) -> None:
    assert catalog.gpu(name).id == gpu


@pytest.mark.parametrize(("name", "suggestions"), UNKNOWN_GPUS)
def test_unknown_gpu_suggests(catalog: Catalog, name: str, suggestions: tuple[str, ...]) -> None:
    with pytest.raises(NotFound) as caught:
        catalog.gpu(name, "hardware.gpu")
    error = caught.value
    assert (error.kind, error.field, error.name) == ("GPU", "hardware.gpu", name)
    assert error.suggestions[: len(suggestions)] == suggestions
    assert bool(error.suggestions) == bool(suggestions)
    assert "free_gib" in error.hint


@pytest.mark.parametrize(("name", "model"), FOUND_MODELS)
def test_model_is_found(catalog: Catalog, name: str, model: str) -> None:
    assert catalog.model(name).id == model


@pytest.mark.parametrize(("name", "model"), UNKNOWN_MODELS)
def test_unknown_model_suggests(catalog: Catalog, name: str, model: str) -> None:
    with pytest.raises(NotFound) as caught:
        catalog.model(name, "model.name")
    error = caught.value
    assert (error.kind, error.field, error.name) == ("model", "model.name", name)
    assert model in error.suggestions
    assert len(error.suggestions) <= 3
    assert "config.json" in error.hint


@pytest.mark.parametrize("name", ["Qwen3-4B-", "Qwen3 4B", "Qwen3-4B-Instruct", " Qwen3-4B", "Qwen3.4B"])
def test_model_names_match_exactly(catalog: Catalog, name: str) -> None:
    with pytest.raises(NotFound):
        catalog.model(name)


def test_unlike_lengths_stay_unlike(catalog: Catalog) -> None:
    names = ("Qwen3-4B-Base", "Qwen3-4B", "Qwen3-4B-Instruct-2507", "Qwen2.5-7B", "Qwen2.5-7B-Instruct")
    lengths = [catalog.model(name).max_position_embeddings for name in names]
    assert lengths == [32_768, 40_960, 262_144, 131_072, 32_768]


def test_a_bare_name_that_two_organisations_own_names_both() -> None:
    row = Model(
        id="one/Tiny-1B",
        model_type="llama",
        num_hidden_layers=1,
        hidden_size=8,
        intermediate_size=8,
        num_attention_heads=1,
        num_key_value_heads=1,
        head_dim=8,
        vocab_size=8,
        tie_word_embeddings=True,
    )
    twins = Catalog([], [(row, ()), (row.model_copy(update={"id": "two/tiny-1b"}), ())], [])
    assert twins.model("TWO/Tiny-1B").id == "two/tiny-1b"
    with pytest.raises(NotFound) as caught:
        twins.model("tiny-1b")
    assert caught.value.suggestions == ("one/Tiny-1B", "two/tiny-1b")
    assert "organisation" in caught.value.hint


@pytest.mark.parametrize(
    "name", ["x" * 201, "Qwen/Qwen3-8B" * 100_000, "\x00" * 500, "\ud800" * 300, "-" * 10**6]
)
def test_a_name_of_hostile_length_is_not_compared(catalog: Catalog, name: str) -> None:
    for lookup in (catalog.model, catalog.gpu):
        with pytest.raises(NotFound) as caught:
            lookup(name)
        assert caught.value.suggestions == ()
        assert len(caught.value.name) < 600
        assert caught.value.name.isprintable()


def test_control_characters_are_shown_escaped(catalog: Catalog) -> None:
    with pytest.raises(NotFound) as caught:
        catalog.model("Qwen3-8B\x1b[31m\n")
    assert caught.value.name == "Qwen3-8B\\x1b[31m\\n"


def test_an_unknown_architecture_supports_nothing_known(catalog: Catalog) -> None:
    assert catalog.architecture("never_seen").sequence_parallel == "unknown"
    assert catalog.architecture("never_seen").yarn_original_context == 0
    assert catalog.architecture("qwen3").sequence_parallel == "supported"


def test_listings_are_sorted(catalog: Catalog) -> None:
    for listing in (catalog.models(), catalog.gpus()):
        ids = [row.id for row in listing]
        assert ids == sorted(ids)


@given(st.text(max_size=300))
def test_any_unknown_name_is_answered(catalog: Catalog, text: str) -> None:
    for lookup in (catalog.model, catalog.gpu):
        with pytest.raises(NotFound) as caught:
            lookup(f"no {text}")
        assert len(caught.value.suggestions) <= 3
        assert str(caught.value).isprintable()


@given(st.text(st.sampled_from("aB1-_ ."), max_size=20))
def test_gpu_key_folds_once(text: str) -> None:
    assert gpu_key(gpu_key(text)) == gpu_key(text)
    assert gpu_key(text.upper()) == gpu_key(text.replace("-", "_").lower())


@given(st.text(max_size=400))
def test_shown_text_prints(text: str) -> None:
    assert shown(text).isprintable()


def test_spellings_that_begin_with_the_name_come_alone() -> None:
    spellings = {"a100-80gb": ["a100-80gb"], "a10-24gb": ["a10-24gb"], "h100-80gb": ["h100-80gb"]}
    assert nearest("a100", spellings) == ("a100-80gb",)
    assert nearest("a10080bg", spellings)[0] == "a100-80gb"
