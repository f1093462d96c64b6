"""An edit of any part of the rulebook changes the answer, by a file of the base or by an operator's overlay."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from asking import ask
from rungwise.domain.errors import InvalidRulebook
from rungwise.domain.plan import Outcome, PlanResponse, Verdict
from rungwise.engine.documents import Documents
from rungwise.engine.facts import Fact
from rungwise.engine.ruleset import RuleSet
from rungwise.planning.knowledge import Knowledge, build_knowledge, load_knowledge
from rungwise.planning.plan import plan

Edit = Callable[[Any], Any]


def edited(documents: Documents, path: str, edit: Edit) -> Knowledge:
    """Build the knowledge of a rulebook in which one file reads otherwise."""
    file = edit(documents.files[path])
    assert file != documents.files[path]
    return build_knowledge(replace(documents, files={**documents.files, path: file}), "auto")


def label(answer: PlanResponse) -> str:
    return answer.configuration.label if answer.configuration else "-"


def condition(old: str, new: str) -> Edit:
    """Replace one condition of a rule."""

    def edit(rule: Any) -> Any:
        assert old in rule["when"]
        return {**rule, "when": [new if text == old else text for text in rule["when"]]}

    return edit


def constant(name: str, value: float) -> Edit:
    """Replace one constant of a framework's estimator."""

    def edit(framework: Any) -> Any:
        estimator = framework["estimator"]
        return {
            **framework,
            "estimator": {**estimator, "constants": {**estimator["constants"], name: value}},
        }

    return edit


def row(table: str, key: str, **change: Any) -> Edit:
    """Change one row of a catalog table."""

    def edit(file: Any) -> Any:
        return {**file, table: [{**r, **change} if key in r.values() else r for r in file[table]]}

    return edit


def reversed_steps(ladder: Any) -> Any:
    return {**ladder, "steps": ladder["steps"][::-1]}


def env_first(ladder: Any) -> Any:
    first, *others = ladder["steps"]
    return {**ladder, "steps": [{**first, "rungs": first["rungs"][::-1]}, *others]}


def without_expanding(ladder: Any) -> Any:
    first, *others = ladder["steps"]
    return {**ladder, "steps": [{**first, "for_each_sequence_parallel_size": False}, *others]}


UNMEASURED = {"gpus": 8, "max_model_len": 22_000}
LADDER = "ladders/trinity-rft.yaml"
EDITS: list[tuple[str, Edit, dict[str, Any], str, str]] = [
    # file, edit, job, label before, label after
    (
        "limits/gpu-memory.yaml",
        condition("fit_probability_ppm < required_probability_ppm", "fit_probability_ppm < 1"),
        UNMEASURED,
        "SP=2",
        "vanilla",
    ),
    (
        "limits/gpu-memory.yaml",
        condition("fit_probability_ppm < required_probability_ppm", "fit_probability_ppm < 1000000"),
        UNMEASURED,
        "SP=2",
        "Env + SP=2",
    ),
    (
        "limits/sp-divides-heads.yaml",
        condition("heads_mod_sp != 0", "sequence_parallel_size > 1"),
        {},
        "SP=2",
        "Env + Offload",
    ),
    (
        "limits/published-maximum.yaml",
        condition("max_model_len > published_max_len", "max_model_len > 30000"),
        {},
        "SP=2",
        "vanilla",
    ),
    (
        "catalog/frameworks/trinity-rft.yaml",
        constant("context_gib", 30.0),
        UNMEASURED,
        "SP=2",
        "SP=4",
    ),
    (
        "catalog/gpus.yaml",
        row("gpus", "h100-80gb", usable_gib=60.0),
        {"gpu": "h100-80gb", "max_model_len": 22_000},
        "SP=2",
        "Env + SP=4",
    ),
    (
        "catalog/architectures.yaml",
        row("architectures", "qwen3", sequence_parallel="unknown"),
        {},
        "SP=2",
        "Env + Offload",
    ),
    (LADDER, reversed_steps, {}, "SP=2", "Env + Offload"),
    (LADDER, reversed_steps, {"max_model_len": 4_096}, "vanilla", "Env + Offload"),
    (LADDER, env_first, {"max_model_len": 4_096}, "vanilla", "Env"),
    (LADDER, env_first, {}, "SP=2", "Env + SP=2"),
    (LADDER, without_expanding, {}, "SP=2", "Env + Offload"),
]


@pytest.mark.parametrize(
    ("path", "edit", "job", "before", "after"), EDITS, ids=[f"{row[0]}, {row[-1]}" for row in EDITS]
)
def test_an_edit_changes_the_answer(
    documents: Documents,
    knowledge: Knowledge,
    path: str,
    edit: Edit,
    job: dict[str, Any],
    before: str,
    after: str,
) -> None:
    assert label(plan(knowledge, ask(**job))) == before
    assert label(plan(edited(documents, path, edit), ask(**job))) == after


MEASURED = [
    # GPU, GPUs, rung, SP, model, the longest length that fits
    ("a100-80gb", 4, "vanilla", 2, "Qwen/Qwen3-8B", 20_480),
    ("a100-80gb", 4, "Env", 2, "Qwen/Qwen3-8B", 28_672),
    ("a100-80gb", 1, "Env + Offload", 1, "Qwen/Qwen3-14B", 24_576),
]


@pytest.mark.parametrize(("gpu", "gpus", "rung", "size", "model", "longest"), MEASURED)
def test_without_its_row_a_rung_is_estimated(
    documents: Documents,
    knowledge: Knowledge,
    gpu: str,
    gpus: int,
    rung: str,
    size: int,
    model: str,
    longest: int,
) -> None:
    line = f"{gpu},{gpus},{rung},{size},{model},{longest}\n"
    asked = ask(model, gpu, gpus, longest)
    less = edited(documents, "evidence/trinity-guide.csv", lambda text: text.replace(line, ""))
    chosen = label(plan(knowledge, asked))
    for rulebook, said in ((knowledge, ("fits", False)), (less, ("none", True))):
        entries = [e for e in plan(rulebook, asked).trace if e.rule == "gpu-memory" and e.candidate == chosen]
        assert [(e.operands["published_verdict"], e.operands["estimated"]) for e in entries] == [said]


class RefusesAllMemory:
    """Every memory limit matches every candidate."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ids = tuple(rule.id for rule in ruleset.stage("memory"))

    def match(self, stage: str, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        return [self.ids if stage == "memory" else () for _ in facts]


def test_where_everything_matches_nothing_fits(knowledge: Knowledge) -> None:
    refusing = replace(knowledge, matcher=RefusesAllMemory(knowledge.ruleset))
    answer = plan(refusing, ask(max_model_len=4_096))
    assert answer.outcome is Outcome.INFEASIBLE
    assert answer.would_fit_if == ()
    assert len({e.candidate for e in answer.trace if e.verdict is Verdict.REJECT}) == 9


# The same through overlay files, as an operator writes them.


def write(directory: Path, path: str, data: dict[str, Any]) -> Path:
    file = directory / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return directory


def test_an_overlay_replaces_a_limit(documents: Documents, tmp_path: Path) -> None:
    path = "limits/sp-divides-heads.yaml"
    rule = condition("heads_mod_sp != 0", "sequence_parallel_size > 1")(documents.files[path])
    reasoned = {**rule, "replaces": "sp-divides-heads", "reason": "no SP on this network"}
    assert label(plan(load_knowledge([write(tmp_path, path, reasoned)]), ask())) == "Env + Offload"


def test_an_overlay_adds_a_limit(documents: Documents, knowledge: Knowledge, tmp_path: Path) -> None:
    rule = {
        **documents.files["limits/offload-needs-fsdp2.yaml"],
        "id": "acme.no-offload",
        "when": ["cpu_offload == true"],
        "because": {"en": "{label} needs the host.", "zh": "{label} 需要主机内存。"},
        "then": {"verdict": "reject", "summary": {"en": "no offload here", "zh": "因本站不用 Offload"}},
    }
    asked = ask("Qwen/Qwen3-14B", gpus=1, max_model_len=4_096)
    assert label(plan(knowledge, asked)) == "Env + Offload"
    answer = plan(load_knowledge([write(tmp_path, "limits/acme.no-offload.yaml", rule)]), asked)
    assert answer.outcome is Outcome.INFEASIBLE
    (entry,) = [e for e in answer.trace if e.rule == "acme.no-offload"]
    assert (entry.candidate, entry.verdict, entry.message) == (
        "Env + Offload",
        Verdict.REJECT,
        "Env + Offload needs the host.",
    )
    assert "1 no offload here" in answer.summary


@pytest.mark.parametrize("missing", ["replaces", "reason"])
def test_an_overlay_says_what_it_replaces_and_why(documents: Documents, tmp_path: Path, missing: str) -> None:
    path = "limits/gpu-memory.yaml"
    rule = {**documents.files[path], "replaces": "gpu-memory", "reason": "a reason"}
    del rule[missing]
    with pytest.raises(InvalidRulebook) as refused:
        load_knowledge([write(tmp_path, path, rule)])
    (problem,) = refused.value.problems
    assert missing in problem.message
    assert problem.file == f"{tmp_path}/{path}"
