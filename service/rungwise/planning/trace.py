"""The explanation trace: what was said of each candidate, with the numbers that were compared."""

from collections.abc import Iterator

from rungwise.domain.plan import Outcome, RuleKind, TraceEntry, Verdict
from rungwise.engine.facts import Fact
from rungwise.engine.rule import Rule
from rungwise.planning.conditions import UnmetCondition
from rungwise.planning.decision import Assessment, Decision, MemoryStage
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.quantity import number_text

SUMMARY = "TRACE_LEVEL_SUMMARY"
REJECTIONS = "TRACE_LEVEL_REJECTIONS"


def trace(knowledge: Knowledge, decision: Decision) -> tuple[TraceEntry, ...]:
    """Return the entries that the request's trace level asks for, in ladder order."""
    level = decision.job.request.preferences.trace_level
    if level == SUMMARY:
        return ()
    entries = (*_request_entries(knowledge, decision), *_candidate_entries(knowledge, decision))
    if level == REJECTIONS:
        return tuple(entry for entry in entries if entry.verdict is Verdict.REJECT)
    return entries


def rejections(knowledge: Knowledge, decision: Decision, assessment: Assessment) -> tuple[TraceEntry, ...]:
    """Return what speaks against one candidate."""
    stages = [(assessment.illegal, assessment.legality)]
    if assessment.stage:
        stages.append((assessment.stage.over, assessment.stage.fact))
    return tuple(
        _rule_entry(knowledge, decision, assessment, knowledge.ruleset.rule(rule_id), fact, Verdict.REJECT)
        for reasons, fact in stages
        for rule_id in reasons
    )


def _request_entries(knowledge: Knowledge, decision: Decision) -> Iterator[TraceEntry]:
    """Say why published maxima were not used, where that changes what the answer rests on."""
    job, say = decision.job, knowledge.messages.text
    if not decision.assessments:
        return
    sources = {table.description.id: table.description.citation for table in knowledge.evidence}
    for unmet in decision.unmet:
        condition = say(
            f"condition.{unmet.condition}",
            job.locale,
            expected=unmet.expected,
            actual=unmet.actual,
            rung=unmet.rung,
        )
        yield TraceEntry(
            candidate="",
            rule=unmet.table,
            kind=RuleKind.EVIDENCE,
            verdict=Verdict.NOT_EVALUATED,
            message=say(
                "evidence.condition" if unmet.excludes else "evidence.partly", job.locale, condition=condition
            ),
            operands=_operands_of(unmet),
            source=sources[unmet.table],
        )
    for table in knowledge.evidence:
        covered = table.measured_usable_gib(job.model, job.gpu.id, job.gpus) is not None
        if covered or any(unmet.table == table.description.id for unmet in decision.unmet):
            continue
        yield TraceEntry(
            candidate="",
            rule=table.description.id,
            kind=RuleKind.EVIDENCE,
            verdict=Verdict.NOT_EVALUATED,
            message=say("evidence.none", job.locale, model=job.model.id, gpus=job.gpus, gpu=job.gpu.id),
            operands={"model": job.model.id, "gpu": job.gpu.id, "gpus": job.gpus},
            source=table.description.citation,
        )


def _operands_of(unmet: UnmetCondition) -> dict[str, str | int | float | bool | None]:
    return {"condition": unmet.condition, "expected": unmet.expected, "actual": unmet.actual}


def _candidate_entries(knowledge: Knowledge, decision: Decision) -> Iterator[TraceEntry]:
    """Yield what was said of each rung; of legal ones behind the chosen one nothing was."""
    stood = False
    for assessment in decision.assessments:
        stage = assessment.stage
        if assessment.illegal:
            yield from rejections(knowledge, decision, assessment)
            rules = ", ".join(assessment.illegal)
            yield _not_evaluated(knowledge, decision, assessment, "not_estimated", rules=rules)
        elif stood or stage is None:
            continue
        elif stage.over:
            yield from rejections(knowledge, decision, assessment)
            yield from _evidence_entries(knowledge, decision, assessment, stage)
        elif decision.outcome is Outcome.UNKNOWN:
            missing = " ".join(decision.missing)
            yield _not_evaluated(knowledge, decision, assessment, "unknown", missing=missing)
        else:
            stood = True
            yield from _evidence_entries(knowledge, decision, assessment, stage)
            yield from _passes(knowledge, decision, assessment, "legality", assessment.legality)
            yield from _passes(knowledge, decision, assessment, "memory", stage.fact)


def _evidence_entries(
    knowledge: Knowledge, decision: Decision, assessment: Assessment, stage: MemoryStage
) -> Iterator[TraceEntry]:
    """Say what was measured, where that speaks for the candidate or brackets it; a failure is a limit's to say."""
    memory, table = stage.verdict, stage.evidence
    if table is None or memory.finding.column is None or memory.finding.verdict == "fails":
        return
    job, finding, column = decision.job, memory.finding, memory.finding.column
    if finding.verdict == "none":
        key, verdict = "evidence.open", Verdict.NOT_EVALUATED
    else:
        key, verdict = "evidence.implied_fits" if finding.implied else "evidence.fits", Verdict.PASS
    size = assessment.candidate.rung.sequence_parallel_size
    yield TraceEntry(
        candidate=assessment.candidate.label,
        rule=table.description.id,
        kind=RuleKind.EVIDENCE,
        verdict=verdict,
        message=knowledge.messages.text(
            key,
            job.locale,
            longest=number_text(column.longest),
            shortest_failure=number_text(column.shortest_failure or 0),
            max_model_len=number_text(job.max_model_len),
            gpus=job.gpus,
            gpu=column.gpu,
            rung=assessment.candidate.rung.base_label,
            sp=size,
        ),
        operands={
            "max_model_len": job.max_model_len,
            "max_token_len_per_gpu": assessment.candidate.token_budget,
            "published_max_len": column.longest,
            "published_fail_len": column.shortest_failure or 0,
            "gpu": column.gpu,
            "gpus": job.gpus,
            "sequence_parallel_size": size,
        },
        source=table.description.citation,
    )


def _passes(
    knowledge: Knowledge, decision: Decision, assessment: Assessment, stage: str, fact: Fact
) -> Iterator[TraceEntry]:
    for rule in knowledge.ruleset.stage(stage):
        yield _rule_entry(knowledge, decision, assessment, rule, fact, Verdict.PASS)


def _rule_entry(
    knowledge: Knowledge, decision: Decision, assessment: Assessment, rule: Rule, fact: Fact, verdict: Verdict
) -> TraceEntry:
    locale = decision.job.locale
    if verdict is Verdict.REJECT:
        message = rule.message(fact, locale, knowledge.units[rule.stage])
    else:
        # What passed needs no sentence of its own: the title says what holds, the operands say why.
        message = rule.title[locale]
    return TraceEntry(
        candidate=assessment.candidate.label,
        rule=rule.id,
        kind=RuleKind.LIMIT,
        verdict=verdict,
        message=message,
        operands=rule.operands(fact),
        source=rule.source,
    )


def _not_evaluated(
    knowledge: Knowledge, decision: Decision, assessment: Assessment, key: str, **values: str
) -> TraceEntry:
    return TraceEntry(
        candidate=assessment.candidate.label,
        rule="",
        kind=RuleKind.LIMIT,
        verdict=Verdict.NOT_EVALUATED,
        message=knowledge.messages.text(f"trace.{key}", decision.job.locale, **values),
        operands={},
        source="",
    )
