"""All rules of a rulebook, checked and in order."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from rungwise.domain.errors import InvalidRulebook, NotFound, RulebookProblem
from rungwise.engine.documents import Documents
from rungwise.engine.facts import FactSchema
from rungwise.engine.overlay import stem
from rungwise.engine.rule import Rule, read_rule
from rungwise.engine.strict_yaml import Keys

KINDS = {"limits": "limit", "advice": "advice"}
"""The folders that hold rules, and the kind of the rules in each."""


@dataclass(frozen=True)
class RuleSet:
    """The rules of one rulebook revision, in id order."""

    schema: FactSchema
    revision: str
    rules: tuple[Rule, ...]
    paths: Mapping[str, str]
    """The file of each rule id, inside the rulebook."""

    @cached_property
    def _stages(self) -> dict[str, tuple[Rule, ...]]:
        return {name: tuple(rule for rule in self.rules if rule.stage == name) for name in self.schema.stages}

    @cached_property
    def _by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    def stage(self, name: str) -> tuple[Rule, ...]:
        """Give the rules of one stage in id order; empty if it has none."""
        return self._stages.get(name, ())

    def rule(self, rule_id: str) -> Rule:
        """Find a rule by id. Raises NotFound with the nearest ids."""
        rule = self._by_id.get(rule_id)
        if rule is not None:
            return rule
        nearest = get_close_matches(rule_id[:128], [rule.id for rule in self.rules], n=3)
        raise NotFound("rule", rule_id[:128], "id", nearest, "`rungwise rules list` names every rule")

    @classmethod
    def from_documents(cls, documents: Documents) -> "RuleSet":
        """Read and check every rule. Raises InvalidRulebook with every problem, file and line."""

        def facts_problem(keys: Keys, message: str) -> RulebookProblem:
            return documents.problem("facts.yaml", keys, message)

        schema = FactSchema.from_document(documents.files["facts.yaml"], facts_problem)
        problems: list[RulebookProblem] = []
        rules: dict[str, Rule] = {}
        paths: dict[str, str] = {}
        for folder, kind in KINDS.items():
            for path in documents.under(folder):
                data = documents.files[path]
                rule, faults = read_rule(data, schema)
                rule_id = data.get("id")
                if isinstance(rule_id, str):
                    if rule_id != stem(path):
                        faults.append((("id",), f"the id {rule_id!r} is not the file's name {stem(path)!r}"))
                    if rule_id in paths:
                        faults.append((("id",), f"the id {rule_id} is taken by {paths[rule_id]}"))
                    paths.setdefault(rule_id, path)
                if data.get("kind") in KINDS.values() and data["kind"] != kind:
                    faults.append((("kind",), f"{folder}/ holds rules of kind {kind}"))
                problems.extend(documents.problem(path, keys, message) for keys, message in faults)
                if rule is not None and not faults:
                    rules[rule.id] = rule
        if problems:
            raise InvalidRulebook(sorted(problems, key=lambda p: (p.file, p.line, p.column)))
        ordered = tuple(rules[rule_id] for rule_id in sorted(rules))
        return cls(schema, documents.revision, ordered, paths)
