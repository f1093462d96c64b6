"""Framework profiles: what a training framework does by default, and the estimator's constants for it."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rungwise.domain.errors import FieldViolation, InvalidRulebook
from rungwise.engine.documents import Documents
from rungwise.memory.actor import ActorConstants, Amount
from rungwise.memory.fit import Domain, Spread
from rungwise.planning.measures import Strategy
from rungwise.planning.version import VersionText, version_number

FOLDER = "catalog/frameworks"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FrameworkVersion(_Part):
    """Versions of a framework that behave alike, both ends included."""

    id: str
    first: VersionText = Field(alias="from")
    last: VersionText = Field(alias="to")
    default_strategy: Strategy
    calibrated: bool


class MeasuredSpread(_Part):
    """The spread of rungs that have all of `measures`."""

    measures: tuple[str, ...]
    inside_gib: float = Field(gt=0)
    outside_gib: float = Field(gt=0)


class Estimator(_Part):
    """The estimator's settings for this framework."""

    kind: Literal["rl_actor"]
    optimizers: tuple[str, ...]
    precisions: tuple[str, ...]
    constants: ActorConstants
    spreads: tuple[MeasuredSpread, ...] = Field(min_length=1)
    domain: Domain
    source: str = Field(min_length=1)

    def spread(self, measures: Iterable[str]) -> Spread:
        """Return the spread of a rung with `measures`."""
        chosen = set(measures)
        row = next(row for row in self.spreads if chosen.issuperset(row.measures))
        return Spread(row.inside_gib, row.outside_gib)


class HostBytes(_Part):
    """Host memory of CPU offload, bytes per parameter over all ranks."""

    states: Amount
    reference: Amount
    pinned: Amount


class Framework(_Part):
    """One training framework."""

    schema_version: int
    id: str
    name: str
    aliases: tuple[str, ...] = ()
    default_method: str
    default_task: str
    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    source: str = Field(min_length=1)
    assumed_version: VersionText | Literal[""] = ""
    token_budget_sequences: int = Field(default=2, ge=1, le=1_024)
    versions: tuple[FrameworkVersion, ...] = ()
    estimator: Estimator | None = None
    host_bytes_per_parameter: HostBytes | None = None

    def version(self, text: str) -> tuple[FrameworkVersion | None, bool]:
        """Return the versions that `text` falls in, and True; or the nearest ones, and False."""
        if not self.versions:
            return None, True
        number = version_number(text)
        for version in self.versions:
            if version_number(version.first) <= number <= version_number(version.last):
                return version, True
        older = [v for v in self.versions if version_number(v.last) < number]
        return (older[-1] if older else self.versions[0]), False


class Frameworks:
    """The frameworks of a rulebook."""

    def __init__(self, frameworks: Iterable[Framework]) -> None:
        """Index `frameworks` by id and alias."""
        self._by_id = {framework.id: framework for framework in frameworks}
        self._by_name = {
            name.casefold(): f for f in self._by_id.values() for name in (f.id, f.name, *f.aliases)
        }

    @classmethod
    def from_documents(cls, documents: Documents) -> "Frameworks":
        """Read catalog/frameworks/*.yaml. Raises InvalidRulebook with every fault."""
        frameworks: list[Framework] = []
        problems = []
        owners: dict[str, str] = {}
        for path in documents.under(FOLDER):
            try:
                framework = Framework.model_validate(documents.files[path])
            except ValidationError as error:
                problems += [documents.problem(path, e["loc"], e["msg"]) for e in error.errors()]
                continue
            if path != f"{FOLDER}/{framework.id}.yaml":
                problems.append(
                    documents.problem(path, ("id",), f"id {framework.id!r} does not match the file name")
                )
            for key, default, known in (
                ("default_method", framework.default_method, framework.methods),
                ("default_task", framework.default_task, framework.tasks),
            ):
                if default not in known:
                    message = f"{key} {default!r} is not among {', '.join(known)}"
                    problems.append(documents.problem(path, (key,), message))
            names = (framework.id, framework.name, *framework.aliases)
            for name in dict.fromkeys(map(str.casefold, names)):
                owner = owners.setdefault(name, path)
                if owner != path:
                    problems.append(documents.problem(path, (), f"the name {name!r} is taken by {owner}"))
            if framework.estimator and framework.estimator.spreads[-1].measures:
                problems.append(
                    documents.problem(
                        path,
                        ("estimator", "spreads"),
                        "estimator.spreads: the last row must hold for every rung",
                    )
                )
            problems += [
                documents.problem(
                    path, ("versions", index), f"from {version.first} is above to {version.last}"
                )
                for index, version in enumerate(framework.versions)
                if version_number(version.first) > version_number(version.last)
            ]
            domain = framework.estimator.domain if framework.estimator else None
            if domain and (
                domain.min_parameters > domain.max_parameters or domain.min_usable_gib > domain.max_usable_gib
            ):
                problems.append(documents.problem(path, ("estimator", "domain"), "a least is above its most"))
            frameworks.append(framework)
        if problems:
            raise InvalidRulebook(problems)
        return cls(frameworks)

    def get(self, framework: str) -> Framework:
        """Return the framework with this id, which must exist."""
        return self._by_id[framework]

    def find(self, name: str, field: str) -> Framework | FieldViolation:
        """Return the framework that `name` means, in any case; else a violation with the nearest name."""
        found = self._by_name.get(name.casefold())
        if found:
            return found
        near = get_close_matches(name.casefold()[:80], self._by_name, n=1, cutoff=0.5)
        hint = f"did you mean {self._by_name[near[0]].id!r}?" if near else f"known: {', '.join(self._by_id)}"
        return FieldViolation(field, f"unknown framework {name[:80]!r}", hint)
