"""The estimator alone against the published maxima: evidence is switched off, everything else is the product's code.

A rung's maximum is the longest length of the guide's grid up to which the limits let it pass, scanned from below. Two
lines: decided at p = 0.5, and at the default 0.9. Exits 1 when a figure is missed.
"""

import csv
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rungwise.domain.request import Hardware, ModelReference, PlanRequest, Preferences, Workload
from rungwise.planning.decision import decide
from rungwise.planning.evidence import Evidence
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import load_knowledge

CELLS = Path(__file__).parent.parent / "tests" / "planning" / "data" / "guide_cells.csv"


class Figure(NamedTuple):
    """One figure, and the least or most that it must be."""

    name: str
    reached: int
    of: int
    least: int | None = None
    most: int | None = None

    @property
    def missed(self) -> bool:
        """Whether the figure is below its least or above its most."""
        below = self.least is not None and self.reached < self.least
        return below or (self.most is not None and self.reached > self.most)

    def __str__(self) -> str:
        target = (
            f">= {self.least}"
            if self.least is not None
            else f"<= {self.most}"
            if self.most is not None
            else ""
        )
        return f"{self.name} {self.reached} of {self.of}" + (f" ({target})" if target else "")


def main() -> int:
    """Print the figures; return 1 if one is missed."""
    begun = time.perf_counter()
    missed = False
    with_evidence = load_knowledge()
    (guide,) = with_evidence.evidence
    knowledge = replace(with_evidence, evidence=())

    @cache
    def verdicts(
        gpu: str, gpus: int, model: str, length: int, probability: float
    ) -> tuple[frozenset[str], str]:
        """Return the labels that stand, and the one that is chosen."""
        request = PlanRequest(
            model=ModelReference(name=model),
            hardware=Hardware(gpu=gpu, gpus=gpus),
            workload=Workload(max_model_len=length),
            preferences=Preferences(min_fit_probability=probability),
        )
        decision = decide(knowledge, resolve(knowledge, request))
        standing = frozenset(a.candidate.label for a in decision.assessments if a.stands)
        return standing, decision.chosen.candidate.label if decision.chosen else "-"

    cells = list(csv.DictReader(CELLS.read_text().splitlines()))
    for probability, exact_least, optimistic_most, cells_least, fits_least in (
        (0.5, 227, 6, 548, 558),
        (0.9, 185, 2, None, None),
    ):
        columns = list(measured(guide))
        exact = optimistic = 0
        for gpu, gpus, model, label, longest in columns:
            reached = 0
            for length in guide.grid:
                if label not in verdicts(gpu, gpus, model, length, probability)[0]:
                    break
                reached = length
            exact += reached == longest
            optimistic += reached > longest
        answers = [
            (
                verdicts(c["gpu"], int(c["gpus"]), c["model"], int(c["max_model_len"]), probability)[1],
                c["label"],
            )
            for c in cells
        ]
        figures = (
            Figure("maxima exact", exact, len(columns), least=exact_least),
            Figure("optimistic", optimistic, len(columns), most=optimistic_most),
            Figure("cells", sum(a == b for a, b in answers), len(cells), least=cells_least),
            Figure(
                "fits or not", sum((a == "-") == (b == "-") for a, b in answers), len(cells), least=fits_least
            ),
        )
        print(f"p = {probability}: {', '.join(map(str, figures))}")
        missed = missed or any(figure.missed for figure in figures)
    print(f"{time.perf_counter() - begun:.1f} s")
    return int(missed)


def measured(guide: Evidence) -> Iterator[tuple[str, int, str, str, int]]:
    """Yield GPU, GPUs, model, label and measured maximum of every column."""
    labels = {frozenset(rung.measures): label for label, rung in guide.description.rungs.items()}
    for (_, gpus), page in guide.pages.items():
        for (size, base), group in page.items():
            label = labels[base]
            if size > 1:
                label = f"SP={size}" if not base else f"{label} + SP={size}"
            for column in group:
                yield column.gpu, gpus, column.model.id, label, column.longest


if __name__ == "__main__":
    sys.exit(main())
