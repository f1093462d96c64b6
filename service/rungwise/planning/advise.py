"""Advice: recommendations and warnings for the job and the rung that was chosen."""

import math
from functools import lru_cache

from rungwise.domain.plan import Advice, Severity
from rungwise.engine.facts import Fact
from rungwise.engine.rule import Recommendation
from rungwise.memory import parameters
from rungwise.planning.candidate import PPM, crosses_nodes
from rungwise.planning.decision import Decision
from rungwise.planning.job import Job
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.ladder import sequence_parallel_sizes
from rungwise.planning.rope import rope_scaling, yarn_original_context
from rungwise.planning.version import version_number

ORDER = (Severity.CRITICAL, Severity.WARNING, Severity.INFO)
NARROWER = 4
"""How many GPU counts below the job's are looked at for one that admits a larger SP."""


def advise(knowledge: Knowledge, decision: Decision) -> tuple[Advice, ...]:
    """Return the advice that matches, the most urgent first."""
    fact = advice_fact(decision)
    (matched,) = knowledge.matcher.match("advice", [fact])
    units, locale = knowledge.units["advice"], decision.job.locale
    advice = []
    for rule_id in matched:
        rule = knowledge.ruleset.rule(rule_id)
        if isinstance(rule.then, Recommendation):
            severity = Severity[rule.then.severity.upper()]
            advice.append(Advice(rule.id, severity, rule.message(fact, locale, units), rule.source))
    return tuple(sorted(advice, key=lambda a: (ORDER.index(a.severity), a.rule)))


def advice_fact(decision: Decision) -> Fact:
    """Return the fact of stage `advice`."""
    job, chosen = decision.job, decision.chosen
    workload, hardware = job.request.workload, job.request.hardware
    torch, transformers = workload.software.torch, workload.software.transformers
    rope = rope_scaling(job)
    size = chosen.candidate.rung.sequence_parallel_size if chosen else 1
    memory = chosen.memory if chosen else None
    heads, kv_heads = job.model.num_attention_heads, job.model.num_key_value_heads
    largest = _largest_size(job.gpus, job.gpus_per_node, heads, kv_heads)
    fewer_gpus, fewer_size = _fewer_gpus_larger_size(job, largest)
    host, cores = hardware.host_memory_gib, hardware.cpu_cores
    return {
        "outcome": decision.outcome.name.lower(),
        "label": chosen.candidate.label if chosen else "none",
        "framework": job.framework.id,
        "framework_version": version_number(job.framework_version_text) if job.framework_version_text else 0,
        "framework_version_given": job.framework_version_given,
        "model_architecture": job.model.model_type,
        "params_millions": round(parameters.total(job.model) / 1_000_000),
        "experts": job.model.num_experts,
        "gpu": job.gpu.id,
        "gpus": job.gpus,
        "gpus_per_node": job.gpus_per_node,
        "nodes": job.nodes,
        "max_model_len": job.max_model_len,
        "native_context": job.model.max_position_embeddings or 0,
        "yarn_original_context": yarn_original_context(job),
        "yarn_factor_thousandths": round(rope.factor * 1000) if rope else 0,
        "transformers_given": transformers is not None,
        "transformers_version": version_number(transformers) if transformers else 0,
        "torch_given": torch is not None,
        "torch_version": version_number(torch) if torch else 0,
        "expandable_segments": chosen.candidate.expandable_segments if chosen else False,
        "cpu_offload": chosen.candidate.cpu_offload if chosen else False,
        "sequence_parallel_size": size,
        "sp_crosses_nodes": crosses_nodes(job, size),
        "kv_heads": job.model.num_key_value_heads,
        "attention_heads": job.model.num_attention_heads,
        "largest_sp": largest,
        "fewer_gpus_larger_sp": fewer_gpus,
        "fewer_gpus_sp": fewer_size,
        "rollout_tensor_parallel": workload.rollout.tensor_parallel or 1,
        "rollout_data_parallel": workload.rollout.data_parallel or 1,
        "cpu_cores_given": cores is not None,
        "cpu_cores_per_gpu": (cores or 0) // job.gpus_per_node,
        "host_mib": math.ceil(memory.host_gib * 1024) if memory else 0,
        "host_memory_given": host is not None,
        "host_available_mib": math.floor((host or 0) * 1024),
        "basis": decision.basis.name.lower(),
        "fit_probability_ppm": math.floor(memory.probability * PPM) if memory else 0,
        "usable_memory_verified": job.gpu.usable_verified or hardware.free_gib is not None,
    }


@lru_cache(maxsize=1024)
def _largest_size(gpus: int, gpus_per_node: int, heads: int, kv_heads: int) -> int:
    """Return the largest SP within a node of `gpus`: it divides GPUs and heads, and divides or repeats the KV heads."""
    return max(
        size
        for size in sequence_parallel_sizes(gpus, min(gpus, gpus_per_node))
        if heads % size == 0 and (kv_heads % size == 0 or size % kv_heads == 0)
    )


def _fewer_gpus_larger_size(job: Job, largest: int) -> tuple[int, int]:
    """Return the largest smaller GPU count that admits an SP above `largest`, and that SP; zeros if there is none."""
    if job.nodes > 1:
        return 0, 0
    heads, kv_heads = job.model.num_attention_heads, job.model.num_key_value_heads
    for gpus in range(job.gpus - 1, max(1, job.gpus - 1 - NARROWER), -1):
        size = _largest_size(gpus, job.gpus_per_node, heads, kv_heads)
        if size > largest:
            return gpus, size
    return 0, 0
