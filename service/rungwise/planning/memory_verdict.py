"""What evidence and estimator say of a candidate's memory."""

from collections.abc import Mapping
from typing import NamedTuple

from rungwise.domain.plan import Basis
from rungwise.memory import actor, parameters
from rungwise.memory.actor import GIB, Estimate, Layout, Shape
from rungwise.memory.fit import Spread, fit_probability
from rungwise.planning.evidence import Finding
from rungwise.planning.framework import Estimator
from rungwise.planning.job import Job
from rungwise.planning.ladder import Rung
from rungwise.planning.measures import CPU_OFFLOAD, EXPANDABLE_SEGMENTS
from rungwise.planning.quantity import gib_text, number_text


class Estimated(NamedTuple):
    """The estimate of one candidate. `kind`: software, model and layout are of the calibrated kind."""

    estimate: Estimate
    spread: Spread
    kind: bool
    inside: bool

    @property
    def peak_gib(self) -> float:
        """Need of one GPU in the peak phase."""
        return self.estimate.peak / GIB

    @property
    def spread_gib(self) -> float:
        """One standard deviation of the need."""
        return self.spread.inside_gib if self.inside else self.spread.outside_gib


class MemoryVerdict(NamedTuple):
    """What is known of a candidate's memory. `estimated` is None where evidence decided or nothing is known."""

    finding: Finding
    estimated: Estimated | None
    probability: float
    basis: Basis
    host_gib: float


class MemoryJudge:
    """Judges the memory of one job's legal candidates."""

    def __init__(self, job: Job, measured_strategies: Mapping[frozenset[str], str], *, known: bool) -> None:
        """Work out once what is the same for every candidate.

        `measured_strategies`: the sharding strategy that each rung was calibrated with, by its measures without SP;
        `known`: the estimator can judge the job.
        """
        self._job = job
        self._estimator = job.framework.estimator if known else None
        self._shape = Shape.of(job.model)
        self._calibrated = self._estimator is not None and _calibrated(job, self._estimator, self._shape)
        self._strategies = measured_strategies
        self._host_gib = host_gib(job)

    def judge(self, rung: Rung, strategy: str, tokens: int, finding: Finding) -> MemoryVerdict:
        """Return the verdict on `rung` with its token budget; a measurement outranks the estimate."""
        job, estimator = self._job, self._estimator
        host = self._host_gib if CPU_OFFLOAD in rung.base else 0.0
        if estimator is None:
            return MemoryVerdict(finding, None, 0.0, Basis.UNKNOWN, host)
        if finding.verdict != "none" and finding.basis is not None:
            certainty = 1.0 if finding.verdict == "fits" else 0.0
            return MemoryVerdict(finding, None, certainty, finding.basis, host)
        estimated = self._estimate(rung, strategy, tokens, estimator)
        probability = fit_probability(
            need_gib=estimated.peak_gib,
            need_at_longest_gib=lambda: self._need_at_longest(rung, tokens, estimator),
            usable_gib=job.usable_gib,
            max_model_len=job.max_model_len,
            spread=estimated.spread,
            domain=estimator.domain,
            inside=estimated.kind,
        )
        basis = finding.basis or (Basis.CALIBRATED if estimated.inside else Basis.EXTRAPOLATED)
        return MemoryVerdict(finding, estimated, probability, basis, host)

    def estimate(self, rung: Rung, strategy: str, tokens: int) -> Estimated | None:
        """Return the estimate, also where a measurement decided; None if the estimator has none."""
        return None if self._estimator is None else self._estimate(rung, strategy, tokens, self._estimator)

    def outside(self, rung: Rung, strategy: str) -> dict[str, tuple[str, str, str]]:
        """Return why a candidate is not of the calibrated kind: value, low and high by the key of the reason."""
        job, estimator = self._job, self._estimator
        if estimator is None:
            return {}
        domain, model, shape = estimator.domain, job.model, self._shape
        version, size = job.framework_version, rung.sequence_parallel_size
        known = version is not None and version.calibrated and job.framework_version_known
        size_text, low, high = (
            f"{n / 1e9:.1f}" for n in (shape.parameters, domain.min_parameters, domain.max_parameters)
        )
        vocabularies = number_text(model.vocab_size), number_text(domain.vocab_size)
        length_texts = number_text(job.max_model_len), number_text(domain.max_model_len)
        usable = gib_text(job.usable_gib), f"{domain.min_usable_gib:g}", f"{domain.max_usable_gib:g}"
        checks: dict[str, tuple[bool, tuple[str, str, str]]] = {
            "version": (not known, (f"{job.framework.id} {job.framework_version_text}", "", "")),
            "model_size": (
                not domain.min_parameters <= shape.parameters <= domain.max_parameters,
                (size_text, low, high),
            ),
            "vocabulary": (model.vocab_size != domain.vocab_size, (*vocabularies, "")),
            "experts": (bool(model.num_experts), ("", "", "")),
            "attention": (model.num_key_value_heads >= model.num_attention_heads, ("", "", "")),
            "gpus": (job.gpus > domain.max_gpus, (str(job.gpus), "", str(domain.max_gpus))),
            "sequence_parallel": (
                size > domain.max_sequence_parallel_size,
                (str(size), "", str(domain.max_sequence_parallel_size)),
            ),
            "usable": (not domain.min_usable_gib <= job.usable_gib <= domain.max_usable_gib, usable),
            "length": (job.max_model_len > domain.max_model_len, (length_texts[0], "", length_texts[1])),
            "strategy": (self._strategies.get(rung.base, strategy) != strategy, (strategy, "", "")),
        }
        return {key: values for key, (is_outside, values) in checks.items() if is_outside}

    def _estimate(self, rung: Rung, strategy: str, tokens: int, estimator: Estimator) -> Estimated:
        job, domain = self._job, estimator.domain
        kind = (
            self._calibrated
            and self._strategies.get(rung.base, strategy) == strategy
            and domain.holds_layout(job.gpus, rung.sequence_parallel_size)
        )
        inside = (
            kind
            and domain.min_usable_gib <= job.usable_gib <= domain.max_usable_gib
            and job.max_model_len <= domain.max_model_len
        )
        estimate = actor.estimate(self._shape, self._layout(rung, tokens), estimator.constants)
        return Estimated(estimate, estimator.spread(rung.base), kind, inside)

    def _layout(self, rung: Rung, tokens: int) -> Layout:
        expandable = EXPANDABLE_SEGMENTS in rung.base
        return Layout(
            self._job.gpus, rung.sequence_parallel_size, tokens, expandable, CPU_OFFLOAD in rung.base
        )

    def _need_at_longest(self, rung: Rung, tokens: int, estimator: Estimator) -> float:
        """Return the need in GiB at the longest calibrated context; a budget that was given stays as it is."""
        if self._job.request.workload.max_token_len_per_gpu is None:
            sequences = self._job.framework.token_budget_sequences
            tokens = -(-sequences * estimator.domain.max_model_len // rung.sequence_parallel_size)
        return actor.estimate(self._shape, self._layout(rung, tokens), estimator.constants).peak / GIB


def host_gib(job: Job) -> float:
    """Return the host memory in GiB that the CPU-offload policy needs on one node, over its ranks."""
    width = job.framework.host_bytes_per_parameter
    if width is None:
        return 0.0
    return (width.states + width.reference + width.pinned) * parameters.total(job.model) / job.nodes / GIB


def _calibrated(job: Job, estimator: Estimator, shape: Shape) -> bool:
    """Whether software and model are of the calibrated kind."""
    version, model = job.framework_version, job.model
    if version is None or not version.calibrated or not job.framework_version_known:
        return False
    return estimator.domain.holds_model(
        parameters=shape.parameters,
        vocab_size=model.vocab_size,
        dense=not model.num_experts,
        grouped_query=model.num_key_value_heads < model.num_attention_heads,
    )
