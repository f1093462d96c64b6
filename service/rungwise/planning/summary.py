"""The answer in a few sentences."""

from collections import Counter
from collections.abc import Sequence

from rungwise.domain.plan import Basis, Outcome, WouldFitIf
from rungwise.engine.rule import Rejection
from rungwise.planning.decision import Assessment, Decision
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.quantity import number_text, probability_text
from rungwise.planning.trace import rejections


def summary(knowledge: Knowledge, decision: Decision, would_fit_if: Sequence[WouldFitIf]) -> str:
    """Say what was decided and on what it rests."""
    job, say, locale = decision.job, knowledge.messages.text, decision.job.locale
    case = {
        "model": job.model.id,
        "max_model_len": number_text(job.max_model_len),
        "gpus": number_text(job.gpus),
        "gpu": job.gpu.id,
    }
    if decision.outcome is Outcome.UNKNOWN:
        return say("summary.unknown", locale, missing=" ".join(decision.missing), **case)
    if decision.chosen is None:
        sentences = [say("summary.infeasible", locale, total=_total(knowledge, decision), **case)]
        if decision.shown:
            sentences.append(_nearest(knowledge, decision, decision.shown))
        if would_fit_if:
            changes = ("；" if locale == "zh" else "; ").join(offer.message for offer in would_fit_if)
            sentences.append(say("summary.would_fit", locale, changes=changes))
        return _join(sentences, locale)
    label = decision.chosen.candidate.label
    sentences = [
        say("summary.feasible", locale, label=label, basis=basis_sentence(knowledge, decision), **case)
    ]
    cheaper = decision.assessments[: decision.assessments.index(decision.chosen)]
    if cheaper:
        reasons = _reasons(knowledge, cheaper, locale)
        sentences.append(say("summary.skipped", locale, count=len(cheaper), reasons=reasons))
    else:
        sentences.append(say("summary.first", locale))
    return _join(sentences, locale)


def basis_sentence(knowledge: Knowledge, decision: Decision) -> str:
    """Say what the verdict rests on."""
    shown, say, locale = decision.shown, knowledge.messages.text, decision.job.locale
    if shown is None or shown.stage is None:
        return say(f"basis.{Basis.UNKNOWN}", locale)
    memory, table = shown.stage.verdict, shown.stage.evidence
    title = table.description.title if table else None
    source = "" if title is None else title.zh if locale == "zh" else title.en
    if memory.finding.implied:
        return say("basis.implied", locale, source=source)
    probability = probability_text(memory.probability)
    return say(f"basis.{memory.basis}", locale, source=source, probability=probability)


def _total(knowledge: Knowledge, decision: Decision) -> str:
    return knowledge.messages.text(
        "summary.total",
        decision.job.locale,
        count=len(decision.assessments),
        reasons=_reasons(knowledge, decision.assessments, decision.job.locale),
    )


def _reasons(knowledge: Knowledge, assessments: Sequence[Assessment], locale: str) -> str:
    """Count the candidates by the first limit that refused them: "5 over GPU memory, 2 SP does not divide heads"."""
    counts: Counter[str] = Counter()
    for assessment in assessments:
        then = knowledge.ruleset.rule(assessment.reasons[0]).then
        if isinstance(then, Rejection):
            counts[then.summary.zh if locale == "zh" else then.summary.en] += 1
    separator = "，" if locale == "zh" else ", "
    return separator.join(
        knowledge.messages.text("summary.reason", locale, count=count, reason=reason)
        for reason, count in counts.most_common()
    )


def _nearest(knowledge: Knowledge, decision: Decision, shown: Assessment) -> str:
    reason = rejections(knowledge, decision, shown)[0].message
    return knowledge.messages.text(
        "summary.nearest", decision.job.locale, label=shown.candidate.label, reason=reason
    )


def _join(sentences: Sequence[str], locale: str) -> str:
    return ("" if locale == "zh" else " ").join(sentences)
