"""Published measurements: the longest context that a rung was measured to fit, and what that implies.

A column holds for one model, GPU count, SP and rung on one GPU type. It fits up to its maximum and fails from the next
length of the grid; what lies between is left open. Beyond its own case a column still implies:

    a fit      on any card with at least its memory, for contexts and token budgets up to the fitting ones
    a failure  on any card with at most its memory, for contexts and token budgets from the failing ones
"""

import csv
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from rungwise.catalog.catalog import Catalog
from rungwise.domain.errors import InvalidRulebook, RulebookProblem, RungwiseError
from rungwise.domain.model import Gpu, Model
from rungwise.domain.plan import Basis
from rungwise.domain.request import MAX_TOKENS
from rungwise.engine.documents import Documents
from rungwise.engine.rule import Translated
from rungwise.engine.strict_yaml import Keys
from rungwise.planning.ladder import Rung
from rungwise.planning.measures import Measures, Strategy
from rungwise.planning.version import VersionText

FOLDER = "evidence"
COLUMNS = ["gpu", "gpus", "rung", "sequence_parallel_size", "model", "max_model_len_fits"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MeasuredVersions(_Part):
    """Framework versions that were measured, both ends included."""

    first: VersionText = Field(alias="from")
    last: VersionText = Field(alias="to")


class Conditions(_Part):
    """What must hold for a request to be the measured case."""

    framework: str
    versions: MeasuredVersions
    task: str
    method: str
    precision: str
    optimizer: str
    token_budget_sequences: int = Field(ge=1)


class MeasuredRung(_Part):
    """How a rung of the table was measured."""

    measures: tuple[str, ...]
    strategy: Strategy


class GridPart(_Part):
    """Lengths in steps of `step` up to `to` tokens."""

    step: int = Field(ge=256, le=MAX_TOKENS)
    to: int = Field(ge=1, le=MAX_TOKENS)


class Description(_Part):
    """The file beside a table: where it comes from and what it was measured with."""

    schema_version: int
    id: str
    title: Translated
    citation: str = Field(min_length=1)
    conditions: Conditions
    rungs: Mapping[str, MeasuredRung]
    grid: tuple[GridPart, ...] = Field(min_length=1)
    measured_with: str

    @field_validator("grid")
    @classmethod
    def _ascends(cls, parts: tuple[GridPart, ...]) -> tuple[GridPart, ...]:
        if any(later.to <= part.to for part, later in pairwise(parts)):
            raise ValueError("the parts of the grid must ascend")
        return parts


@dataclass(frozen=True, slots=True)
class Column:
    """One measured maximum, tokens; 0: fails at the shortest length of the grid."""

    gpu: str
    usable_gib: float
    model: Model
    longest: int
    shortest_failure: int | None


MemoryShape = tuple[object, ...]
Page = tuple[MemoryShape, int]
"""Memory shape of the model, and GPUs."""
Columns = Mapping[tuple[int, frozenset[str]], tuple[Column, ...]]
"""Columns of one page by SP and the rung's measures without SP."""


class Case(NamedTuple):
    """What a job asks of the evidence. Lengths in tokens."""

    native_context: int | None
    gpu: str
    gpus: int
    usable_gib: float
    max_model_len: int


class Finding(NamedTuple):
    """What the evidence says of a candidate. `column` decided, or brackets an open length."""

    verdict: Literal["fits", "fails", "none"]
    basis: Basis | None = None
    column: Column | None = None
    implied: bool = False


NOTHING = Finding("none")


def memory_shape(model: Model) -> MemoryShape:
    """Return everything of a model that its memory depends on."""
    return (
        model.model_type,
        model.num_hidden_layers,
        model.hidden_size,
        model.intermediate_size,
        model.num_attention_heads,
        model.num_key_value_heads,
        model.head_dim,
        model.vocab_size,
        model.tie_word_embeddings,
        model.num_experts,
        model.num_experts_per_tok,
    )


class Evidence:
    """One table of measured maxima."""

    def __init__(self, description: Description, pages: Mapping[Page, Columns]) -> None:
        """`pages`: the columns by model and GPU count."""
        self.description = description
        self.grid = grid_lengths(description.grid)
        self._sequences = description.conditions.token_budget_sequences
        self._grid_set = frozenset(self.grid)
        self.pages = pages
        self.strategies = {frozenset(m.measures): m.strategy for m in description.rungs.values()}
        """Sharding strategy that each rung was measured with, by its measures without SP."""
        self._models: dict[MemoryShape, Model] = {}
        self._usable: dict[tuple[MemoryShape, str, int], float] = {}
        self._page_top: dict[tuple[str, int], int] = {}
        for (shape, gpus), columns in pages.items():
            for column in (column for group in columns.values() for column in group):
                self._models[shape] = column.model
                self._usable[shape, column.gpu, gpus] = column.usable_gib
                top = column.shortest_failure or column.longest
                self._page_top[column.gpu, gpus] = max(self._page_top.get((column.gpu, gpus), 0), top)
        self._gpus = frozenset(gpu for gpu, _ in self._page_top)

    def measured_model(self, model: Model) -> Model | None:
        """Return the measured model whose memory is the same, if there is one."""
        return self._models.get(memory_shape(model))

    def measured_usable_gib(self, model: Model, gpu: str, gpus: int) -> float | None:
        """Return the usable memory of the measured card; None if no rung was measured for this case."""
        return self._usable.get((memory_shape(model), gpu, gpus))

    def measured_on(self, gpu: str) -> bool:
        """Whether anything was measured on this GPU type."""
        return gpu in self._gpus

    def page(self, model: Model, gpus: int) -> Columns:
        """Return the columns for this model and GPU count; empty if there are none."""
        return self.pages.get((memory_shape(model), gpus), {})

    def find(self, case: Case, page: Columns, rung: Rung, token_budget: int, *, is_default: bool) -> Finding:
        """Return what the `page` of a case, whose other conditions hold, says of `rung` with its token budget.

        `is_default`: the budget is the framework's own, as it was measured.
        """
        size = rung.sequence_parallel_size
        group = page.get((size, rung.base))
        if not group:
            return NOTHING
        own = None
        for column in group:
            if (
                column.gpu == case.gpu
                and case.usable_gib >= column.usable_gib
                and column.model.max_position_embeddings == case.native_context
            ):
                own = column
                group = (column, *group)
                break
        for column in group:
            verdict = self._verdict(case, column, size, token_budget)
            if verdict != "none":
                exact = column is own and is_default
                return Finding(verdict, self._basis(case, exact=exact), column, implied=not exact)
        if own and is_default and 0 < own.longest < case.max_model_len:
            return Finding("none", Basis.BRACKETED, own)
        return NOTHING

    def _verdict(
        self, case: Case, column: Column, size: int, budget: int
    ) -> Literal["fits", "fails", "none"]:
        length, longest, failure = case.max_model_len, column.longest, column.shortest_failure
        if (
            column.usable_gib <= case.usable_gib
            and length <= longest
            and budget <= self._budget_at(longest, size)
        ):
            return "fits"
        no_more_memory = column.usable_gib >= case.usable_gib or column.gpu == case.gpu
        if failure and no_more_memory and length >= failure and budget >= self._budget_at(failure, size):
            return "fails"
        return "none"

    def _budget_at(self, length: int, size: int) -> int:
        """Return the token budget that a run of this length was measured with."""
        return -(-self._sequences * length // size)

    def _basis(self, case: Case, *, exact: bool) -> Basis:
        if not exact or case.max_model_len > self._page_top[case.gpu, case.gpus]:
            return Basis.CALIBRATED
        return Basis.PUBLISHED if case.max_model_len in self._grid_set else Basis.BRACKETED


def grid_lengths(parts: Iterable[GridPart]) -> tuple[int, ...]:
    """Return the lengths that were tried, ascending."""
    lengths: list[int] = []
    for part in parts:
        start = lengths[-1] if lengths else 0
        lengths += range(start + part.step, part.to + 1, part.step)
    return tuple(lengths)


def read_evidence(documents: Documents, catalog: Catalog, measures: Measures) -> tuple[Evidence, ...]:
    """Read evidence/*.yaml and the table beside each. Raises InvalidRulebook with every fault."""
    tables, problems = [], []
    for path in documents.under(FOLDER):
        table_path = path.removesuffix(".yaml") + ".csv"
        try:
            description = Description.model_validate(documents.files[path])
        except ValidationError as error:
            problems += [documents.problem(path, e["loc"], e["msg"]) for e in error.errors()]
            continue
        found = _description_faults(description, path, documents, measures)
        problems += [documents.problem(path, keys, message) for keys, message in found]
        if table_path not in documents.files:
            problems.append(documents.problem(path, (), f"the table {table_path} is missing"))
            continue
        pages, faults = _read_table(str(documents.files[table_path]), description, catalog)
        problems += [RulebookProblem(table_path, line, 1, message) for line, message in faults]
        tables.append(Evidence(description, pages))
    if problems:
        raise InvalidRulebook(problems)
    return tuple(tables)


def _description_faults(
    description: Description, path: str, documents: Documents, measures: Measures
) -> Iterator[tuple[Keys, str]]:
    if path != f"{FOLDER}/{description.id}.yaml":
        yield ("id",), f"id {description.id!r} does not match the file name"
    framework = description.conditions.framework
    if f"catalog/frameworks/{framework}.yaml" not in documents.files:
        yield ("conditions", "framework"), f"unknown framework {framework!r}"
    for name, rung in description.rungs.items():
        for measure in rung.measures:
            if measure not in measures:
                yield ("rungs", name, "measures"), f"unknown measure {measure!r}"


def _read_table(
    text: str, description: Description, catalog: Catalog
) -> tuple[dict[Page, Columns], list[tuple[int, str]]]:
    """Read a table; also returns every fault with its line."""
    grid = grid_lengths(description.grid)
    pages: dict[Page, dict[tuple[int, frozenset[str]], tuple[Column, ...]]] = {}
    seen: set[tuple[object, ...]] = set()
    faults: list[tuple[int, str]] = []
    reader = csv.reader(StringIO(text), strict=True)
    try:
        if next(reader, None) != COLUMNS:
            return {}, [(1, f"needs the columns {','.join(COLUMNS)}")]
        rows = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        return {}, [(reader.line_num, f"is not CSV: {error}")]
    for line, cells in rows:
        try:
            gpu, gpus, name, size, model, longest = _row(cells, description, catalog)
        except (ValueError, RungwiseError) as error:
            faults.append((line, str(error)))
            continue
        if (key := (gpu.id, gpus, name, size, model.id)) in seen:
            faults.append((line, f"{', '.join(map(str, key))} is given twice"))
        seen.add(key)
        if longest is None:
            continue
        if longest and longest not in grid:
            faults.append((line, f"{longest} is not a length of the grid"))
        next_index = bisect_right(grid, longest)
        column = Column(
            gpu.id, gpu.usable_gib, model, longest, grid[next_index] if next_index < len(grid) else None
        )
        page = pages.setdefault((memory_shape(model), gpus), {})
        place = (size, frozenset(description.rungs[name].measures))
        # Cards with less memory first: a fit on the smallest card that shows it is the plainest reason.
        page[place] = tuple(sorted((*page.get(place, ()), column), key=lambda c: (c.usable_gib, c.gpu)))
    return dict(pages), faults


def _row(
    cells: list[str], description: Description, catalog: Catalog
) -> tuple[Gpu, int, str, int, Model, int | None]:
    """Read one row; None: not measured. Raises ValueError or NotFound with what is wrong."""
    if len(cells) != len(COLUMNS):
        raise ValueError(f"has {len(cells)} cells, needs {len(COLUMNS)}")
    gpus, size = (_whole(cells[i], COLUMNS[i], least=1) for i in (1, 3))
    longest = _whole(cells[5], COLUMNS[5], least=0) if cells[5] else None
    if gpus % size:
        raise ValueError(f"SP={size} does not divide {gpus} GPUs")
    if cells[2] not in description.rungs:
        raise ValueError(f"unknown rung {cells[2]!r}; known: {', '.join(description.rungs)}")
    return catalog.gpu(cells[0]), gpus, cells[2], size, catalog.model(cells[4]), longest


def _whole(text: str, column: str, *, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) >= least):
        raise ValueError(f"{column} is {text[:80]!r}, not a whole number from {least}")
    return int(text)
