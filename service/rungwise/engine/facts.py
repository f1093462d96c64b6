"""The words that rules may use: the typed fields of one flattened fact per stage (facts.yaml)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal, cast, get_args

from rungwise.domain.errors import InvalidRulebook, RulebookProblem
from rungwise.engine.strict_yaml import MAX_INT, Keys

Value = int | bool | str
Fact = Mapping[str, Value]
"""One fact: a value for every field of its stage. The planner fills it; rules read it."""

FieldType = Literal["int", "bool", "str"]
Unit = Literal["", "MiB", "ppm", "tokens", "version", "tenths", "thousandths", "millions"]

NAME = re.compile(r"[a-z][a-z0-9_]*")
SAFE_STRING = re.compile(r"[A-Za-z0-9_ .+=@/:-]{0,128}")
"""Strings that may meet a matcher: catalog ids and labels, never text that a user typed."""

_PYTHON_TYPES: dict[FieldType, type] = {"int": int, "bool": bool, "str": str}
_FIELD_KEYS = {"type", "values", "unit", "meaning"}


@dataclass(frozen=True, slots=True)
class FactField:
    """One field of a stage's fact."""

    name: str
    type: FieldType
    values: tuple[str, ...] | None
    """Closed list of a str field; None for catalog ids and labels, and for other types."""
    unit: Unit
    """How the number prints in an explanation; "" prints it as it is."""
    meaning: str

    def fault(self, value: object) -> str:
        """Say what is wrong with a value for this field; empty if nothing is."""
        # bool is an int to Python, and True == 1 to durable-rules: types are compared exactly.
        if type(value) is not _PYTHON_TYPES[self.type]:
            return f"{self.name} is {_shown(value)}, not {_A_TYPE[self.type]}"
        if isinstance(value, str):
            if self.values is not None and value not in self.values:
                return f"{self.name} is {_shown(value)}, not one of {', '.join(self.values)}"
            if not SAFE_STRING.fullmatch(value):
                return f"{self.name} is {_shown(value)}, not at most 128 letters, digits, spaces, _.+=@/:-"
        elif isinstance(value, int) and abs(value) > MAX_INT:
            return f"{self.name} is beyond 2^53-1"
        return ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


_A_TYPE: dict[FieldType, str] = {"int": "a whole number", "bool": "true or false", "str": "a string"}


def _nowhere(keys: Keys, message: str) -> RulebookProblem:
    where = ".".join(map(str, keys))
    return RulebookProblem("facts.yaml", 0, 0, f"{where}: {message}" if where else message)


@dataclass(frozen=True, slots=True)
class FactSchema:
    """Stages, and the fields of each."""

    stages: Mapping[str, Mapping[str, FactField]]

    def units(self, stage: str) -> dict[str, Unit]:
        """Map the stage's fields to their units, as `Rule.message` takes them."""
        return {field.name: field.unit for field in self.stages[stage].values()}

    @classmethod
    def from_document(
        cls, document: Any, problem: Callable[[Keys, str], RulebookProblem] = _nowhere
    ) -> "FactSchema":
        """Read parsed facts.yaml; `problem` places a fault. Raises InvalidRulebook with every fault."""
        problems: list[RulebookProblem] = []
        stages = document.get("stages") if isinstance(document, dict) else None
        if not isinstance(stages, dict) or not stages:
            raise InvalidRulebook([problem(("stages",), "`stages` maps each stage to its fields")])
        for key in document.keys() - {"schema_version", "stages"}:
            problems.append(problem((key,), f"unknown key `{key}`"))
        read: dict[str, dict[str, FactField]] = {}
        for stage, fields in stages.items():
            if not isinstance(fields, dict) or not fields:
                problems.append(problem(("stages", stage), "a stage maps its fields to their types"))
                continue
            read[stage] = {}
            for name, description in fields.items():
                fault = _field_fault(name, description)
                if fault:
                    problems.append(problem(("stages", stage, name), fault))
                else:
                    read[stage][name] = _field(name, description)
        if problems:
            raise InvalidRulebook(problems)
        return cls(read)


def _field(name: str, description: dict[str, Any]) -> FactField:
    values = description.get("values")
    return FactField(
        name=name,
        type=description["type"],
        values=tuple(values) if isinstance(values, list) else None,
        unit=cast(Unit, description.get("unit", "")),
        meaning=description["meaning"],
    )


def _field_fault(name: str, description: Any) -> str:
    if not NAME.fullmatch(name):
        return f"{name!r} is not a field name: small letters, digits and _"
    if not isinstance(description, dict):
        return f"{name} is described by {{type: ..., meaning: ...}}"
    unknown = description.keys() - _FIELD_KEYS
    if unknown:
        return f"unknown key `{min(unknown)}`"
    kind = description.get("type")
    if kind not in _PYTHON_TYPES:
        return f"type {kind!r} is not one of {', '.join(_PYTHON_TYPES)}"
    meaning = description.get("meaning")
    if not isinstance(meaning, str) or not meaning.strip():
        return "`meaning` is missing"
    unit = description.get("unit", "")
    if unit not in get_args(Unit):
        return f"unit {unit!r} is not one of {', '.join(u for u in get_args(Unit) if u)}"
    if unit and kind != "int":
        return "only an int has a unit"
    values = description.get("values")
    if kind != "str":
        return "only a str has values" if values is not None else ""
    if values == "catalog":
        return ""
    if not isinstance(values, list) or not values:
        return "`values` of a str is a list of its values, or the word catalog"
    for value in values:
        if not isinstance(value, str) or not SAFE_STRING.fullmatch(value):
            return f"the value {value!r} is not a plain string"
    if len(set(values)) < len(values):
        return "a value is listed twice"
    return ""


def values_at(places: Sequence[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Make a getter of the values at several indexes or keys; always a tuple, also for one place or none."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: tuple(values[place] for place in places)
