"""The files of a rulebook: a base directory and the overlays over it, parsed and merged.

The readers of the parts (rules, ladders, evidence, catalog, messages) get plain data from here and report
faults with `Documents.problem`, which finds file, line and column.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from rungwise.domain.errors import InvalidRulebook, RulebookProblem
from rungwise.engine.directory import RulebookFile, is_cases, read_directory
from rungwise.engine.overlay import Layered, Layers, problem_at
from rungwise.engine.strict_yaml import Keys, parse

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Documents:
    """A merged rulebook.

    `files` maps the path inside the rulebook ("limits/sp-divides-gpus.yaml") to parsed YAML, or to the text
    of a CSV file; `revision` is the SHA-256 of what can change a decision (cases cannot); `base` holds the
    paths that no overlay touched.
    """

    files: Mapping[str, Any]
    revision: str
    base: frozenset[str]
    layers: Mapping[str, Layered]

    def under(self, folder: str) -> list[str]:
        """List the paths of the folder's YAML files in order, without cases."""
        return [
            p for p in self.files if p.startswith(folder + "/") and p.endswith(".yaml") and not is_cases(p)
        ]

    def problem(self, path: str, keys: Keys, message: str) -> RulebookProblem:
        """Make a problem at a place of a file; `keys` are mapping keys and list indexes from the top."""
        layered = self.layers.get(path)
        if layered is None:
            return RulebookProblem(path, 0, 0, message)
        file, place = layered.origin(keys)
        return problem_at(file, place, message)


def read_documents(directories: Sequence[Path | Traversable], cases: bool = False) -> Documents:
    """Read a base rulebook and the overlays over it, in order.

    Raises InvalidRulebook with every problem of every file. Cases are read only if asked for: they do not
    decide.
    """
    layers = Layers()
    problems = layers.problems
    digest = hashlib.sha256()
    if not directories:
        raise InvalidRulebook([RulebookProblem("", 0, 0, "no rulebook directory was given")])
    for position, directory in enumerate(directories):
        prefix = f"{str(directory).rstrip('/')}/" if position else ""
        files, faults = read_directory(directory, prefix, cases)
        problems.extend(faults)
        digest.update(b"%d directory\n" % position)
        parsed: list[tuple[RulebookFile, Any]] = []
        for file in files:
            content = file.text.encode()
            if not is_cases(file.path):
                digest.update(b"%s\n%d\n" % (file.path.encode("utf-8", "surrogateescape"), len(content)))
                digest.update(content)
            data = _parsed(file, problems)
            if data is not None:
                parsed.append((file, data))
        if position:
            layers.add_overlay(parsed)
        else:
            for file, data in parsed:
                layers.add_base(file, data)
    if "facts.yaml" not in layers.files and not problems:
        problems.append(RulebookProblem("facts.yaml", 0, 0, "the base rulebook has no facts.yaml"))
    if problems:
        raise InvalidRulebook(sorted(problems, key=lambda p: (p.file, p.line, p.column)))
    ordered = dict(sorted(layers.files.items()))
    return Documents(
        files={path: layered.data for path, layered in ordered.items()},
        revision=digest.hexdigest(),
        base=frozenset(path for path, layered in ordered.items() if layered.base),
        layers=ordered,
    )


def _parsed(file: RulebookFile, problems: list[RulebookProblem]) -> Any:
    """Give the file's data, or None with at least one problem added."""
    if file.path.endswith(".csv"):
        return file.text
    data, faults = parse(file.text)
    problems.extend(RulebookProblem(file.name, fault.line, fault.column, fault.message) for fault in faults)
    if faults:
        return None
    if not isinstance(data, dict):
        problems.append(RulebookProblem(file.name, 1, 1, "the file is not a mapping of keys to values"))
        return None
    version = data.get("schema_version")
    if version is None:
        problems.append(
            problem_at(file, (), f"schema_version is missing; this version reads {SCHEMA_VERSION}")
        )
    elif type(version) is not int or version != SCHEMA_VERSION:
        message = f"schema_version {version!r} is unknown; this version reads {SCHEMA_VERSION}"
        problems.append(problem_at(file, ("schema_version",), message))
    return data
