"""Whether memory stays flat: resident memory over many decisions, and the slope of a line through it.

Requests vary without end; none is cached. Exits 1 when the slope is above LIMIT MiB per 100,000 decisions.

    python benchmarks/decision_memory.py [DECISIONS]
"""

import os
import random
import sys
import time

from rungwise.domain.request import Hardware, ModelReference, PlanRequest, Workload
from rungwise.planning.knowledge import load_knowledge
from rungwise.planning.plan import plan

LIMIT = 1.0
"""MiB per 100,000 decisions."""
MODELS = ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-4B", "Qwen/Qwen3-8B", "Qwen/Qwen3-14B", "Qwen/Qwen3-32B")
GPUS = ("a100-80gb", "h20-96gb", "h100-80gb", "h200-141gb")
WARM_UP = 5_000
SAMPLES = 40


def main() -> int:
    """Print the slope; return 1 if it is above the limit."""
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    knowledge = load_knowledge()
    chance = random.Random(7)
    begun = time.perf_counter()

    def one() -> None:
        asked = PlanRequest(
            model=ModelReference(name=chance.choice(MODELS)),
            hardware=Hardware(gpu=chance.choice(GPUS), gpus=chance.choice((1, 2, 4, 6, 8))),
            workload=Workload(max_model_len=chance.randint(1_024, 20_480)),
        )
        plan(knowledge, asked)

    for _ in range(WARM_UP):
        one()
    points = []
    for sample in range(SAMPLES):
        for _ in range(decisions // SAMPLES):
            one()
        points.append(((sample + 1) * (decisions // SAMPLES), resident_mib()))
    slope = fitted_slope(points) * 100_000
    matcher = type(knowledge.matcher).__name__
    print(
        f"{decisions} decisions with {matcher} in {time.perf_counter() - begun:.0f} s, Python {sys.version.split()[0]}"
    )
    print(
        f"resident {points[0][1]:.2f} -> {points[-1][1]:.2f} MiB, slope {slope:+.3f} MiB per 100,000 (<= {LIMIT})"
    )
    return int(slope > LIMIT)


def resident_mib() -> float:
    """Return the resident memory of this process."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def fitted_slope(points: list[tuple[int, float]]) -> float:
    """Return the slope of the least-squares line."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


if __name__ == "__main__":
    sys.exit(main())
