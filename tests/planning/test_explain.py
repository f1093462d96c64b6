"""Why not another rung, and where the answer changes."""

from typing import Any

import pytest
from asking import ask
from rungwise.domain.plan import Verdict
from rungwise.domain.request import ExplainRequest
from rungwise.planning.decision import decide
from rungwise.planning.explain import explain
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan

WHY_NOT = [
    # asked, label in the answer, refused, a part of the message
    ("Env", "Env", True, "12,288"),
    ("env", "Env", True, "12,288"),
    ("SP=2", "SP=2", False, "is the chosen rung"),
    ("SP=2 + Env", "Env + SP=2", False, "comes before it"),
    ("SP=3", "SP=3", False, "not on this ladder"),
    ("ZeRO-3", "ZeRO-3", False, "not on this ladder"),
]


@pytest.mark.parametrize(("asked", "label", "refused", "part"), WHY_NOT)
def test_why_not(knowledge: Knowledge, asked: str, label: str, refused: bool, part: str) -> None:
    (answer,) = explain(knowledge, ExplainRequest(plan=ask(), why_not=(asked,))).why_not
    assert answer.label == label
    assert bool(answer.rejections) is refused
    assert all(entry.verdict is Verdict.REJECT for entry in answer.rejections)
    assert part in answer.message


def test_the_plan_is_the_plan(knowledge: Knowledge) -> None:
    assert explain(knowledge, ExplainRequest(plan=ask())).plan == plan(knowledge, ask())


@pytest.mark.parametrize(
    ("gpu", "gpus"), [("a100-80gb", 4), ("h100-80gb", 2), ("a100-80gb", 6), ("h20-96gb", 3)]
)
def test_the_longest_context_of_each_rung(knowledge: Knowledge, gpu: str, gpus: int) -> None:
    answer = explain(knowledge, ExplainRequest(plan=ask(gpu=gpu, gpus=gpus)))
    lengths = [point for point in answer.turning_points if point.field == "workload.max_model_len"]
    assert lengths

    def stands(label: str, length: int) -> bool:
        decision = decide(knowledge, resolve(knowledge, ask(gpu=gpu, gpus=gpus, max_model_len=length)))
        return any(a.candidate.label == label and a.stands for a in decision.assessments)

    for point in lengths:
        assert isinstance(point.value, int)
        assert point.value == 0 or stands(point.label, point.value)
        assert not stands(point.label, point.value + 1)


def test_the_next_gpu_count_changes_the_answer(knowledge: Knowledge) -> None:
    answer = explain(knowledge, ExplainRequest(plan=ask(gpus=1)))
    (point,) = [p for p in answer.turning_points if p.field == "hardware.gpus"]
    assert isinstance(point.value, int)
    now = plan(knowledge, ask(gpus=1)).configuration
    then = plan(knowledge, ask(gpus=point.value)).configuration
    assert (then.label if then else "") == point.label != (now.label if now else "")
    for fewer in range(2, point.value):
        same = plan(knowledge, ask(gpus=fewer)).configuration
        assert (same.label if same else "") == (now.label if now else "")


def test_nothing_turns_where_nothing_is_known(knowledge: Knowledge) -> None:
    answer = explain(knowledge, ExplainRequest(plan=ask(method="lora"), why_not=("Env",)))
    assert answer.turning_points == ()
    assert answer.why_not[0].rejections == ()


def test_why_not_names_every_limit(knowledge: Knowledge) -> None:
    asked = ask("Qwen/Qwen3-0.6B", gpus=6, preferences={"forbid": ["sp"]})
    (why,) = explain(knowledge, ExplainRequest(plan=asked, why_not=("SP=6",))).why_not
    assert [entry.rule for entry in why.rejections] == [
        "measure-forbidden",
        "sp-divides-heads",
        "sp-kv-heads",
    ]
    assert all(entry.message in why.message for entry in why.rejections)


def test_why_not_keeps_the_order_of_the_questions(knowledge: Knowledge) -> None:
    labels = ("Env", "SP=4", "nonsense", "vanilla")
    answer = explain(knowledge, ExplainRequest(plan=ask(), why_not=labels))
    assert tuple(why.label for why in answer.why_not) == labels


LONGEST: list[tuple[dict[str, Any], list[str]]] = [
    # job, rungs that have a longest context: those that are legal at some length
    ({"gpus": 1}, ["vanilla", "Env", "Env + Offload"]),
    ({"gpus": 3}, ["vanilla", "Env", "Env + Offload"]),
    ({"gpus": 2}, ["vanilla", "Env", "SP=2", "Env + SP=2", "Env + Offload", "Env + Offload + SP=2"]),
    ({"gpus": 4, "preferences": {"forbid": ["sp", "offload"]}}, ["vanilla", "Env"]),
    ({"gpus": 4, "strategy": "fsdp", "preferences": {"forbid": ["env"]}}, ["vanilla", "SP=2", "SP=4"]),
]


@pytest.mark.parametrize(("case", "labels"), LONGEST)
def test_every_legal_rung_has_its_longest_context(
    knowledge: Knowledge, case: dict[str, Any], labels: list[str]
) -> None:
    points = explain(knowledge, ExplainRequest(plan=ask(**case))).turning_points
    assert [p.label for p in points if p.field == "workload.max_model_len"] == labels
