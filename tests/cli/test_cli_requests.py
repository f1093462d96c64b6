"""Many requests, one a line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SECONDS, Run

FITS = {
    "model": {"name": "Qwen/Qwen3-8B"},
    "hardware": {"gpu": "a100-80gb", "gpus": 4},
    "workload": {"max_model_len": 20480},
}
TOO_LONG = {**FITS, "workload": {"max_model_len": 900000}}
CHINESE = {**FITS, "preferences": {"locale": "zh"}}


def lines(*requests: object) -> bytes:
    return b"".join(json.dumps(request).encode() + b"\n" for request in requests)


def test_answers_come_in_order(run: Run) -> None:
    result = run("plan", "--requests", "-", stdin=lines(FITS, TOO_LONG, FITS))
    assert (result.code, result.stderr) == (0, "")
    outcomes = [answer["outcome"] for answer in result.lines]
    assert outcomes == ["OUTCOME_FEASIBLE", "OUTCOME_INFEASIBLE", "OUTCOME_FEASIBLE"]
    assert result.lines[0] == result.lines[2]


def test_a_batch_answers_as_a_single_plan_does(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "jobs.jsonl"
    file.write_bytes(lines(FITS).rstrip(b"\n"))
    single = run(
        *("plan", "Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "4", "--max-model-len", "20480"),
        *("--output", "json"),
    )
    assert run("plan", "--requests", str(file)).lines == [single.json]


def test_faulty_lines_stand_in_their_place(run: Run) -> None:
    stdin = b"".join(
        (
            lines(FITS),
            b"\n   \n",
            b"{\n",
            b'{"model": {"name": "x"}, "model": {}}\n',
            lines({**FITS, "hardware": {"gpu": "a100-80gb", "gpus": 0}}),
            lines([]),
            b"\xff\xfe\n",
            lines({**FITS, "preferences": 3}),
            lines(FITS),
        )
    )
    result = run("plan", "--requests", "-", stdin=stdin)
    assert result.code == 2
    assert [answer.get("line") for answer in result.lines] == [None, 4, 5, 6, 7, 8, 9, None]
    for answer in result.lines:
        assert ("error" in answer) == ("line" in answer)
    assert result.lines[3]["error"]["field_violations"][0]["field"] == "hardware.gpus"


def test_a_line_may_have_2_mib_and_no_more(run: Run) -> None:
    def padded(size: int) -> bytes:
        line = json.dumps({**FITS, "request_id": ""}).encode()
        return line + b" " * (size - len(line)) + b"\n"

    limit = 2 * 2**20
    result = run(
        "plan", "--requests", "-", stdin=padded(limit) + padded(limit + 1) + padded(10 * limit) + lines(FITS)
    )
    assert result.code == 2
    assert ["error" in answer for answer in result.lines] == [False, True, True, False]
    assert [answer.get("line") for answer in result.lines] == [None, 2, 3, None]


def test_preferences_of_the_command_line_hold_for_lines_without_their_own(run: Run) -> None:
    stdin = lines(FITS, {**FITS, "preferences": {"locale": "en"}})
    result = run(
        "plan", "--requests", "-", "--lang", "zh", "--trace", "summary", "--forbid", "SP", stdin=stdin
    )
    chinese, english = result.lines
    assert "配置" in chinese["summary"]
    assert "rung" in english["summary"]
    assert chinese["trace"] == english["trace"] == []
    assert chinese["decision_id"] == english["decision_id"]
    assert chinese["decision_id"] != run("plan", "--requests", "-", stdin=stdin).lines[0]["decision_id"]


def test_explain(run: Run) -> None:
    result = run("explain", "--requests", "-", "--why-not", "vanilla", stdin=lines(FITS, CHINESE))
    assert result.code == 0
    for answer in result.lines:
        assert answer["plan"]["outcome"] == "OUTCOME_FEASIBLE"
        assert [reason["label"] for reason in answer["why_not"]] == ["vanilla"]
        assert answer["turning_points"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Qwen/Qwen3-8B",), "MODEL"),
        (("--gpus", "4", "--no-packing"), "--gpus, --packing"),
        (("--output", "table"), "--output"),
        (("--output", "env"), "--output"),
    ],
)
def test_what_does_not_go_with_requests(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("plan", "--requests", "-", *arguments, stdin=lines(FITS))
    assert (result.code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "nul\0l"])
def test_a_file_that_cannot_be_read(run: Run, tmp_path: Path, name: str) -> None:
    result = run("plan", "--requests", f"{tmp_path}/{name}", "--output", "json")
    assert (result.code, result.json["error"]["reason"]) == (2, "USAGE")


def test_each_answer_is_out_before_the_next_line_is_in() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "rungwise.cli", "plan", "--requests", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        for request in (FITS, TOO_LONG):
            process.stdin.write(lines(request))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["outcome"].startswith("OUTCOME_")
        process.stdin.close()
        assert process.wait(SECONDS) == 0


def test_a_reader_that_leaves_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "rungwise.cli", "plan", "--requests", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdin.write(lines(FITS))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(lines(*[FITS] * 20))
        process.stdin.close()
        assert process.wait(SECONDS) == 141
        assert process.stderr.read() == b""
