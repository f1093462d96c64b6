"""How long a cold decision takes: no cache, every request another one, over the pages of the guide.

A decision is the whole of `plan`: names, ladder, limits, evidence, estimate, advice, trace. Feasible ones are the
figure; infeasible ones also search for what would fit, and are shown beside it. Both matchers take turns, so that a
busy machine slows both. Exits 1 when the median with durable-rules is above LIMIT.

    python benchmarks/decision.py [ROUNDS]
"""

import csv
import os
import platform
import statistics
import sys
import time
from pathlib import Path

from rungwise.domain.request import Hardware, ModelReference, PlanRequest, Workload
from rungwise.planning.knowledge import Knowledge, MatcherKind, load_knowledge
from rungwise.planning.plan import plan

LIMIT = 1.5
"""Milliseconds."""
CELLS = Path(__file__).parent.parent / "tests" / "planning" / "data" / "guide_cells.csv"


def main() -> int:
    """Print the medians; return 1 if the limit is missed."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    kinds: tuple[MatcherKind, ...] = ("durable", "portable") if sys.version_info < (3, 13) else ("portable",)
    matchers: dict[str, Knowledge] = {kind: load_knowledge(matcher=kind) for kind in kinds}
    cells = list(csv.DictReader(CELLS.read_text().splitlines()))
    for cell in cells[::10]:
        for knowledge in matchers.values():
            plan(knowledge, request(cell, 0))
    samples: dict[tuple[str, bool], list[tuple[float, float]]] = {}
    for shift in range(1, rounds + 1):
        for kind, knowledge in matchers.items():
            for cell in cells:
                samples.setdefault((kind, cell["label"] != "-"), []).append(
                    measured(knowledge, request(cell, shift))
                )
    print(f"{platform.platform()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    medians = {}
    for (kind, fits), rows in samples.items():
        wall, cpu = (statistics.median(row[i] for row in rows) for i in (0, 1))
        medians[kind, fits] = wall
        case = "feasible  " if fits else "infeasible"
        print(f"{kind:8} {case}  wall {wall:7.3f} ms, CPU {cpu:7.3f} ms, median of {len(rows)}")
    if "durable" not in matchers:
        print("durable-rules does not run on this Python: no figure")
        return 0
    print(f"durable / portable {medians['durable', True] / medians['portable', True]:.2f}")
    met = medians["durable", True] <= LIMIT
    print(f"limit {LIMIT} ms with durable-rules: {'met' if met else 'MISSED'}")
    return int(not met)


def request(cell: dict[str, str], shift: int) -> PlanRequest:
    """Return the cell's request, a few tokens shorter in each round: below a grid length its answer holds too."""
    return PlanRequest(
        model=ModelReference(name=cell["model"]),
        hardware=Hardware(gpu=cell["gpu"], gpus=int(cell["gpus"])),
        workload=Workload(max_model_len=int(cell["max_model_len"]) - shift),
    )


def measured(knowledge: Knowledge, asked: PlanRequest) -> tuple[float, float]:
    """Return wall and CPU milliseconds of one plan."""
    wall, cpu = time.perf_counter(), time.process_time()
    plan(knowledge, asked)
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


if __name__ == "__main__":
    sys.exit(main())
