"""Faults of ladders, measures, frameworks, evidence and sentences: each is refused, with its file and line."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.documents import read_documents
from rungwise.planning.knowledge import build_knowledge, load_knowledge, rulebook_directory

LADDER = "ladders/trinity-rft.yaml"
MEASURES = "catalog/measures.yaml"
FRAMEWORK = "catalog/frameworks/trinity-rft.yaml"
GUIDE = "evidence/trinity-guide.yaml"
TABLE = "evidence/trinity-guide.csv"
MESSAGES = "messages.yaml"
ROWS = 241
"""Lines of the table that ships, its heading included."""

Copy = Callable[..., Path]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the rulebook, without cases: they do not decide."""
    source = Path(str(rulebook_directory().joinpath("facts.yaml"))).parent
    directory = tmp_path_factory.mktemp("rulebook")
    for file in source.rglob("*"):
        if file.suffix in (".yaml", ".csv") and not file.name.endswith(".cases.yaml"):
            target = directory / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    return directory


@pytest.fixture
def copy(base: Path) -> Iterator[Copy]:
    """Change one text of one file in the copy; afterwards the copy is as it was."""
    originals: dict[Path, str] = {}

    def changed(path: str, old: str, new: str) -> Path:
        text = (base / path).read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r}"
        originals.setdefault(base / path, text)
        (base / path).write_text(text.replace(old, new, 1), encoding="utf-8")
        return base

    yield changed
    for file, text in originals.items():
        file.write_text(text, encoding="utf-8")


def line_of(directory: Path, path: str, text: str) -> int:
    """Return the first line that has `text`."""
    lines = (directory / path).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


FAULTS = [
    # file, its text, what stands there instead, text of the line that is named, a part of the message
    (
        LADDER,
        "framework: trinity-rft",
        "framework: trinty",
        "framework: trinty",
        "unknown framework 'trinty'",
    ),
    (LADDER, "tasks: [rl]", "tasks: [lr]", "tasks: [lr]", "has no 'lr' among its tasks"),
    (LADDER, "methods: [full]", "methods: [ful]", "methods: [ful]", "has no 'ful' among its methods"),
    (LADDER, "id: trinity-rft", "id: other", "id: other", "does not match the file name"),
    (LADDER, "- [expandable_segments]\n", "- [warp]\n", "- [warp]", "unknown measure 'warp'"),
    (LADDER, "- [expandable_segments]\n", "- [] # again\n", "- [] # again", "on the ladder already"),
    (LADDER, "- [expandable_segments]\n", "- [sequence_parallel]\n", "- [sequence", "not in a rung"),
    (LADDER, "[expandable_segments, cpu", "[cpu_offload, cpu", "- [cpu_offload, cpu", "is given twice"),
    (LADDER, "steps:", "stepz:", "", "Field required"),
    (LADDER, ', zh: "Trinity-RFT：强化学习，全参训练"', "", "title:", "Field required"),
    (MEASURES, "label: Offload", "label: Env", "id: cpu_offload", "'env' is taken by expandable_segments"),
    (MEASURES, "aliases: [sp,", "aliases: [env,", "id: sequence_parallel", "'env' is taken"),
    (MEASURES, "strategy: fsdp2", "strategy: fsdp3", "strategy: fsdp3", "'fsdp' or 'fsdp2'"),
    (MEASURES, "effect: systems_only\n", "effect: none\n", "effect: none", "'systems_only' or"),
    (MEASURES, "opt_in: true", "optin: true", "optin: true", "not permitted"),
    (FRAMEWORK, "id: trinity-rft", "id: other", "id: other", "does not match the file name"),
    (FRAMEWORK, "default_method: full", "default_method: lora", "default_method", "not among full"),
    (FRAMEWORK, "default_task: rl", "default_task: sft", "default_task", "not among rl"),
    (FRAMEWORK, "aliases: [trinity,", "aliases: [verl,", "", "'verl' is taken by"),
    (FRAMEWORK, 'assumed_version: "0.5.2"', "assumed_version: latest", "assumed_version", "pattern"),
    (FRAMEWORK, 'to: "0.5.2"', 'to: "0.5.x"', 'to: "0.5.x"', "pattern"),
    (FRAMEWORK, "default_strategy: fsdp ", "default_strategy: ddp ", "default_strategy: ddp", "'fsdp' or"),
    (FRAMEWORK, "token_budget_sequences: 2", "token_budget_sequences: 0", "token_budget", "equal to 1"),
    (FRAMEWORK, "context_gib: 1.76", "context_gib: much", "context_gib: much", "valid number"),
    (FRAMEWORK, "inside_gib: 2.5", "inside_gib: 0", "inside_gib: 0,", "greater than 0"),
    (FRAMEWORK, "{measures: [],", "{measures: [cpu_offload],", "spreads:", "must hold for every rung"),
    (GUIDE, "id: trinity-guide", "id: other", "id: other", "does not match the file name"),
    (GUIDE, "framework: trinity-rft", "framework: trinty", "framework: trinty", "unknown framework"),
    (GUIDE, 'from: "0.3.3"', "from: old", "from: old", "pattern"),
    (GUIDE, "strategy: fsdp2", "strategy: ddp", "strategy: ddp", "'fsdp' or 'fsdp2'"),
    (GUIDE, "[expandable_segments]", "[warp]", "[warp]", "unknown measure 'warp'"),
    (GUIDE, "{step: 10240, to: 153600}", "{step: 10240, to: 40960}", "grid:", "must ascend"),
    (GUIDE, "step: 4096", "step: 1", "step: 1,", "greater than or equal to 256"),
    (GUIDE, "citation:", "quotation:", "quotation:", "not permitted"),
    (MESSAGES, '{en: "It is the first rung of the ladder.",', "{", "summary.first", "exactly the languages"),
    (MESSAGES, "It is the first rung", "It is {label!r}", "summary.first", "only plain"),
    (MESSAGES, "{count} {reason}", "{count}", "summary.reason", "different fields"),
]


@pytest.mark.parametrize(
    ("path", "old", "new", "named", "part"), FAULTS, ids=[f"{row[0]}: {row[-1]}" for row in FAULTS]
)
def test_a_fault_is_named_with_its_line(
    copy: Copy, path: str, old: str, new: str, named: str, part: str
) -> None:
    directory = copy(path, old, new)
    with pytest.raises(InvalidRulebook) as refused:
        build_knowledge(read_documents([directory]), "portable")
    about = [problem for problem in refused.value.problems if part in problem.message]
    assert about, str(refused.value)
    assert all(problem.line > 0 for problem in about)
    if named:
        assert (about[0].file, about[0].line) == (path, line_of(directory, path, named.strip()))


TABLE_FAULTS = [
    # a row that is added, a part of the message
    ("a100-80gb,8,vanilla", "has 3 cells, needs 6"),
    ("a100-80gb,8,vanilla,1,Qwen/Qwen3-8B,4096,", "has 7 cells, needs 6"),
    ("", "has 0 cells, needs 6"),
    ('"a100-80gb,8', "is not CSV"),
    ('"a100-80gb"x,8,vanilla,1,Qwen/Qwen3-8B,4096', "is not CSV"),
    ("b9999,8,vanilla,1,Qwen/Qwen3-8B,4096", "unknown GPU"),
    ("a100-80gb,8,vanilla,1,Qwen/Qwen9,4096", "unknown model"),
    ("a100-80gb,8,warp,1,Qwen/Qwen3-8B,4096", "unknown rung 'warp'; known: vanilla, Env"),
    ("a100-80gb,0,vanilla,1,Qwen/Qwen3-8B,4096", "gpus is '0', not a whole number from 1"),
    ("a100-80gb,8,vanilla,0,Qwen/Qwen3-8B,4096", "sequence_parallel_size is '0'"),
    ("a100-80gb,8,vanilla,3,Qwen/Qwen3-8B,4096", "SP=3 does not divide 8 GPUs"),
    ("a100-80gb,8,vanilla,1,Qwen/Qwen3-8B,-1", "max_model_len_fits is '-1'"),
    ("a100-80gb,8,vanilla,1,Qwen/Qwen3-8B,5000", "5000 is not a length of the grid"),
    ("a100-80gb,8,vanilla,1,Qwen/Qwen3-8B,²", "not a whole number"),
    ("a100-80gb,4,vanilla,1,Qwen/Qwen3-8B,4096", "is given twice"),
    ("A100-80GB,4,vanilla,1,qwen3-8b,4096", "is given twice"),  # by another name
    ("b9999,8,vanilla,1,Qwen/Qwen3-8B,", "unknown GPU"),  # not measured, but named
]


@pytest.mark.parametrize(("row", "part"), TABLE_FAULTS)
def test_a_faulty_measurement_is_named_with_its_line(copy: Copy, row: str, part: str) -> None:
    last = "h20-96gb,6,Env + Offload,2,Qwen/Qwen3-14B,51200\n"
    directory = copy(TABLE, last, f"{last}{row}\n")
    with pytest.raises(InvalidRulebook) as refused:
        build_knowledge(read_documents([directory]), "portable")
    (problem,) = refused.value.problems
    assert (problem.file, problem.line) == (TABLE, ROWS + 1)
    assert part in problem.message


def test_a_table_without_its_heading_is_refused(copy: Copy) -> None:
    directory = copy(TABLE, "gpu,gpus", "card,gpus")
    with pytest.raises(InvalidRulebook, match="needs the columns gpu,gpus,rung"):
        build_knowledge(read_documents([directory]), "portable")


def test_every_fault_of_every_part_is_named_at_once(copy: Copy) -> None:
    for path, old, new in (
        (LADDER, "- [expandable_segments]\n", "- [warp]\n"),
        (MEASURES, "label: Offload", "label: Env"),
        (FRAMEWORK, "default_task: rl", "default_task: sft"),
        (MESSAGES, "{count} {reason}", "{count}"),
        ("catalog/gpus.yaml", "bf16: true", "bf16: maybe"),
        ("limits/gpu-memory.yaml", "estimated == true", "estimated == 1"),
    ):
        directory = copy(path, old, new)
    with pytest.raises(InvalidRulebook) as refused:
        build_knowledge(read_documents([directory]), "portable")
    # The ladder is not read while its measures are unclear.
    assert {problem.file for problem in refused.value.problems} == {
        MEASURES,
        FRAMEWORK,
        MESSAGES,
        "catalog/gpus.yaml",
        "limits/gpu-memory.yaml",
    }


def test_a_second_ladder_for_the_same_jobs_is_refused(base: Path, tmp_path: Path) -> None:
    ladder = (base / LADDER).read_text(encoding="utf-8")
    (tmp_path / "ladders").mkdir()
    text = ladder.replace("\nid: trinity-rft\n", "\nid: acme.fast\n")
    (tmp_path / "ladders" / "acme.fast.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRulebook, match="serves these jobs already"):
        load_knowledge([tmp_path])
