"""Why not another rung, and where the answer changes."""

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
