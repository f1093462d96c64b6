"""Candidates: rungs made concrete for one job, and the facts that rules see of them. All arithmetic happens here."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rungwise.domain.plan import Basis
from rungwise.engine.facts import Fact
from rungwise.memory import actor, parameters
from rungwise.memory.actor import GIB, Estimate, Layout, Shape
from rungwise.memory.fit import Domain, Spread, fit_probability
from rungwise.planning.evidence import Finding
from rungwise.planning.framework import Estimator
from rungwise.planning.job import Job
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.ladder import Rung, sequence_parallel_sizes
from rungwise.planning.measures import CPU_OFFLOAD, EXPANDABLE_SEGMENTS, SEQUENCE_PARALLEL_ACROSS_NODES
from rungwise.planning.version import version_number

PPM = 1_000_000


class Candidate(NamedTuple):
    """A rung with its degrees and budgets. Tokens per GPU."""

    rung: Rung
    label: str
    strategy: str
    token_budget: int
    expandable_segments: bool
    cpu_offload: bool


class MemoryVerdict(NamedTuple):
    """What is known of a candidate's memory; GiB. Unknown: no estimate and no probability, basis UNKNOWN."""

    finding: Finding
    estimate: Estimate | None
    spread_gib: float
    probability: float
    basis: Basis
    host_gib: float

    @property
    def peak_gib(self) -> float | None:
        """Estimated need of one GPU in the peak phase."""
        return None if self.estimate is None else self.estimate.peak / GIB


def candidates(knowledge: Knowledge, job: Job) -> tuple[Candidate, ...]:
    """Expand the job's ladder, cheapest rung first; empty if there is no ladder."""
    if job.ladder is None:
        return ()
    across = SEQUENCE_PARALLEL_ACROSS_NODES in job.allow
    sizes = sequence_parallel_sizes(job.gpus, job.gpus_per_node, across_nodes=across)
    default = job.framework_version.default_strategy if job.framework_version else "fsdp"
    return tuple(
        Candidate(
            rung=rung,
            label=rung.label,
            strategy=job.strategy or knowledge.measures.strategy(rung.base, default),
            token_budget=job.token_budget(rung.sequence_parallel_size),
            expandable_segments=EXPANDABLE_SEGMENTS in rung.base,
            cpu_offload=CPU_OFFLOAD in rung.base,
        )
        for rung in job.ladder.climb(sizes)
    )


def legality_facts(job: Job, ladder: Sequence[Candidate]) -> list[Fact]:
    """Return the facts of stage `legality`, one per candidate."""
    model, workload = job.model, job.request.workload
    batch, torch, rollout = workload.train_batch_size, workload.software.torch, workload.rollout
    heads, kv_heads = model.num_attention_heads, model.num_key_value_heads
    of_the_job: Fact = {
        "framework": job.framework.id,
        "model_architecture": model.model_type,
        "gpu": job.gpu.id,
        "gpus": job.gpus,
        "gpus_per_node": job.gpus_per_node,
        "attention_heads": heads,
        "kv_heads": kv_heads,
        "sp_support": job.architecture.sequence_parallel,
        "max_model_len": job.max_model_len,
        "train_batch_given": batch is not None,
        "train_batch_size": batch or 0,
        "torch_given": torch is not None,
        "torch_version": version_number(torch) if torch else 0,
        "precision": job.precision,
        "bf16_supported": job.gpu.bf16,
        "compute_capability": round(float(job.gpu.compute_capability or 0) * 10),
        "rollout_tensor_parallel": rollout.tensor_parallel or 1,
        "rollout_data_parallel": rollout.data_parallel or 1,
    }
    facts: list[Fact] = []
    for candidate in ladder:
        size = candidate.rung.sequence_parallel_size
        forbidden = sorted(job.forbid.intersection(candidate.rung.measures))
        facts.append(
            {
                **of_the_job,
                "label": candidate.label,
                "sequence_parallel_size": size,
                "gpus_mod_sp": job.gpus % size,
                "data_parallel_size": job.gpus // size,
                "heads_mod_sp": heads % size,
                "kv_heads_mod_sp": kv_heads % size,
                "sp_mod_kv_heads": size % kv_heads,
                "sp_crosses_nodes": crosses_nodes(job, size),
                "max_token_len_per_gpu": candidate.token_budget,
                "sp_token_budget": size * candidate.token_budget,
                "train_batch_mod_dp": (batch or 0) % (job.gpus // size),
                "cpu_offload": candidate.cpu_offload,
                "expandable_segments": candidate.expandable_segments,
                "strategy": candidate.strategy,
                "forbidden_measures": len(forbidden),
                "forbidden": " ".join(forbidden) or "none",
            }
        )
    return facts


def memory_fact(job: Job, candidate: Candidate, memory: MemoryVerdict) -> Fact:
    """Return the fact of stage `memory`."""
    finding = memory.finding
    host = job.request.hardware.host_memory_gib
    return {
        "label": candidate.label,
        "gpu": job.gpu.id,
        "gpus": job.gpus,
        "sequence_parallel_size": candidate.rung.sequence_parallel_size,
        "cpu_offload": candidate.cpu_offload,
        "max_model_len": job.max_model_len,
        "max_token_len_per_gpu": candidate.token_budget,
        "published_verdict": finding.verdict,
        "published_max_len": finding.column.longest if finding.column else 0,
        "published_fail_len": (finding.column.shortest_failure or 0) if finding.column else 0,
        "estimated": memory.estimate is not None,
        "peak_mib": round((memory.peak_gib or 0) * 1024),
        "usable_mib": round(job.usable_gib * 1024),
        "spread_mib": round(memory.spread_gib * 1024),
        # Rounded down: what is required must really be reached.
        "fit_probability_ppm": math.floor(memory.probability * PPM),
        "required_probability_ppm": round(job.min_fit_probability * PPM),
        "host_mib": math.ceil(memory.host_gib * 1024),
        "host_memory_given": host is not None,
        "host_available_mib": math.floor((host or 0) * 1024),
    }


class MemoryJudge:
    """Says what evidence and estimator say of one job's legal candidates."""

    def __init__(self, job: Job) -> None:
        """Work out once what is the same for every candidate."""
        self._job = job
        self._estimator = None if job.missing else job.framework.estimator
        self._shape = Shape.of(job.model)
        self._calibrated = self._estimator is not None and _calibrated(
            job, self._estimator.domain, self._shape
        )
        self._host_gib = host_gib(job)
        self._spreads: dict[frozenset[str], Spread] = {}

    def judge(self, candidate: Candidate, finding: Finding, *, measured_strategy: bool) -> MemoryVerdict:
        """Return what is known of `candidate`.

        `measured_strategy`: it runs with the sharding strategy that its rung was calibrated with.
        """
        job, estimator = self._job, self._estimator
        host = self._host_gib if candidate.cpu_offload else 0.0
        if estimator is None:
            return MemoryVerdict(finding, None, 0.0, 0.0, Basis.UNKNOWN, host)
        domain, size = estimator.domain, candidate.rung.sequence_parallel_size
        estimate = actor.estimate(
            self._shape, self._layout(candidate, candidate.token_budget), estimator.constants
        )
        spread = self._spreads.get(candidate.rung.base) or self._spread(candidate, estimator)
        kind = (
            self._calibrated
            and measured_strategy
            and domain.holds_layout(gpus=job.gpus, sequence_parallel_size=size)
        )
        inside = (
            kind
            and domain.min_usable_gib <= job.usable_gib <= domain.max_usable_gib
            and job.max_model_len <= domain.max_model_len
        )
        spread_gib = spread.inside_gib if inside else spread.outside_gib
        if finding.verdict != "none" and finding.basis is not None:
            certainty = 1.0 if finding.verdict == "fits" else 0.0
            return MemoryVerdict(finding, estimate, spread_gib, certainty, finding.basis, host)
        probability = fit_probability(
            need_gib=estimate.peak / GIB,
            need_at_longest_gib=lambda: self._need_at_longest(candidate, estimator),
            usable_gib=job.usable_gib,
            max_model_len=job.max_model_len,
            spread=spread,
            domain=domain,
            inside=kind,
        )
        basis = finding.basis or (Basis.CALIBRATED if inside else Basis.EXTRAPOLATED)
        return MemoryVerdict(finding, estimate, spread_gib, probability, basis, host)

    def _spread(self, candidate: Candidate, estimator: Estimator) -> Spread:
        spread = self._spreads[candidate.rung.base] = estimator.spread(candidate.rung.base)
        return spread

    def _layout(self, candidate: Candidate, tokens: int) -> Layout:
        return Layout(
            gpus=self._job.gpus,
            sequence_parallel_size=candidate.rung.sequence_parallel_size,
            tokens=tokens,
            expandable_segments=candidate.expandable_segments,
            cpu_offload=candidate.cpu_offload,
        )

    def _need_at_longest(self, candidate: Candidate, estimator: Estimator) -> float:
        """Return the need in GiB at the longest calibrated context; a budget that was given stays as it is."""
        tokens = candidate.token_budget
        if self._job.request.workload.max_token_len_per_gpu is None:
            sequences = self._job.framework.token_budget_sequences
            tokens = -(-sequences * estimator.domain.max_model_len // candidate.rung.sequence_parallel_size)
        return actor.estimate(self._shape, self._layout(candidate, tokens), estimator.constants).peak / GIB


def _calibrated(job: Job, domain: Domain, shape: Shape) -> bool:
    """Whether software and model are of the calibrated kind."""
    version, model = job.framework_version, job.model
    if version is None or not version.calibrated or not job.framework_version_known:
        return False
    return domain.holds_model(
        parameters=shape.parameters,
        vocab_size=model.vocab_size,
        dense=not model.num_experts,
        grouped_query=model.num_key_value_heads < model.num_attention_heads,
    )


def host_gib(job: Job) -> float:
    """Return the host memory in GiB that the CPU-offload policy needs on one node, over its ranks."""
    width = job.framework.host_bytes_per_parameter
    if width is None:
        return 0.0
    return (width.states + width.reference + width.pinned) * parameters.total(job.model) / job.nodes / GIB


def crosses_nodes(job: Job, sequence_parallel_size: int) -> bool:
    """Whether some SP group spans more than one node."""
    return job.nodes > 1 and job.gpus_per_node % sequence_parallel_size != 0
