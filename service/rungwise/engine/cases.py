"""The cases of a rule: facts that must fire it and facts that must not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rungwise.domain.errors import RulebookProblem
from rungwise.engine.documents import Documents
from rungwise.engine.facts import Fact, FactField
from rungwise.engine.overlay import stem
from rungwise.engine.rule import Rule
from rungwise.engine.ruleset import KINDS, RuleSet
from rungwise.engine.strict_yaml import Keys

_CASE_KEYS = {"name", "fires", "fact"}


@dataclass(frozen=True, slots=True)
class Case:
    """One case; `path` and `index` are its place in the rulebook."""

    rule: str
    name: str
    fires: bool
    fact: Fact
    path: str
    index: int


def read_cases(documents: Documents, ruleset: RuleSet) -> tuple[list[Case], list[RulebookProblem]]:
    """Read the cases of every rule, with every fault of them.

    A case gives exactly the fields that its rule names, so that a reader sees all that decides; each rule has
    a case that fires it and one that does not.
    """
    cases: list[Case] = []
    problems: list[RulebookProblem] = []
    rules = {rule.id: rule for rule in ruleset.rules}
    for path, data in documents.files.items():
        folder, _, name = path.partition("/")
        if folder not in KINDS or not name.endswith(".cases.yaml"):
            continue
        rule = rules.get(stem(path))
        faults: list[tuple[Keys, str]] = []
        if rule is None or ruleset.paths[rule.id].partition("/")[0] != folder:
            faults.append(((), f"there is no rule {folder}/{stem(path)}.yaml"))
        else:
            cases.extend(_read(path, data, rule, ruleset.schema.stages[rule.stage], faults))
        problems.extend(documents.problem(path, keys, message) for keys, message in faults)
    with_faults = {problem.file for problem in problems}
    for rule in ruleset.rules:
        path = ruleset.paths[rule.id].removesuffix(".yaml") + ".cases.yaml"
        if path not in documents.files:
            problems.append(
                documents.problem(ruleset.paths[rule.id], (), f"{path} is missing: a rule has cases")
            )
            continue
        place = documents.problem(path, ("cases",), "")
        if place.file in with_faults:
            continue
        outcomes = {case.fires for case in cases if case.rule == rule.id}
        for wanted, word in ((True, "fires"), (False, "does not fire")):
            if wanted not in outcomes:
                problems.append(documents.problem(path, ("cases",), f"no case {word} {rule.id}"))
    return cases, sorted(problems, key=lambda p: (p.file, p.line, p.column))


def _read(
    path: str, data: Any, rule: Rule, fields: Mapping[str, FactField], faults: list[tuple[Keys, str]]
) -> list[Case]:
    for key in data.keys() - {"schema_version", "rule", "cases"}:
        faults.append(((key,), f"unknown key `{key}`"))
    if data.get("rule") != rule.id:
        faults.append((("rule",), f"`rule` is {data.get('rule')!r}, but the file is named after {rule.id}"))
    entries = data.get("cases")
    if not isinstance(entries, list):
        faults.append((("cases",), "`cases` is a list of {name: ..., fires: true|false, fact: {...}}"))
        return []
    cases: list[Case] = []
    names: set[str] = set()
    for index, entry in enumerate(entries):
        found = _faults(entry, rule, fields, names)
        faults.extend((("cases", index, *keys), message) for keys, message in found)
        if not found:
            names.add(entry["name"])
            cases.append(Case(rule.id, entry["name"], entry["fires"], entry["fact"], path, index))
    return cases


def _faults(
    entry: Any, rule: Rule, fields: Mapping[str, FactField], names: set[str]
) -> list[tuple[Keys, str]]:
    if not isinstance(entry, dict):
        return [((), "a case is {name: ..., fires: true|false, fact: {...}}")]
    faults: list[tuple[Keys, str]] = [
        ((key,), f"unknown key `{key}`") for key in sorted(entry.keys() - _CASE_KEYS)
    ]
    name = entry.get("name")
    if not isinstance(name, str) or not name.strip():
        faults.append((("name",), "`name` says in words what the case is"))
    elif name in names:
        faults.append((("name",), f"a second case named {name!r}"))
    if not isinstance(entry.get("fires"), bool):
        faults.append((("fires",), "`fires` is true or false"))
    fact = entry.get("fact")
    if not isinstance(fact, dict):
        return [*faults, (("fact",), "`fact` maps fields to values")]
    for field in rule.operand_fields:
        if field not in fact:
            faults.append((("fact",), f"{field} is missing, which {rule.id} names"))
    for field, value in fact.items():
        if field not in rule.operand_fields:
            unknown = "unknown field" if field not in fields else f"not a field that {rule.id} names:"
            faults.append((("fact", field), f"{unknown} {field}"))
        elif fault := fields[field].fault(value):
            faults.append((("fact", field), fault))
    return faults
