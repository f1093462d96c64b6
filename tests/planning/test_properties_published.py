"""At every measured maximum and failure and beside them: measurement and estimate never contradict.

A token and a tenth of a GiB beside. Verdicts of a model and GPU count are laid out over lengths and cards; along both
ways a rung may turn only once.
"""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from rungwise.domain.request import Hardware, ModelReference, PlanRequest, Preferences, Workload
from rungwise.planning.decision import decide
from rungwise.planning.evidence import Column
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import Knowledge

MODELS = [f"Qwen/Qwen3-{size}" for size in ("0.6B", "1.7B", "4B", "8B", "14B")]
MEASURED_GPUS = (1, 2, 4, 6)
LONGEST_CALIBRATED = 143_360
CARDS: list[tuple[str, float | None]] = [
    # GPU and free GiB, by memory: about the measured cards and the edges of the calibrated domain
    ("h100-80gb", 78.9),
    ("a100-80gb", 79.05),
    ("a100-80gb", None),  # 79.15
    ("h100-80gb", None),  # the same memory, never measured
    ("h20-96gb", 79.25),  # a measured card with the memory of a smaller one
    ("h20-96gb", 94.9),
    ("h20-96gb", None),  # 95.0
    ("gh200-96gb", None),
    ("h200-141gb", 95.95),
    ("h200-141gb", 96.05),
    ("h200-141gb", None),
]


def columns(knowledge: Knowledge, model: str, gpus: int) -> Iterator[Column]:
    (guide,) = knowledge.evidence
    for page, groups in guide.pages.items():
        for column in (column for group in groups.values() for column in group):
            if (column.model.id, page[1]) == (model, gpus):
                yield column


def test_every_measured_column_is_looked_at(knowledge: Knowledge) -> None:
    assert sum(len(list(columns(knowledge, m, n))) for m in MODELS for n in MEASURED_GPUS) == 238


def standing(
    knowledge: Knowledge,
    model: str,
    gpus: int,
    card: tuple[str, float | None],
    length: int,
    probability: float,
) -> set[str]:
    request = PlanRequest(
        model=ModelReference(name=model),
        hardware=Hardware(gpu=card[0], gpus=gpus, free_gib=card[1]),
        workload=Workload(max_model_len=length),
        preferences=Preferences(min_fit_probability=probability),
    )
    return {a.candidate.label for a in decide(knowledge, resolve(knowledge, request)).assessments if a.stands}


# Below an even chance the wider spread outside the domain would help: there its edges must hold too.
@pytest.mark.parametrize("probability", [0.9, 0.3])
@pytest.mark.parametrize("gpus", MEASURED_GPUS)
@pytest.mark.parametrize("model", MODELS)
def test_verdicts_turn_once(knowledge: Knowledge, model: str, gpus: int, probability: float) -> None:
    turns = {LONGEST_CALIBRATED}
    for column in columns(knowledge, model, gpus):
        turns |= {column.longest, column.shortest_failure or column.longest}
    lengths = sorted({max(1, turn + beside) for turn in turns for beside in (-1, 0, 1)})
    rungs = {
        (card, length): standing(knowledge, model, gpus, card, length, probability)
        for card in CARDS
        for length in lengths
    }
    for card in CARDS:
        for shorter, longer in pairwise(lengths):
            assert rungs[card, longer] <= rungs[card, shorter], (card, shorter, longer)
    for length in lengths:
        for smaller, larger in pairwise(CARDS):
            assert rungs[smaller, length] <= rungs[larger, length], (smaller, larger, length)
