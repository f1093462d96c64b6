"""Ladders: ordered rungs for one framework, method and task; the order is data."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.documents import Documents
from rungwise.engine.rule import Translated
from rungwise.engine.strict_yaml import Keys
from rungwise.planning.measures import SEQUENCE_PARALLEL, SEQUENCE_PARALLEL_ACROSS_NODES, Measures

FOLDER = "ladders"
MOST_SIZES = 12
"""SP sizes that a ladder offers: 64 GPUs have 7 divisors; odd counts have up to 128, and every rung costs time."""


class StepFile(BaseModel):
    """Rungs that belong together; expanded for every SP if asked, SP ascending."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    for_each_sequence_parallel_size: bool = False
    rungs: tuple[tuple[str, ...], ...] = Field(min_length=1)


class LadderFile(BaseModel):
    """A ladder as its file says it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int
    id: str
    title: Translated
    framework: str
    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    steps: tuple[StepFile, ...] = Field(min_length=1)
    source: str = Field(min_length=1)


class Rung(NamedTuple):
    """One configuration on a ladder. `base`: its measures without sequence parallelism, `base_label` their label."""

    label: str
    measures: tuple[str, ...]
    sequence_parallel_size: int
    base: frozenset[str]
    base_label: str


@dataclass(frozen=True, slots=True)
class Ladder:
    """An ordered list of rungs, cheapest first: steps of rungs with SP=1, and whether each expands over SP."""

    id: str
    framework: str
    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    steps: tuple[tuple[bool, tuple[Rung, ...]], ...]

    def climb(self, sequence_parallel_sizes: tuple[int, ...]) -> tuple[Rung, ...]:
        """Return the rungs in order, for the SP sizes that the hardware offers."""
        return _climb(self.steps, sequence_parallel_sizes)


@lru_cache(maxsize=256)
def _climb(steps: tuple[tuple[bool, tuple[Rung, ...]], ...], sizes: tuple[int, ...]) -> tuple[Rung, ...]:
    return tuple(
        rung if size == 1 else _with_size(rung, size)
        for over_sizes, rungs in steps
        for size in (sizes if over_sizes else (1,))
        for rung in rungs
    )


def _with_size(rung: Rung, size: int) -> Rung:
    label = f"SP={size}" if not rung.base else f"{rung.base_label} + SP={size}"
    return Rung(label, (*rung.measures, SEQUENCE_PARALLEL), size, rung.base, rung.base_label)


def read_ladders(documents: Documents, measures: Measures) -> dict[str, Ladder]:
    """Read ladders/*.yaml. Raises InvalidRulebook with every fault."""
    ladders: dict[str, Ladder] = {}
    problems = []
    for path in documents.under(FOLDER):
        try:
            file = LadderFile.model_validate(documents.files[path])
        except ValidationError as error:
            problems += [documents.problem(path, e["loc"], e["msg"]) for e in error.errors()]
            continue
        faults = [
            documents.problem(path, keys, message)
            for keys, message in (*_rung_faults(file, measures), *_job_faults(file, documents, ladders))
        ]
        if path != f"{FOLDER}/{file.id}.yaml":
            faults.append(documents.problem(path, ("id",), f"id {file.id!r} does not match the file name"))
        problems += faults
        if not faults:
            ladders[file.id] = _ladder(file, measures)
    if problems:
        raise InvalidRulebook(problems)
    return ladders


def _rung_faults(file: LadderFile, measures: Measures) -> Iterator[tuple[Keys, str]]:
    seen: set[frozenset[str]] = set()
    for i, step in enumerate(file.steps):
        for j, rung in enumerate(step.rungs):
            keys = ("steps", i, "rungs", j)
            for measure in rung:
                if measure not in measures:
                    yield keys, f"unknown measure {measure!r}"
                elif measure in (SEQUENCE_PARALLEL, SEQUENCE_PARALLEL_ACROSS_NODES):
                    yield keys, f"{measure} comes with for_each_sequence_parallel_size, not in a rung"
            if len(set(rung)) < len(rung):
                yield keys, "a measure is given twice"
            if frozenset(rung) in seen:
                yield keys, "this rung is on the ladder already"
            seen.add(frozenset(rung))


def _job_faults(
    file: LadderFile, documents: Documents, ladders: Mapping[str, Ladder]
) -> Iterator[tuple[Keys, str]]:
    """A ladder serves jobs that its framework can be asked for, and that no other ladder serves."""
    framework = documents.files.get(f"catalog/frameworks/{file.framework}.yaml")
    if framework is None:
        yield ("framework",), f"unknown framework {file.framework!r}"
        return
    for key, asked in (("methods", file.methods), ("tasks", file.tasks)):
        known = framework.get(key) or ()
        for index, value in enumerate(asked):
            if value not in known:
                yield (key, index), f"{file.framework} has no {value!r} among its {key}"
    for other in ladders.values():
        same = other.framework == file.framework
        if same and set(other.methods) & set(file.methods) and set(other.tasks) & set(file.tasks):
            yield ("id",), f"the ladder {other.id} serves these jobs already; replace it in an overlay"


def _ladder(file: LadderFile, measures: Measures) -> Ladder:
    def rung(ids: tuple[str, ...]) -> Rung:
        label = measures.label(ids)
        return Rung(label, ids, 1, frozenset(ids), label)

    steps = tuple(
        (step.for_each_sequence_parallel_size, tuple(rung(ids) for ids in step.rungs)) for step in file.steps
    )
    return Ladder(file.id, file.framework, file.methods, file.tasks, steps)


@lru_cache(maxsize=1024)
def sequence_parallel_sizes(gpus: int, largest: int) -> tuple[int, ...]:
    """Return the divisors of `gpus` up to `largest`, ascending; the smallest MOST_SIZES of them."""
    divisors = {d for n in range(1, math.isqrt(gpus) + 1) if gpus % n == 0 for d in (n, gpus // n)}
    return tuple(sorted(d for d in divisors if d <= largest)[:MOST_SIZES])
