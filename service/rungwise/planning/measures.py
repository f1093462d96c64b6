"""What a rung can switch on, and how a rung is called in the guide's notation."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError
from rungwise.domain.errors import FieldViolation, InvalidRulebook
from rungwise.engine.documents import Documents
from rungwise.engine.rule import Translated

FILE = "catalog/measures.yaml"
EXPANDABLE_SEGMENTS = "expandable_segments"
CPU_OFFLOAD = "cpu_offload"
SEQUENCE_PARALLEL = "sequence_parallel"
SEQUENCE_PARALLEL_ACROSS_NODES = "sequence_parallel_across_nodes"
Strategy = Literal["fsdp", "fsdp2"]
"""How the trainer shards its states."""
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
VariableValue = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=1000)]
EXTENDED = "extended"
"""In `preferences.allow`: every measure that a ladder offers only on request."""


class Measure(BaseModel):
    """One thing that a rung switches on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    label: str
    aliases: tuple[str, ...] = ()
    effect: Literal["systems_only", "changes_training"]
    env: Mapping[VariableName, VariableValue] = Field(default_factory=dict)
    strategy: Strategy | None = None
    opt_in: bool = False
    title: Translated
    source: str = Field(min_length=1)

    @property
    def names(self) -> tuple[str, ...]:
        """What a request may call it, in any case."""
        return (self.id, self.label, *self.aliases)


class Measures:
    """The measures of a rulebook, in the order in which their labels join."""

    def __init__(self, measures: Iterable[Measure]) -> None:
        """Index `measures` by id, label and alias."""
        self._by_id = {measure.id: measure for measure in measures}
        self._opt_in = frozenset(measure.id for measure in self._by_id.values() if measure.opt_in)
        self._strategies = [
            (measure.id, measure.strategy) for measure in self._by_id.values() if measure.strategy
        ]
        self._by_name = {
            name.casefold(): measure.id for measure in self._by_id.values() for name in measure.names
        }

    @classmethod
    def from_documents(cls, documents: Documents) -> "Measures":
        """Read catalog/measures.yaml. Raises InvalidRulebook with every fault."""
        rows = (documents.files.get(FILE) or {}).get("measures")
        try:
            measures = TypeAdapter(tuple[Measure, ...]).validate_python(rows)
        except ValidationError as error:
            raise InvalidRulebook(
                [documents.problem(FILE, ("measures", *e["loc"]), e["msg"]) for e in error.errors()]
            ) from None
        owners: dict[str, int] = {}
        problems = []
        for index, measure in enumerate(measures):
            for name in dict.fromkeys(map(str.casefold, measure.names)):
                owner = owners.setdefault(name, index)
                if owner != index:
                    message = f"the name {name!r} is taken by {measures[owner].id}"
                    problems.append(documents.problem(FILE, ("measures", index), message))
        if problems:
            raise InvalidRulebook(problems)
        return cls(measures)

    def __contains__(self, measure: str) -> bool:
        return measure in self._by_id

    def label(self, measures: Iterable[str]) -> str:
        """Return the guide's notation of a rung without SP: "vanilla", "Env", "Env + Offload"."""
        chosen = set(measures)
        return " + ".join(m.label for m in self._by_id.values() if m.id in chosen) or "vanilla"

    def env(self, measures: Iterable[str]) -> dict[str, str]:
        """Return the environment variables that `measures` set."""
        chosen = set(measures)
        return {key: value for m in self._by_id.values() if m.id in chosen for key, value in m.env.items()}

    def opt_in(self, measures: frozenset[str]) -> frozenset[str]:
        """Return those of `measures` that a request must allow."""
        return measures & self._opt_in

    def strategy(self, measures: frozenset[str], default: str) -> str:
        """Return the sharding strategy that `measures` ask for, else `default`."""
        for measure, strategy in self._strategies:
            if measure in measures:
                return strategy
        return default

    def resolve(
        self, names: Iterable[str], field: str, *, extended: bool
    ) -> tuple[frozenset[str], list[FieldViolation]]:
        """Return the ids that `names` mean, and a violation for each unknown one. `extended` admits that word."""
        ids: set[str] = set()
        violations = []
        for index, name in enumerate(names):
            key = name.casefold()
            if extended and key == EXTENDED:
                ids |= {m.id for m in self._by_id.values() if m.opt_in}
            elif key in self._by_name:
                ids.add(self._by_name[key])
            else:
                near = get_close_matches(key, self._by_name, n=1, cutoff=0.5)
                hint = (
                    f"did you mean {self._by_name[near[0]]!r}?"
                    if near
                    else f"known: {', '.join(self._by_id)}"
                )
                violations.append(FieldViolation(f"{field}[{index}]", f"unknown measure {name[:80]!r}", hint))
        return frozenset(ids), violations
