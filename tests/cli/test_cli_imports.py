"""What a command loads: starting is most of what a short command does."""

import subprocess
import sys

import pytest
from command_line import SECONDS

JOB = "plan Qwen/Qwen3-8B --gpu a100-80gb --gpus 4 --max-model-len 20480"
# typer may load pydantic itself, to read the options that were given.
HEAVY = {"grpc", "rich.console", "yaml", "google.protobuf", "rungwise.planning", "rungwise.domain.request"}

LOADED = (
    # command line, what it must not load
    ("--version", HEAVY - {"rungwise.planning"}),
    ("--help", HEAVY),
    ("plan --help", HEAVY),
    ("plan --no-such-option", HEAVY),
    (JOB, {"grpc"}),
    (f"{JOB} --output json", {"grpc", "rich.console"}),
    (f"{JOB} --output env", {"grpc", "rich.console"}),
    (f"{JOB} --output yaml", {"grpc", "rich.console"}),
    ("rules list --output json", {"grpc", "rich.console"}),
)


@pytest.mark.parametrize(("line", "forbidden"), LOADED)
def test_modules_that_a_command_does_without(line: str, forbidden: set[str]) -> None:
    script = "from rungwise.cli.__main__ import main; main()"
    assert not loaded_by(script, *line.split()) & forbidden


def test_the_entry_point_loads_nothing_of_the_work() -> None:
    assert not loaded_by("import rungwise.cli.__main__") & (HEAVY | {"pydantic.main", "rungwise.catalog"})


def loaded_by(script: str, *arguments: str) -> set[str]:
    command = [
        sys.executable,
        "-c",
        f"{script}; import sys; print(*sys.modules, file=sys.stderr)",
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    modules = set(done.stderr.splitlines()[-1].split())
    assert "rungwise.cli.app" in modules
    return modules
