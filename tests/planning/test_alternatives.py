"""What is offered when nothing fits, applied to the request, fits."""

from typing import Any

import pytest
from asking import ask
from hypothesis import given, settings
from hypothesis import strategies as st
from jobs import jobs
from jobs import request as request_of
from rungwise.domain.plan import Change, Outcome, PlanResponse
from rungwise.domain.request import PlanRequest
from rungwise.planning.alternatives import largest
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan

INFEASIBLE: list[tuple[dict[str, Any], set[str]]] = [
    # the request, fields that the offers change
    ({"gpus": 1, "max_model_len": 32_768}, {"workload.max_model_len", "hardware.gpus", "hardware.gpu"}),
    (
        {"gpus": 4, "max_model_len": 65_536, "hardware": {"host_memory_gib": 100.0}},
        {"workload.max_model_len", "hardware.gpus", "hardware.gpu", "hardware.host_memory_gib"},
    ),
    ({"max_token_len_per_gpu": 3_000}, {"workload.max_model_len", "workload.max_token_len_per_gpu"}),
    ({"max_model_len": 60_000, "preferences": {"forbid": ["Offload"]}}, {"preferences.forbid"}),
    ({"model": "Qwen/Qwen3-14B", "gpus": 3, "max_model_len": 24_576}, {"preferences.min_fit_probability"}),
    ({"train_batch_size": 7, "gpus": 6, "max_model_len": 4_096}, {"workload.train_batch_size"}),
    ({"strategy": "fsdp", "gpus": 1}, {"workload.strategy"}),
    ({"gpu": "v100-32gb"}, {"hardware.gpu"}),
    ({"gpus": 1, "gpu": "h20-96gb", "hardware": {"free_gib": 20.0}}, {"hardware.gpu", "hardware.free_gib"}),
]


def applied(request: PlanRequest, answer: PlanResponse) -> list[tuple[str, PlanRequest]]:
    """Return, for each offer, the rung that it promises and the changed request."""
    changed = []
    for offer in answer.would_fit_if:
        body = request.model_dump()
        for change in offer.changes:
            *parts, field = change.field.split(".")
            message = body
            for part in parts:
                message = message[part]
            message[field] = change.value
        changed.append((offer.label, PlanRequest.model_validate(body)))
    return changed


@pytest.mark.parametrize(("case", "fields"), INFEASIBLE, ids=lambda value: str(value)[:60])
def test_each_offer_fits(knowledge: Knowledge, case: dict[str, Any], fields: set[str]) -> None:
    request = ask(**case)
    answer = plan(knowledge, request)
    assert answer.outcome is Outcome.INFEASIBLE
    assert fields <= {change.field for offer in answer.would_fit_if for change in offer.changes}
    for label, changed in applied(request, answer):
        better = plan(knowledge, changed)
        assert better.configuration is not None
        assert better.configuration.label == label


def test_the_longest_context_is_the_longest(knowledge: Knowledge) -> None:
    request = ask(gpus=1, max_model_len=32_768)
    (offer,) = [
        o for o in plan(knowledge, request).would_fit_if if o.changes[0].field == "workload.max_model_len"
    ]
    longest = offer.changes[0].value
    assert isinstance(longest, int)
    assert plan(knowledge, ask(gpus=1, max_model_len=longest)).outcome is Outcome.FEASIBLE
    assert plan(knowledge, ask(gpus=1, max_model_len=longest + 1)).outcome is Outcome.INFEASIBLE


@settings(max_examples=40)
@given(
    model=st.sampled_from(["Qwen/Qwen3-0.6B", "Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "meta-llama/Llama-3.1-70B"]),
    gpu=st.sampled_from(["a100-80gb", "a100-40gb", "h20-96gb", "rtx4090-24gb", "h200-141gb"]),
    gpus=st.integers(1, 8),
    length=st.integers(1, 300_000),
    forbid=st.sets(st.sampled_from(["Env", "SP", "Offload"])),
    probability=st.floats(0.3, 0.99),
)
def test_any_offer_fits(
    knowledge: Knowledge, model: str, gpu: str, gpus: int, length: int, forbid: set[str], probability: float
) -> None:
    preferences = {"forbid": sorted(forbid), "min_fit_probability": probability}
    request = ask(model, gpu, gpus, length, preferences=preferences)
    answer = plan(knowledge, request)
    if answer.outcome is not Outcome.INFEASIBLE:
        assert answer.would_fit_if == ()
        return
    for label, changed in applied(request, answer):
        better = plan(knowledge, changed)
        assert better.configuration is not None
        assert better.configuration.label == label


@settings(max_examples=60)
@given(data=jobs())
def test_any_offer_fits_whatever_else_the_request_says(knowledge: Knowledge, data: dict[str, Any]) -> None:
    request = request_of(data)
    answer = plan(knowledge, request)
    assert answer.outcome is Outcome.INFEASIBLE or answer.would_fit_if == ()
    for label, changed in applied(request, answer):
        assert changed != request
        better = plan(knowledge, changed)
        assert better.configuration is not None
        assert better.configuration.label == label


LEFT_OUT: list[tuple[dict[str, Any], str]] = [
    # the request, the field that the offer leaves out
    ({"max_model_len": 8_192, "max_token_len_per_gpu": 1_000}, "workload.max_token_len_per_gpu"),
    ({"gpus": 1, "max_model_len": 4_096, "strategy": "fsdp"}, "workload.strategy"),
    ({"gpus": 1, "max_model_len": 4_096, "software": {"torch": "2.3.1"}}, "workload.software.torch"),
]


@pytest.mark.parametrize(("case", "field"), LEFT_OUT)
def test_leaving_a_field_out_is_offered(knowledge: Knowledge, case: dict[str, Any], field: str) -> None:
    offers = plan(knowledge, ask(**case)).would_fit_if
    assert (Change(field, None),) in [offer.changes for offer in offers]
    assert any(f"leaving out {field}" in offer.message for offer in offers)


def test_a_refusal_names_its_first_way_out(knowledge: Knowledge) -> None:
    answer = plan(knowledge, ask(gpus=1, max_model_len=32_768))
    assert answer.would_fit_if[0].message in answer.summary


@pytest.mark.parametrize("below", [1, 2, 3, 1000])
def test_largest_is_the_last_that_fits(below: int) -> None:
    for threshold in range(min(below, 40) + 2):

        def fits(number: int, threshold: int = threshold) -> bool:
            return number <= threshold

        assert largest(fits, below) == (min(threshold, below - 1) or None)
