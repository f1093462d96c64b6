"""Command lines, the exit code of each, and what its JSON holds."""

from typing import Any

import pytest
from command_line import Run
from rungwise.cli.address import checked_address

JOB = ("plan", "Qwen/Qwen3-8B", "--gpu", "a100-80gb")

PLANS: tuple[tuple[tuple[str, ...], int, dict[str, Any]], ...] = (
    # command line, exit code, what the answer holds
    (
        (*JOB, "--gpus", "4", "--max-model-len", "20480"),
        0,
        {"outcome": "OUTCOME_FEASIBLE", "basis": "BASIS_PUBLISHED", "fit_probability": 1.0},
    ),
    (
        (*JOB, "--gpus", "2", "--max-model-len", "900000"),
        1,
        {"outcome": "OUTCOME_INFEASIBLE"},
    ),
    (
        ("plan", "deepseek-ai/DeepSeek-V3", "--gpu", "a100-80gb", "--gpus", "8", "--max-model-len", "8192"),
        3,
        {"outcome": "OUTCOME_UNKNOWN", "basis": "BASIS_UNKNOWN"},
    ),
    (
        (*JOB, "--gpus", "4", "--max-model-len", "20480", "--trace", "summary"),
        0,
        {"outcome": "OUTCOME_FEASIBLE", "trace": []},
    ),
)


@pytest.mark.parametrize(("arguments", "code", "expected"), PLANS)
def test_plan(run: Run, arguments: tuple[str, ...], code: int, expected: dict[str, Any]) -> None:
    result = run(*arguments, "--output", "json")
    assert result.code == code
    assert result.stderr == ""
    assert {name: result.json[name] for name in expected} == expected


def test_every_option_reaches_the_request(run: Run) -> None:
    """An option that were dropped would not change the decision, which names the request."""
    base = (*JOB, "--gpus", "4", "--max-model-len", "20480", "--output", "json")
    options = (
        ("--gpus-per-node", "4"),
        ("--free-gib", "70.5"),
        ("--host-memory-gib", "512"),
        ("--cpu-cores", "64"),
        ("--interconnect", "roce"),
        ("--framework", "trinity-rft@0.5.2"),
        ("--method", "full"),
        ("--task", "rl"),
        ("--max-token-len-per-gpu", "20480"),
        ("--micro-batch-size", "1"),
        ("--train-batch-size", "64"),
        ("--grad-accum", "2"),
        ("--strategy", "fsdp2"),
        ("--precision", "bf16"),
        ("--optimizer", "adamw"),
        ("--method", "lora", "--lora-rank", "16"),
        ("--packing",),
        ("--no-packing",),
        ("--torch", "2.7.1"),
        ("--transformers", "4.56.0"),
        ("--vllm", "0.9.1"),
        ("--rollout-engines", "2"),
        ("--rollout-tensor-parallel", "2"),
        ("--rollout-data-parallel", "2"),
        ("--rollout-colocated",),
        ("--no-rollout-colocated",),
        ("--rollout-gpu-memory-utilization", "0.6"),
        ("--allow", "extended"),
        ("--forbid", "Offload"),
        ("--objective", "first"),
        ("--min-fit-probability", "0.95"),
    )
    ids = {run(*base).json["decision_id"]}
    for option in options:
        result = run(*base, *option)
        assert result.code in (0, 1, 3), result.stdout
        assert result.json["decision_id"] not in ids, option
        ids.add(result.json["decision_id"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nope",), "No such command"),
        (("plan", "--nope"), "No such option"),
        (("plan", "a", "b"), "unexpected extra argument"),
        (("plan", "--gpus"), "requires an argument"),
        (("plan", "--output", "xml"), "--output"),
        (("rules",), "Missing command"),
        (("rules", "show"), "Missing argument"),
        (("plan", "x", "--matcher", "magic"), "--matcher"),
        (("plan", "x", "--timeout", "3"), "--timeout: is for --server"),
        (("plan", "x", "--server", "127.0.0.1:1", "--timeout", "-1"), "--timeout"),
        (("plan", "x", "--server", "127.0.0.1:1", "--rulebook", "d"), "--rulebook: cannot be combined"),
        (("plan", "x", "--server", "127.0.0.1:1", "--matcher", "auto"), "--matcher: cannot be combined"),
    ],
)
def test_usage_errors(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.code, result.stdout) == (2, "")
    assert message in result.stderr


def test_usage_errors_are_objects_after_output_json(run: Run) -> None:
    for arguments in (("plan", "--nope", "--output", "json"), ("rules", "show", "--output=json")):
        result = run(*arguments)
        assert (result.code, result.stderr) == (2, "")
        assert result.json["error"]["code"] == "INVALID_ARGUMENT"
        assert result.json["error"]["reason"] == "USAGE"


def test_help_and_version(run: Run) -> None:
    assert run("--version").stdout == "rungwise 0.1.0\n"
    for arguments in ((), ("--help",), ("plan", "--help"), ("rules", "check", "--help")):
        result = run(*arguments)
        assert (result.code, result.stderr) == (0, "")
        assert result.stdout.startswith("Usage: rungwise")


def test_a_server_that_is_not_there(run: Run) -> None:
    arguments = (*JOB, "--gpus", "4", "--max-model-len", "20480", "--server", "127.0.0.1:1", "--timeout", "2")
    result = run(*arguments, "--output", "json")
    assert result.code == 4
    assert result.json["error"]["code"] == "UNAVAILABLE"
    assert run("healthcheck", "127.0.0.1:1", "--timeout", "2").code == 4


@pytest.mark.parametrize(
    "address",
    [
        "",
        ":",
        "host",
        "host:",
        ":1",
        "host:0",
        "host:65536",
        "a b:1",
        "a\nb:1",
        "http://host:1",
        "::1:50051",
        "\x1b:1",
    ],
)
def test_addresses_that_are_none(run: Run, address: str) -> None:
    for arguments in (
        (*JOB, "--gpus", "4", "--max-model-len", "1", "--server", address),
        ("healthcheck", address),
    ):
        result = run(*arguments)
        assert (result.code, result.stdout) == (2, "")
        assert "is not HOST:PORT" in result.stderr


@pytest.mark.parametrize("address", ["localhost:50051", "10.0.0.1:1", "[::1]:65535", "planner.ml.svc:443"])
def test_addresses_that_can_be_one(address: str) -> None:
    assert checked_address("--server", address) == address


def test_an_unforeseen_error_shows_nothing_of_the_inside(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise LookupError("a secret of the inside")

    monkeypatch.setattr("rungwise.cli.local.plan", fail)
    result = run(*JOB, "--gpus", "4", "--max-model-len", "20480")
    assert (result.code, result.stdout) == (5, "")
    assert "internal error" in result.stderr
    assert "secret" not in result.stderr


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rungwise.cli.local.plan", interrupt)
    assert run(*JOB, "--gpus", "4", "--max-model-len", "20480").code == 130
