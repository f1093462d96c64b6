"""What must hold for every job, seeded at the published points and a token or a tenth of a GiB beside them."""

import csv
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rungwise.domain.errors import InvalidRequest, NotFound
from rungwise.domain.plan import Outcome, PlanResponse
from rungwise.domain.request import PlanRequest
from rungwise.planning.decision import decide
from rungwise.planning.job import Job, resolve
from rungwise.planning.knowledge import Knowledge, load_knowledge
from rungwise.planning.plan import plan

DATA = Path(__file__).parent / "data" / "guide_cells.csv"
TABLE = Path(__file__).parents[2] / "rules" / "rungwise" / "rulebook" / "evidence" / "trinity-guide.csv"
PUBLISHED = {
    (row["model"], row["gpu"], int(row["gpus"]), int(row["max_model_len"]))
    for row in csv.DictReader(DATA.read_text().splitlines())
}
for row in csv.DictReader(TABLE.read_text().splitlines()):
    for length in {int(row["max_model_len_fits"] or 0), int(row["max_model_len_fits"] or 0) + 4_096} - {0}:
        PUBLISHED.add((row["model"], row["gpu"], int(row["gpus"]), length))
MODELS = ["Qwen/Qwen3-0.6B", "Qwen/Qwen3-8B", "Qwen/Qwen3-14B", "Qwen/Qwen3-8B-Base", "Qwen/Qwen3-30B-A3B"]
MODELS += ["Qwen/Qwen2.5-7B-Instruct", "meta-llama/Llama-3.2-3B", "google/gemma-2-9b", "Qwen/Qwen3.5-9B"]
GPUS = ["a100-80gb", "h20-96gb", "h100-80gb", "h200-141gb", "a100-40gb", "rtx4090-24gb", "v100-32gb"]
MEASURES = ["Env", "SP", "Offload"]

dimensions = st.fixed_dictionaries(
    {
        "model_type": st.sampled_from(["qwen3", "llama", "qwen2"]),
        "num_hidden_layers": st.integers(1, 128),
        "hidden_size": st.sampled_from([64, 1024, 4096, 8192]),
        "intermediate_size": st.integers(1, 32_768),
        "num_attention_heads": st.sampled_from([1, 2, 8, 14, 32, 40]),
        "num_key_value_heads": st.just(1) | st.just(2),
        "head_dim": st.sampled_from([64, 128]),
        "vocab_size": st.sampled_from([1, 32_000, 151_936, 262_144]),
    }
).filter(lambda d: d["num_attention_heads"] % d["num_key_value_heads"] == 0)


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """Requests as dicts: half of them a token or so beside a published point."""
    if draw(st.booleans()):
        name, gpu, gpus, length = draw(st.sampled_from(sorted(PUBLISHED)))
        model, length = {"name": name}, max(1, length + draw(st.integers(-1, 1)))
    else:
        model = (
            {"name": draw(st.sampled_from(MODELS))}
            if draw(st.booleans())
            else {"dimensions": draw(dimensions)}
        )
        gpu, gpus = draw(st.sampled_from(GPUS)), draw(st.integers(1, 8) | st.sampled_from([16, 24, 64]))
        length = draw(st.integers(1, 200_000) | st.integers(1, 16_777_216))
    body: dict[str, Any] = {
        "model": model,
        "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"max_model_len": length},
        "preferences": {},
    }
    if draw(st.booleans()):
        body["workload"]["max_token_len_per_gpu"] = draw(st.integers(1, 2 * length))
    if draw(st.booleans()):
        body["hardware"]["host_memory_gib"] = draw(st.floats(1, 3_000))
    if draw(st.booleans()):
        body["preferences"]["min_fit_probability"] = draw(st.floats(0.001, 0.999))
    if draw(st.booleans()):
        body["preferences"]["forbid"] = tuple(draw(st.sets(st.sampled_from(MEASURES))))
    if draw(st.booleans()):
        body["workload"]["framework"] = draw(st.sampled_from(["trinity-rft@0.5.2", "trinity-rft@0.6.0"]))
    if draw(st.booleans()):
        body["workload"]["train_batch_size"] = draw(st.integers(1, 600))
    return body


def request(body: dict[str, Any]) -> PlanRequest:
    return PlanRequest.model_validate(body)


def standing(knowledge: Knowledge, job: Job) -> set[str]:
    return {a.candidate.label for a in decide(knowledge, job).assessments if a.stands}


def with_length(body: dict[str, Any], length: int) -> dict[str, Any]:
    return {**body, "workload": {**body["workload"], "max_model_len": length}}


@settings(max_examples=250)
@given(body=bodies(), other=st.integers(1, 16_777_216) | st.integers(1, 200_000))
def test_a_shorter_context_never_loses_a_rung(knowledge: Knowledge, body: dict[str, Any], other: int) -> None:
    now = body["workload"]["max_model_len"]
    shorter, longer = sorted((now, other))
    for short in {shorter, max(1, longer - 1)}:
        at_longer = standing(knowledge, resolve(knowledge, request(with_length(body, longer))))
        assert at_longer <= standing(knowledge, resolve(knowledge, request(with_length(body, short))))


@settings(max_examples=250)
@given(body=bodies(), share=st.floats(0.01, 1), more=st.sampled_from([0.1, 0.5, 4.0]))
def test_more_memory_never_loses_a_rung(
    knowledge: Knowledge, body: dict[str, Any], share: float, more: float
) -> None:
    gpu = knowledge.catalog.gpu(body["hardware"]["gpu"])
    less = max(0.01, gpu.memory_gib * share)

    def with_free(free: float) -> set[str]:
        hardware = {**body["hardware"], "free_gib": min(free, gpu.memory_gib)}
        return standing(knowledge, resolve(knowledge, request({**body, "hardware": hardware})))

    assert with_free(less) <= with_free(less + more)
    assert with_free(gpu.usable_gib - 0.1) <= with_free(gpu.usable_gib)


@settings(max_examples=250)
@given(body=bodies(), usable=st.floats(1, 300), more=st.floats(0, 200))
def test_a_larger_card_never_loses_a_rung(
    knowledge: Knowledge, body: dict[str, Any], usable: float, more: float
) -> None:
    job = resolve(knowledge, request(body))

    def on_a_card_of(gib: float) -> set[str]:
        gpu = job.gpu.model_copy(update={"id": f"card-{gib}", "usable_gib": gib, "memory_gib": gib})
        return standing(knowledge, replace(job, gpu=gpu, usable_gib=gib))

    assert on_a_card_of(usable) <= on_a_card_of(usable + more)
    for edge in (79.0, 79.15, 95.0, 96.0):
        assert on_a_card_of(edge - 0.1) <= on_a_card_of(edge) <= on_a_card_of(edge + 0.1)


@settings(max_examples=150)
@given(body=bodies())
def test_one_more_allowed_measure_never_loses_feasibility(knowledge: Knowledge, body: dict[str, Any]) -> None:
    forbidden = body["preferences"].get("forbid", ())
    now = plan(knowledge, request(body)).outcome
    for measure in forbidden:
        fewer = {**body["preferences"], "forbid": tuple(m for m in forbidden if m != measure)}
        then = plan(knowledge, request({**body, "preferences": fewer})).outcome
        assert not (now is Outcome.FEASIBLE and then is not Outcome.FEASIBLE)


@pytest.fixture(scope="session")
def portable() -> Knowledge:
    return load_knowledge(matcher="portable")


@settings(max_examples=150)
@given(body=bodies())
def test_any_job_is_answered_soundly(knowledge: Knowledge, portable: Knowledge, body: dict[str, Any]) -> None:
    answer = plan(knowledge, request(body))
    assert answer == plan(knowledge, request(body))
    assert answer == plan(portable, request(body))
    sound(answer)


def sound(answer: PlanResponse) -> None:
    assert (answer.configuration is not None) is (answer.outcome is Outcome.FEASIBLE)
    assert 0 <= answer.fit_probability <= 1
    if answer.memory and answer.memory.peak_gib is not None:
        parts = [component.gib for component in answer.memory.components]
        assert sum(parts) == pytest.approx(answer.memory.peak_gib, rel=1e-9)
        assert min(parts) > 0
        readings = answer.memory.readings
        assert readings is not None
        assert 0 < readings.allocated_gib <= readings.reserved_gib <= readings.nvidia_smi_gib
    if rope := answer.configuration and answer.configuration.rope_scaling:
        product_ = rope.original_max_position_embeddings * rope.factor
        assert product_ == pytest.approx(rope.max_position_embeddings)
    assert all(advice.source and advice.message for advice in answer.advice)
    assert answer.summary


@settings(max_examples=150)
@given(
    body=bodies(),
    gpus_per_node=st.integers(1, 1_024),
    word=st.text(max_size=20),
    field=st.sampled_from(["framework", "method", "task", "strategy", "precision", "optimizer"]),
)
def test_a_valid_request_is_answered_or_its_faults_named(
    knowledge: Knowledge, body: dict[str, Any], gpus_per_node: int, word: str, field: str
) -> None:
    body = {**body, "hardware": {**body["hardware"], "gpus_per_node": gpus_per_node}}
    body["workload"] = {**body["workload"], field: word}
    try:
        asked = request(body)
    except ValueError:
        return
    faults: list[tuple[str, str]] = []
    try:
        sound(plan(knowledge, asked))
    except InvalidRequest as error:
        faults = [(v.field, v.suggestion) for v in error.violations]
    except NotFound as error:
        faults = [(error.field, error.hint)]
    assert all(field and suggestion for field, suggestion in faults)


HOSTILE = list(
    product(
        [1, 4_096, 16_777_216],
        [1, 7, 65_536],
        [{}, {"allow": ("extended",)}, {"min_fit_probability": 1e-9}, {"min_fit_probability": 1 - 1e-9}],
    )
)


@pytest.mark.parametrize(("length", "gpus", "preferences"), HOSTILE)
def test_extremes_are_answered(
    knowledge: Knowledge, length: int, gpus: int, preferences: dict[str, Any]
) -> None:
    body = {
        "model": {"name": "Qwen/Qwen3-8B"},
        "hardware": {"gpu": "a100-80gb", "gpus": gpus, "gpus_per_node": 7 if gpus == 7 else 1},
        "workload": {"max_model_len": length},
        "preferences": preferences,
    }
    sound(plan(knowledge, request(body)))
