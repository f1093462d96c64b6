"""A table with faults is refused, and every fault is named."""

import copy
from typing import Any

import pytest
from rungwise.catalog.catalog import Catalog
from rungwise.domain.errors import InvalidRulebook

GPU = {
    "id": "g1",
    "name": "GPU One",
    "aliases": ["one"],
    "architecture": "x",
    "compute_capability": "8.0",
    "memory_gib": 80,
    "usable_gib": 79.15,
    "usable_verified": True,
    "bf16": True,
    "flash_attention": True,
    "interconnect": "nvlink",
    "source": "a source",
}
MODEL = {
    "id": "o/m1",
    "model_type": "llama",
    "num_hidden_layers": 2,
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 2,
    "vocab_size": 10,
    "tie_word_embeddings": True,
    "source": "a source",
}
ARCHITECTURE = {"model_type": "llama", "sequence_parallel": "supported", "source": "a source"}


def tables() -> dict[str, Any]:
    return copy.deepcopy(
        {
            "catalog/gpus.yaml": {"schema_version": 1, "gpus": [GPU]},
            "catalog/models.yaml": {"schema_version": 1, "models": [MODEL]},
            "catalog/architectures.yaml": {"schema_version": 1, "architectures": [ARCHITECTURE]},
        }
    )


def problems(documents: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidRulebook) as caught:
        Catalog.from_documents(documents)
    return [str(problem) for problem in caught.value.problems]


def test_sound_tables_are_read() -> None:
    catalog = Catalog.from_documents(tables())
    assert catalog.gpu("ONE").memory_gib == 80
    assert catalog.model("M1").num_key_value_heads == 2


GPU_FAULTS = [
    ({"source": ""}, "source is empty"),
    ({"source": None}, "source: input should be a valid string"),
    ({"memory_gib": "80"}, "memory_gib: input should be a valid number"),
    ({"memory_gib": True}, "memory_gib: input should be a valid number"),
    ({"bf16": 1}, "bf16: input should be a valid boolean"),
    ({"usable_gib": 90}, "usable_gib 90 must be above 0 and at most memory_gib 80"),
    ({"usable_gib": float("nan")}, "usable_gib nan must be above 0 and at most memory_gib 80"),
    ({"interconnect": "tape"}, "interconnect must be one of nvlink, pcie, hccs, infinity_fabric"),
    ({"compute_capability": "eight"}, 'compute_capability must look like "8.0"'),
    ({"compute_capability": 8.0}, "compute_capability: input should be a valid string"),
    ({"aliases": "one"}, "aliases must be a list of names"),
    ({"aliases": [1]}, "aliases must be a list of names"),
    ({"bf16_dense_tflops": 0}, "bf16_dense_tflops must be above 0"),
    ({"price": 3}, "unknown key 'price'"),
]


@pytest.mark.parametrize(("change", "message"), GPU_FAULTS)
def test_gpu_faults(change: dict[str, Any], message: str) -> None:
    documents = tables()
    documents["catalog/gpus.yaml"]["gpus"][0] |= change
    assert problems(documents) == [f"catalog/gpus.yaml: gpus[0] (g1): {message}"]


MODEL_FAULTS = [
    ({"num_hidden_layers": 2.0}, "num_hidden_layers: input should be a valid integer"),
    ({"num_hidden_layers": 0}, "num_hidden_layers must be at least 1"),
    ({"num_key_value_heads": 3}, "num_attention_heads must be a multiple of num_key_value_heads"),
    ({"num_experts": 8}, "a model with experts needs num_experts_per_tok"),
    ({"num_experts_per_tok": 2}, "num_experts_per_tok must be from 0 to num_experts"),
    ({"parameters": 0}, "parameters must be at least 1"),
    ({"max_position_embeddings": -1}, "max_position_embeddings must be at least 1"),
    ({"layers": 3}, "unknown key 'layers'"),
]


@pytest.mark.parametrize(("change", "message"), MODEL_FAULTS)
def test_model_faults(change: dict[str, Any], message: str) -> None:
    documents = tables()
    documents["catalog/models.yaml"]["models"][0] |= change
    assert problems(documents) == [f"catalog/models.yaml: models[0] (o/m1): {message}"]


@pytest.mark.parametrize("key", ["id", "source", "hidden_size"])
def test_a_missing_key_is_named_once(key: str) -> None:
    documents = tables()
    del documents["catalog/models.yaml"]["models"][0][key]
    name = "?" if key == "id" else "o/m1"
    assert problems(documents) == [f"catalog/models.yaml: models[0] ({name}): {key} is missing"]


def test_architecture_faults() -> None:
    documents = tables()
    documents["catalog/architectures.yaml"]["architectures"] += [
        {"model_type": "a", "sequence_parallel": "yes", "source": "s"},
        {"model_type": "b", "sequence_parallel": "unknown", "yarn_original_context": -1, "source": "s"},
        {"model_type": "llama", "sequence_parallel": "unknown", "source": "s"},
    ]
    place = "catalog/architectures.yaml: "
    assert problems(documents) == [
        f"{place}architectures[1] (a): sequence_parallel must be one of supported, unsupported, unknown",
        f"{place}architectures[2] (b): a YaRN context must not be negative",
        f"{place}the name 'llama' belongs to both llama and llama",
    ]


def test_names_that_two_rows_claim() -> None:
    documents = tables()
    documents["catalog/gpus.yaml"]["gpus"].append(GPU | {"id": "g2", "name": "Two", "aliases": ["gpu_one"]})
    documents["catalog/models.yaml"]["models"] += [
        MODEL | {"id": "O/M1"},
        MODEL | {"id": "o/m2", "aliases": ["M1"]},
    ]
    assert problems(documents) == [
        "catalog/gpus.yaml: the name 'gpu-one' belongs to both g1 and g2",
        "catalog/models.yaml: the name 'o/m1' belongs to both o/m1 and O/M1",
        "catalog/models.yaml: the alias 'M1' of o/m2 hides O/M1",
        "catalog/models.yaml: the alias 'M1' of o/m2 hides o/m1",
    ]


@pytest.mark.parametrize(
    ("document", "messages"),
    [
        ([], ["the file must be a mapping"]),
        ({"gpus": []}, ["schema_version must be 1"]),
        ({"schema_version": True, "gpus": []}, ["schema_version must be 1"]),
        ({"schema_version": 1}, ["gpus must be a list"]),
        ({"schema_version": 1, "gpus": ["a"], "x": 1}, ["unknown key 'x'", "gpus[0]: must be a mapping"]),
    ],
)
def test_faults_of_a_whole_file(document: Any, messages: list[str]) -> None:
    documents = tables() | {"catalog/gpus.yaml": document}
    assert problems(documents) == [f"catalog/gpus.yaml: {message}" for message in messages]


def test_every_file_and_every_fault_at_once() -> None:
    documents = tables()
    del documents["catalog/architectures.yaml"]
    documents["catalog/gpus.yaml"]["gpus"][0] |= {"memory_gib": "80", "bf16": "yes", "source": " "}
    documents["catalog/models.yaml"]["models"][0] |= {"head_dim": 0, "vocab_size": 0}
    assert problems(documents) == [
        "catalog/gpus.yaml: gpus[0] (g1): source is empty",
        "catalog/gpus.yaml: gpus[0] (g1): memory_gib: input should be a valid number",
        "catalog/gpus.yaml: gpus[0] (g1): bf16: input should be a valid boolean",
        "catalog/models.yaml: models[0] (o/m1): head_dim must be at least 1",
        "catalog/models.yaml: models[0] (o/m1): vocab_size must be at least 1",
        "catalog/architectures.yaml: the file is missing",
    ]
