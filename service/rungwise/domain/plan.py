"""What is answered: field names as in the public contract (proto/rungwise/v1/plan.proto).

Plain frozen values: we make them ourselves, so nothing is validated again. What comes in
numbers, trace entries and memory components, are named tuples.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

Scalar = int | float | str | bool | None
"""A number or word that a rule compared, or that a change sets; None leaves a field out."""


class Outcome(StrEnum):
    """Whether a configuration was found."""

    FEASIBLE = "OUTCOME_FEASIBLE"
    INFEASIBLE = "OUTCOME_INFEASIBLE"
    UNKNOWN = "OUTCOME_UNKNOWN"


class Basis(StrEnum):
    """Where a verdict comes from, best first."""

    PUBLISHED = "BASIS_PUBLISHED"
    BRACKETED = "BASIS_BRACKETED"
    CALIBRATED = "BASIS_CALIBRATED"
    EXTRAPOLATED = "BASIS_EXTRAPOLATED"
    UNKNOWN = "BASIS_UNKNOWN"


class Verdict(StrEnum):
    """What was said of a candidate."""

    PASS = "VERDICT_PASS"
    REJECT = "VERDICT_REJECT"
    NOT_EVALUATED = "VERDICT_NOT_EVALUATED"


class RuleKind(StrEnum):
    """What a rule is for."""

    LIMIT = "RULE_KIND_LIMIT"
    ADVICE = "RULE_KIND_ADVICE"
    EVIDENCE = "RULE_KIND_EVIDENCE"


class Severity(StrEnum):
    """How urgent an advice is."""

    INFO = "SEVERITY_INFO"
    WARNING = "SEVERITY_WARNING"
    CRITICAL = "SEVERITY_CRITICAL"


@dataclass(frozen=True, slots=True)
class RopeScaling:
    """A position-embedding extension; lengths in tokens. `max_position_embeddings` = original × factor."""

    rope_type: str
    factor: float
    original_max_position_embeddings: int
    max_position_embeddings: int


@dataclass(frozen=True, slots=True)
class Configuration:
    """The rung to run with."""

    label: str
    measures: tuple[str, ...]
    env: Mapping[str, str]
    sequence_parallel_size: int
    cpu_offload: bool
    max_token_len_per_gpu: int
    rope_scaling: RopeScaling | None
    strategy: str


class MemoryComponent(NamedTuple):
    """One part of the peak phase: `gib` on one GPU, and how it was computed."""

    name: str
    gib: float
    formula: str


@dataclass(frozen=True, slots=True)
class MemoryReadings:
    """The same peak as torch's allocated and reserved peaks and nvidia-smi show it, in GiB."""

    allocated_gib: float
    reserved_gib: float
    nvidia_smi_gib: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of one GPU, and of one host. GiB. `components` sum to `peak_gib`."""

    usable_gib: float
    peak_gib: float | None = None
    phase: str = ""
    components: tuple[MemoryComponent, ...] = ()
    readings: MemoryReadings | None = None
    host_gib: float | None = None
    spread_gib: float | None = None


class TraceEntry(NamedTuple):
    """One verdict with the numbers that it compared."""

    candidate: str
    rule: str
    kind: RuleKind
    verdict: Verdict
    message: str
    operands: Mapping[str, Scalar]
    source: str


@dataclass(frozen=True, slots=True)
class Advice:
    """A recommendation or a warning."""

    rule: str
    severity: Severity
    message: str
    source: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a request: path of the field, new value; None leaves the field out."""

    field: str
    value: Scalar | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WouldFitIf:
    """Changes that make an infeasible request feasible, and the rung that fits then."""

    changes: tuple[Change, ...]
    label: str
    message: str


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """Where the answer changes."""

    field: str
    value: Scalar
    label: str
    message: str


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What speaks against a rung that was asked about."""

    label: str
    rejections: tuple[TraceEntry, ...]
    message: str


@dataclass(frozen=True, slots=True)
class PlanResponse:
    """The plan of a job."""

    decision_id: str
    rulebook_revision: str
    planner_version: str
    outcome: Outcome
    configuration: Configuration | None
    memory: Memory | None
    basis: Basis
    fit_probability: float
    trace: tuple[TraceEntry, ...]
    advice: tuple[Advice, ...]
    would_fit_if: tuple[WouldFitIf, ...]
    assumptions: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class ExplainResponse:
    """The explanation of a plan."""

    plan: PlanResponse
    why_not: tuple[WhyNot, ...]
    turning_points: tuple[TurningPoint, ...]
