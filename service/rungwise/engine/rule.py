"""One rule: what it compares, what follows, and the sentence that explains it."""

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from rungwise.domain.errors import RuleFailed
from rungwise.engine.condition import Condition, parse_condition
from rungwise.engine.facts import NAME, Fact, FactField, FactSchema, Value, values_at
from rungwise.engine.strict_yaml import Keys

Locale = Literal["en", "zh"]
LOCALES: tuple[Locale, ...] = ("en", "zh")

_MOST_CONDITIONS = 64

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Translated(_Part):
    """A text in both languages."""

    en: Text
    zh: Text


class Rejection(_Part):
    """What a limit does when it matches."""

    verdict: Literal["reject"]
    summary: Translated
    """The short form for one-line summaries: "5 over GPU memory"."""


class Recommendation(_Part):
    """What an advice rule does when it matches."""

    severity: Literal["info", "warning", "critical"]


class _RuleFile(_Part):
    """A rule as its file says it."""

    schema_version: Literal[1]
    id: str
    title: Translated
    kind: Literal["limit", "advice"]
    since: Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    status: Literal["stable", "experimental", "deprecated"]
    stage: str
    when: list[str]
    then: dict[str, Any]
    because: Translated
    rationale: Text
    source: Text
    confidence: Literal["low", "medium", "high"]


class Rule(_Part):
    """A checked rule. `when` is a conjunction; titles and explanations are keyed by locale, `en` and `zh`."""

    id: str
    title: dict[str, str]
    kind: Literal["limit", "advice"]
    since: str
    status: Literal["stable", "experimental", "deprecated"]
    stage: str
    when: tuple[Condition, ...]
    when_text: tuple[str, ...]
    then: Rejection | Recommendation
    because: dict[str, str]
    rationale: str
    source: str
    confidence: Literal["low", "medium", "high"]

    @cached_property
    def compared_fields(self) -> tuple[str, ...]:
        """The fields that `when` compares, in order."""
        names = [n for c in self.when for n in (c.field, c.other) if n is not None]
        return tuple(dict.fromkeys(names))

    @cached_property
    def operand_fields(self) -> tuple[str, ...]:
        """The fields that `when` and `because` name, in order: what a trace shows beside the verdict."""
        names = [*self.compared_fields, *_names(self.because["en"]), *_names(self.because["zh"])]
        return tuple(dict.fromkeys(names))

    def operands(self, fact: Fact) -> dict[str, Value]:
        """Return the operands of a trace entry. Raises KeyError if the fact lacks one."""
        return dict(zip(self.operand_fields, self._operand_values(fact), strict=True))

    @cached_property
    def _operand_values(self) -> Callable[[Fact], tuple[Value, ...]]:
        return values_at(self.operand_fields)

    def message(self, fact: Fact, locale: str, units: Mapping[str, str]) -> str:
        """Explain a match in words; any locale but `zh` gets English.

        `units` maps fields to the units of facts.yaml (`FactSchema.units`). Raises RuleFailed if the fact
        lacks a field that the sentence names.
        """
        template = self.because.get(locale, self.because["en"])
        try:
            values = {n: render(fact[n], units.get(n, ""), locale) for n in _names(template)}
        except KeyError as error:
            raise RuleFailed(
                self.id, f"the fact lacks {error.args[0]}, which the explanation names"
            ) from None
        return template.format_map(values)


@lru_cache(maxsize=1024)
def _names(template: str) -> tuple[str, ...]:
    return tuple(name for _, name, _, _ in Formatter().parse(template) if name)


def render(value: Value, unit: str, locale: str) -> str:
    """Print one operand for a reader: 81050 MiB as `79.15 GiB`, 20400 of a version as `2.4.0`."""
    if isinstance(value, bool):
        return ("是" if value else "否") if locale == "zh" else ("yes" if value else "no")
    if isinstance(value, str):
        return value
    return _PRINTERS.get(unit, _plain)(value)


def _plain(value: int) -> str:
    return f"{value:,}" if abs(value) >= 10_000 else str(value)


def _thousandths(value: int) -> str:
    whole, _, fraction = f"{value / 1000:.3f}".partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


_PRINTERS: dict[str, Callable[[int], str]] = {
    "MiB": lambda value: f"{value / 1024:.2f} GiB",
    # Rounded down, so that a probability below a threshold never prints as the threshold.
    "ppm": lambda value: f"{value // 1000 / 1000:.3f}",
    "version": lambda value: f"{value // 10000}.{value // 100 % 100}.{value % 100}",
    "tenths": lambda value: f"{value / 10:.1f}",
    "thousandths": _thousandths,
    "millions": lambda value: f"{value / 1000:.1f} B" if value >= 1000 else f"{value} M",
    "tokens": lambda value: f"{value:,}",
}


def read_rule(data: Any, schema: FactSchema) -> tuple[Rule | None, list[tuple[Keys, str]]]:
    """Read one parsed rule file; gives the rule, or None and every fault with its place in the file."""
    faults: list[tuple[Keys, str]] = []
    try:
        file = _RuleFile.model_validate(data)
    except ValidationError as error:
        faults.extend(_structure_faults(error))
        file = None
    # The parts are checked even where the whole cannot be built, so that one run names every fault.
    part = data if isinstance(data, dict) else {}
    then = _read_then(part, faults)
    stage = part.get("stage")
    fields = schema.stages.get(stage) if isinstance(stage, str) else None
    if isinstance(stage, str) and fields is None:
        faults.append((("stage",), f"unknown stage {stage!r}; facts.yaml has {', '.join(schema.stages)}"))
    conditions = _read_conditions(part.get("when"), fields, faults)
    if isinstance(part.get("because"), dict):
        for locale, template in part["because"].items():
            if isinstance(template, str):
                fault = _template_fault(template, fields)
                if fault:
                    faults.append((("because", locale), fault))
    if faults or file is None or then is None:
        return None, faults
    return (
        Rule(
            id=file.id,
            title=file.title.model_dump(),
            kind=file.kind,
            since=file.since,
            status=file.status,
            stage=file.stage,
            when=conditions,
            when_text=tuple(file.when),
            then=then,
            because=file.because.model_dump(),
            rationale=file.rationale,
            source=file.source,
            confidence=file.confidence,
        ),
        [],
    )


def _read_then(part: Mapping[str, Any], faults: list[tuple[Keys, str]]) -> Rejection | Recommendation | None:
    then, kind = part.get("then"), part.get("kind")
    if not isinstance(then, dict) or kind not in ("limit", "advice"):
        return None
    try:
        return Rejection.model_validate(then) if kind == "limit" else Recommendation.model_validate(then)
    except ValidationError as error:
        faults.extend((("then", *keys), message) for keys, message in _structure_faults(error))
        return None


def _read_conditions(
    when: Any, fields: Mapping[str, FactField] | None, faults: list[tuple[Keys, str]]
) -> tuple[Condition, ...]:
    conditions: list[Condition] = []
    if not isinstance(when, list):
        return ()
    if not when:
        faults.append((("when",), "a rule without conditions would match everything"))
    if len(when) > _MOST_CONDITIONS:
        faults.append((("when",), f"has {len(when)} conditions; a rule has at most {_MOST_CONDITIONS}"))
        return ()
    for index, text in enumerate(when):
        if fields is None or not isinstance(text, str):
            continue
        try:
            condition = parse_condition(text, fields)
        except ValueError as error:
            faults.append((("when", index), str(error)))
            continue
        if condition in conditions:
            faults.append((("when", index), f"`{condition}` is said twice"))
        conditions.append(condition)
    return tuple(conditions)


def _template_fault(template: str, fields: Mapping[str, FactField] | None) -> str:
    """Only a plain {field} may stand in a template: nothing that reaches into values or formats them."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        return f"not a template: {error}; write a brace as {{{{ or }}}}"
    for _, name, specification, conversion in parts:
        if name is None:
            continue
        if specification or conversion or not NAME.fullmatch(name):
            shown = (
                name
                + (f"!{conversion}" if conversion else "")
                + (f":{specification}" if specification else "")
            )
            return f"{{{shown}}} is not a plain {{field}}"
        if fields is not None and name not in fields:
            return f"unknown field {{{name}}}"
    return ""


def _structure_faults(error: ValidationError) -> list[tuple[Keys, str]]:
    faults: list[tuple[Keys, str]] = []
    for fault in error.errors(include_url=False, include_context=False):
        keys: Keys = fault["loc"]
        if fault["type"] == "missing":
            faults.append((keys, f"`{keys[-1]}` is missing"))
        elif fault["type"] == "extra_forbidden":
            faults.append((keys, f"unknown key `{keys[-1]}`"))
        else:
            message = fault["msg"][0].lower() + fault["msg"][1:]
            faults.append((keys, f"`{'.'.join(map(str, keys))}`: {message}"))
    return faults
