"""A small rulebook that every test starts from, and the means to break it."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rungwise.engine.documents import read_documents
from rungwise.engine.ruleset import RuleSet

FACTS = """\
schema_version: 1
stages:
  legality:
    label: {type: str, values: catalog, meaning: label of the rung}
    gpus: {type: int, meaning: GPUs}
    sequence_parallel_size: {type: int, meaning: SP}
    gpus_mod_sp: {type: int, meaning: remainder of GPUs divided by SP}
    max_model_len: {type: int, unit: tokens, meaning: prompt and response}
    cpu_offload: {type: bool, meaning: offload}
    bf16_supported: {type: bool, meaning: the GPU computes in bf16}
    strategy: {type: str, values: [fsdp, fsdp2], meaning: sharding}
    precision: {type: str, values: [bf16, fp16], meaning: precision}
  memory:
    peak_mib: {type: int, unit: MiB, meaning: need}
    usable_mib: {type: int, unit: MiB, meaning: usable}
"""

RULE = """\
schema_version: 1
id: sp-divides-gpus
title: {en: SP divides the GPUs, zh: SP 整除 GPU 数}
kind: limit
since: 0.1.0
status: stable
stage: legality
when:
  - gpus_mod_sp != 0
then: {verdict: reject, summary: {en: SP does not divide the GPUs, zh: SP 不能整除 GPU 数}}
because:
  en: "{gpus} GPUs are not a multiple of SP={sequence_parallel_size}: {gpus_mod_sp} left over."
  zh: "{gpus} 个 GPU 不是 SP={sequence_parallel_size} 的整数倍，余 {gpus_mod_sp}。"
rationale: Every sequence-parallel group needs the same number of GPUs.
source: Ulysses paper
confidence: high
"""

CASES = """\
schema_version: 1
rule: sp-divides-gpus
cases:
  - {name: SP=4 on 6 GPUs, fires: true, fact: {gpus: 6, sequence_parallel_size: 4, gpus_mod_sp: 2}}
  - {name: SP=2 on 6 GPUs, fires: false, fact: {gpus: 6, sequence_parallel_size: 2, gpus_mod_sp: 0}}
"""

ADVICE = """\
schema_version: 1
id: offload-is-slow
title: {en: Offload is slow, zh: 卸载较慢}
kind: advice
since: 0.1.0
status: stable
stage: legality
when:
  - cpu_offload == true
  - strategy == 'fsdp2'
then: {severity: info}
because: {en: "{label} offloads.", zh: "{label} 使用卸载。"}
rationale: The optimizer runs on the CPU.
source: PyTorch documentation
confidence: medium
"""

ADVICE_CASES = """\
schema_version: 1
rule: offload-is-slow
cases:
  - {name: offload, fires: true, fact: {cpu_offload: true, strategy: fsdp2, label: Env + Offload}}
  - {name: none, fires: false, fact: {cpu_offload: false, strategy: fsdp2, label: vanilla}}
"""


class Book:
    """A rulebook directory under construction."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, path: str, text: str | bytes) -> "Book":
        """Write one file of it."""
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    def edit(self, path: str, old: str, new: str) -> "Book":
        """Replace a text that is there exactly once."""
        text = (self.directory / path).read_text()
        assert text.count(old) == 1
        return self.write(path, text.replace(old, new))

    def ruleset(self, *overlays: "Book") -> RuleSet:
        """Load it."""
        return RuleSet.from_documents(
            read_documents([self.directory, *(book.directory for book in overlays)])
        )


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Return a sound rulebook with one limit and one advice rule."""
    made = Book(tmp_path / "base")
    made.write("facts.yaml", FACTS)
    made.write("messages.yaml", "schema_version: 1\nmessages:\n  hello: {en: hello, zh: 你好}\n")
    made.write("limits/sp-divides-gpus.yaml", RULE).write("limits/sp-divides-gpus.cases.yaml", CASES)
    made.write("advice/offload-is-slow.yaml", ADVICE).write("advice/offload-is-slow.cases.yaml", ADVICE_CASES)
    made.write("catalog/gpus.yaml", "schema_version: 1\ngpus:\n  - {id: a, gib: 1}\n  - {id: b, gib: 2}\n")
    made.write("ladders/trinity-rft.yaml", "schema_version: 1\nid: trinity-rft\n")
    made.write("evidence/guide.yaml", "schema_version: 1\n").write("evidence/guide.csv", "a,b\n1,2\n")
    return made


@pytest.fixture
def overlay(tmp_path: Path) -> Book:
    """Return an empty overlay."""
    made = Book(tmp_path / "site")
    made.directory.mkdir()
    return made


@pytest.fixture
def rule_text() -> Callable[[str, str], str]:
    """Return a maker of rule files: id and the lines of `when`."""

    def make(rule_id: str, *when: str) -> str:
        lines = "".join(f'  - "{line}"\n' for line in when)
        return RULE.replace("id: sp-divides-gpus", f"id: {rule_id}").replace("  - gpus_mod_sp != 0\n", lines)

    return make


@pytest.fixture
def benchmark_seconds() -> Callable[[Callable[[], object]], float]:
    """Return a stopwatch: the best of five calls, in seconds."""

    def measure(call: Callable[[], object]) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times)

    return measure


@pytest.fixture
def decisions() -> int:
    """Return how many decisions the memory test takes; before a release set RUNGWISE_DECISIONS=20000."""
    return int(os.environ.get("RUNGWISE_DECISIONS", "2000"))
