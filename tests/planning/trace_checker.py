"""Checks a plan from its own words: the trace and the limits' `when` texts, with nothing of the product's code.

Every verdict is recomputed from the operands beside it, and operands are recomputed from each other where both
sides are there. What the planner meant does not count, only what it said: a training engineer could do the same
by hand.
"""

import math
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import yaml

RULEBOOK = Path(__file__).parents[2] / "rules" / "rungwise" / "rulebook"
WHENS: dict[str, list[str]] = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["when"]
    for path in (RULEBOOK / "limits").glob("*.yaml")
    if not path.name.endswith(".cases.yaml")
}
COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LIMIT, EVIDENCE = "RULE_KIND_LIMIT", "RULE_KIND_EVIDENCE"
PASS, REJECT, NOT_EVALUATED = "VERDICT_PASS", "VERDICT_REJECT", "VERDICT_NOT_EVALUATED"
CALIBRATED_CARDS_MIB = (79 * 1024, 96 * 1024)
CALIBRATED_TOKENS = 143_360
PROBABILITY_TOLERANCE = 0.002
"""The operands are whole MiB and ppm: the spread is at least 0.6 GiB, so half a MiB moves P by less than 0.001."""


class Job(NamedTuple):
    """What the checker must know of the request."""

    gpus: int
    gpus_per_node: int
    max_model_len: int
    sp_across_nodes: bool = False


def faults(plan: Any, job: Job) -> list[str]:
    """Return what is wrong with a plan that carries its full trace; empty if nothing is."""
    labels = ladder(job)
    return [
        *_verdict_faults(plan.trace),
        *(fault for entry in plan.trace for fault in arithmetic_faults(entry, job)),
        *_source_faults(plan.trace),
        *_order_faults(plan.trace, labels),
        *_choice_faults(plan, labels),
    ]


def ladder(job: Job) -> list[str]:
    """Return the labels of the guide's ladder, cheapest first."""
    largest = job.gpus if job.sp_across_nodes else min(job.gpus, job.gpus_per_node)
    sizes = [size for size in range(1, largest + 1) if job.gpus % size == 0]

    def with_size(label: str, size: int) -> str:
        return label if size == 1 else f"SP={size}" if label == "vanilla" else f"{label} + SP={size}"

    plain = [with_size(label, size) for size in sizes for label in ("vanilla", "Env")]
    return plain + [with_size("Env + Offload", size) for size in sizes]


def holds(text: str, operands: Mapping[str, Any]) -> bool:
    """Evaluate one line of a `when`; TypeError if it compares different kinds."""
    left, sign, right = text.split(maxsplit=2)
    value: Any
    if right.startswith("'"):
        value = right.strip("'")
    elif right in ("true", "false"):
        value = right == "true"
    elif re.fullmatch(r"-?\d+", right):
        value = int(right)
    else:
        value = operands[right]
    if type(operands[left]) is not type(value):
        raise TypeError(f"{text}: {operands[left]!r} against {value!r}")
    return bool(COMPARE[sign](operands[left], value))


def arithmetic_faults(entry: Any, job: Job) -> list[str]:
    """Return what does not add up among the operands of one entry."""
    have = entry.operands
    wrong = [
        f"{name} is {have[name]}, recomputed {expected}"
        for name, expected in _recomputed(entry, job)
        if name in have and have[name] != expected
    ]
    wrong += [*_published_faults(have), *_probability_faults(have, job)]
    return [f"{entry.candidate}/{entry.rule}: {fault}" for fault in wrong]


def _recomputed(entry: Any, job: Job) -> Iterator[tuple[str, Any]]:
    have, label = entry.operands, entry.candidate
    yield "gpus", job.gpus
    yield "max_model_len", job.max_model_len
    if label:
        yield "sequence_parallel_size", int(label.rpartition("SP=")[2]) if "SP=" in label else 1
        yield "cpu_offload", "Offload" in label
        yield "expandable_segments", "Env" in label
    for name, left, operation, right in (
        ("gpus_mod_sp", "gpus", operator.mod, "sequence_parallel_size"),
        ("heads_mod_sp", "attention_heads", operator.mod, "sequence_parallel_size"),
        ("kv_heads_mod_sp", "kv_heads", operator.mod, "sequence_parallel_size"),
        ("sp_mod_kv_heads", "sequence_parallel_size", operator.mod, "kv_heads"),
        ("train_batch_mod_dp", "train_batch_size", operator.mod, "data_parallel_size"),
        ("data_parallel_size", "gpus", operator.floordiv, "sequence_parallel_size"),
        ("sp_token_budget", "sequence_parallel_size", operator.mul, "max_token_len_per_gpu"),
    ):
        if left in have and right in have:
            yield name, operation(have[left], have[right])


def _published_faults(have: Mapping[str, Any]) -> Iterator[str]:
    """A measured verdict follows from the lengths beside it."""
    if not {"published_verdict", "max_model_len", "published_max_len", "published_fail_len"} <= have.keys():
        return
    length, longest, failure = (
        have[name] for name in ("max_model_len", "published_max_len", "published_fail_len")
    )
    says = have["published_verdict"]
    if says == "fits" and not length <= longest:
        yield f"fits, but {length} is beyond {longest}"
    if says == "fails" and not 0 < failure <= length:
        yield f"fails, but {length} is below {failure}"
    if says == "none" and longest and not (length > longest and (failure == 0 or length < failure)):
        yield f"open, but {length} is not between {longest} and {failure}"
    if failure and longest >= failure:
        yield f"fits at {longest}, fails at {failure}"


def _probability_faults(have: Mapping[str, Any], job: Job) -> Iterator[str]:
    """P(need ≤ usable) is the normal distribution's; at the calibrated domain's edges it is bounded by it."""
    if not have.get("estimated") or "spread_mib" not in have:
        return
    margin = have["usable_mib"] - have["peak_mib"]
    normal = 0.5 * math.erfc(-margin / have["spread_mib"] / math.sqrt(2))
    said = have["fit_probability_ppm"] / 1e6
    smallest, largest = CALIBRATED_CARDS_MIB
    at_least, at_most = normal - PROBABILITY_TOLERANCE, normal + PROBABILITY_TOLERANCE
    if have["usable_mib"] < smallest or job.max_model_len > CALIBRATED_TOKENS:
        at_least = 0.0
    if have["usable_mib"] > largest:
        at_most = 1.0
    if not at_least <= said <= at_most:
        yield f"probability {said}, but {margin} MiB at ± {have['spread_mib']} MiB give {normal:.4f}"


def _verdict_faults(trace: Sequence[Any]) -> Iterator[str]:
    for entry in trace:
        where = f"{entry.candidate}/{entry.rule}"
        if entry.kind == LIMIT and entry.verdict != NOT_EVALUATED:
            try:
                matches = all(holds(line, entry.operands) for line in WHENS[entry.rule])
            except (KeyError, TypeError) as error:
                yield f"{where}: cannot be recomputed: {error!r}"
                continue
            if matches != (entry.verdict == REJECT):
                yield f"{where}: {entry.verdict}, but its conditions say {matches}: {dict(entry.operands)}"
        elif entry.kind == EVIDENCE and entry.verdict == REJECT:
            yield f"{where}: only a limit refuses"


def _source_faults(trace: Sequence[Any]) -> Iterator[str]:
    for entry in trace:
        where = f"{entry.candidate}/{entry.rule}"
        if entry.rule and not entry.source:
            yield f"{where}: no source"
        if not entry.message.strip():
            yield f"{where}: no message"
        if not entry.rule and entry.verdict != NOT_EVALUATED:
            yield f"{where}: a verdict without a rule"


def _order_faults(trace: Sequence[Any], labels: Sequence[str]) -> Iterator[str]:
    order = [label for label, _ in groupby(entry.candidate for entry in trace)]
    if order and order[0] == "":
        order = order[1:]
    if len(set(order)) < len(order):
        yield f"a candidate's entries are apart: {order}"
    unknown = [label for label in order if label not in labels]
    if unknown:
        yield f"not on the ladder: {unknown}"
    elif order != sorted(order, key=labels.index):
        yield f"not in ladder order: {order}"


def _choice_faults(plan: Any, labels: Sequence[str]) -> Iterator[str]:
    if plan.outcome == "OUTCOME_UNKNOWN":
        return
    rejected = {e.candidate for e in plan.trace if e.kind == LIMIT and e.verdict == REJECT}
    passed = {e.candidate for e in plan.trace if e.kind == LIMIT and e.verdict == PASS}
    if plan.configuration is None:
        if plan.outcome != "OUTCOME_INFEASIBLE":
            yield f"{plan.outcome} without a configuration"
        yield from (f"{label} is refused without a reason" for label in labels if label not in rejected)
        if passed:
            yield f"{passed} passed, but nothing is chosen"
        return
    chosen = plan.configuration.label
    if plan.outcome != "OUTCOME_FEASIBLE":
        yield f"{plan.outcome} with {chosen}"
    if chosen not in labels:
        yield f"{chosen} is not on the ladder"
        return
    for label in labels[: labels.index(chosen)]:
        if label not in rejected:
            yield f"{label} comes before {chosen} and is refused without a reason"
    checks = [e.rule for e in plan.trace if e.candidate == chosen and e.kind == LIMIT]
    if sorted(checks) != sorted(WHENS):
        yield f"{chosen} passed {sorted(checks)}, the limits are {sorted(WHENS)}"
    if chosen in rejected or passed != {chosen}:
        yield f"{chosen} is chosen; rejected {sorted(rejected)}, passed {sorted(passed)}"
