"""Reads one YAML text of a rulebook, strictly.

A rulebook uses a small part of YAML, so that what a reader sees is what the planner gets: no aliases, no
tags, no duplicate keys, one document, and plain scalars without surprises (`no`, a date, `0x10` and `1_000`
stay strings).
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml

MAX_INT = 2**53 - 1
"""Largest whole number of a rulebook: every reader of JSON and the matcher hold it exactly."""

_MAX_DEPTH = 24
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|nan)", re.IGNORECASE)
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}

# libyaml is an optional part of PyYAML; its parser is about eight times faster.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

Keys = tuple[str | int, ...]
"""A place inside a document: keys of mappings and indexes of lists, from the top."""


@dataclass(frozen=True, slots=True)
class YamlFault:
    """One fault of a YAML text; `line` and `column` count from 1."""

    line: int
    column: int
    message: str


class _Open:
    """A mapping or list whose end has not been read yet."""

    __slots__ = ("container", "key", "keys", "mapping")

    def __init__(self, container: Any, mapping: bool, keys: Keys) -> None:
        self.container = container
        self.mapping = mapping
        self.key: str | None = None
        self.keys = keys


class _Builder:
    """Builds plain data from parser events, without recursion: depth is bounded before it is spent."""

    def __init__(self, keep_marks: bool) -> None:
        self.faults: list[YamlFault] = []
        self.marks: dict[Keys, tuple[int, int]] = {}
        self.root: Any = None
        self._keep_marks = keep_marks
        self._stack: list[_Open] = []

    def build(self, next_event: Callable[[], Any]) -> None:
        """Take events until there are no more, or a fault leaves nothing to build on."""
        documents = 0
        stack = self._stack
        while (event := next_event()) is not None:
            kind = type(event)
            top = stack[-1] if stack else None
            if kind is yaml.ScalarEvent:
                if event.anchor is not None or event.tag is not None:
                    self._refuse_decoration(event)
                if top is not None and top.mapping and top.key is None:
                    self._key(top, event)
                else:
                    self._place(top, event.value if event.style else self._plain(event), event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._refuse_decoration(event)
                if len(stack) == _MAX_DEPTH:
                    self._fault(event, f"nested deeper than {_MAX_DEPTH} levels")
                    return
                if top is not None and top.mapping and top.key is None:
                    self._fault(event, "a mapping or list cannot be a key; use a string")
                    return
                mapping = kind is yaml.MappingStartEvent
                container: Any = {} if mapping else []
                keys = self._place(top, container, event)
                stack.append(_Open(container, mapping, keys))
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                stack.pop()
            elif kind is yaml.AliasEvent:
                self._fault(event, f"the alias *{event.anchor} is not allowed; write the value out")
                if top is None or (top.mapping and top.key is None):
                    return
                self._place(top, None, event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents == 2:
                    self._fault(event, "a second document; a file holds exactly one")
                    return

    def _fault(self, event: Any, message: str) -> None:
        mark = event.start_mark
        self.faults.append(YamlFault(mark.line + 1, mark.column + 1, message))

    def _refuse_decoration(self, event: Any) -> None:
        if event.anchor is not None:
            self._fault(
                event, f"the anchor &{event.anchor} is not allowed; write the value where it is needed"
            )
        if event.tag is not None:
            self._fault(event, f"the tag {event.tag} is not allowed; a value's type is how it is written")

    def _key(self, top: _Open, event: Any) -> None:
        key: str = event.value
        if not event.style and type(self._plain(event)) is not str:
            self._fault(event, f"the key {key!r} is not a string; quote it")
        if key in top.container:
            self._fault(event, f"duplicate key {key!r}")
        if self._keep_marks:
            mark = event.start_mark
            self.marks.setdefault((*top.keys, key), (mark.line + 1, mark.column + 1))
        top.key = key

    def _place(self, top: _Open | None, value: Any, event: Any) -> Keys:
        """Put a value where it belongs; gives its place if places are kept."""
        keys: Keys = ()
        if top is None:
            self.root = value
        elif top.mapping:
            top.container[top.key] = value
            if self._keep_marks and top.key is not None:
                keys = (*top.keys, top.key)
            top.key = None
        else:
            if self._keep_marks:
                keys = (*top.keys, len(top.container))
            top.container.append(value)
        if self._keep_marks:
            mark = event.start_mark
            self.marks.setdefault(keys, (mark.line + 1, mark.column + 1))
        return keys

    def _plain(self, event: Any) -> str | int | float | bool | None:
        text: str = event.value
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text[0] in "-0123456789":
            if _INT.fullmatch(text):
                # Before int(): turning thousands of digits into a number takes quadratic time.
                if len(text) > 17 or abs(int(text)) > MAX_INT:
                    self._fault(event, "the number is larger than 2^53-1")
                    return 0
                return int(text)
            if _FLOAT.fullmatch(text):
                number = float(text)
                if not math.isfinite(number):
                    self._fault(event, f"{text} is not a finite number")
                    return 0.0
                return number
        if _NOT_FINITE.fullmatch(text):
            self._fault(event, f"{text} is not a finite number")
        return text


def _built(text: str, keep_marks: bool) -> _Builder:
    builder = _Builder(keep_marks)
    try:
        builder.build(_LOADER(text).get_event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = ", ".join(part for part in (error.context, error.problem) if part)
        builder.faults.append(YamlFault(line, column, f"not YAML: {message}"))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position)
        builder.faults.append(YamlFault(line, column, f"not YAML: {error.reason}"))
    return builder


def parse(text: str) -> tuple[Any, list[YamlFault]]:
    """Give the data of one YAML text and every fault of it; with faults the data means nothing.

    Mappings become dicts with string keys, lists lists; scalars str, int (within 2^53-1), finite float, bool
    or None.
    """
    builder = _built(text, keep_marks=False)
    return builder.root, builder.faults


def locate(text: str, keys: Keys) -> tuple[int, int]:
    """Find line and column of the place `keys` in a YAML text, or of the nearest place around it.

    Parses the text again: normal loading keeps no places, which makes it twice as fast.
    """
    marks = _built(text, keep_marks=True).marks
    for length in range(len(keys), -1, -1):
        if keys[:length] in marks:
            return marks[keys[:length]]
    return 1, 1
