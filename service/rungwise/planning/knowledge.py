"""Everything that a decision rests on, loaded together from one rulebook and its overlays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, TypeVar

from rungwise.catalog.catalog import ARCHITECTURES_FILE, GPUS_FILE, MODELS_FILE, Catalog
from rungwise.domain.errors import InvalidRulebook, RulebookProblem
from rungwise.engine.documents import Documents, read_documents
from rungwise.engine.matching import Matcher, make_matcher
from rungwise.engine.ruleset import RuleSet
from rungwise.planning.evidence import Evidence, read_evidence
from rungwise.planning.framework import Frameworks
from rungwise.planning.ladder import Ladder, read_ladders
from rungwise.planning.measures import FILE as MEASURES_FILE
from rungwise.planning.measures import Measures
from rungwise.planning.messages import FILE as MESSAGES_FILE
from rungwise.planning.messages import Messages

T = TypeVar("T")
MatcherKind = Literal["auto", "durable", "portable"]


@dataclass(frozen=True)
class Knowledge:
    """A loaded rulebook. Immutable: a change to the rulebook is a new Knowledge with another revision."""

    revision: str
    catalog: Catalog
    ruleset: RuleSet
    matcher: Matcher
    measures: Measures
    ladders: Mapping[str, Ladder]
    frameworks: Frameworks
    evidence: tuple[Evidence, ...]
    messages: Messages
    units: Mapping[str, Mapping[str, str]]
    """Units of the fields of each stage."""


_FILES = {"facts.yaml", MESSAGES_FILE, MEASURES_FILE, GPUS_FILE, MODELS_FILE, ARCHITECTURES_FILE}
_FOLDERS = ("limits/", "advice/", "ladders/", "evidence/", "catalog/frameworks/")


def _is_read(path: str, documents: Documents) -> bool:
    """Whether some part of the rulebook reads this file; a table needs its description beside it."""
    if path.endswith(".csv"):
        return path.startswith("evidence/") and path.removesuffix(".csv") + ".yaml" in documents.files
    return path in _FILES or path.startswith(_FOLDERS)


def rulebook_directory() -> Traversable:
    """Return the rulebook that ships with Rungwise."""
    return files("rungwise.rulebook")


def load_knowledge(overlays: Sequence[Path] = (), matcher: MatcherKind = "auto") -> Knowledge:
    """Load the base rulebook and `overlays` in order. Raises InvalidRulebook with every fault that was found."""
    return build_knowledge(read_documents([rulebook_directory(), *overlays]), matcher)


def build_knowledge(documents: Documents, matcher: MatcherKind) -> Knowledge:
    """Build the knowledge from documents that are already read and merged."""
    problems: list[RulebookProblem] = []

    def part(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except InvalidRulebook as error:
            problems.extend(error.problems)
            return None

    ruleset = part(lambda: RuleSet.from_documents(documents))
    catalog = part(lambda: Catalog.from_documents(documents.files))
    measures = part(lambda: Measures.from_documents(documents))
    frameworks = part(lambda: Frameworks.from_documents(documents))
    messages = part(lambda: Messages.from_documents(documents))
    ladders = part(lambda: read_ladders(documents, measures)) if measures else None
    evidence = part(lambda: read_evidence(documents, catalog, measures)) if catalog and measures else None
    problems += [
        documents.problem(path, (), "no part of the rulebook reads this file; is its name right?")
        for path in documents.files
        if not _is_read(path, documents)
    ]
    if (
        problems
        or ruleset is None
        or catalog is None
        or measures is None
        or frameworks is None
        or messages is None
        or ladders is None
        or evidence is None
    ):
        raise InvalidRulebook(problems)
    return Knowledge(
        revision=documents.revision,
        catalog=catalog,
        ruleset=ruleset,
        matcher=make_matcher(ruleset, matcher),
        measures=measures,
        ladders=ladders,
        frameworks=frameworks,
        evidence=evidence,
        messages=messages,
        units={stage: ruleset.schema.units(stage) for stage in ruleset.schema.stages},
    )
