"""The planner and its data agree: sentences, facts, and faults with their place."""

import re
from pathlib import Path

import pytest
from asking import ask
from rungwise.domain.errors import InvalidRulebook
from rungwise.planning.advise import advice_fact
from rungwise.planning.candidate import candidates, legality_facts
from rungwise.planning.decision import decide
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import Knowledge, load_knowledge

PLANNING = Path(__file__).parents[2] / "service" / "rungwise" / "planning"
FAMILIES = {  # sentences whose id is put together in the code
    "condition": {
        "framework",
        "version",
        "task",
        "method",
        "precision",
        "optimizer",
        "strategy",
        "free_memory",
        "gpu",
        "token_budget",
    },
    "outside": {"version", "model_size", "vocabulary", "experts", "attention", "gpus", "sequence_parallel"}
    | {"usable", "length", "strategy"},
    "basis": {
        "BASIS_PUBLISHED",
        "BASIS_BRACKETED",
        "BASIS_CALIBRATED",
        "BASIS_EXTRAPOLATED",
        "BASIS_UNKNOWN",
    },
}


def test_every_sentence_is_said_somewhere(knowledge: Knowledge) -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in PLANNING.glob("*.py"))
    words = set(re.findall(r'"([a-z_]+(?:\.[a-z_]+)?)"', code))
    unsaid = {
        key
        for key in sorted(knowledge.messages.ids)
        if key not in words
        and key.partition(".")[2] not in words | FAMILIES.get(key.partition(".")[0], set())
    }
    assert unsaid == set()


def test_facts_have_the_fields_and_types_of_their_stage(knowledge: Knowledge) -> None:
    job = resolve(knowledge, ask(max_model_len=65_536))
    decision = decide(knowledge, job)
    facts = {
        "legality": legality_facts(job, candidates(knowledge, job))[0],
        "memory": next(a.stage.fact for a in decision.assessments if a.stage),
        "advice": advice_fact(decision),
    }
    assert facts.keys() == knowledge.ruleset.schema.stages.keys()
    for stage, fields in knowledge.ruleset.schema.stages.items():
        assert facts[stage].keys() == fields.keys()
        assert [
            f.fault(facts[stage][name]) for name, f in fields.items() if f.fault(facts[stage][name])
        ] == []


FAULTS = [
    # file, text, where, a part of the message
    (
        "messages.yaml",
        "schema_version: 1\nreplaces: messages\nreason: r\nmessages:\n  summary.first: {en: '{x}', zh: '{x}'}\n",
        "messages.yaml",
        "the planner gives this sentence the fields none",
    ),
    (
        "ladders/acme.fast.yaml",
        "schema_version: 1\nid: acme.fast\n",
        "ladders/acme.fast.yaml",
        "Field required",
    ),
    (
        "ladders/acme.fast.yaml",
        "schema_version: 1\nid: acme.fast\ntitle: {en: a, zh: b}\nframework: verl\nmethods: [full]\ntasks: [rl]\n"
        "steps:\n  - name: a\n    rungs:\n      - [warp_drive]\nsource: s\n",
        "ladders/acme.fast.yaml:10:",
        "unknown measure 'warp_drive'",
    ),
    (
        "evidence/acme.yaml",
        "schema_version: 1\nid: acme\n",
        "evidence/acme.yaml",
        "Field required",
    ),
    (
        "messages.yaml",
        "schema_version: 1\nreplaces: messages\nreason: r\nmessages:\n  summary.first: {en: 'a {x}', zh: b}\n",
        "messages.yaml",
        "different fields",
    ),
    (
        "catalog/frameworks/acme.yaml",
        "schema_version: 1\nid: other\nname: A\ndefault_method: full\ndefault_task: rl\n"
        "methods: [full]\ntasks: [rl]\nsource: s\n",
        "catalog/frameworks/acme.yaml:2:",
        "does not match the file name",
    ),
]


@pytest.mark.parametrize(("path", "text", "where", "part"), FAULTS)
def test_a_faulty_file_is_named_with_its_place(
    tmp_path: Path, path: str, text: str, where: str, part: str
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRulebook) as error:
        load_knowledge([tmp_path])
    assert any(where in str(problem) and part in problem.message for problem in error.value.problems), str(
        error.value
    )


TABLES = [
    # a line of the table, what is wrong with it
    ("b9999,4,vanilla,1,Qwen/Qwen3-8B,4096", "unknown GPU"),
    ("a100-80gb,4,vanilla,1,Qwen/Qwen9,4096", "unknown model"),
    ("a100-80gb,4,warp,1,Qwen/Qwen3-8B,4096", "unknown rung"),
    ("a100-80gb,four,vanilla,1,Qwen/Qwen3-8B,4096", "not a whole number"),
    ("a100-80gb,4,vanilla,1,Qwen/Qwen3-8B,5000", "not a length of the grid"),
]


@pytest.mark.parametrize(("line", "part"), TABLES)
def test_a_faulty_measurement_is_named_with_its_line(tmp_path: Path, line: str, part: str) -> None:
    guide = Path(__file__).parents[2] / "rules" / "rungwise" / "rulebook" / "evidence" / "trinity-guide.yaml"
    folder = tmp_path / "evidence"
    folder.mkdir()
    text = guide.read_text(encoding="utf-8").replace("id: trinity-guide", "id: acme-guide")
    (folder / "acme-guide.yaml").write_text(text, encoding="utf-8")
    header = "gpu,gpus,rung,sequence_parallel_size,model,max_model_len_fits"
    (folder / "acme-guide.csv").write_text(f"{header}\na100-80gb,8,vanilla,1,Qwen/Qwen3-8B,4096\n{line}\n")
    with pytest.raises(InvalidRulebook) as error:
        load_knowledge([tmp_path])
    assert any("acme-guide.csv:3" in str(p) and part in p.message for p in error.value.problems), str(
        error.value
    )
