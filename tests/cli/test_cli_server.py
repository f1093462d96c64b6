"""The commands `serve` and `healthcheck`, and `--server`: a real server, as a process of its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from command_line import SECONDS, Run

JOB = ("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "4", "--max-model-len", "20480")


@pytest.fixture(scope="module")
def addresses() -> Iterator[tuple[str, str]]:
    """Where a server listens, and where its health port is."""
    command = [sys.executable, "-m", "rungwise.cli", "serve", "--port", "0", "--health-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout
        words = server.stdout.readline().replace(",", "").split()
        yield words[2], words[5]
        server.send_signal(signal.SIGTERM)
        assert server.wait(SECONDS) == 0


@pytest.mark.parametrize("command", [("plan",), ("explain", "--why-not", "Env")])
@pytest.mark.parametrize("output", ["table", "json", "yaml", "env"])
def test_a_server_answers_as_this_process_does(
    run: Run, addresses: tuple[str, str], command: tuple[str, ...], output: str
) -> None:
    arguments = (command[0], *JOB, *command[1:], "--output", output, "--lang", "zh")
    here, there = run(*arguments), run(*arguments, "--server", addresses[0])
    assert (there.code, there.stderr) == (0, "")
    assert there.stdout == here.stdout


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        (("no-such-model", "--gpus", "4"), ["model.name"]),
        (("no-such-model", "--gpus", "0"), ["hardware.gpus", "model.name"]),
        (("Qwen/Qwen3-8B", "--gpus", "4k"), ["hardware.gpus"]),
        (("Qwen/Qwen3-8B", "--gpus", "1000000000000"), ["hardware.gpus"]),
        (("./missing", "--gpus", "0"), ["hardware.gpus", "model"]),
    ],
)
def test_faults(run: Run, addresses: tuple[str, str], options: tuple[str, ...], fields: list[str]) -> None:
    arguments = ("plan", *options, "--gpu", "a100-80gb", "--max-model-len", "20480", "--server", addresses[0])
    result = run(*arguments, "--output", "json")
    assert result.code == 2
    assert sorted(result.fields) == fields


def test_a_batch(run: Run, addresses: tuple[str, str]) -> None:
    good = {
        "model": {"name": "Qwen/Qwen3-8B"},
        "hardware": {"gpu": "a100-80gb", "gpus": 4},
        "workload": {"max_model_len": "20480"},
    }
    requests = (good, {"hardware": 3}, {"nope": 1}, [], {**good, "model": {"name": "no-such-model"}}, good)
    stdin = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
    result = run("plan", "--requests", "-", "--server", addresses[0], stdin=stdin)
    assert result.code == 2
    assert [answer.get("line") for answer in result.lines] == [None, 2, 3, 4, 5, None]
    codes = [answer["error"]["code"] for answer in result.lines if "error" in answer]
    assert codes == ["INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT", "NOT_FOUND"]
    assert result.lines[0] == result.lines[-1]


def test_healthcheck(run: Run, addresses: tuple[str, str]) -> None:
    result = run("healthcheck", addresses[1])
    assert (result.code, result.stderr) == (0, "")


def test_settings_that_cannot_be(run: Run) -> None:
    result = run("serve", "--port", "99999", "--threads", "0", "--output", "json")
    assert result.code == 2
    result = run("serve", "--port", "99999", "--threads", "0")
    assert (result.code, result.stdout) == (2, "")
    assert "--port" in result.stderr
    assert "--threads" in result.stderr
