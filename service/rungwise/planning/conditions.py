"""Whether a job is the case that was measured, condition by condition."""

from collections.abc import Sequence
from dataclasses import dataclass

from rungwise.planning.evidence import Evidence
from rungwise.planning.job import Job
from rungwise.planning.quantity import gib_text, number_text
from rungwise.planning.version import version_number


@dataclass(frozen=True, slots=True)
class UnmetCondition:
    """A condition that failed. `excludes`: the table says nothing then; else it still implies something."""

    table: str
    condition: str
    expected: str
    actual: str
    excludes: bool
    rung: str = ""


def unmet_conditions(tables: Sequence[Evidence], job: Job) -> tuple[UnmetCondition, ...]:
    """Return why published maxima do not apply to the job as they stand; empty if they do or cover nothing of it."""
    return tuple(unmet for table in tables for unmet in _unmet(table, job))


def _unmet(table: Evidence, job: Job) -> list[UnmetCondition]:
    conditions = table.description.conditions
    found: list[UnmetCondition] = []

    def expect(name: str, expected: str, actual: str) -> None:
        if actual != expected:
            found.append(UnmetCondition(table.description.id, name, expected, actual, excludes=True))

    expect("framework", conditions.framework, job.framework.id)
    if not found and job.framework_version_text:
        first, last = conditions.versions.first, conditions.versions.last
        if not version_number(first) <= version_number(job.framework_version_text) <= version_number(last):
            expect("version", f"{first} to {last}", job.framework_version_text)
    expect("task", conditions.task, job.task)
    expect("method", conditions.method, job.method)
    expect("precision", conditions.precision, job.precision)
    expect("optimizer", conditions.optimizer, job.optimizer)
    if found:
        return found

    def note(name: str, expected: str, actual: str, rung: str = "", *, excludes: bool = False) -> None:
        found.append(UnmetCondition(table.description.id, name, expected, actual, excludes, rung))

    if job.strategy:
        for rung, measured in table.description.rungs.items():
            if measured.strategy != job.strategy:
                note("strategy", measured.strategy, job.strategy, rung)
    measured_usable = table.measured_usable_gib(job.model, job.gpu.id, job.gpus)
    if measured_usable is None:
        if table.measured_model(job.model) and not table.measured_on(job.gpu.id):
            note("gpu", "", job.gpu.id)
    elif job.usable_gib < measured_usable:
        note("free_memory", gib_text(measured_usable), gib_text(job.usable_gib))
    budget = job.request.workload.max_token_len_per_gpu
    if measured_usable is not None and budget is not None and budget != job.default_token_budget(1):
        note("token_budget", f"{conditions.token_budget_sequences} × max_model_len / SP", number_text(budget))
    return found
