"""Every plan explains itself: each verdict follows from the numbers that its entry carries."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import ask
from hypothesis import given, settings
from jobs import jobs, request
from rungwise.domain.plan import Basis, Outcome, PlanResponse, RuleKind, TraceEntry, Verdict
from rungwise.domain.request import PlanRequest
from rungwise.planning.decision import decide
from rungwise.planning.job import NODE_GPUS, resolve
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan
from trace_checker import Job, arithmetic_faults, faults, holds

ACROSS = "sequence_parallel_across_nodes"
CELLS = list(csv.DictReader((Path(__file__).parent / "data" / "guide_cells.csv").read_text().splitlines()))
MODELS = (
    "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-8B",
    "Qwen/Qwen3-14B",
    "Qwen/Qwen2.5-7B-Instruct",
    "meta-llama/Llama-3.2-3B",
)
CASES: list[dict[str, Any]] = [
    *(
        {"model": model, "gpus": gpus, "max_model_len": length}
        for model in MODELS
        for gpus in (1, 3, 4, 6, 8)
        for length in (2_048, 24_000, 65_536)
    ),
    *(
        {"max_model_len": length, "hardware": {"free_gib": free}}  # about the edges of the calibrated domain
        for length in (20_480, 45_000, 143_361)
        for free in (40.0, 78.9, 79.15)
    ),
    {"gpu": "v100-32gb"},
    {"gpu": "h100-80gb", "max_model_len": 50_000},
    {"gpu": "h200-141gb", "max_model_len": 50_000},
    {"model": "Qwen/Qwen3-30B-A3B", "gpu": "h200-141gb", "gpus": 8, "max_model_len": 30_000},
    {"train_batch_size": 126, "gpus": 8},
    {"max_token_len_per_gpu": 4_000},
    {"max_model_len": 65_536, "hardware": {"host_memory_gib": 128.0}},
    {"strategy": "fsdp", "max_model_len": 60_000},
    {"software": {"torch": "2.3.1"}, "max_model_len": 60_000},
    {"preferences": {"forbid": ["SP", "Offload"]}, "max_model_len": 30_000},
    {"rollout": {"tensor_parallel": 2, "data_parallel": 2}, "max_model_len": 12_288},
    {"framework": "trinity-rft@0.6.0", "max_model_len": 30_000},
    {"gpus": 16, "max_model_len": 150_000, "preferences": {"allow": [ACROSS]}},
    {"model": "Qwen/Qwen3.5-9B"},
]


def seen(asked: PlanRequest) -> Job:
    """Return what the checker may know of a request."""
    gpus, allow = asked.hardware.gpus, asked.preferences.allow
    per_node = asked.hardware.gpus_per_node or min(gpus, NODE_GPUS)
    return Job(gpus, per_node, asked.workload.max_model_len, ACROSS in allow)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_plan_follows_from_its_own_trace(knowledge: Knowledge, case: dict[str, Any]) -> None:
    assert faults(plan(knowledge, ask(**case)), seen(ask(**case))) == []


@pytest.mark.parametrize(("gpu", "gpus"), [(g, n) for g in ("a100-80gb", "h20-96gb") for n in (1, 2, 4, 6)])
def test_every_plan_of_the_guide(knowledge: Knowledge, gpu: str, gpus: int) -> None:
    for cell in CELLS:
        if (cell["gpu"], int(cell["gpus"])) == (gpu, gpus):
            asked = ask(cell["model"], gpu, gpus, int(cell["max_model_len"]))
            assert faults(plan(knowledge, asked), seen(asked)) == [], cell


@settings(max_examples=150)
@given(data=jobs())
def test_any_plan(knowledge: Knowledge, data: dict[str, Any]) -> None:
    asked = request(data)
    answer = plan(knowledge, asked)
    assert faults(answer, seen(asked)) == []
    # A plan climbs only as far as it must; looked at whole, the ladder gives the same answer.
    whole = decide(knowledge, resolve(knowledge, asked))
    assert whole.outcome is answer.outcome
    chosen = whole.chosen.candidate.label if whole.chosen else None
    assert chosen == (answer.configuration.label if answer.configuration else None)


LEVELS = [("TRACE_LEVEL_SUMMARY", set()), ("TRACE_LEVEL_REJECTIONS", {Verdict.REJECT})]


@pytest.mark.parametrize(("level", "verdicts"), LEVELS)
def test_trace_levels_only_leave_out(knowledge: Knowledge, level: str, verdicts: set[Verdict]) -> None:
    told, full = plan(knowledge, ask(preferences={"trace_level": level})), plan(knowledge, ask())
    assert told.decision_id == full.decision_id
    assert {entry.verdict for entry in told.trace} == verdicts
    assert [e for e in full.trace if e.verdict in verdicts] == list(told.trace)
    assert plan(knowledge, ask(preferences={"trace_level": "TRACE_LEVEL_FULL"})) == full


def test_both_languages_tell_the_same(knowledge: Knowledge) -> None:
    for case in CASES[::4]:
        en, zh = (
            plan(knowledge, ask(**{**case, "preferences": {**case.get("preferences", {}), "locale": locale}}))
            for locale in ("en", "zh")
        )
        assert en.decision_id == zh.decision_id
        assert (en.outcome, en.basis, en.fit_probability, en.memory) == (
            zh.outcome,
            zh.basis,
            zh.fit_probability,
            zh.memory,
        )
        assert [e._replace(message="") for e in en.trace] == [e._replace(message="") for e in zh.trace]
        assert [a.rule for a in en.advice] == [a.rule for a in zh.advice]
        assert en.summary != zh.summary


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_entries_that_passed_carry_the_title(knowledge: Knowledge, locale: str) -> None:
    answer = plan(knowledge, ask(preferences={"locale": locale}))
    passed = [e for e in answer.trace if e.kind is RuleKind.LIMIT and e.verdict is Verdict.PASS]
    assert {e.rule: e.message for e in passed} == {
        rule.id: rule.title[locale] for rule in knowledge.ruleset.rules if rule.kind == "limit"
    }


def test_what_a_measurement_decides_is_not_estimated(knowledge: Knowledge) -> None:
    (passed,) = [e for e in plan(knowledge, ask()).trace if e.rule == "gpu-memory"]
    assert (passed.operands["published_verdict"], passed.operands["estimated"]) == ("fits", False)


UNMET = [
    ({"framework": "trinity-rft@0.6.0"}, "version"),
    ({"optimizer": "sgd"}, "optimizer"),
    ({"precision": "fp32"}, "precision"),
    ({"strategy": "fsdp2"}, "strategy"),
    ({"hardware": {"free_gib": 70.0}}, "free_memory"),
    ({"gpu": "h100-80gb"}, "gpu"),
    ({"max_token_len_per_gpu": 30_000}, "token_budget"),
]


@pytest.mark.parametrize(("change", "condition"), UNMET)
def test_a_condition_that_fails_is_named(
    knowledge: Knowledge, change: dict[str, Any], condition: str
) -> None:
    answer = plan(knowledge, ask(**change))
    about = [e for e in answer.trace if e.candidate == "" and e.kind is RuleKind.EVIDENCE]
    assert condition in [entry.operands["condition"] for entry in about]
    assert answer.basis is not Basis.PUBLISHED


# The checker itself: a trace that was tampered with is found out.

Tamper = Callable[[PlanResponse], PlanResponse]


def edit(rule: str, said: Verdict, **change: Any) -> Tamper:
    """Change the first entry of `rule` with verdict `said`: a field of the entry, or one of its operands."""

    def tampered(answer: PlanResponse) -> PlanResponse:
        entries = list(answer.trace)
        index = next(i for i, e in enumerate(entries) if e.rule == rule and e.verdict is said)
        entry = entries[index]
        fields = {k: v for k, v in change.items() if k in TraceEntry._fields}
        operands = {**entry.operands, **{k: v for k, v in change.items() if k not in fields}}
        entries[index] = entry._replace(operands=operands, **fields)
        return replace(answer, trace=tuple(entries))

    return tampered


def without(match: Callable[[TraceEntry], bool]) -> Tamper:
    return lambda answer: replace(answer, trace=tuple(e for e in answer.trace if not match(e)))


def reordered(answer: PlanResponse) -> PlanResponse:
    about = [e for e in answer.trace if e.candidate]
    return replace(answer, trace=tuple(sorted(about, key=lambda e: e.candidate, reverse=True)))


def interleaved(answer: PlanResponse) -> PlanResponse:
    first = next(e for e in answer.trace if e.candidate)
    return replace(answer, trace=(*answer.trace, first))


def other_label(answer: PlanResponse) -> PlanResponse:
    assert answer.configuration is not None
    return replace(answer, configuration=replace(answer.configuration, label="Env + SP=4"))


TAMPERED: Sequence[tuple[str, Tamper, str]] = [
    ("a verdict turned", edit("gpu-memory", Verdict.REJECT, verdict=Verdict.PASS), "conditions say True"),
    ("a pass turned", edit("sp-divides-heads", Verdict.PASS, verdict=Verdict.REJECT), "conditions say False"),
    ("a probability changed", edit("gpu-memory", Verdict.REJECT, fit_probability_ppm=899_999), "probability"),
    ("less needed", edit("gpu-memory", Verdict.REJECT, peak_mib=1), "probability"),
    ("a remainder changed", edit("sp-divides-gpus", Verdict.PASS, gpus_mod_sp=1), "recomputed 0"),
    ("other GPUs", edit("sp-divides-gpus", Verdict.PASS, gpus=8), "gpus is 8, recomputed 4"),
    ("a budget changed", edit("token-budget-covers-sequence", Verdict.PASS, sp_token_budget=1), "recomputed"),
    ("a word for a number", edit("gpu-memory", Verdict.REJECT, estimated="yes"), "cannot be recomputed"),
    ("no source", edit("gpu-memory", Verdict.REJECT, source=""), "no source"),
    ("a rung not refused", without(lambda e: e.candidate == "Env"), "Env comes before"),
    ("a limit not checked", without(lambda e: e.rule == "host-memory"), "the limits are"),
    ("another order", reordered, "not in ladder order"),
    ("entries apart", interleaved, "entries are apart"),
    ("another choice", other_label, "is chosen"),
]


@pytest.mark.parametrize(("name", "tamper", "found"), TAMPERED, ids=[name for name, _, _ in TAMPERED])
def test_the_checker_finds(knowledge: Knowledge, name: str, tamper: Tamper, found: str) -> None:
    # No published maxima for this version: all rungs are estimated.
    asked = ask(max_model_len=21_000, framework="trinity-rft@0.6.0")
    answer = plan(knowledge, asked)
    assert (answer.outcome, faults(answer, seen(asked))) == (Outcome.FEASIBLE, [])
    told = faults(tamper(answer), seen(asked))
    assert any(found in fault for fault in told), told


PUBLISHED_OPERANDS = [
    # verdict, asked, fits up to, fails from, consistent
    ("fits", 20_480, 20_480, 24_576, True),
    ("fits", 20_481, 20_480, 24_576, False),
    ("fails", 24_576, 20_480, 24_576, True),
    ("fails", 24_575, 20_480, 24_576, False),
    ("none", 22_000, 20_480, 24_576, True),
    ("none", 20_480, 20_480, 24_576, False),
    ("none", 24_576, 20_480, 24_576, False),
    ("fits", 4_096, 8_192, 8_192, False),
]


@pytest.mark.parametrize(("verdict", "length", "longest", "failure", "consistent"), PUBLISHED_OPERANDS)
def test_the_checker_compares_lengths(
    verdict: str, length: int, longest: int, failure: int, consistent: bool
) -> None:
    operands = {
        "published_verdict": verdict,
        "max_model_len": length,
        "published_max_len": longest,
        "published_fail_len": failure,
    }
    entry = TraceEntry("SP=2", "published-maximum", RuleKind.LIMIT, Verdict.PASS, "", operands, "")
    assert (arithmetic_faults(entry, Job(4, 4, length)) == []) is consistent


CONDITIONS = [
    ("gpus_mod_sp != 0", {"gpus_mod_sp": 1}, True),
    ("gpus_mod_sp != 0", {"gpus_mod_sp": 0}, False),
    ("strategy != 'fsdp2'", {"strategy": "fsdp2"}, False),
    ("cpu_offload == true", {"cpu_offload": True}, True),
    ("host_mib > host_available_mib", {"host_mib": 2, "host_available_mib": 1}, True),
    ("host_mib > host_available_mib", {"host_mib": 1, "host_available_mib": 1}, False),
]


@pytest.mark.parametrize(("text", "operands", "expected"), CONDITIONS)
def test_the_checkers_own_evaluator(text: str, operands: dict[str, Any], expected: bool) -> None:
    assert holds(text, operands) is expected
