"""The decision: candidates through the limits, then the first of the ladder that stands.

    expand the ladder → legality limits → evidence and estimate → memory limits → choose

What a limit refuses at the legality stage is not estimated.
"""

from collections.abc import Iterator, Sequence
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


class MemoryStage(NamedTuple):
    """What evidence, estimator and memory limits said of one legal candidate."""

    verdict: MemoryVerdict
    evidence: Evidence | None
    fact: Fact
    over: tuple[str, ...]


class Assessment(NamedTuple):
    """One candidate and everything that was said of it. `stage` is None where its memory was not evaluated."""

    candidate: Candidate
    legality: Fact
    illegal: tuple[str, ...]
    stage: MemoryStage | None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Ids of the limits that speak against it, legality first."""
        return (*self.illegal, *self.stage.over) if self.stage else self.illegal

    @property
    def refused(self) -> bool:
        """Whether any limit speaks against it."""
        return bool(self.illegal or (self.stage and self.stage.over))

    @property
    def stands(self) -> bool:
        """Whether it was evaluated and no limit speaks against it."""
        return self.stage is not None and not self.stage.over

    @property
    def memory(self) -> MemoryVerdict | None:
        """What is known of its memory."""
        return self.stage.verdict if self.stage else None


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


def decide(knowledge: Knowledge, job: Job, *, whole_ladder: bool = True) -> Decision:
    """Return the decision for a job. Raises RuleFailed if a rule could not be evaluated.

    With `whole_ladder` every legal rung is evaluated; else the climb ends at the first one that stands.
    """
    ladder = candidates(knowledge, job)
    legality = legality_facts(job, ladder)
    illegal = knowledge.matcher.match("legality", legality)
    unmet = unmet_conditions(knowledge.evidence, job)
    lacking = missing(knowledge, job)
    judge = Judge(knowledge.evidence, job, unmet, known=not lacking)
    legal = [index for index, reasons in enumerate(illegal) if not reasons]
    stages: dict[int, MemoryStage] = {}
    for batch in _batches(judge, ladder, legal, None if whole_ladder else job.min_fit_probability):
        facts = memory_facts(job, [(ladder[index], verdict) for index, verdict, _ in batch])
        reasons = knowledge.matcher.match("memory", facts)
        for (index, verdict, evidence), fact, over in zip(batch, facts, reasons, strict=True):
            stages[index] = MemoryStage(verdict, evidence, fact, over)
        if not whole_ladder and not all(reasons):
            break
    assessments = tuple(
        Assessment(candidate, legality[index], illegal[index], stages.get(index))
        for index, candidate in enumerate(ladder)
    )
    standing = next((a for a in assessments if a.stands), None)
    if lacking and (standing or not assessments):
        return Decision(job, assessments, Outcome.UNKNOWN, None, unmet, lacking, judge)
    outcome = Outcome.FEASIBLE if standing else Outcome.INFEASIBLE
    return Decision(job, assessments, outcome, standing, unmet, lacking, judge)


def _batches(
    judge: "Judge", ladder: Sequence[Candidate], legal: Sequence[int], enough: float | None
) -> Iterator[list[tuple[int, MemoryVerdict, Evidence | None]]]:
    """Judge the legal candidates in ladder order, in batches for the memory limits.

    A candidate whose probability is `enough` probably stands and ends its batch; it is the limits that decide.
    """
    batch = []
    for index in legal:
        verdict, evidence = judge.judge(ladder[index])
        batch.append((index, verdict, evidence))
        if enough is not None and verdict.probability >= enough:
            yield batch
            batch = []
    if batch:
        yield batch


def nearest(assessments: Sequence[Assessment]) -> Assessment | None:
    """Return the legal candidate that came nearest to fitting: most probable, then longest measured context."""
    judged = [a for a in assessments if a.stage and a.stage.verdict.basis is not Basis.UNKNOWN]

    def closeness(assessment: Assessment) -> tuple[int, int, float]:
        assert assessment.stage is not None
        fact, estimated = assessment.stage.fact, assessment.stage.verdict.estimated
        longest = int(fact["published_max_len"]) if fact["published_verdict"] != "none" else -1
        return int(fact["fit_probability_ppm"]), longest, -estimated.peak_gib if estimated else 0.0

    return max(judged, key=closeness, default=None)


class Judge:
    """Finds what the evidence says of a candidate, and what follows for its memory."""

    def __init__(
        self, tables: Sequence[Evidence], job: Job, unmet: Sequence[UnmetCondition], *, known: bool
    ) -> None:
        """Look up the pages of the tables that apply; `known`: the estimator can judge the job."""
        closed = {condition.table for condition in unmet if condition.excludes}
        self._open = [(t, t.page(job.model, job.gpus)) for t in tables if t.description.id not in closed]
        self._case = Case(
            native_context=job.model.max_position_embeddings,
            gpu=job.gpu.id,
            gpus=job.gpus,
            usable_gib=job.usable_gib,
            max_model_len=job.max_model_len,
        )
        strategies = {base: strategy for table in tables for base, strategy in table.strategies.items()}
        self._memory = MemoryJudge(job, strategies, known=known)

    def judge(self, candidate: Candidate) -> tuple[MemoryVerdict, Evidence | None]:
        """Return the verdict on a legal candidate, and the table that speaks of it."""
        finding, source = NOTHING, None
        for table, page in self._open:
            if table.strategies.get(candidate.rung.base) != candidate.strategy:
                continue
            found = table.find(
                self._case, page, candidate.rung, candidate.token_budget, is_default=candidate.default_budget
            )
            if _outranks(found, finding):
                finding, source = found, table
        rung, strategy, tokens = candidate.rung, candidate.strategy, candidate.token_budget
        return self._memory.judge(rung, strategy, tokens, finding), source

    def outside(self, candidate: Candidate) -> dict[str, tuple[str, str, str]]:
        """Return why a candidate is outside the calibrated domain."""
        return self._memory.outside(candidate.rung, candidate.strategy)

    def estimate(self, candidate: Candidate) -> Estimated | None:
        """Return the estimate of a candidate, also where a measurement decided."""
        return self._memory.estimate(candidate.rung, candidate.strategy, candidate.token_budget)


def _outranks(found: Finding, finding: Finding) -> bool:
    """A verdict outranks an open length, and that outranks nothing; between equals the first table stays."""
    return (found.verdict != "none", found.column is not None) > (
        finding.verdict != "none",
        finding.column is not None,
    )
