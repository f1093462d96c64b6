"""The guide's 560 cells and 240 measured maxima, through the product."""

import csv
from pathlib import Path

import pytest
from asking import ask
from rungwise.domain.plan import Basis, Outcome, RuleKind, Verdict
from rungwise.planning.decision import decide
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan

CELLS = list(csv.DictReader((Path(__file__).parent / "data" / "guide_cells.csv").read_text().splitlines()))
GRID = [*range(4096, 40961, 4096), *range(51200, 153601, 10240)]


def test_the_table_is_whole() -> None:
    assert len(CELLS) == 560


@pytest.mark.parametrize(("gpu", "gpus"), [(g, n) for g in ("a100-80gb", "h20-96gb") for n in (1, 2, 4, 6)])
def test_every_cell_of_a_page(knowledge: Knowledge, gpu: str, gpus: int) -> None:
    wrong = []
    for cell in CELLS:
        if (cell["gpu"], int(cell["gpus"])) != (gpu, gpus):
            continue
        answer = plan(knowledge, ask(cell["model"], gpu, gpus, int(cell["max_model_len"])))
        label = answer.configuration.label if answer.configuration else "-"
        named = any("Trinity-RFT" in entry.source for entry in answer.trace)
        if answer.configuration:
            named = named and "Published measurement of this case (Trinity-RFT GPU" in answer.summary
        if (label, answer.basis, named) != (cell["label"], Basis.PUBLISHED, True):
            wrong.append((cell, label, answer.basis, named))
    assert wrong == []


def rungs_that_stand(knowledge: Knowledge, model: str, gpu: str, gpus: int, length: int) -> dict[str, Basis]:
    decision = decide(knowledge, resolve(knowledge, ask(model, gpu, gpus, length)))
    return {a.candidate.label: a.memory.basis for a in decision.assessments if a.stands and a.memory}


def maxima(knowledge: Knowledge) -> list[tuple[str, int, str, str, int, int | None]]:
    (guide,) = knowledge.evidence
    labels = {frozenset(rung.measures): label for label, rung in guide.description.rungs.items()}
    rows = []
    for (_, gpus), page in guide.pages.items():
        for (size, base), group in page.items():
            plain = labels[base] if base else ""
            sp = f"SP={size}" if size > 1 else ""
            label = " + ".join(filter(None, (plain, sp))) or "vanilla"
            rows += [(c.gpu, gpus, c.model.id, label, c.longest, c.shortest_failure) for c in group]
    return rows


def test_every_maximum_stands_and_the_next_length_does_not(knowledge: Knowledge) -> None:
    rows = maxima(knowledge)
    assert len(rows) == 238
    for gpu, gpus, model, label, longest, failure in rows:
        if longest:
            assert rungs_that_stand(knowledge, model, gpu, gpus, longest).get(label) is Basis.PUBLISHED
            below = rungs_that_stand(knowledge, model, gpu, gpus, longest - 1)
            assert below.get(label) is Basis.BRACKETED, (gpu, gpus, model, label, longest)
        assert failure is not None
        for length in (failure, failure + 1):
            assert label not in rungs_that_stand(knowledge, model, gpu, gpus, length)


def test_the_open_gap_is_estimated_and_contradicts_no_measurement(knowledge: Knowledge) -> None:
    for gpu, gpus, model, label, longest, failure in maxima(knowledge):
        assert failure is not None
        stood = True
        for length in (longest + 1, (longest + failure) // 2, failure - 1):
            decision = decide(knowledge, resolve(knowledge, ask(model, gpu, gpus, length)))
            (rung,) = [a for a in decision.assessments if a.candidate.label == label]
            assert rung.stage is not None
            fact = rung.stage.fact
            assert (fact["published_verdict"], fact["estimated"]) == ("none", True), (label, length)
            assert longest == 0 or rung.stage.verdict.basis is Basis.BRACKETED, (label, length)
            assert stood or not rung.stands, (gpu, gpus, model, label, length)
            stood = rung.stands


def test_a_length_in_the_open_gap_is_bracketed(knowledge: Knowledge) -> None:
    answer = plan(knowledge, ask("Qwen/Qwen3-8B", "a100-80gb", 4, 21_000))
    assert answer.outcome is Outcome.FEASIBLE
    assert answer.basis is Basis.BRACKETED
    assert answer.configuration is not None
    assert answer.configuration.label == "SP=2"
    (opened,) = [e for e in answer.trace if e.kind is RuleKind.EVIDENCE and e.candidate == "SP=2"]
    assert opened.verdict is Verdict.NOT_EVALUATED
    assert (opened.operands["published_max_len"], opened.operands["published_fail_len"]) == (20_480, 24_576)


IMPLIED = [
    # GPU, GPUs, length, label, basis: what the A100's and the H20's columns say of other cards
    ("h100-80gb", 4, 20_480, "SP=2", Basis.CALIBRATED),
    ("h800-80gb", 4, 24_576, "Env + SP=2", Basis.CALIBRATED),
    ("a100-80gb", 3, 24_576, "Env + Offload", Basis.CALIBRATED),
    ("h200-141gb", 4, 20_480, "vanilla", Basis.EXTRAPOLATED),
]


@pytest.mark.parametrize(("gpu", "gpus", "length", "label", "basis"), IMPLIED)
def test_other_cards_and_counts(
    knowledge: Knowledge, gpu: str, gpus: int, length: int, label: str, basis: Basis
) -> None:
    answer = plan(knowledge, ask("Qwen/Qwen3-8B", gpu, gpus, length))
    assert answer.configuration is not None
    assert (answer.configuration.label, answer.basis) == (label, basis)
    assert any(e.candidate == "" and e.kind is RuleKind.EVIDENCE for e in answer.trace)
