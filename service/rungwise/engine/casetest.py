"""Runs the cases of a rulebook through a matcher (`rungwise rules test`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from rungwise.domain.errors import RulebookProblem, RuleFailed
from rungwise.engine.cases import Case, read_cases
from rungwise.engine.documents import Documents, read_documents
from rungwise.engine.facts import FactField, Value
from rungwise.engine.matching import Matcher, MatcherKind, make_matcher
from rungwise.engine.rule import LOCALES, Rule
from rungwise.engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """How many cases of a rule fired it, and how many did not, as the matcher answered."""

    rule: str
    fired: int
    not_fired: int


@dataclass(frozen=True, slots=True)
class CaseReport:
    """The outcome of a test run; `failures` have the file and line of the case."""

    ran: int
    coverage: tuple[RuleCoverage, ...]
    failures: tuple[RulebookProblem, ...]

    @property
    def passed(self) -> bool:
        """Whether at least one case ran and none failed."""
        return self.ran > 0 and not self.failures


def run_cases(directories: Sequence[Path | Traversable], matcher_kind: MatcherKind = "auto") -> CaseReport:
    """Run every case of every rule; also print every explanation that a firing case gives, in each language.

    Faulty cases are failures, and so is a run without any case. Raises InvalidRulebook if the rules cannot be
    loaded, MatcherUnavailable if the matcher does not run here.
    """
    documents = read_documents(directories, cases=True)
    ruleset = RuleSet.from_documents(documents)
    matcher = make_matcher(ruleset, matcher_kind)
    cases, failures = read_cases(documents, ruleset)
    counts = {rule.id: [0, 0] for rule in ruleset.rules}
    ran = 0
    for case in cases:
        rule = ruleset.rule(case.rule)
        try:
            fired = _fires(case, rule, ruleset, matcher)
        except RuleFailed as error:
            failures.append(documents.problem(case.path, ("cases", case.index), f"{case.name}: {error}"))
            continue
        ran += 1
        counts[rule.id][0 if fired else 1] += 1
        if fired != case.fires:
            failures.append(_failure(documents, case, rule))
    if ran == 0:
        failures.append(RulebookProblem(str(directories[0]), 0, 0, "no case ran"))
    coverage = tuple(RuleCoverage(rule, fired, not_fired) for rule, (fired, not_fired) in counts.items())
    return CaseReport(ran, coverage, tuple(failures))


def _fires(case: Case, rule: Rule, ruleset: RuleSet, matcher: Matcher) -> bool:
    fields = ruleset.schema.stages[rule.stage]
    # The rule is tested among the others of its stage, whose fields a case need not give.
    fact = {name: case.fact.get(name, _blank(field)) for name, field in fields.items()}
    fired = rule.id in matcher.match(rule.stage, [fact])[0]
    if fired:
        for locale in LOCALES:
            rule.message(case.fact, locale, ruleset.schema.units(rule.stage))
    return fired


def _blank(field: FactField) -> Value:
    if field.type == "str":
        return field.values[0] if field.values else ""
    return False if field.type == "bool" else 0


def _failure(documents: Documents, case: Case, rule: Rule) -> RulebookProblem:
    untrue = [str(condition) for condition in rule.when if not condition.holds(case.fact)]
    if case.fires:
        message = (
            f"{case.name}: should fire {rule.id}, but {' and '.join(untrue) or 'it did not'} is not true"
        )
    else:
        message = f"{case.name}: should not fire {rule.id}, but all its conditions are true"
    return documents.problem(case.path, ("cases", case.index), message)
