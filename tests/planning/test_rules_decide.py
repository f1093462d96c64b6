"""The rules decide: change a row, an operand or the matcher, and the answer changes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from asking import ask
from rungwise.domain.plan import Basis, Outcome
from rungwise.engine.documents import Documents
from rungwise.engine.facts import Fact
from rungwise.planning.knowledge import Knowledge, build_knowledge, load_knowledge, rulebook_directory
from rungwise.planning.plan import plan

TABLE = "evidence/trinity-guide.csv"


def changed(documents: Documents, path: str, old: str, new: str) -> Knowledge:
    """Load the rulebook with one piece of text replaced in a table."""
    text = documents.files[path]
    assert old in text
    return build_knowledge(
        replace(documents, files={**documents.files, path: text.replace(old, new)}), "auto"
    )


def overlay(folder: Path, path: str, text: str) -> Knowledge:
    """Load the rulebook with a file of the base replaced."""
    file = folder / path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return load_knowledge([folder])


def label(knowledge: Knowledge, **case: object) -> str:
    configuration = plan(knowledge, ask(**case)).configuration  # type: ignore[arg-type]
    return configuration.label if configuration else "-"


def test_a_deleted_measurement_changes_the_basis(knowledge: Knowledge, documents: Documents) -> None:
    without = changed(documents, TABLE, "a100-80gb,4,vanilla,2,Qwen/Qwen3-8B,20480\n", "")
    assert plan(knowledge, ask()).basis is Basis.PUBLISHED
    assert plan(without, ask()).basis is Basis.CALIBRATED


def test_a_changed_measurement_changes_the_rung(documents: Documents) -> None:
    shorter = changed(documents, TABLE, "4,vanilla,2,Qwen/Qwen3-8B,20480", "4,vanilla,2,Qwen/Qwen3-8B,16384")
    assert label(shorter) == "Env + SP=2"


def test_a_changed_operand_changes_the_rung(knowledge: Knowledge, tmp_path: Path) -> None:
    rule = (rulebook_directory() / "limits" / "sp-divides-heads.yaml").read_text(encoding="utf-8")
    text = (
        rule.replace("heads_mod_sp != 0", "heads_mod_sp == 0")
        + "replaces: sp-divides-heads\nreason: a test\n"
    )
    assert "heads_mod_sp == 0" in text
    assert label(knowledge) == "SP=2"
    assert label(overlay(tmp_path, "limits/sp-divides-heads.yaml", text)) == "-"


def test_a_changed_order_changes_the_rung(knowledge: Knowledge, tmp_path: Path) -> None:
    ladder = (rulebook_directory() / "ladders" / "trinity-rft.yaml").read_text(encoding="utf-8")
    head, first, second = ladder.partition("  - name: on the GPU")
    steps, source = second.split("source:")
    gpu_step, offload_step = steps.split("  - name: offload")
    steps = f"  - name: offload{offload_step}{first}{gpu_step}"
    text = f"{head}{steps}source:{source}replaces: trinity-rft\nreason: a test\n"
    assert label(overlay(tmp_path, "ladders/trinity-rft.yaml", text)) == "Env + Offload"


def test_an_overlay_changes_revision_and_decision_id(knowledge: Knowledge, tmp_path: Path) -> None:
    rule = (rulebook_directory() / "advice" / "oom-order.yaml").read_text(encoding="utf-8")
    other = overlay(tmp_path, "advice/oom-order.yaml", rule + "replaces: oom-order\nreason: a test\n")
    assert plan(knowledge, ask()).rulebook_revision != plan(other, ask()).rulebook_revision
    assert plan(knowledge, ask()).decision_id != plan(other, ask()).decision_id


class NothingMatches:
    """A matcher that finds no rule."""

    def match(self, stage: str, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        return [() for _ in facts]


@pytest.mark.parametrize("length", [1, 4_096, 65_536, 1_000_000])
@pytest.mark.parametrize("gpu", ["a100-80gb", "v100-32gb", "rtx4090-24gb"])
def test_without_rules_every_plan_is_the_first_rung(knowledge: Knowledge, gpu: str, length: int) -> None:
    lawless = replace(knowledge, matcher=NothingMatches())
    answer = plan(lawless, ask(gpu=gpu, max_model_len=length, preferences={"forbid": ["Env"]}))
    assert answer.outcome is Outcome.FEASIBLE
    assert answer.configuration is not None
    assert answer.configuration.label == "vanilla"
    assert answer.advice == ()
