"""Jobs that the ladder of Trinity-RFT can be asked for: request dictionaries, and hypothesis draws of them."""

from typing import Any

from hypothesis import strategies as st
from rungwise.domain.request import PlanRequest

DENSE = (
    "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-1.7B",
    "Qwen/Qwen3-4B",
    "Qwen/Qwen3-8B",
    "Qwen/Qwen3-14B",
)
OTHERS = (
    "Qwen/Qwen3-8B-Base",
    "Qwen/Qwen3-32B",
    "Qwen/Qwen3-30B-A3B",
    "Qwen/Qwen2.5-7B-Instruct",
    "meta-llama/Llama-3.1-8B",
)
GPUS = ("a100-80gb", "h20-96gb", "h100-80gb", "a100-40gb", "h200-141gb", "v100-32gb")
PUBLISHED_LENGTHS = (4_096, 20_480, 24_576, 40_960, 51_200, 143_360, 153_600)


def job(
    model: str = "Qwen/Qwen3-8B", gpu: str = "a100-80gb", gpus: int = 4, max_model_len: int = 20_480
) -> dict[str, Any]:
    """Return the smallest request; its parts are there to be filled in."""
    return {
        "model": {"name": model},
        "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"max_model_len": max_model_len},
        "preferences": {},
    }


def request(data: dict[str, Any]) -> PlanRequest:
    """Validate a request dictionary; lists stand for the contract's repeated fields."""
    preferences = {k: tuple(v) if isinstance(v, list) else v for k, v in data["preferences"].items()}
    return PlanRequest.model_validate({**data, "preferences": preferences})


def lengths() -> st.SearchStrategy[int]:
    """Context lengths: anything, and the lengths at which published verdicts change, with their neighbours."""
    edges = st.builds(lambda n, d: n + d, st.sampled_from(PUBLISHED_LENGTHS), st.sampled_from((-1, 0, 1)))
    return edges | st.integers(1, 200_000)


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, Any]:
    """Any job of the ladder that resolves: catalog models, GPUs up to two nodes, and each optional field."""
    data = job(
        draw(st.sampled_from(DENSE + OTHERS)),
        draw(st.sampled_from(GPUS)),
        draw(st.sampled_from((1, 2, 3, 4, 5, 6, 7, 8, 16))),
        draw(lengths()),
    )
    optional: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "hardware": {
            "free_gib": st.sampled_from((20.0, 31.5)),
            "host_memory_gib": st.sampled_from((64.0, 256.0, 2048.0)),
        },
        "workload": {
            "max_token_len_per_gpu": st.integers(1_024, 80_000),
            "train_batch_size": st.sampled_from((96, 126, 128)),
            "strategy": st.sampled_from(("fsdp", "fsdp2")),
            "framework": st.sampled_from(("trinity-rft@0.3.3", "trinity-rft@0.6.0")),
            "software": st.sampled_from(({"torch": "2.3.1"}, {"torch": "2.7.0"})),
            "rollout": st.sampled_from(({"tensor_parallel": 2}, {"tensor_parallel": 2, "data_parallel": 2})),
        },
        "preferences": {
            "forbid": st.sampled_from((["env"], ["offload"], ["sp"], ["sp", "offload"])),
            "min_fit_probability": st.sampled_from((0.5, 0.99)),
            "locale": st.sampled_from(("en", "zh")),
        },
    }
    for part, fields in optional.items():
        for name, values in fields.items():
            if draw(st.integers(0, 3)) == 0:
                data[part][name] = draw(values)
    return data
