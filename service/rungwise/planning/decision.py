"""The decision: candidates through the limits, then the first of the ladder that stands.

    expand the ladder → legality limits → evidence and estimate → memory limits → choose

What a limit refuses at the legality stage is not estimated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rungwise.domain.plan import Basis, Outcome
from rungwise.engine.facts import Fact
from rungwise.planning.candidate import (
    Candidate,
    MemoryJudge,
    MemoryVerdict,
    candidates,
    legality_facts,
    memory_fact,
)
from rungwise.planning.conditions import UnmetCondition, unmet_conditions
from rungwise.planning.evidence import NOTHING, Case, Evidence, Finding, memory_shape
from rungwise.planning.job import Job
from rungwise.planning.knowledge import Knowledge


class Assessment(NamedTuple):
    """One candidate and everything that was said of it. `memory` is None where it was not evaluated."""

    candidate: Candidate
    legality: Fact
    illegal: tuple[str, ...]
    memory: MemoryVerdict | None
    memory_fact: Fact | None
    over: tuple[str, ...]
    evidence: Evidence | None

    @property
    def refused(self) -> bool:
        """Whether any limit speaks against it."""
        return bool(self.illegal or self.over)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Ids of the limits that speak against it, legality first."""
        return (*self.illegal, *self.over)


@dataclass(frozen=True, slots=True)
class Decision:
    """All candidates in ladder order, and which one is chosen."""

    job: Job
    assessments: tuple[Assessment, ...]
    outcome: Outcome
    chosen: Assessment | None
    unmet: tuple[UnmetCondition, ...]
    """Why published maxima do not apply to this job as they stand."""

    @property
    def shown(self) -> Assessment | None:
        """The chosen candidate; without one, the one that came nearest to fitting."""
        return self.chosen or nearest(self.assessments)

    @property
    def basis(self) -> Basis:
        """Where the verdict comes from."""
        shown = self.shown
        return shown.memory.basis if shown and shown.memory else Basis.UNKNOWN


def decide(knowledge: Knowledge, job: Job) -> Decision:
    """Return the decision for a job. Raises RuleFailed if a rule could not be evaluated."""
    ladder = candidates(knowledge, job)
    legality = legality_facts(job, ladder)
    illegal = knowledge.matcher.match("legality", legality)
    legal = [index for index, reasons in enumerate(illegal) if not reasons]
    unmet = unmet_conditions(knowledge.evidence, job)
    judge = _Judge(knowledge.evidence, job, unmet)
    judged = {index: judge(ladder[index]) for index in legal}
    facts = {index: memory_fact(job, ladder[index], judged[index][0]) for index in legal}
    over = dict(zip(legal, knowledge.matcher.match("memory", [facts[index] for index in legal]), strict=True))
    assessments = tuple(
        Assessment(
            candidate=candidate,
            legality=legality[index],
            illegal=illegal[index],
            memory=judged[index][0] if index in judged else None,
            memory_fact=facts.get(index),
            over=over.get(index, ()),
            evidence=judged[index][1] if index in judged else None,
        )
        for index, candidate in enumerate(ladder)
    )
    standing = next((a for a in assessments if not a.refused), None)
    if job.missing and (standing or not assessments):
        return Decision(job, assessments, Outcome.UNKNOWN, None, unmet)
    outcome = Outcome.FEASIBLE if standing else Outcome.INFEASIBLE
    return Decision(job, assessments, outcome, standing, unmet)


def nearest(assessments: Sequence[Assessment]) -> Assessment | None:
    """Return the legal candidate that came nearest to fitting: most probable, then longest measured context."""
    judged = [a for a in assessments if a.memory and a.memory.basis is not Basis.UNKNOWN and a.memory_fact]

    def closeness(assessment: Assessment) -> tuple[int, int, float]:
        fact, memory = assessment.memory_fact or {}, assessment.memory
        longest = int(fact["published_max_len"]) if fact["published_verdict"] != "none" else -1
        return int(fact["fit_probability_ppm"]), longest, -(memory.peak_gib or 0.0) if memory else 0.0

    return max(judged, key=closeness, default=None)


class _Judge:
    """Finds what the evidence says of a candidate, and what follows for its memory."""

    def __init__(self, tables: Sequence[Evidence], job: Job, unmet: Sequence[UnmetCondition]) -> None:
        closed = {condition.table for condition in unmet if condition.excludes}
        self._tables = tables
        self._open = [table for table in tables if table.description.id not in closed]
        self._job = job
        self._shape = memory_shape(job.model)
        self._memory = MemoryJudge(job)

    def __call__(self, candidate: Candidate) -> tuple[MemoryVerdict, Evidence | None]:
        strategies = {table.strategy(candidate.rung) for table in self._tables} - {None}
        finding, source = NOTHING, None
        for table in self._open:
            if table.strategy(candidate.rung) != candidate.strategy:
                continue
            found = table.find(self._case(candidate), candidate.rung)
            if _outranks(found, finding):
                finding, source = found, table
        measured_strategy = not strategies or candidate.strategy in strategies
        return self._memory.judge(candidate, finding, measured_strategy=measured_strategy), source

    def _case(self, candidate: Candidate) -> Case:
        job = self._job
        return Case(
            shape=self._shape,
            native_context=job.model.max_position_embeddings,
            gpu=job.gpu.id,
            gpus=job.gpus,
            usable_gib=job.usable_gib,
            max_model_len=job.max_model_len,
            token_budget=candidate.token_budget,
            default_budget=candidate.token_budget
            == job.default_token_budget(candidate.rung.sequence_parallel_size),
        )


def _outranks(found: Finding, finding: Finding) -> bool:
    """A verdict outranks an open length, and that outranks nothing; between equals the first table stays."""
    return (found.verdict != "none", found.column is not None) > (
        finding.verdict != "none",
        finding.column is not None,
    )
