"""The commands about rules and the catalog."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from command_line import Run

RULE = """\
schema_version: 1
id: acme.short-context
title: {en: Contexts are short here, zh: 本站只跑短上下文}
kind: limit
since: 0.1.0
status: stable
stage: legality
when: [max_model_len > 16384]
then: {verdict: reject, summary: {en: longer than the site allows, zh: 超出本站上限}}
because: {en: "{max_model_len} tokens are more than this site runs.", zh: "本站不运行 {max_model_len} tokens。"}
rationale: A site's own limit.
source: the site's handbook
confidence: high
"""
CASES = """\
schema_version: 1
rule: acme.short-context
cases:
  - {name: too long, fires: true, fact: {max_model_len: 16385}}
  - {name: just short enough, fires: false, fact: {max_model_len: 16384}}
"""


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    limits = tmp_path / "acme" / "limits"
    limits.mkdir(parents=True)
    (limits / "acme.short-context.yaml").write_text(RULE)
    (limits / "acme.short-context.cases.yaml").write_text(CASES)
    return tmp_path / "acme"


def test_list(run: Run, overlay: Path) -> None:
    built_in = run("rules", "list", "--output", "json").json
    ids = [rule["id"] for rule in built_in["rules"]]
    assert "gpu-memory" in ids
    assert ids == sorted(ids)
    with_overlay = run("rules", "list", "--output", "json", "--rulebook", str(overlay), "--lang", "zh").json
    assert {rule["id"] for rule in with_overlay["rules"]} - set(ids) == {"acme.short-context"}
    assert "本站只跑短上下文" in [rule["title"] for rule in with_overlay["rules"]]
    assert with_overlay["rulebook_revision"] != built_in["rulebook_revision"]
    table = run("rules", "list").stdout
    assert all(rule_id in table for rule_id in ids)


def test_show(run: Run, overlay: Path) -> None:
    arguments = ("rules", "show", "acme.short-context", "--rulebook", str(overlay))
    assert run(*arguments, "--output", "json").json == {
        "id": "acme.short-context",
        "title": {"en": "Contexts are short here", "zh": "本站只跑短上下文"},
        "kind": "limit",
        "since": "0.1.0",
        "status": "stable",
        "stage": "legality",
        "when": ["max_model_len > 16384"],
        "then": {"verdict": "reject", "summary": {"en": "longer than the site allows", "zh": "超出本站上限"}},
        "because": {
            "en": "{max_model_len} tokens are more than this site runs.",
            "zh": "本站不运行 {max_model_len} tokens。",
        },
        "rationale": "A site's own limit.",
        "source": "the site's handbook",
        "confidence": "high",
        "file": "limits/acme.short-context.yaml",
        "cases": [
            {"name": "too long", "fires": True, "fact": {"max_model_len": 16385}},
            {"name": "just short enough", "fires": False, "fact": {"max_model_len": 16384}},
        ],
    }
    shown = run(*arguments).stdout
    for part in ("max_model_len > 16384", "本站只跑短上下文", "the site's handbook", "too long"):
        assert part in shown


def test_show_an_unknown_rule(run: Run) -> None:
    result = run("rules", "show", "gpu-memry", "--output", "json")
    assert (result.code, result.json["error"]["code"]) == (2, "NOT_FOUND")
    assert "gpu-memory" in result.json["error"]["message"]


def test_check_and_test_of_sound_rules(run: Run, overlay: Path) -> None:
    for directories, rules in (((), 0), ((str(overlay),), 1)):
        checked = run("rules", "check", *directories, "--output", "json")
        assert (checked.code, checked.json["problems"]) == (0, [])
        tested = run("rules", "test", *directories, "--output", "json")
        assert (tested.code, tested.json["failures"]) == (0, [])
        coverage = {rule["rule"]: rule for rule in tested.json["coverage"]}
        assert len(coverage) == checked.json["rules"]
        assert all(rule["fired"] and rule["not_fired"] for rule in coverage.values())
        assert sum("acme" in rule for rule in coverage) == rules
    assert "rules checked, no problems" in run("rules", "check").stdout
    assert "ran, no failures" in run("rules", "test").stdout


@pytest.mark.parametrize("matcher", ["durable", "portable"])
def test_test_with_either_matcher(run: Run, overlay: Path, matcher: str) -> None:
    pytest.importorskip("durable", reason="durable-rules does not import on Python 3.13 and later")
    assert run("rules", "test", str(overlay), "--matcher", matcher).code == 0


def test_check_names_file_line_and_column(run: Run, broken_overlay: Path) -> None:
    result = run("rules", "check", str(broken_overlay))
    assert (result.code, result.stderr) == (2, "")
    assert f"{broken_overlay}/limits/acme.cap.yaml:3:" in result.stdout
    problem = run("rules", "check", str(broken_overlay), "--output", "json").json["problems"][0]
    assert (problem["file"], problem["line"]) == (f"{broken_overlay}/limits/acme.cap.yaml", 3)
    assert run("rules", "test", str(broken_overlay)).code == 2


def test_check_finds_what_loading_forgives(run: Run, overlay: Path) -> None:
    (overlay / "limits" / "acme.short-context.cases.yaml").unlink()
    result = run("rules", "check", str(overlay))
    assert result.code == 2
    assert "acme.short-context.cases.yaml is missing" in result.stdout


def test_check_reads_the_other_parts_too(run: Run, overlay: Path) -> None:
    (overlay / "catalog").mkdir()
    (overlay / "catalog" / "gpus.yaml").write_text("schema_version: 1\ngpus:\n  - {id: acme-gpu, watts: 3}\n")
    result = run("rules", "check", str(overlay))
    assert result.code == 2
    assert "watts" in result.stdout


def test_test_fails_on_a_wrong_case(run: Run, overlay: Path) -> None:
    cases = overlay / "limits" / "acme.short-context.cases.yaml"
    cases.write_text(CASES.replace("16385", "16383"))
    result = run("rules", "test", str(overlay))
    assert result.code == 1
    assert f"{cases}:4:" in result.stdout


def test_test_fails_when_nothing_ran(run: Run, tmp_path: Path) -> None:
    """A rulebook of its own, with facts.yaml, is taken instead of the built-in one."""
    (tmp_path / "whole").mkdir()
    with as_file(files("rungwise.rulebook") / "facts.yaml") as facts:
        shutil.copy(facts, tmp_path / "whole")
    result = run("rules", "test", str(tmp_path / "whole"))
    assert result.code == 1
    assert "no case ran" in result.stdout


def test_an_overlay_decides(run: Run, overlay: Path) -> None:
    job = (
        "Qwen/Qwen3-8B",
        "--gpu",
        "a100-80gb",
        "--gpus",
        "4",
        "--max-model-len",
        "20480",
        "--output",
        "json",
    )
    assert run("plan", *job).code == 0
    result = run("plan", *job, "--rulebook", str(overlay), "--lang", "zh")
    assert result.code == 1
    assert {entry["rule"] for entry in result.json["trace"] if entry["verdict"] == "VERDICT_REJECT"} == {
        "acme.short-context"
    }
    assert "本站不运行 20,480 tokens。" in [entry["message"] for entry in result.json["trace"]]


def test_models_and_gpus(run: Run) -> None:
    models = {model["id"]: model for model in run("models", "--output", "json").json["models"]}
    assert models["Qwen/Qwen3-8B"]["dimensions"]["num_hidden_layers"] == 36
    assert models["Qwen/Qwen3-8B"]["parameters"] == "8190735360"
    gpus = {gpu["id"]: gpu for gpu in run("gpus", "--output", "json").json["gpus"]}
    assert gpus["a100-80gb"]["usable_gib"] == 79.15
    assert "Qwen/Qwen3-8B" in run("models").stdout
    assert "a100-80gb" in run("gpus").stdout
