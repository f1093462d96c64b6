"""What a plan assumes, and what is missing for one."""

from rungwise.planning.job import Job
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.quantity import gib_text, number_text


def missing(knowledge: Knowledge, job: Job) -> tuple[str, ...]:
    """Return why memory cannot be judged; empty if it can."""
    say, lacking = knowledge.messages.text, []
    if job.ladder is None or job.framework.estimator is None:
        ladders = "; ".join(
            f"{ladder.framework} ({'/'.join(ladder.methods)}, {'/'.join(ladder.tasks)})"
            for ladder in knowledge.ladders.values()
        )
        return (
            say(
                "missing.ladder",
                job.locale,
                framework=job.framework.id,
                method=job.method,
                task=job.task,
                ladders=ladders,
            ),
        )
    estimator = job.framework.estimator
    if job.model.unsupported:
        lacking.append(say("missing.architecture", job.locale, reason=job.model.unsupported))
    if job.optimizer not in estimator.optimizers:
        known = ", ".join(estimator.optimizers)
        lacking.append(say("missing.optimizer", job.locale, optimizer=job.optimizer, known=known))
    if job.precision not in estimator.precisions:
        known = ", ".join(estimator.precisions)
        lacking.append(say("missing.precision", job.locale, precision=job.precision, known=known))
    if job.request.workload.rollout.colocated:
        lacking.append(say("missing.colocated", job.locale))
    return tuple(lacking)


def assumptions(knowledge: Knowledge, job: Job) -> tuple[str, ...]:
    """Return what the plan takes for granted where the request says nothing."""
    notes: list[str] = []
    workload, hardware = job.request.workload, job.request.hardware

    def note(key: str, **values: object) -> None:
        notes.append(knowledge.messages.text(f"assume.{key}", job.locale, **values))

    name = job.framework.id
    if workload.framework is None:
        if workload.method is None and workload.task is None:
            note("defaults", framework=name, method=job.method, task=job.task)
        else:
            note("framework", framework=name)
    if job.ladder is None:
        return tuple(notes)
    if job.framework_version:
        if not job.framework_version_given:
            note("version", framework=name, version=job.framework_version.id)
        elif not job.framework_version_known:
            note(
                "newer_version",
                framework=name,
                version=job.framework_version_text,
                used=job.framework_version.id,
            )
    if workload.max_token_len_per_gpu is None:
        note("budget", sequences=job.framework.token_budget_sequences)
    if hardware.free_gib is None:
        note("usable", usable=gib_text(job.usable_gib), gpu=job.gpu.id)
    measured = {m.id for table in knowledge.evidence if (m := table.measured_model(job.model))}
    if measured and job.model.id not in measured:
        note("same_dimensions", model=", ".join(sorted(measured)))
    if workload.precision is None or workload.optimizer is None:
        note("precision")
    unused = [
        path
        for path, value in (
            ("micro_batch_size", workload.micro_batch_size),
            ("grad_accum", workload.grad_accum),
            ("packing", workload.packing),
            ("rollout.engines", workload.rollout.engines),
            ("rollout.gpu_memory_utilization", workload.rollout.gpu_memory_utilization),
        )
        if value is not None
    ]
    if unused:
        note("not_used", fields=", ".join(unused))
    if job.task == "rl":
        note("trainer_gpus", gpus=number_text(job.gpus))
    return tuple(notes)
