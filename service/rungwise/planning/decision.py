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
    candidates,
    legality_facts,
    memory_facts,
)
from rungwise.planning.conditions import UnmetCondition, unmet_conditions
from rungwise.planning.evidence import NOTHING, Case, Evidence, Finding
from rungwise.planning.job import Job
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.memory_verdict import Estimated, MemoryJudge, MemoryVerdict
from rungwise.planning.notes import missing


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
    missing: tuple[str, ...]
    """Why memory cannot be judged; empty if it can."""
    judge: "Judge"

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
    lacking = missing(knowledge, job)
    judge = Judge(knowledge.evidence, job, unmet, known=not lacking)
    verdicts = [judge.judge(ladder[index]) for index in legal]
    facts = memory_facts(
        job, [(ladder[index], memory) for index, (memory, _) in zip(legal, verdicts, strict=True)]
    )
    over = knowledge.matcher.match("memory", facts)
    judged = dict(zip(legal, zip(verdicts, facts, over, strict=True), strict=True))
    assessments = tuple(
        Assessment(candidate, legality[index], illegal[index], *_of_the_memory_stage(judged.get(index)))
        for index, candidate in enumerate(ladder)
    )
    standing = next((a for a in assessments if not a.refused), None)
    if lacking and (standing or not assessments):
        return Decision(job, assessments, Outcome.UNKNOWN, None, unmet, lacking, judge)
    outcome = Outcome.FEASIBLE if standing else Outcome.INFEASIBLE
    return Decision(job, assessments, outcome, standing, unmet, lacking, judge)


def _of_the_memory_stage(
    judged: tuple[tuple[MemoryVerdict, Evidence | None], Fact, tuple[str, ...]] | None,
) -> tuple[MemoryVerdict | None, Fact | None, tuple[str, ...], Evidence | None]:
    """Return memory, fact, reasons and evidence; nothing for a candidate that was not legal."""
    if judged is None:
        return None, None, (), None
    (memory, evidence), fact, over = judged
    return memory, fact, over, evidence


def nearest(assessments: Sequence[Assessment]) -> Assessment | None:
    """Return the legal candidate that came nearest to fitting: most probable, then longest measured context."""
    judged = [a for a in assessments if a.memory and a.memory.basis is not Basis.UNKNOWN and a.memory_fact]

    def closeness(assessment: Assessment) -> tuple[int, int, float]:
        fact, memory = assessment.memory_fact or {}, assessment.memory
        longest = int(fact["published_max_len"]) if fact["published_verdict"] != "none" else -1
        peak = memory.estimated.peak_gib if memory and memory.estimated else 0.0
        return int(fact["fit_probability_ppm"]), longest, -peak

    return max(judged, key=closeness, default=None)


class Judge:
    """Finds what the evidence says of a candidate, and what follows for its memory."""

    def __init__(
        self, tables: Sequence[Evidence], job: Job, unmet: Sequence[UnmetCondition], *, known: bool
    ) -> None:
        """Look up the pages of the tables that apply; `known`: the estimator can judge the job."""
        closed = {condition.table for condition in unmet if condition.excludes}
        self._open = [(t, t.page(job.model, job.gpus)) for t in tables if t.description.id not in closed]
        self._job = job
        strategies = {base: strategy for table in tables for base, strategy in table.strategies.items()}
        self._memory = MemoryJudge(job, strategies, known=known)

    def judge(self, candidate: Candidate) -> tuple[MemoryVerdict, Evidence | None]:
        """Return the verdict on a legal candidate, and the table that speaks of it."""
        finding, source = NOTHING, None
        for table, page in self._open:
            if table.strategies.get(candidate.rung.base) != candidate.strategy:
                continue
            found = table.find(self._case(candidate), page, candidate.rung)
            if _outranks(found, finding):
                finding, source = found, table
        rung, strategy, tokens = candidate.rung, candidate.strategy, candidate.token_budget
        return self._memory.judge(rung, strategy, tokens, finding), source

    def estimate(self, candidate: Candidate) -> Estimated | None:
        """Return the estimate of a candidate, also where a measurement decided."""
        return self._memory.estimate(candidate.rung, candidate.strategy, candidate.token_budget)

    def _case(self, candidate: Candidate) -> Case:
        job = self._job
        return Case(
            native_context=job.model.max_position_embeddings,
            gpu=job.gpu.id,
            gpus=job.gpus,
            usable_gib=job.usable_gib,
            max_model_len=job.max_model_len,
            token_budget=candidate.token_budget,
            default_budget=candidate.default_budget,
        )


def _outranks(found: Finding, finding: Finding) -> bool:
    """A verdict outranks an open length, and that outranks nothing; between equals the first table stays."""
    return (found.verdict != "none", found.column is not None) > (
        finding.verdict != "none",
        finding.column is not None,
    )
