"""Everything that can be wrong with a rulebook, found without running it (`rungwise rules check`)."""

from collections.abc import Callable, Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path

from rungwise.domain.errors import InvalidRulebook, RulebookProblem
from rungwise.engine.cases import read_cases
from rungwise.engine.documents import Documents, read_documents
from rungwise.engine.implication import contradicts, implies
from rungwise.engine.rule import Rule
from rungwise.engine.ruleset import RuleSet

Reader = Callable[[Documents], object]
"""Reads one part of a rulebook (ladders, evidence, catalog ...); raises InvalidRulebook."""


def check(directories: Sequence[Path | Traversable], readers: Sequence[Reader] = ()) -> list[RulebookProblem]:
    """List every problem of a rulebook and its overlays, in file order; an empty list means it is sound.

    Beyond what loading refuses: missing or faulty cases, rules that can never match, rules that another makes
    pointless. Each of `readers` checks its own part.
    """
    try:
        documents = read_documents(directories, cases=True)
    except InvalidRulebook as error:
        return list(error.problems)
    problems: list[RulebookProblem] = []
    for reader in readers:
        try:
            reader(documents)
        except InvalidRulebook as error:
            problems.extend(error.problems)
    try:
        ruleset = RuleSet.from_documents(documents)
    except InvalidRulebook as error:
        problems.extend(error.problems)
    else:
        problems.extend(read_cases(documents, ruleset)[1])
        problems.extend(_pointless(documents, ruleset))
    # A fault that two readers meet is one problem.
    return sorted(set(problems), key=lambda p: (p.file, p.line, p.column, p.message))


def _pointless(documents: Documents, ruleset: RuleSet) -> Iterator[RulebookProblem]:
    reachable: list[Rule] = []
    for rule in ruleset.rules:
        if contradicts(rule.when, ruleset.schema.stages[rule.stage]):
            message = f"{rule.id} can never match: its conditions contradict each other"
            yield documents.problem(ruleset.paths[rule.id], ("when",), message)
        else:
            reachable.append(rule)
    for rule in reachable:
        for other in reachable:
            if other is not rule and _shadows(other, rule, ruleset):
                message = (
                    f"{rule.id} is shadowed: whenever it matches, {other.id} matches with the same result"
                )
                yield documents.problem(ruleset.paths[rule.id], ("when",), message)


def _shadows(wider: Rule, narrower: Rule, ruleset: RuleSet) -> bool:
    """Tell whether `narrower` adds nothing to `wider`. Of two equal rules the later id adds nothing."""
    if (wider.stage, wider.kind, wider.then) != (narrower.stage, narrower.kind, narrower.then):
        return False
    fields = ruleset.schema.stages[wider.stage]
    if not implies(narrower.when, wider.when, fields):
        return False
    if implies(wider.when, narrower.when, fields):
        return wider.id < narrower.id
    # A limit only rejects; an advice rule speaks, and a special case may have more to say.
    return wider.kind == "limit" or wider.because == narrower.because
