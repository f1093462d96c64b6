"""The use case `explain`: the plan, why other rungs were not chosen, and where the answer changes."""

from collections.abc import Callable, Iterator
from functools import partial

from rungwise.domain.errors import InvalidRequest
from rungwise.domain.plan import Change, ExplainResponse, Outcome, TurningPoint, WhyNot
from rungwise.domain.request import MAX_TOKENS, ExplainRequest, PlanRequest
from rungwise.planning.alternatives import gpu_count_changes, with_change
from rungwise.planning.decision import Decision, decide
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import answer
from rungwise.planning.quantity import number_text
from rungwise.planning.trace import rejections


def explain(knowledge: Knowledge, request: ExplainRequest) -> ExplainResponse:
    """Return the explanation of a job. Raises as `plan` does."""
    decision = decide(knowledge, resolve(knowledge, request.plan))
    return ExplainResponse(
        plan=answer(knowledge, decision),
        why_not=tuple(_why_not(knowledge, decision, label) for label in request.why_not),
        turning_points=(*_longest_contexts(knowledge, decision), *_next_gpu_count(knowledge, decision)),
    )


def _why_not(knowledge: Knowledge, decision: Decision, asked: str) -> WhyNot:
    say, locale = knowledge.messages.text, decision.job.locale
    assessment = next((a for a in decision.assessments if _same_label(a.candidate.label, asked)), None)
    if assessment is None:
        labels = ", ".join(a.candidate.label for a in decision.assessments)
        return WhyNot(asked, (), say("why_not.unknown", locale, label=asked, labels=labels))
    label = assessment.candidate.label
    against = rejections(knowledge, decision, assessment)
    if against:
        reasons = ("" if locale == "zh" else " ").join(entry.message for entry in against)
        return WhyNot(label, against, say("why_not.refused", locale, label=label, reasons=reasons))
    if decision.outcome is Outcome.UNKNOWN or decision.chosen is None:
        missing = " ".join(decision.missing)
        return WhyNot(label, (), say("why_not.not_evaluated", locale, label=label, missing=missing))
    if assessment is decision.chosen:
        return WhyNot(label, (), say("why_not.chosen", locale, label=label))
    chosen = decision.chosen.candidate.label
    return WhyNot(label, (), say("why_not.dearer", locale, label=label, chosen=chosen))


def _same_label(label: str, asked: str) -> bool:
    """Whether two labels mean the same rung: case, spaces and the order of the parts do not matter."""

    def parts(text: str) -> list[str]:
        return sorted(part.strip().casefold() for part in text.split("+"))

    return parts(label) == parts(asked)


def _longest_contexts(knowledge: Knowledge, decision: Decision) -> Iterator[TurningPoint]:
    """Yield the longest context of every rung that is legal at some length: verdicts are monotone in the length."""
    if decision.outcome is Outcome.UNKNOWN:
        return
    say, locale = knowledge.messages.text, decision.job.locale
    field = "workload.max_model_len"
    known: dict[int, dict[str, bool]] = {}

    def stands(label: str, length: int) -> bool:
        if length not in known:
            changed = with_change(decision.job.request, Change(field, length))
            other = decide(knowledge, resolve(knowledge, changed))
            known[length] = {a.candidate.label: not a.refused for a in other.assessments}
        return known[length].get(label, False)

    for assessment in decision.assessments:
        label = assessment.candidate.label
        longest = _longest(partial(stands, label))
        if not longest and assessment.illegal:
            continue
        key = "turn.longest" if longest else "turn.longest_never"
        yield TurningPoint(field, longest, label, say(key, locale, label=label, value=number_text(longest)))


def _longest(stands: Callable[[int], bool]) -> int:
    """Return the longest context that stands, 0 if none does."""
    low, high = 0, 4096
    while high <= MAX_TOKENS and stands(high):
        low, high = high, high * 2
    high = min(high, MAX_TOKENS + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if stands(middle) else (low, middle)
    return low


def _next_gpu_count(knowledge: Knowledge, decision: Decision) -> Iterator[TurningPoint]:
    """Yield the next larger GPU count with another answer."""
    if decision.outcome is Outcome.UNKNOWN:
        return
    job = decision.job
    now = decision.chosen.candidate.label if decision.chosen else ""
    for change in gpu_count_changes(job.gpus, job.request.hardware.gpus_per_node):
        other = _decide(knowledge, with_change(job.request, change))
        if other is None or other.outcome is Outcome.UNKNOWN:
            continue
        label = other.chosen.candidate.label if other.chosen else ""
        if label != now:
            key = "turn.gpus" if label else "turn.gpus_none"
            message = knowledge.messages.text(key, job.locale, value=str(change.value), label=label)
            assert isinstance(change.value, int)
            yield TurningPoint(change.field, change.value, label, message)
            return


def _decide(knowledge: Knowledge, request: PlanRequest) -> Decision | None:
    try:
        return decide(knowledge, resolve(knowledge, request), whole_ladder=False)
    except InvalidRequest:
        return None
