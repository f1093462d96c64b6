"""Lays one rulebook directory over another.

An overlay may add files and rows, and replace what exists if it says `replaces:` (the id) and `reason:`; so
no base rule changes by accident, and no replacement outlives what it replaced without a word.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from rungwise.domain.errors import RulebookProblem
from rungwise.engine.directory import RulebookFile, is_cases
from rungwise.engine.strict_yaml import Keys, locate

_BASE_ID = re.compile(r"[a-z0-9-]{1,64}")
_SITE_ID = re.compile(r"[a-z][a-z0-9]{0,31}\.[a-z0-9-]{1,64}")
_NAMED_BY_ID = ("advice/", "ladders/", "limits/")


@dataclass(slots=True)
class Layered:
    """One file of the merged rulebook: its data, and the file that each row of a table came from."""

    data: Any
    file: RulebookFile
    base: bool
    rows: dict[str, list[tuple[RulebookFile, int]]] = field(default_factory=dict)
    """For a catalog table, by list name: where row i of the merged list was read."""

    def origin(self, keys: Keys) -> tuple[RulebookFile, Keys]:
        """Find the file, and the place in it, that a place of the merged data came from."""
        if len(keys) > 1 and isinstance(keys[0], str) and isinstance(keys[1], int):
            rows = self.rows.get(keys[0], [])
            if keys[1] < len(rows):
                file, index = rows[keys[1]]
                return file, (keys[0], index, *keys[2:])
        return self.file, keys


def problem_at(file: RulebookFile, keys: Keys, message: str) -> RulebookProblem:
    """Make a problem at a place of a file."""
    line, column = (0, 0) if file.path.endswith(".csv") else locate(file.text, keys)
    return RulebookProblem(file.name, line, column, message)


def stem(path: str) -> str:
    """Give the id of a file's name: `limits/a.yaml` and `limits/a.cases.yaml` give `a`."""
    return path.rpartition("/")[2].partition(".cases.yaml")[0].removesuffix(".yaml").removesuffix(".csv")


def _is_table(path: str) -> bool:
    return path.startswith("catalog/") and path.count("/") == 1


def _row_id(row: Any) -> Any:
    return row.get("id", row.get("model_type")) if isinstance(row, dict) else None


class Layers:
    """The merged rulebook so far."""

    def __init__(self) -> None:
        self.files: dict[str, Layered] = {}
        self.problems: list[RulebookProblem] = []

    def add_base(self, file: RulebookFile, data: Any) -> None:
        """Take a file of the first directory as it is."""
        if isinstance(data, dict) and "replaces" in data:
            self._problem(file, ("replaces",), "only an overlay can replace something")
        if file.path.startswith(_NAMED_BY_ID) and not _BASE_ID.fullmatch(stem(file.path)):
            message = f"{stem(file.path)!r} is not an id: up to 64 small letters, digits and -"
            self._problem(file, ("id",), message)
        self.files[file.path] = self._layer(file, data, base=True)

    def add_overlay(self, files: list[tuple[RulebookFile, Any]]) -> None:
        """Lay the files of one overlay directory over what is there."""
        paths = {file.path: data for file, data in files}
        for file, data in files:
            below = self.files.get(file.path)
            if file.path == "facts.yaml":
                self._problem(file, (), "facts.yaml cannot be overlaid: the planner fills these fields")
            elif below is None:
                if isinstance(data, dict) and "replaces" in data:
                    self._problem(file, ("replaces",), f"replaces {data['replaces']!r}, which does not exist")
                elif file.path.startswith(_NAMED_BY_ID) and not _SITE_ID.fullmatch(stem(file.path)):
                    # So that no later base rule can collide with a site's own.
                    message = f"an overlay's own id carries the site's name, such as site.{stem(file.path)}"
                    self._problem(file, ("id",), message)
                self.files[file.path] = self._layer(file, data, base=False)
            elif is_cases(file.path):
                if file.path.removesuffix(".cases.yaml") + ".yaml" not in paths:
                    self._problem(file, (), "replaces the cases of a rule that this overlay does not replace")
                self.files[file.path] = self._layer(file, data, base=False)
            elif file.path.endswith(".csv"):
                beside = file.path.removesuffix(".csv") + ".yaml"
                if "replaces" not in paths.get(beside, ()):
                    self._problem(
                        file, (), f"replaces a file; {beside} beside it must say `replaces` and `reason`"
                    )
                self.files[file.path] = self._layer(file, data, base=False)
            elif _is_table(file.path):
                self._merge_table(below, file, data)
            elif self._says_why(file, data, (), stem(file.path)):
                data = {key: value for key, value in data.items() if key not in ("replaces", "reason")}
                if file.path == "messages.yaml":
                    self._merge_messages(below.data, data, file, ())
                    self.files[file.path] = Layered(below.data, file, base=False)
                else:
                    self.files[file.path] = self._layer(file, data, base=False)

    def _layer(self, file: RulebookFile, data: Any, base: bool) -> Layered:
        layered = Layered(data, file, base)
        if _is_table(file.path) and isinstance(data, dict):
            for name, rows in data.items():
                if isinstance(rows, list):
                    layered.rows[name] = [(file, index) for index in range(len(rows))]
        return layered

    def _problem(self, file: RulebookFile, keys: Keys, message: str) -> None:
        self.problems.append(problem_at(file, keys, message))

    def _says_why(self, file: RulebookFile, data: dict[str, Any], keys: Keys, replaced: str) -> bool:
        if data.get("replaces") != replaced:
            self._problem(
                file,
                (*keys, "replaces"),
                f"{replaced} exists already; to replace it say `replaces: {replaced}` and `reason: ...`",
            )
            return False
        reason = data.get("reason")
        if not isinstance(reason, str) or not reason.strip():
            self._problem(file, (*keys, "reason"), f"replacing {replaced} needs a `reason`")
            return False
        return True

    def _merge_table(self, below: Layered, file: RulebookFile, data: dict[str, Any]) -> None:
        below.base = False
        for name, rows in data.items():
            if name == "schema_version":
                continue
            merged = below.data.get(name)
            if not isinstance(rows, list) or not isinstance(merged, list):
                self._problem(file, (name,), f"{name} is not a list of rows of {file.path}")
                continue
            places = {_row_id(row): index for index, row in enumerate(merged)}
            for index, row in enumerate(rows):
                name_of_row = _row_id(row)
                if not isinstance(name_of_row, str):
                    self._problem(file, (name, index), "the row has no id")
                    continue
                place = places.get(name_of_row)
                if place is None:
                    if "replaces" in row:
                        message = f"replaces {row['replaces']!r}, which does not exist"
                        self._problem(file, (name, index, "replaces"), message)
                    places[name_of_row] = len(merged)
                    merged.append(row)
                    below.rows[name].append((file, index))
                elif self._says_why(file, row, (name, index), name_of_row):
                    merged[place] = {key: row[key] for key in row if key not in ("replaces", "reason")}
                    below.rows[name][place] = (file, index)

    def _merge_messages(
        self, below: dict[str, Any], over: dict[str, Any], file: RulebookFile, keys: Keys
    ) -> None:
        for key, value in over.items():
            if key not in below:
                self._problem(file, (*keys, key), f"there is no message {key!r} to replace")
            elif isinstance(value, dict) and isinstance(below[key], dict):
                self._merge_messages(below[key], value, file, (*keys, key))
            else:
                below[key] = value
