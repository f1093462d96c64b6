"""What would fit: for an infeasible job the smallest change of each field, every one checked by planning it."""

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from rungwise.domain.errors import InvalidRequest, NotFound
from rungwise.domain.plan import Change, Outcome, Scalar, WouldFitIf
from rungwise.domain.request import MAX_TOKENS, PlanRequest
from rungwise.planning.decision import Decision, decide
from rungwise.planning.job import NODE_GPUS, resolve
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.quantity import number_text

MANY_GPUS = (24, 32, 48, 64, 96, 128, 192, 256)
"""GPU counts beyond two nodes that are tried."""
LEAST_PROBABILITY = 0.5
"""A lower min_fit_probability than this is not offered: the job would more likely fail than fit."""

Value = Scalar | tuple[str, ...]


def would_fit_if(knowledge: Knowledge, decision: Decision) -> tuple[WouldFitIf, ...]:
    """Return changes that make an infeasible decision feasible; empty for any other outcome."""
    if decision.outcome is not Outcome.INFEASIBLE:
        return ()
    attempt = _Attempt(knowledge, decision)
    return tuple(found for move in MOVES for found in move(attempt))


def with_change(request: PlanRequest, change: Change) -> PlanRequest:
    """Return the request with one field changed. Raises ValidationError if the contract has no such value."""
    changed = _with(request, change.field.split("."), change.value)
    assert isinstance(changed, PlanRequest)
    return changed


def _with(message: Any, path: list[str], value: Value) -> Any:
    head, *rest = path
    inner = _with(getattr(message, head), rest, value) if rest else value
    assert isinstance(message, BaseModel)
    return type(message).model_validate({**dict(message), head: inner})


class _Attempt:
    """Plans changed requests; remembers nothing."""

    def __init__(self, knowledge: Knowledge, decision: Decision) -> None:
        self.knowledge = knowledge
        self.decision = decision
        self.job = decision.job

    def plan(self, *changes: Change) -> Decision | None:
        """Return the decision with `changes`, None if the changed request breaks the contract or makes no sense."""
        request = self.job.request
        try:
            for change in changes:
                request = with_change(request, change)
            return decide(self.knowledge, resolve(self.knowledge, request), whole_ladder=False)
        except (ValidationError, InvalidRequest, NotFound):
            return None

    def meaning(self, word: str) -> frozenset[str]:
        """Return the ids that a word for a measure means."""
        return self.knowledge.measures.resolve([word], "", extended=False)[0]

    def fits(self, *changes: Change) -> bool:
        decision = self.plan(*changes)
        return decision is not None and decision.outcome is Outcome.FEASIBLE

    def offer(self, key: str, value: str, *changes: Change) -> Iterator[WouldFitIf]:
        """Yield the changes if they fit, with the rung that fits then."""
        decision = self.plan(*changes)
        if decision is None or decision.chosen is None:
            return
        label = decision.chosen.candidate.label
        field = changes[-1].field
        message = self.knowledge.messages.text(
            f"fit_if.{key}", self.job.locale, value=value, label=label, field=field
        )
        yield WouldFitIf(changes, label, message)


def largest(fits: Callable[[int], bool], below: int) -> int | None:
    """Return the largest number in [1, below) for which `fits`, which must be monotone; None if there is none."""
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low or None


def _shorter_context(attempt: _Attempt) -> Iterator[WouldFitIf]:
    field = "workload.max_model_len"
    length = largest(lambda n: attempt.fits(Change(field, n)), min(attempt.job.max_model_len, MAX_TOKENS))
    if length:
        yield from attempt.offer("max_model_len", number_text(length), Change(field, length))


def _more_gpus(attempt: _Attempt) -> Iterator[WouldFitIf]:
    for change in gpu_count_changes(attempt.job.gpus, attempt.job.request.hardware.gpus_per_node):
        if attempt.fits(change):
            yield from attempt.offer("gpus", str(change.value), change)
            return


def gpu_count_changes(gpus: int, gpus_per_node: int | None) -> Iterator[Change]:
    """Yield larger GPU counts that fill whole nodes, ascending."""
    node = gpus_per_node or NODE_GPUS
    counts = (
        {*range(1, NODE_GPUS + 1), 2 * NODE_GPUS, *MANY_GPUS}
        if not gpus_per_node
        else {node * n for n in range(1, 33)}
    )
    for count in sorted(counts):
        if count > gpus:
            yield Change("hardware.gpus", count)


def _larger_gpu(attempt: _Attempt) -> Iterator[WouldFitIf]:
    """Offer the smallest GPU that fits; memory that was free on the old one says nothing about the new one."""
    free = (Change("hardware.free_gib", None),) if attempt.job.request.hardware.free_gib is not None else ()
    same_vendor = [gpu for gpu in attempt.knowledge.catalog.gpus() if gpu.vendor == attempt.job.gpu.vendor]
    for gpu in sorted(same_vendor, key=lambda gpu: (gpu.usable_gib, gpu.id)):
        changes = (*free, Change("hardware.gpu", gpu.id))
        if gpu.id != attempt.job.gpu.id and attempt.fits(*changes):
            yield from attempt.offer("gpu", gpu.id, *changes)
            return


def _smaller_token_budget(attempt: _Attempt) -> Iterator[WouldFitIf]:
    """Offer the largest token budget that fits; it must still hold one sequence over the SP ranks."""
    field = "workload.max_token_len_per_gpu"
    budget = largest(
        lambda n: attempt.fits(Change(field, n)) or _too_small_for_a_sequence(attempt, n),
        attempt.job.request.workload.max_token_len_per_gpu or attempt.job.default_token_budget(1),
    )
    if budget and attempt.fits(Change(field, budget)):
        yield from attempt.offer("max_token_len_per_gpu", number_text(budget), Change(field, budget))
    given = attempt.job.request.workload.max_token_len_per_gpu
    if given is None:
        return
    sizes = {a.candidate.rung.sequence_parallel_size for a in attempt.decision.assessments}
    enough = sorted(-(-attempt.job.max_model_len // size) for size in sizes)
    larger = next((n for n in enough if n > given and attempt.fits(Change(field, n))), None)
    if larger:
        yield from attempt.offer("larger_budget", number_text(larger), Change(field, larger))
    yield from attempt.offer("default", "", Change(field, None))


def _too_small_for_a_sequence(attempt: _Attempt, budget: int) -> bool:
    """Whether every rung's SP ranks together hold less than one sequence: larger budgets may still fit."""
    sizes = [a.candidate.rung.sequence_parallel_size for a in attempt.decision.assessments]
    return budget * max(sizes, default=1) < attempt.job.max_model_len


def _forbidden_measures(attempt: _Attempt) -> Iterator[WouldFitIf]:
    """Offer to allow one forbidden measure; all of them if no single one is enough."""
    field, forbid = "preferences.forbid", attempt.job.request.preferences.forbid
    offered = False
    for measure in sorted(attempt.job.forbid):
        fewer = tuple(word for word in forbid if attempt.meaning(word) != {measure})
        for offer in attempt.offer("forbid", measure, Change(field, fewer)):
            offered = True
            yield offer
    if len(attempt.job.forbid) > 1 and not offered:
        yield from attempt.offer("forbid", ", ".join(sorted(attempt.job.forbid)), Change(field, ()))


def _host_memory(attempt: _Attempt) -> Iterator[WouldFitIf]:
    given = attempt.job.request.hardware.host_memory_gib
    needed = [a.memory.host_gib for a in attempt.decision.assessments if a.memory and a.memory.host_gib]
    if given is not None and needed and min(needed) > given:
        value = float(int(min(needed)) + 1)
        yield from attempt.offer("host_memory_gib", f"{value:.0f}", Change("hardware.host_memory_gib", value))


def _lower_probability(attempt: _Attempt) -> Iterator[WouldFitIf]:
    shown = attempt.decision.shown
    if (
        shown
        and shown.memory
        and LEAST_PROBABILITY <= shown.memory.probability < attempt.job.min_fit_probability
    ):
        value = int(shown.memory.probability * 1000) / 1000
        yield from attempt.offer(
            "min_fit_probability", f"{value:.3f}", Change("preferences.min_fit_probability", value)
        )


def _other_batch(attempt: _Attempt) -> Iterator[WouldFitIf]:
    """Offer the next larger batch that every data-parallel size of the ladder divides."""
    field, batch = "workload.train_batch_size", attempt.job.request.workload.train_batch_size
    if batch is None:
        return
    sizes = sorted({int(a.legality["data_parallel_size"]) for a in attempt.decision.assessments})
    for size in sizes:
        value = -(-batch // size) * size
        if value != batch and attempt.fits(Change(field, value)):
            yield from attempt.offer("train_batch_size", str(value), Change(field, value))
            return


def _own_choice(attempt: _Attempt) -> Iterator[WouldFitIf]:
    """Offer to leave out what the rung would choose itself."""
    workload = attempt.job.request.workload
    if workload.strategy is not None:
        yield from attempt.offer("default", "", Change("workload.strategy", None))
    if workload.software.torch is not None:
        yield from attempt.offer("default", "", Change("workload.software.torch", None))


MOVES: tuple[Callable[[_Attempt], Iterator[WouldFitIf]], ...] = (
    _shorter_context,
    _more_gpus,
    _larger_gpu,
    _smaller_token_budget,
    _forbidden_measures,
    _host_memory,
    _lower_probability,
    _other_batch,
    _own_choice,
)
