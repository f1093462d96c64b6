"""Domain values as messages of the public contract."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import starmap

from google.protobuf import struct_pb2
from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
from rungwise.domain import plan as domain
from rungwise.domain.model import Gpu, Model
from rungwise.engine.rule import Recommendation, Rule
from rungwise.v1 import catalog_service_pb2, plan_pb2, planner_service_pb2, request_pb2

Entries = Iterable[domain.TraceEntry]
_KINDS = {kind: getattr(plan_pb2, kind) for kind in domain.RuleKind}
_VERDICTS = {verdict: getattr(plan_pb2, verdict) for verdict in domain.Verdict}


def plan_response(plan: domain.PlanResponse) -> planner_service_pb2.PlanResponse:
    """Return the plan as a message."""
    message = planner_service_pb2.PlanResponse(
        decision_id=plan.decision_id,
        rulebook_revision=plan.rulebook_revision,
        planner_version=plan.planner_version,
        outcome=plan.outcome,
        basis=plan.basis,
        fit_probability=plan.fit_probability,
        assumptions=plan.assumptions,
        summary=plan.summary,
    )
    if plan.configuration is not None:
        message.configuration.MergeFrom(_configuration(plan.configuration))
    if plan.memory is not None:
        message.memory.MergeFrom(_memory(plan.memory))
    _add_entries(message.trace, plan.trace)
    for advice in plan.advice:
        message.advice.add(
            rule=advice.rule,
            severity=advice.severity,
            message=advice.message,
            source=advice.source,
        )
    for alternative in plan.would_fit_if:
        changed = message.would_fit_if.add(label=alternative.label, message=alternative.message)
        for change in alternative.changes:
            _set_value(changed.changes.add(field=change.field).value, change.value)
    return message


def explain_response(explanation: domain.ExplainResponse) -> planner_service_pb2.ExplainResponse:
    """Return the explanation as a message."""
    message = planner_service_pb2.ExplainResponse(plan=plan_response(explanation.plan))
    for answer in explanation.why_not:
        why_not = message.why_not.add(label=answer.label, message=answer.message)
        _add_entries(why_not.rejections, answer.rejections)
    for point in explanation.turning_points:
        turning_point = message.turning_points.add(
            field=point.field, label=point.label, message=point.message
        )
        _set_value(turning_point.value, point.value)
    return message


def model(known: Model, parameters: int, active_parameters: int) -> catalog_service_pb2.Model:
    """Return a model of the catalog; `parameters` in all, `active_parameters` those that one token uses."""
    return catalog_service_pb2.Model(
        id=known.id,
        dimensions=request_pb2.ModelDimensions(
            model_type=known.model_type,
            num_hidden_layers=known.num_hidden_layers,
            hidden_size=known.hidden_size,
            intermediate_size=known.intermediate_size,
            num_attention_heads=known.num_attention_heads,
            num_key_value_heads=known.num_key_value_heads,
            head_dim=known.head_dim,
            vocab_size=known.vocab_size,
            tie_word_embeddings=known.tie_word_embeddings,
            max_position_embeddings=known.max_position_embeddings,
            num_experts=known.num_experts or None,
            num_experts_per_tok=known.num_experts_per_tok or None,
        ),
        parameters=parameters,
        active_parameters=active_parameters,
        source=known.source,
    )


def gpu(known: Gpu) -> catalog_service_pb2.Gpu:
    """Return a GPU of the catalog; memory in GiB."""
    return catalog_service_pb2.Gpu(
        id=known.id,
        name=known.name,
        aliases=known.aliases,
        memory_gib=known.memory_gib,
        usable_gib=known.usable_gib,
        architecture=known.architecture,
        compute_capability=known.compute_capability,
        bf16=known.bf16,
        flash_attention=known.flash_attention,
        interconnect=known.interconnect,
        source=known.source,
    )


def rule(known: Rule, locale: str) -> catalog_service_pb2.Rule:
    """Return a rule with its texts in `locale`, "en" or "zh"."""
    severity = known.then.severity if isinstance(known.then, Recommendation) else "unspecified"
    return catalog_service_pb2.Rule(
        id=known.id,
        title=known.title[locale],
        kind=f"RULE_KIND_{known.kind.upper()}",
        stage=known.stage,
        when=known.when_text,
        because=known.because[locale],
        rationale=known.rationale,
        source=known.source,
        confidence=f"CONFIDENCE_{known.confidence.upper()}",
        since=known.since,
        severity=f"SEVERITY_{severity.upper()}",
    )


def _configuration(configuration: domain.Configuration) -> plan_pb2.Configuration:
    rope = configuration.rope_scaling
    return plan_pb2.Configuration(
        label=configuration.label,
        measures=configuration.measures,
        env=configuration.env,
        sequence_parallel_size=configuration.sequence_parallel_size,
        cpu_offload=configuration.cpu_offload,
        max_token_len_per_gpu=configuration.max_token_len_per_gpu,
        rope_scaling=_rope_scaling(rope) if rope else None,
        strategy=configuration.strategy,
    )


def _rope_scaling(rope: domain.RopeScaling) -> plan_pb2.RopeScaling:
    return plan_pb2.RopeScaling(
        rope_type=rope.rope_type,
        factor=rope.factor,
        original_max_position_embeddings=rope.original_max_position_embeddings,
        max_position_embeddings=rope.max_position_embeddings,
    )


def _memory(memory: domain.Memory) -> plan_pb2.Memory:
    readings = memory.readings
    return plan_pb2.Memory(
        usable_gib=memory.usable_gib,
        peak_gib=memory.peak_gib,
        phase=memory.phase,
        components=[
            plan_pb2.MemoryComponent(name=part.name, gib=part.gib, formula=part.formula)
            for part in memory.components
        ],
        readings=_readings(readings) if readings else None,
        host_gib=memory.host_gib,
        spread_gib=memory.spread_gib,
    )


def _readings(readings: domain.MemoryReadings) -> plan_pb2.MemoryReadings:
    return plan_pb2.MemoryReadings(
        allocated_gib=readings.allocated_gib,
        reserved_gib=readings.reserved_gib,
        nvidia_smi_gib=readings.nvidia_smi_gib,
    )


def _add_entries(messages: RepeatedCompositeFieldContainer[plan_pb2.TraceEntry], entries: Entries) -> None:
    """Add a trace in place: most of an answer is its trace, and copying it would cost a third more."""
    for entry in entries:
        message = messages.add()
        message.candidate = entry.candidate
        message.rule = entry.rule
        message.kind = _KINDS[entry.kind]
        message.verdict = _VERDICTS[entry.verdict]
        message.message = entry.message
        message.source = entry.source
        # Encodings of parts merge into the whole; filling a map of messages costs three times as much.
        message.MergeFromString(b"".join(starmap(_operand, entry.operands.items())))


@lru_cache(maxsize=8192, typed=True)
def _operand(name: str, value: domain.Scalar) -> bytes:
    """Encode a trace entry that holds one operand and nothing else."""
    entry = plan_pb2.TraceEntry()
    _set_value(entry.operands[name], value)
    return entry.SerializeToString()


def _set_value(message: struct_pb2.Value, value: domain.Scalar | tuple[str, ...]) -> None:
    if value is None:
        message.null_value = struct_pb2.NULL_VALUE
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, tuple):
        message.list_value.SetInParent()  # an empty list is set, too
        message.list_value.extend(value)
    else:
        message.number_value = value
