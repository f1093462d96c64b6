"""The use case `plan`: the cheapest configuration that fits, and why every cheaper one does not."""

from collections.abc import Iterator

from rungwise.domain.plan import (
    Basis,
    Configuration,
    Memory,
    MemoryReadings,
    PlanResponse,
)
from rungwise.domain.request import PlanRequest
from rungwise.memory.actor import FRAGMENTATION, GIB, OUTSIDE_THE_ALLOCATOR, Estimate
from rungwise.planning.advise import advise
from rungwise.planning.alternatives import would_fit_if
from rungwise.planning.decision import Assessment, Decision, decide
from rungwise.planning.identity import decision_id
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.notes import assumptions
from rungwise.planning.rope import rope_scaling
from rungwise.planning.summary import summary
from rungwise.planning.trace import trace
from rungwise.planning.version import PLANNER_VERSION


def plan(knowledge: Knowledge, request: PlanRequest) -> PlanResponse:
    """Return the plan of a job: a pure function of request, rulebook and planner version.

    Raises InvalidRequest, NotFound, and RuleFailed if a rule could not be evaluated.
    """
    return answer(knowledge, decide(knowledge, resolve(knowledge, request), whole_ladder=False))


def answer(knowledge: Knowledge, decision: Decision) -> PlanResponse:
    """Tell a decision."""
    job, shown = decision.job, decision.shown
    fitting = would_fit_if(knowledge, decision)
    return PlanResponse(
        decision_id=decision_id(job.request, knowledge.revision),
        rulebook_revision=knowledge.revision,
        planner_version=PLANNER_VERSION,
        outcome=decision.outcome,
        configuration=_configuration(knowledge, decision) if decision.chosen else None,
        memory=_memory(decision, shown) if shown else None,
        basis=decision.basis,
        fit_probability=_fit_probability(decision),
        trace=trace(knowledge, decision),
        advice=advise(knowledge, decision),
        would_fit_if=fitting,
        assumptions=(*assumptions(knowledge, job), *_of_the_verdict(knowledge, decision), *decision.missing),
        summary=summary(knowledge, decision, fitting),
    )


def _of_the_verdict(knowledge: Knowledge, decision: Decision) -> Iterator[str]:
    """Yield how the shown rung's memory is to be read."""
    shown, say, locale = decision.shown, knowledge.messages.text, decision.job.locale
    if shown is None or shown.stage is None:
        return
    verdict = shown.stage.verdict
    if verdict.finding.verdict != "none":
        yield say("assume.measured", locale)
    elif verdict.basis is Basis.EXTRAPOLATED:
        reasons = [
            say(f"outside.{key}", locale, value=value, low=low, high=high)
            for key, (value, low, high) in decision.judge.outside(shown.candidate).items()
        ]
        yield say("assume.outside", locale, reasons=("；" if locale == "zh" else "; ").join(reasons))


def _configuration(knowledge: Knowledge, decision: Decision) -> Configuration | None:
    if decision.chosen is None:
        return None
    candidate = decision.chosen.candidate
    return Configuration(
        label=candidate.label,
        measures=candidate.rung.measures,
        env=knowledge.measures.env(candidate.rung.measures),
        sequence_parallel_size=candidate.rung.sequence_parallel_size,
        cpu_offload=candidate.cpu_offload,
        max_token_len_per_gpu=candidate.token_budget,
        rope_scaling=rope_scaling(decision.job),
        strategy=candidate.strategy,
    )


def _fit_probability(decision: Decision) -> float:
    """Return the chosen rung's probability, else the nearest one's: 0 where GPU memory is not what refuses it."""
    memory = decision.shown.memory if decision.shown else None
    if memory is None or (decision.chosen is None and memory.probability >= decision.job.min_fit_probability):
        return 0.0
    return memory.probability


def _memory(decision: Decision, shown: Assessment) -> Memory:
    usable, memory = decision.job.usable_gib, shown.memory
    estimated = memory and (memory.estimated or decision.judge.estimate(shown.candidate))
    if not memory or not estimated:
        return Memory(usable)
    estimate = estimated.estimate
    return Memory(
        usable_gib=usable,
        peak_gib=estimated.peak_gib,
        phase=estimate.phase,
        components=estimate.components(),
        readings=_readings(estimate),
        host_gib=memory.host_gib or None,
        spread_gib=estimated.spread_gib,
    )


def _readings(estimate: Estimate) -> MemoryReadings:
    """Return the peak as torch's allocated and reserved peaks and nvidia-smi show it."""
    reserved = estimate.peak - estimate.size(*OUTSIDE_THE_ALLOCATOR)
    allocated = reserved - estimate.size(*FRAGMENTATION)
    return MemoryReadings(allocated / GIB, reserved / GIB, estimate.peak / GIB)
