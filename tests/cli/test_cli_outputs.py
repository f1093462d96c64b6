"""The forms of an answer: table, JSON, YAML and shell lines."""

import json
import os
import subprocess
import sys
import unicodedata
from typing import Any

import pytest
import yaml
from command_line import SECONDS, Run
from google.protobuf.json_format import Parse, ParseDict
from rungwise.cli.layout import Block, show, words
from rungwise.cli.shell import shell_lines
from rungwise.cli.table import plan_table
from rungwise.cli.texts import text
from rungwise.cli.yaml_text import yaml_text
from rungwise.v1 import plan_pb2
from rungwise.v1.planner_service_pb2 import ExplainResponse, PlanResponse

FITS = ("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "2", "--max-model-len", "50000")
TOO_LONG = ("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "2", "--max-model-len", "900000")

PLAN: dict[str, Any] = {
    "outcome": "OUTCOME_FEASIBLE",
    "configuration": {
        "label": "Env + SP=2",
        "measures": ["expandable_segments", "sequence_parallel"],
        "env": {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"},
        "sequence_parallel_size": 2,
        "max_token_len_per_gpu": "40960",
        "strategy": "fsdp",
    },
    "memory": {"usable_gib": 79.15, "peak_gib": 71.234, "components": [{"name": "logits", "gib": 20.5}]},
    "basis": "BASIS_CALIBRATED",
    "fit_probability": 0.8999,
    "trace": [
        {
            "candidate": "vanilla",
            "rule": "gpu-memory",
            "verdict": "VERDICT_REJECT",
            "message": "Needs 90.12 GiB of 79.15 GiB \x1b[31m\x07[red]not red[/red] " + "word " * 60 + "END",
            "source": "where it was measured",
        },
        {"candidate": "Env + SP=2", "rule": "gpu-memory", "verdict": "VERDICT_PASS", "message": "Fits."},
    ],
    "advice": [{"rule": "a", "severity": "SEVERITY_CRITICAL", "message": "Do it.", "source": "a manual"}],
    "assumptions": ["显存" * 100],
    "summary": "First line\nsecond line $(touch x) `touch y`",
}


def message(**changes: Any) -> PlanResponse:
    return ParseDict({**PLAN, **changes}, PlanResponse())


def printed(capsys: pytest.CaptureFixture[str], plan: PlanResponse, language: Any = "en") -> str:
    show(plan_table(plan, language))
    return capsys.readouterr().out


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


@pytest.mark.parametrize("command", ["plan", "explain"])
def test_json_is_protobufs_form(run: Run, command: str) -> None:
    result = run(command, *FITS, "--output", "json")
    plan = result.json if command == "plan" else result.json["plan"]
    Parse(result.stdout, PlanResponse() if command == "plan" else ExplainResponse())
    assert plan["configuration"]["max_token_len_per_gpu"] == "50000"  # int64 is a string
    assert plan["configuration"]["rope_scaling"]["original_max_position_embeddings"] == "32768"
    assert plan["would_fit_if"] == []  # empty, and present
    assert plan["memory"]["peak_gib"] != round(plan["memory"]["peak_gib"], 3)


@pytest.mark.parametrize("command", ["plan", "explain"])
def test_yaml_is_the_json_with_numbers(run: Run, command: str) -> None:
    expected = run(command, *FITS, "--output", "json").json
    got = yaml.safe_load(run(command, *FITS, "--output", "yaml").stdout)
    for answer in (expected, got):
        plan = answer if command == "plan" else answer["plan"]
        configuration = plan["configuration"]
        numbers = (
            (configuration, "max_token_len_per_gpu"),
            (configuration["rope_scaling"], "max_position_embeddings"),
        )
        for part, name in (*numbers, (configuration["rope_scaling"], "original_max_position_embeddings")):
            assert isinstance(part[name], int if answer is got else str)
            part[name] = int(part[name])
    assert got == expected


def test_yaml_keeps_strings_strings() -> None:
    plan = message(summary="no", decision_id="1e3", assumptions=["null", "2024-01-01", "- x: {y}"])
    assert yaml.safe_load(yaml_text(plan))["assumptions"] == list(plan.assumptions)
    assert yaml.safe_load(yaml_text(plan))["summary"] == "no"
    assert yaml.safe_load(yaml_text(plan))["decision_id"] == "1e3"


def test_shell_lines_can_be_evaluated(run: Run) -> None:
    script = run("plan", *FITS, "--output", "env").stdout
    answer = run("plan", *FITS, "--output", "json").json["configuration"]
    shown = 'printf "%s\\n" "$RUNGWISE_OUTCOME" "$RUNGWISE_LABEL" "$RUNGWISE_SEQUENCE_PARALLEL_SIZE" '
    shown += '"$RUNGWISE_CPU_OFFLOAD" "$RUNGWISE_MAX_TOKEN_LEN_PER_GPU" "$RUNGWISE_STRATEGY" '
    shown += '"$RUNGWISE_ROPE_SCALING_FACTOR" "$PYTORCH_CUDA_ALLOC_CONF"'
    done = subprocess.run(["sh", "-euc", script + shown], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "OUTCOME_FEASIBLE",
        answer["label"],
        str(answer["sequence_parallel_size"]),
        "true",
        answer["max_token_len_per_gpu"],
        answer["strategy"],
        str(answer["rope_scaling"]["factor"]),
        "expandable_segments:True",
    ]


def test_shell_lines_without_a_plan(run: Run) -> None:
    result = run("plan", *TOO_LONG, "--output", "env")
    assert result.code == 1
    comment, *exports = result.stdout.splitlines()
    assert comment.startswith("# No rung fits")
    assert exports == ["export RUNGWISE_OUTCOME=OUTCOME_INFEASIBLE"]


def test_shell_lines_run_nothing(tmp_path: Any) -> None:
    """A plan may come from another machine."""
    evil = "$(touch a) `touch b`; touch c\ntouch d '\" \\"
    plan = message(
        summary=evil + "\r\x85\u2028touch e", configuration={**PLAN["configuration"], "label": evil}
    )
    plan.configuration.env["SAFE"] = evil
    script = shell_lines(plan) + 'printf %s "$SAFE"'
    done = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == evil
    assert list(tmp_path.iterdir()) == []
    for name in ("A B", "A=1;touch x;B", "", "1A", "A\nB"):
        plan = message()
        plan.configuration.env[name] = "x"
        with pytest.raises(ValueError, match="no shell"):
            shell_lines(plan)


@pytest.mark.parametrize("width", [20, 40, 100, 300])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_wrap_and_lose_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, language: Any
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    table = printed(capsys, message(), language)
    assert max(map(columns, table.splitlines())) <= width
    assert "…" not in table
    without_breaks = "".join(table.split())
    assert without_breaks.count("word") == 60
    assert table.count("存") >= 100
    assert "END" in table


def test_a_table_says_what_the_plan_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    table = printed(capsys, message())
    rows = [" ".join(line.split()) for line in table.splitlines()]
    assert rows[0] == "Env + SP=2 fits, fit probability 0.899, basis: estimate, calibrated domain"
    for expected in (
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        "max_token_len_per_gpu 40,960",
        "usable 79.15 GiB",
        "peak 71.23 GiB",
        "logits 20.50",
        "Env + SP=2 pass Fits. [gpu-memory]",
        "critical Do it. [a]",
        "gpu-memory where it was measured",
        "a a manual",
    ):
        assert expected in rows
    assert "\\x1b[31m\\x07[red]not red[/red]" in table
    assert "\x1b" not in table


def test_values_that_a_newer_server_sends(capsys: pytest.CaptureFixture[str]) -> None:
    plan = message()
    plan.outcome = plan.basis = 99  # type: ignore[assignment]
    plan.trace[0].verdict = plan.advice[0].severity = 99  # type: ignore[assignment]
    assert "?" in printed(capsys, plan)
    assert "RUNGWISE_OUTCOME=''" in shell_lines(plan)


@pytest.mark.parametrize("enum", [plan_pb2.Outcome, plan_pb2.Basis, plan_pb2.Verdict, plan_pb2.Severity])
def test_every_enum_value_has_a_text(enum: Any) -> None:
    for name in enum.DESCRIPTOR.values_by_name:
        if not name.endswith("_UNSPECIFIED"):
            assert text(name, "en") not in (name, text(name, "zh"))


def test_colours_are_for_terminals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in printed(capsys, message())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in printed(capsys, message())


BLOCKS = (
    # cells, options, width, lines
    ([["a"]], {}, 10, ["a"]),
    ([["a", "b"], ["long", "c"]], {}, 20, ["a     b", "long  c"]),
    ([["a", "b"]], {"indent": 2, "gap": 1}, 20, ["  a b"]),
    ([["a", "1"], ["b", "100"]], {"numbers": (1,)}, 20, ["a    1", "b  100"]),
    ([["a", "x\ny"]], {}, 20, ["a  x", "   y"]),
    ([["key", "one two three"]], {}, 12, ["key  one two", "     three"]),
    ([["k", "abcdefghij"]], {}, 8, ["k  abcde", "   fghij"]),
    ([["显存", "b"], ["c", "d"]], {}, 20, ["显存  b", "c     d"]),
    ([["a", "显存显存"]], {}, 7, ["a  显存", "   显存"]),
    ([["k", "显存不足，好"]], {}, 11, ["k  显存不", "   足，好"]),
    ([["k", "ab显存cd ef"]], {}, 9, ["k  ab显存", "   cd ef"]),
    ([["a", "b", "c"]], {}, 1, ["a  b  c"]),
    ([["abcd", "显存", "c"]], {}, 1, ["ab  显  c", "cd  存"]),
)


@pytest.mark.parametrize(("cells", "options", "width", "expected"), BLOCKS)
def test_layout(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    cells: list[list[str]],
    options: dict[str, Any],
    width: int,
    expected: list[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show([Block([[words(cell) for cell in row] for row in cells], **options)])
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("output", ["table", "json", "yaml", "env"])
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_encodings_that_cannot_say_everything(output: str, encoding: str) -> None:
    arguments = [sys.executable, "-m", "rungwise.cli", "plan", *FITS, "--lang", "zh", "--output", output]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LANG": "C"}
    done = subprocess.run(arguments, capture_output=True, timeout=SECONDS, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode(encoding)
    if output == "json":
        assert "配置" in json.loads(shown)["summary"]
