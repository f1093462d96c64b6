"""The commands `rules list`, `show`, `check` and `test`."""

from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources.abc import Traversable
from pathlib import Path

from rungwise.cli.failure import BAD_INPUT
from rungwise.cli.listing import ListOutput, print_json, print_lines, print_table
from rungwise.cli.output import printable
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.cases import Case, read_cases
from rungwise.engine.casetest import run_cases
from rungwise.engine.check import check
from rungwise.engine.documents import Documents, read_documents
from rungwise.engine.matching import MatcherKind
from rungwise.engine.rule import Rejection, Rule
from rungwise.engine.ruleset import RuleSet
from rungwise.planning.knowledge import build_knowledge, rulebook_directory

_CASE_FAILED = 1


def list_rules(overlays: Sequence[Path], output: ListOutput, lang: str) -> int:
    """Print every rule in a line. Raises InvalidRulebook."""
    ruleset = RuleSet.from_documents(read_documents([rulebook_directory(), *overlays]))
    if output is ListOutput.JSON:
        from rungwise.cli.output import write_json
        from rungwise.v1.catalog_service_pb2 import ListRulesResponse
        from rungwise.wire import to_proto
        from rungwise.wire.to_json import to_json

        rules = [to_proto.rule(rule, lang) for rule in ruleset.rules]
        write_json(to_json(ListRulesResponse(rules=rules, rulebook_revision=ruleset.revision), indent=2))
        return 0
    print_table(
        ("rule", "kind", "stage", "result", "title"),
        ((rule.id, rule.kind, rule.stage, _result(rule), rule.title[lang]) for rule in ruleset.rules),
    )
    return 0


def show_rule(rule_id: str, overlays: Sequence[Path], output: ListOutput) -> int:
    """Print everything about one rule. Raises InvalidRulebook, NotFound."""
    documents = read_documents([rulebook_directory(), *overlays], cases=True)
    ruleset = RuleSet.from_documents(documents)
    rule = ruleset.rule(rule_id)
    cases = [case for case in read_cases(documents, ruleset)[0] if case.rule == rule.id]
    if output is ListOutput.JSON:
        print_json(_everything(rule, cases, ruleset))
        return 0
    from rungwise.cli.layout import pairs, show

    lines = [
        ("id", rule.id),
        ("title", f"{rule.title['en']}\n{rule.title['zh']}"),
        ("kind", f"{rule.kind}, stage {rule.stage}, {rule.status} since {rule.since}"),
        ("when", "\nand ".join(rule.when_text)),
        ("then", _result(rule)),
        ("because", f"{rule.because['en']}\n{rule.because['zh']}"),
        ("rationale", rule.rationale),
        ("source", f"{rule.source} (confidence: {rule.confidence})"),
        ("file", ruleset.paths[rule.id]),
        *(("fires" if case.fires else "does not fire", _case_text(case)) for case in cases),
    ]
    show([pairs(lines)])
    return 0


def check_rules(directories: Sequence[Path], output: ListOutput) -> int:
    """Print every fault of a rulebook with file, line and column. Returns 2 if there is one."""
    chosen = _chosen(directories)
    problems = check(chosen, [_build])
    checked = _rule_count(chosen)
    if output is ListOutput.JSON:
        print_json({"rules": checked, "problems": [asdict(problem) for problem in problems]})
    else:
        result = _counted(len(problems), "problem") if problems else "no problems"
        print_lines(
            [*(printable(str(p)) for p in problems), f"{_counted(checked, 'rule')} checked, {result}"]
        )
    return BAD_INPUT if problems else 0


def test_rules(directories: Sequence[Path], output: ListOutput, matcher: MatcherKind) -> int:
    """Run every case and print the coverage of each rule. Returns 1 if a case failed or none ran.

    Raises InvalidRulebook, MatcherUnavailable.
    """
    report = run_cases(_chosen(directories), matcher)
    if output is ListOutput.JSON:
        print_json(
            {
                "ran": report.ran,
                "passed": report.passed,
                "coverage": [asdict(rule) for rule in report.coverage],
                "failures": [asdict(failure) for failure in report.failures],
            }
        )
    else:
        rows = [(rule.rule, str(rule.fired), str(rule.not_fired)) for rule in report.coverage]
        print_table(("rule", "fired", "did not fire"), rows, numbers=(1, 2))
        failed = _counted(len(report.failures), "failure") if report.failures else "no failures"
        print_lines(
            [
                *(printable(str(failure)) for failure in report.failures),
                f"{_counted(report.ran, 'case')} of {_counted(len(report.coverage), 'rule')} ran, {failed}",
            ]
        )
    return 0 if report.passed else _CASE_FAILED


def _chosen(directories: Sequence[Path]) -> list[Path | Traversable]:
    """Return what to read: only a whole rulebook has a facts.yaml, all else lies over the built-in one."""
    if directories and (directories[0] / "facts.yaml").is_file():
        return list(directories)
    return [rulebook_directory(), *directories]


def _build(documents: Documents) -> None:
    """Read all parts besides the rules; the matcher does not matter here."""
    build_knowledge(documents, "portable")


def _rule_count(directories: Sequence[Path | Traversable]) -> int:
    """Count the rules; 0 where the files cannot be read, so that nothing was checked beyond their syntax."""
    try:
        documents = read_documents(directories)
    except InvalidRulebook:
        return 0
    return len(documents.under("limits")) + len(documents.under("advice"))


def _result(rule: Rule) -> str:
    return "reject" if isinstance(rule.then, Rejection) else rule.then.severity


def _everything(rule: Rule, cases: Sequence[Case], ruleset: RuleSet) -> dict[str, object]:
    return {
        "id": rule.id,
        "title": rule.title,
        "kind": rule.kind,
        "since": rule.since,
        "status": rule.status,
        "stage": rule.stage,
        "when": rule.when_text,
        "then": rule.then.model_dump(),
        "because": rule.because,
        "rationale": rule.rationale,
        "source": rule.source,
        "confidence": rule.confidence,
        "file": ruleset.paths[rule.id],
        "cases": [{"name": case.name, "fires": case.fires, "fact": dict(case.fact)} for case in cases],
    }


def _case_text(case: Case) -> str:
    fact = ", ".join(f"{name} {value}" for name, value in case.fact.items())
    return f"{case.name} ({fact})"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
