"""An answer as a person reads it: the plan, its memory, its trace, and what to do next."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from google.protobuf.struct_pb2 import Value
from rich.text import Text
from rungwise.cli.layout import Block, grid, pairs, words
from rungwise.cli.output import printable
from rungwise.cli.texts import Language, text
from rungwise.v1.plan_pb2 import (
    OUTCOME_FEASIBLE,
    OUTCOME_INFEASIBLE,
    RULE_KIND_EVIDENCE,
    RULE_KIND_LIMIT,
    VERDICT_PASS,
    VERDICT_REJECT,
    Advice,
    Basis,
    Configuration,
    Memory,
    Outcome,
    Severity,
    TraceEntry,
    Verdict,
)
from rungwise.v1.planner_service_pb2 import ExplainResponse, PlanResponse

INDENT = 2
_PLACEHOLDERS = {
    "train_batch_given": ("train_batch_size", "train_batch_mod_dp"),
    "torch_given": ("torch_version",),
    "host_memory_given": ("host_available_mib",),
    "estimated": ("peak_mib", "spread_mib"),
}
"""Operands that mean nothing while the flag is false."""
_VERDICT_STYLES = {VERDICT_PASS: "green", VERDICT_REJECT: "red"}
_OUTCOME_STYLES = {OUTCOME_FEASIBLE: "bold green", OUTCOME_INFEASIBLE: "bold red"}
_SEVERITY_STYLES = {"SEVERITY_CRITICAL": "bold red", "SEVERITY_WARNING": "yellow", "SEVERITY_INFO": "cyan"}


def plan_table(plan: PlanResponse, language: Language) -> Iterator[Block]:
    """Yield the parts of a plan."""
    yield from _decision(plan, language)
    yield from _grounds(plan, language)


def explanation_table(explanation: ExplainResponse, language: Language) -> Iterator[Block]:
    """Yield the parts of an explanation: the plan with what else was asked about, and the turning points."""
    yield from _decision(explanation.plan, language)
    yield from _section("why_not", language, _bullets(answer.message for answer in explanation.why_not))
    points = _bullets(point.message for point in explanation.turning_points)
    yield from _section("turning_points", language, points)
    yield from _grounds(explanation.plan, language)


def _decision(plan: PlanResponse, language: Language) -> Iterator[Block]:
    yield Block([[_headline(plan, language)], [words(plan.summary)]])
    if plan.HasField("configuration"):
        yield from _configuration(plan.configuration, language)
    if plan.HasField("memory"):
        yield from _memory(plan, language)
    yield from _section("trace", language, _trace(plan.trace, language))
    yield from _section("advice", language, _advice(plan.advice, language))
    yield from _section("would_fit_if", language, _bullets(option.message for option in plan.would_fit_if))


def _grounds(plan: PlanResponse, language: Language) -> Iterator[Block]:
    """Yield what the decision rests on."""
    yield from _section("assumptions", language, _bullets(plan.assumptions))
    yield from _section("sources", language, pairs(_sources(plan), indent=INDENT))
    ids = [
        ("decision_id", plan.decision_id),
        ("rulebook_revision", plan.rulebook_revision),
        ("planner_version", plan.planner_version),
    ]
    yield from _section("ids", language, pairs(ids, indent=INDENT))


def _headline(plan: PlanResponse, language: Language) -> Text:
    outcome = text(Outcome.Name(plan.outcome) if plan.outcome in Outcome.values() else "?", language)
    style = _OUTCOME_STYLES.get(plan.outcome, "bold yellow")
    if not plan.HasField("configuration"):
        return words(outcome, style)
    basis = text(Basis.Name(plan.basis) if plan.basis in Basis.values() else "?", language)
    rest = text("headline", language).format(
        outcome=outcome, probability=_probability(plan.fit_probability), basis=basis
    )
    return Text.assemble(words(plan.configuration.label, style), f"   {rest}")


def _configuration(configuration: Configuration, language: Language) -> Iterator[Block]:
    environment = [[words(f"{name}={value}")] for name, value in sorted(configuration.env.items())]
    yield from _section("environment", language, Block(environment, indent=INDENT))
    settings = [
        ("sequence_parallel_size", str(configuration.sequence_parallel_size)),
        ("max_token_len_per_gpu", f"{configuration.max_token_len_per_gpu:,}"),
        ("strategy", configuration.strategy or "-"),
        ("cpu_offload", text("yes" if configuration.cpu_offload else "no", language)),
    ]
    if configuration.HasField("rope_scaling"):
        rope = configuration.rope_scaling
        settings += [
            ("rope_scaling.rope_type", rope.rope_type),
            ("rope_scaling.factor", str(rope.factor)),
            (
                "rope_scaling.original_max_position_embeddings",
                f"{rope.original_max_position_embeddings:,}",
            ),
            ("max_position_embeddings", f"{rope.max_position_embeddings:,}"),
        ]
    if configuration.measures:
        settings.append(("measures", ", ".join(configuration.measures)))
    yield from _section("settings", language, pairs(settings, indent=INDENT))


def _memory(plan: PlanResponse, language: Language) -> Iterator[Block]:
    memory = plan.memory
    key = "memory" if plan.HasField("configuration") else "memory_of_nearest"
    yield from _section(key, language, pairs(_memory_lines(memory, language), indent=INDENT))
    if memory.components:
        headers = (text("component", language), "GiB", text("formula", language))
        rows = [(part.name, f"{part.gib:.2f}", part.formula) for part in memory.components]
        yield Block([[Text()]])
        yield grid(headers, rows, numbers=(1,), indent=INDENT)


def _memory_lines(memory: Memory, language: Language) -> list[tuple[str, str]]:
    lines = [(text("usable", language), f"{memory.usable_gib:.2f} GiB")]
    if memory.HasField("peak_gib"):
        spread = f" ± {memory.spread_gib:.2f}" if memory.HasField("spread_gib") else ""
        lines.append((text("peak", language), f"{memory.peak_gib:.2f}{spread} GiB"))
    if memory.phase:
        lines.append((text("phase", language), memory.phase))
    if memory.HasField("readings"):
        shown = memory.readings
        lines.append(
            (
                text("readings", language),
                f"allocated {shown.allocated_gib:.2f}, reserved {shown.reserved_gib:.2f}, "
                f"nvidia-smi {shown.nvidia_smi_gib:.2f} GiB",
            )
        )
    if memory.HasField("host_gib"):
        lines.append((text("host", language), f"{memory.host_gib:.2f} GiB"))
    return lines


def _trace(entries: Sequence[TraceEntry], language: Language) -> Block:
    rows: list[Sequence[str | Text]] = []
    previous: str | None = None
    for entry in entries:
        style = _VERDICT_STYLES.get(entry.verdict, "dim")
        candidate = entry.candidate or text("request", language)
        reason = words(entry.message, style if entry.verdict == VERDICT_REJECT else "")
        if entry.verdict == VERDICT_PASS and entry.kind == RULE_KIND_LIMIT:
            # A refusal's sentence carries its numbers; what passed has only a title.
            reason.append(f": {', '.join(_compared(entry.operands))}")
        if entry.rule:
            reason.append(f" [{printable(entry.rule)}]", style="dim")
        verdict = text(Verdict.Name(entry.verdict) if entry.verdict in Verdict.values() else "?", language)
        rows.append((candidate if candidate != previous else "", words(verdict, style), reason))
        previous = candidate
    headers = (text("rung", language), text("verdict", language), text("reason", language))
    return grid(headers, rows, indent=INDENT)


def _compared(operands: Mapping[str, Value]) -> Iterator[str]:
    """Yield the compared numbers and words; of what was not given, or not estimated, only that."""
    left_out: set[str] = set()
    for flag, placeholders in _PLACEHOLDERS.items():
        if flag in operands and not operands[flag].bool_value:
            left_out |= {flag, *placeholders}
            yield flag.replace("_given", " not given") if flag.endswith("_given") else f"not {flag}"
    if operands.keys() >= {"published_verdict"} and operands["published_verdict"].string_value == "none":
        left_out |= {
            name for name in operands if name.startswith("published_") and name != "published_verdict"
        }
    yield from (_operand(name, operands[name]) for name in sorted(operands.keys() - left_out))


def _operand(name: str, value: Value) -> str:
    """Return one compared number or word with its unit: `peak_mib` 74502 as "peak 72.76 GiB"."""
    if value.WhichOneof("kind") == "bool_value":
        return f"{name} {str(value.bool_value).lower()}"
    if value.WhichOneof("kind") != "number_value":
        return f"{name} {printable(value.string_value)}"
    if name.endswith("_mib"):
        return f"{name.removesuffix('_mib')} {value.number_value / 1024:.2f} GiB"
    if name.endswith("_ppm"):
        return f"{name.removesuffix('_ppm')} {_probability(value.number_value / 1e6)}"
    return f"{name} {value.number_value:,.10g}"


def _advice(advice: Sequence[Advice], language: Language) -> Block:
    rows: list[Sequence[Text]] = []
    for item in advice:
        severity = Severity.Name(item.severity) if item.severity in Severity.values() else "?"
        message = words(item.message)
        message.append(f" [{printable(item.rule)}]", style="dim")
        rows.append((words(text(severity, language), _SEVERITY_STYLES.get(severity, "")), message))
    return Block(rows, indent=INDENT)


def _sources(plan: PlanResponse) -> list[tuple[str, str]]:
    """Name once what each refusal, measurement and advice rests on, by the id that stands behind its message."""
    speaking = (e for e in plan.trace if e.verdict == VERDICT_REJECT or e.kind == RULE_KIND_EVIDENCE)
    named = [*((e.rule, e.source) for e in speaking), *((a.rule, a.source) for a in plan.advice)]
    return [(rule, source) for rule, source in dict(named).items() if source]


def _section(title: str, language: Language, content: Block) -> Iterator[Block]:
    """Yield a titled part; nothing if it is empty."""
    if content.rows:
        yield Block([[Text()], [Text(text(title, language), style="bold")]])
        yield content


def _bullets(sentences: Iterable[str]) -> Block:
    return Block([(Text("-"), words(sentence)) for sentence in sentences], indent=INDENT, gap=1)


def _probability(value: float) -> str:
    """Round down, so that a probability below a threshold never prints as the threshold."""
    return f"{int(value * 1000 + 1e-9) / 1000:.3f}"
