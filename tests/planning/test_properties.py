"""What must hold for every job; half of the draws lie at the guide's cells, or a token beside them."""

import csv
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rungwise.domain.errors import InvalidRequest, NotFound
from rungwise.domain.plan import Outcome, PlanResponse, Verdict
from rungwise.domain.request import MAX_TOKENS, PlanRequest
from rungwise.planning.decision import decide
from rungwise.planning.job import Job, resolve
from rungwise.planning.knowledge import load_knowledge
from rungwise.planning.plan import plan
from rungwise.wire.to_proto import plan_response

DATA = Path(__file__).parent / "data" / "guide_cells.csv"
PUBLISHED = sorted(
    (row["model"], row["gpu"], int(row["gpus"]), int(row["max_model_len"]))
    for row in csv.DictReader(DATA.read_text().splitlines())
)
# Not fixtures: an example that fails is printed with its arguments, and this one is long.
KNOWLEDGE, PORTABLE = load_knowledge(), load_knowledge(matcher="portable")
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


seldom = st.sampled_from([False, False, True])


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """Requests as dicts: half of them a token or so beside a published point."""
    if draw(st.booleans()):
        name, gpu, gpus, length = draw(st.sampled_from(PUBLISHED))
        model, length = {"name": name}, max(1, length + draw(st.integers(-1, 1)))
    else:
        model = (
            {"name": draw(st.sampled_from(MODELS))}
            if draw(st.booleans())
            else {"dimensions": draw(dimensions)}
        )
        gpu, gpus = draw(st.sampled_from(GPUS)), draw(st.integers(1, 8) | st.sampled_from([16, 24, 64]))
        length = draw(st.integers(1, 200_000) | st.integers(1, MAX_TOKENS))
    body: dict[str, Any] = {
        "model": model,
        "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"max_model_len": length},
        "preferences": {},
    }
    if draw(seldom):
        body["workload"]["max_token_len_per_gpu"] = draw(st.integers(1, min(2 * length, MAX_TOKENS)))
    if draw(seldom):
        body["hardware"]["host_memory_gib"] = draw(st.floats(1, 3_000))
    if draw(seldom):
        body["preferences"]["min_fit_probability"] = draw(st.floats(0.001, 0.999))
    if draw(seldom):
        body["preferences"]["forbid"] = tuple(draw(st.sets(st.sampled_from(MEASURES))))
    if draw(seldom):
        body["workload"]["framework"] = draw(st.sampled_from(["trinity-rft@0.5.2", "trinity-rft@0.6.0"]))
    if draw(seldom):
        body["workload"]["train_batch_size"] = draw(st.integers(1, 600))
    return body


def request(body: dict[str, Any]) -> PlanRequest:
    return PlanRequest.model_validate(body)


def standing(job: Job) -> set[str]:
    return {a.candidate.label for a in decide(KNOWLEDGE, job).assessments if a.stands}


def with_length(body: dict[str, Any], length: int) -> dict[str, Any]:
    return {**body, "workload": {**body["workload"], "max_model_len": length}}


@settings(max_examples=250)
@given(body=bodies(), other=st.integers(1, MAX_TOKENS) | st.integers(1, 200_000), step=st.integers(1, 12_288))
def test_a_shorter_context_never_loses_a_rung(body: dict[str, Any], other: int, step: int) -> None:
    now = body["workload"]["max_model_len"]
    lengths = sorted({now, other, now - 1 or 1, max(1, now - step), min(now + step, MAX_TOKENS)})
    rungs = [standing(resolve(KNOWLEDGE, request(with_length(body, n)))) for n in lengths]
    for at_shorter, at_longer in pairwise(rungs):
        assert at_longer <= at_shorter


@settings(max_examples=250)
@given(body=bodies(), share=st.floats(0.01, 1), more=st.sampled_from([0.1, 0.5, 4.0]))
def test_more_memory_never_loses_a_rung(body: dict[str, Any], share: float, more: float) -> None:
    gpu = KNOWLEDGE.catalog.gpu(body["hardware"]["gpu"])
    less = max(0.01, gpu.memory_gib * share)

    def with_free(free: float) -> set[str]:
        hardware = {**body["hardware"], "free_gib": min(free, gpu.memory_gib)}
        return standing(resolve(KNOWLEDGE, request({**body, "hardware": hardware})))

    assert with_free(less) <= with_free(less + more)
    assert with_free(gpu.usable_gib - 0.1) <= with_free(gpu.usable_gib)


@settings(max_examples=250)
@given(body=bodies(), usable=st.floats(1, 300), more=st.floats(0, 200))
def test_a_larger_card_never_loses_a_rung(body: dict[str, Any], usable: float, more: float) -> None:
    job = resolve(KNOWLEDGE, request(body))

    def on_a_card_of(gib: float) -> set[str]:
        gpu = job.gpu.model_copy(update={"id": f"card-{gib}", "usable_gib": gib, "memory_gib": gib})
        return standing(replace(job, gpu=gpu, usable_gib=gib))

    assert on_a_card_of(usable) <= on_a_card_of(usable + more)
    for edge in (79.0, 79.15, 95.0, 96.0):
        assert on_a_card_of(edge - 0.1) <= on_a_card_of(edge) <= on_a_card_of(edge + 0.1)


@settings(max_examples=150)
@given(body=bodies(), data=st.data())
def test_a_catalog_card_with_more_memory_never_loses_a_rung(
    body: dict[str, Any], data: st.DataObject
) -> None:
    cards = sorted((gpu for gpu in KNOWLEDGE.catalog.gpus() if gpu.bf16), key=lambda gpu: gpu.usable_gib)
    less, more = (cards[i] for i in sorted(data.draw(st.tuples(*[st.integers(0, len(cards) - 1)] * 2))))
    free = data.draw(st.none() | st.floats(0.01, less.usable_gib))

    def on(gpu: str, free_gib: float | None) -> set[str]:
        hardware = {**body["hardware"], "gpu": gpu, "free_gib": free_gib}
        return standing(resolve(KNOWLEDGE, request({**body, "hardware": hardware})))

    assert on(less.id, free) <= on(more.id, None)
    assert on(less.id, free) <= on(more.id, less.usable_gib)


@settings(max_examples=150)
@given(body=bodies(), more=st.floats(0, 500), lower=st.floats(0.001, 0.999))
def test_asking_for_less_never_loses_a_rung(body: dict[str, Any], more: float, lower: float) -> None:
    """One measure less forbidden, one more allowed, more host memory, a lower probability."""
    now = standing(resolve(KNOWLEDGE, request(body)))
    hardware, preferences = body["hardware"], body["preferences"]
    forbidden = preferences.get("forbid", ())
    easier = [{**preferences, "forbid": tuple(m for m in forbidden if m != measure)} for measure in forbidden]
    easier.append({**preferences, "allow": ("extended",)})
    easier.append(
        {**preferences, "min_fit_probability": min(lower, preferences.get("min_fit_probability", 0.9))}
    )
    for wish in easier:
        assert now <= standing(resolve(KNOWLEDGE, request({**body, "preferences": wish})))
    host = hardware.get("host_memory_gib")
    for memory in (None, host and host + more):
        roomier = {**body, "hardware": {**hardware, "host_memory_gib": memory}}
        assert now <= standing(resolve(KNOWLEDGE, request(roomier)))


@settings(max_examples=60)
@given(body=bodies())
def test_any_job_is_answered_soundly(body: dict[str, Any]) -> None:
    answer = plan(KNOWLEDGE, request(body))
    again = plan(PORTABLE, request(body))
    assert answer == again
    assert as_bytes(answer) == as_bytes(again)
    sound(answer)
    chinese = plan(PORTABLE, request({**body, "preferences": {**body["preferences"], "locale": "zh"}}))
    assert untold(chinese) == untold(answer)


def as_bytes(answer: PlanResponse) -> bytes:
    return plan_response(answer).SerializeToString(deterministic=True)


def untold(answer: PlanResponse) -> PlanResponse:
    """Return the answer without its sentences: what is left is the same in every language."""
    return replace(
        answer,
        trace=tuple(entry._replace(message="") for entry in answer.trace),
        advice=tuple(replace(advice, message="") for advice in answer.advice),
        would_fit_if=tuple(replace(offer, message="") for offer in answer.would_fit_if),
        assumptions=("",) * len(answer.assumptions),
        summary="",
    )


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
        assert readings.nvidia_smi_gib == answer.memory.peak_gib
    if rope := answer.configuration and answer.configuration.rope_scaling:
        product_ = rope.original_max_position_embeddings * rope.factor
        assert product_ == pytest.approx(rope.max_position_embeddings)
    # Only the line that a refused rung was not estimated has no rule, and so no source.
    assert all(entry.message and bool(entry.rule) is bool(entry.source) for entry in answer.trace)
    assert all(entry.rule or entry.verdict is Verdict.NOT_EVALUATED for entry in answer.trace)
    assert all(advice.source and advice.message for advice in answer.advice)
    assert all(offer.changes and offer.label and offer.message for offer in answer.would_fit_if)
    assert answer.summary


@settings(max_examples=150)
@given(
    body=bodies(),
    gpus_per_node=st.integers(1, 1_024),
    word=st.text(max_size=20),
    field=st.sampled_from(["framework", "method", "task", "strategy", "precision", "optimizer"]),
)
def test_a_valid_request_is_answered_or_its_faults_named(
    body: dict[str, Any], gpus_per_node: int, word: str, field: str
) -> None:
    body = {**body, "hardware": {**body["hardware"], "gpus_per_node": gpus_per_node}}
    body["workload"] = {**body["workload"], field: word}
    try:
        asked = request(body)
    except ValueError:
        return
    faults: list[tuple[str, str]] = []
    try:
        sound(plan(KNOWLEDGE, asked))
    except InvalidRequest as error:
        faults = [(v.field, v.suggestion) for v in error.violations]
    except NotFound as error:
        faults = [(error.field, error.hint)]
    assert all(field and suggestion for field, suggestion in faults)


HOSTILE = list(
    product(
        [1, 4_096, 16_777_216],
        [1, 7, 65_536],
        [{}, {"allow": ("extended",)}, {"min_fit_probability": 0.001}, {"min_fit_probability": 0.9999}],
    )
)


@pytest.mark.parametrize(("length", "gpus", "preferences"), HOSTILE)
def test_extremes_are_answered(length: int, gpus: int, preferences: dict[str, Any]) -> None:
    body = {
        "model": {"name": "Qwen/Qwen3-8B"},
        "hardware": {"gpu": "a100-80gb", "gpus": gpus, "gpus_per_node": 7 if gpus == 7 else 1},
        "workload": {"max_model_len": length},
        "preferences": preferences,
    }
    sound(plan(KNOWLEDGE, request(body)))


VERSIONS = [
    # version, understood
    ("9" * 30, False),
    ("0." + "9" * 30, False),
    ("1..2", False),
    ("v1", True),
    ("9999.9999", True),
    ("2024.12.31", True),
    ("2.6.0+cu124", True),
    ("4.56.0.dev0", True),
]


@pytest.mark.parametrize(("version", "understood"), VERSIONS)
def test_a_version_is_understood_or_refused(version: str, understood: bool) -> None:
    of_software = {"software": {"torch": version, "transformers": version, "vllm": version}}
    for named in ({"framework": f"trinity-rft@{version}"}, of_software):
        body = {
            "model": {"name": "Qwen/Qwen3-8B"},
            "hardware": {"gpu": "a100-80gb", "gpus": 4},
            "workload": {"max_model_len": 65_536, **named},
        }
        if understood:
            sound(plan(KNOWLEDGE, request(body)))
        else:
            with pytest.raises((InvalidRequest, ValueError), match=r"framework|torch"):
                plan(KNOWLEDGE, request(body))


NARROW = {"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64, "intermediate_size": 64}
NARROW |= {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 64, "vocab_size": 1}
VAST = {**NARROW, "num_hidden_layers": 1_000, "hidden_size": 131_072, "intermediate_size": 1_048_576}
AT_THE_BOUNDS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    # what the smallest change would overstep, dimensions, hardware, workload
    ("train_batch_size", NARROW, {"gpus": 2}, {"train_batch_size": 2**31 - 1}),
    ("max_token_len_per_gpu", NARROW, {"gpus": 1, "free_gib": 6.0}, {"max_model_len": MAX_TOKENS}),
    ("host_memory_gib", VAST, {"gpus": 1, "host_memory_gib": 1_000.0}, {"max_model_len": 64}),
]


@pytest.mark.parametrize(
    ("field", "shape", "hardware", "workload"), AT_THE_BOUNDS, ids=[row[0] for row in AT_THE_BOUNDS]
)
def test_what_is_offered_may_be_asked(
    field: str, shape: dict[str, Any], hardware: dict[str, Any], workload: dict[str, Any]
) -> None:
    body = {
        "model": {"dimensions": shape},
        "hardware": {"gpu": "h200-141gb", **hardware},
        "workload": {"max_model_len": 1_024, **workload},
    }
    answer = plan(KNOWLEDGE, request(body))
    assert answer.outcome is Outcome.INFEASIBLE
    for offer in answer.would_fit_if:
        changed = {part: dict(fields) for part, fields in body.items()}
        for change in offer.changes:
            part, name = change.field.split(".")
            changed[part][name] = change.value
        assert plan(KNOWLEDGE, request(changed)).outcome is Outcome.FEASIBLE, field
