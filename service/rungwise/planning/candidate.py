"""Candidates: rungs made concrete for one job, and the facts that rules see of them. All arithmetic happens here."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rungwise.engine.facts import Fact
from rungwise.planning.job import Job
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.ladder import Rung, sequence_parallel_sizes
from rungwise.planning.measures import CPU_OFFLOAD, EXPANDABLE_SEGMENTS, SEQUENCE_PARALLEL_ACROSS_NODES
from rungwise.planning.memory_verdict import MemoryVerdict
from rungwise.planning.version import version_number

PPM = 1_000_000


class Candidate(NamedTuple):
    """A rung with its degrees and budgets. Tokens per GPU; `default_budget`: it is the framework's default."""

    rung: Rung
    label: str
    strategy: str
    token_budget: int
    default_budget: bool
    expandable_segments: bool
    cpu_offload: bool


def candidates(knowledge: Knowledge, job: Job) -> tuple[Candidate, ...]:
    """Expand the job's ladder, cheapest rung first; empty if there is no ladder."""
    if job.ladder is None:
        return ()
    across = SEQUENCE_PARALLEL_ACROSS_NODES in job.allow
    # No SP above the number of heads can be legal.
    reach = job.gpus if across else job.gpus_per_node
    sizes = sequence_parallel_sizes(job.gpus, min(reach, job.gpus, job.model.num_attention_heads))
    default = job.framework_version.default_strategy if job.framework_version else "fsdp"
    given = job.request.workload.max_token_len_per_gpu
    ladder = []
    for rung in job.ladder.climb(sizes):
        if knowledge.measures.opt_in(rung.base) - job.allow:
            continue
        budget = job.default_token_budget(rung.sequence_parallel_size)
        ladder.append(
            Candidate(
                rung,
                rung.label,
                job.strategy or knowledge.measures.strategy(rung.base, default),
                given or budget,
                given is None or given == budget,
                EXPANDABLE_SEGMENTS in rung.base,
                CPU_OFFLOAD in rung.base,
            )
        )
    return tuple(ladder)


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
        forbidden = sorted(job.forbid.intersection(candidate.rung.measures)) if job.forbid else ()
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


def memory_facts(job: Job, judged: Iterable[tuple[Candidate, MemoryVerdict]]) -> list[Fact]:
    """Return the facts of stage `memory`, one per legal candidate."""
    host = job.request.hardware.host_memory_gib
    of_the_job: Fact = {
        "gpu": job.gpu.id,
        "gpus": job.gpus,
        "max_model_len": job.max_model_len,
        "usable_mib": round(job.usable_gib * 1024),
        "required_probability_ppm": round(job.min_fit_probability * PPM),
        "host_memory_given": host is not None,
        "host_available_mib": math.floor((host or 0) * 1024),
    }
    facts: list[Fact] = []
    for candidate, memory in judged:
        column, estimated = memory.finding.column, memory.estimated
        facts.append(
            {
                **of_the_job,
                "label": candidate.label,
                "sequence_parallel_size": candidate.rung.sequence_parallel_size,
                "cpu_offload": candidate.cpu_offload,
                "max_token_len_per_gpu": candidate.token_budget,
                "published_verdict": memory.finding.verdict,
                "published_gpu": column.gpu if column else "none",
                "published_max_len": column.longest if column else 0,
                "published_fail_len": (column.shortest_failure or 0) if column else 0,
                "estimated": estimated is not None,
                "peak_mib": round(estimated.peak_gib * 1024) if estimated else 0,
                "spread_mib": round(estimated.spread_gib * 1024) if estimated else 0,
                # Rounded down: what is required must really be reached.
                "fit_probability_ppm": math.floor(memory.probability * PPM),
                "host_mib": math.ceil(memory.host_gib * 1024),
            }
        )
    return facts


def crosses_nodes(job: Job, sequence_parallel_size: int) -> bool:
    """Whether some SP group spans more than one node."""
    return job.nodes > 1 and job.gpus_per_node % sequence_parallel_size != 0
