"""A short way to write a request."""

from typing import Any

from rungwise.domain.request import PlanRequest


def ask(
    model: str = "Qwen/Qwen3-8B",
    gpu: str = "a100-80gb",
    gpus: int = 4,
    max_model_len: int = 20_480,
    *,
    hardware: dict[str, Any] | None = None,
    preferences: dict[str, Any] | None = None,
    **workload: Any,
) -> PlanRequest:
    lists = {
        key: tuple(value) if isinstance(value, list) else value for key, value in (preferences or {}).items()
    }
    return PlanRequest.model_validate(
        {
            "model": {"name": model},
            "hardware": {"gpu": gpu, "gpus": gpus, **(hardware or {})},
            "workload": {"max_model_len": max_model_len, **workload},
            "preferences": lists,
        }
    )
