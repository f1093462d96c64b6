"""How long one `rungwise plan` takes as a whole process, beside a process that only imports what it builds on.

Both are run in turn, so that a busy machine slows both. Exits 1 when the median CPU time of a plan is more than
`LIMIT` times that of the imports.

    python benchmarks/startup.py [ROUNDS]
"""

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 3.0
IMPORTS = [sys.executable, "-c", "import pydantic, typer, rich, yaml, google.protobuf.json_format"]
PLAN = [
    *(sys.executable, "-m", "rungwise.cli", "plan", "Qwen/Qwen3-8B", "--gpu", "a100-80gb"),
    *("--gpus", "4", "--max-model-len", "20480"),
]
OUTPUTS = ("table", "json")
# An installed package has its bytecode; so has this one, once it ran.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    commands = {"imports": IMPORTS, **{output: [*PLAN, "--output", output] for output in OUTPUTS}}
    for command in commands.values():
        measured(command)  # fills the file cache and writes the .pyc files
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            samples[name].append(measured(command))
    print(f"{platform.platform()}, {processor()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    wall, cpu = ({n: statistics.median(s[i] for s in rows) for n, rows in samples.items()} for i in (0, 1))
    missed = False
    for name in commands:
        ratio = cpu[name] / cpu["imports"]
        missed |= ratio > LIMIT
        print(
            f"{name:8} wall {wall[name]:.3f} s, CPU {cpu[name]:.3f} s, {ratio:.2f}x the imports' CPU time, "
            f"median of {rounds}"
        )
    print(f"limit {LIMIT}x: {'missed' if missed else 'met'}")
    return 1 if missed else 0


def measured(command: list[str]) -> tuple[float, float]:
    """Run a command and return its wall and CPU seconds. A command that fails ends the benchmark."""
    start, before = time.perf_counter(), cpu_of_children()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return time.perf_counter() - start, cpu_of_children() - before


def cpu_of_children() -> float:
    """Return the CPU seconds of all processes that were run so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def processor() -> str:
    """Name the processor, as Linux does; elsewhere as Python does."""
    description = Path("/proc/cpuinfo")
    if description.exists():
        for line in description.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


if __name__ == "__main__":
    sys.exit(main())
