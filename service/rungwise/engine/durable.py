"""Matches rules with durable-rules 2.0.28, through its C binding.

The library is unmaintained and kills the process when it is fed the wrong thing, so this module keeps to
what was measured to work: patterns over a single flat fact, whole numbers below 2^53, plain strings, no
joins, no negation, no timers, explicit fact ids. One session per call: a first fact that a rule always
matches (a session in which no action ran must not be deleted), the facts, and a last fact that must be seen
(or the batch was cut short); then the session is deleted, once. The binding keeps global state and never
releases the GIL, so one lock for all costs nothing.
"""

import itertools
import json
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import ParamSpec, TypeVar

import durable_rules_engine as binding
from rungwise.domain.errors import RuleFailed
from rungwise.engine.condition import Condition
from rungwise.engine.facts import Fact, Value, values_at
from rungwise.engine.operands import Operands
from rungwise.engine.rule import Rule
from rungwise.engine.ruleset import RuleSet

_MAX_RULES = 48
"""With the first and the last fact's rules 50 patterns, the most that were measured."""
_MAX_TESTS = 60
"""A fact may reach 64 distinct comparison tests (error 303 beyond); the three of `kind` count."""
_MAX_FACTS = 256
"""Facts of one session; ids are small numbers whose 32-bit hashes are all distinct."""

_FACT, _FIRST, _LAST = 0, 1, 2
_OPERATORS = {"!=": "$neq", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte"}
_FIRED = re.compile(r'\{"(?:last|r([0-9]+))":\{"m":\{"id":"([0-9]+)"')

P = ParamSpec("P")
T = TypeVar("T")

_lock = threading.Lock()
_names = itertools.count()


def _pattern(condition: Condition, places: dict[str, int]) -> dict[str, object]:
    right: object = condition.value
    if condition.other is not None:
        right = {"$m": f"f{places[condition.other]}"}
    elif isinstance(right, bool):
        # True == 1 there anyway; facts carry 0 and 1 too.
        right = int(right)
    comparison: dict[str, object] = {f"f{places[condition.field]}": right}
    return comparison if condition.op == "==" else {_OPERATORS[condition.op]: comparison}


def _parts(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Split a stage's rules so that each compiled part stays within the engine's limits."""
    part: list[Rule] = []
    tests: set[Condition] = set()
    for rule in rules:
        together = tests.union(rule.when)
        if part and (len(part) == _MAX_RULES or len(together) > _MAX_TESTS):
            yield part
            part, together = [], set(rule.when)
        part.append(rule)
        tests = together
    if part:
        yield part


class _Part:
    """Rules that are compiled together, and sessions with them."""

    def __init__(self, ruleset: RuleSet, stage: str, operands: Operands, rules: list[Rule]) -> None:
        self._stage = stage
        self._ids = [rule.id for rule in rules]
        names = tuple(dict.fromkeys(name for rule in rules for name in rule.compared_fields))
        whole = names == operands.names
        self._values = None if whole else values_at([operands.places[name] for name in names])
        places = {name: index for index, name in enumerate(names)}
        definition: dict[str, object] = {
            "first": {"all": [{"m": {"kind": _FIRST}}]},
            "last": {"all": [{"m": {"kind": _LAST}}]},
        }
        for number, rule in enumerate(rules):
            patterns = [{"kind": _FACT}, *(_pattern(condition, places) for condition in rule.when)]
            definition[f"r{number}"] = {"all": [{"m": {"$and": patterns}}]}
        self._definition = json.dumps(definition)
        # Facts are written by hand: every value is a number, or a string without quotes and backslashes.
        fields = ruleset.schema.stages[stage]
        forms = ['"%s"' if fields[name].type == "str" else "%d" for name in places]
        self._form = "".join(f',"f{index}":{form}' for index, form in enumerate(forms))
        self._batches: dict[int, str] = {}
        self._sessions = itertools.count()
        self._compile()

    def _compile(self) -> None:
        self._handle: int = binding.create_ruleset(f"rungwise{next(_names)}", self._definition)
        # Needs no lock: the binding holds the GIL, and a part that is collected has no session.
        self._release = weakref.finalize(self, binding.delete_ruleset, self._handle)
        self._release.atexit = False
        self._usable = True
        self.match([])  # the first session sets up what later ones only read

    def match(self, rows: Sequence[Sequence[Value]]) -> list[list[str]]:
        """Match rows of the stage's operands; the caller holds the lock."""
        if not self._usable:
            self._release()
            self._compile()
        sid = str(next(self._sessions))
        # Until its first action has run the session cannot be deleted. If that fails, the compiled rules go
        # with it and the next call compiles them again: the engine has places for 1,024 sessions only.
        self._usable = False
        status, session = binding.assert_fact(self._handle, f'{{"id":"0","sid":"{sid}","kind":{_FIRST}}}')
        started = binding.start_action_for_state(self._handle, session) if status == 0 else None
        if started is None:
            raise RuleFailed(self._stage, f"the matcher refused the first fact (status {status})")
        try:
            matched = self._fire(session, sid, rows)
        finally:
            binding.delete_state(self._handle, sid)
            self._usable = True
        return matched

    def _fire(self, session: int, sid: str, rows: Sequence[Sequence[Value]]) -> list[list[str]]:
        last = len(rows) + 1
        if self._values:
            rows = [self._values(row) for row in rows]
        values = [value for row in rows for value in (sid, *row)]
        facts = self._batch(len(rows)) % (*values, sid)
        status, _ = binding.assert_facts(self._handle, facts)
        if status not in (0, 1):  # 1: some fact matches no rule
            raise RuleFailed(self._stage, f"the matcher refused the facts (status {status})")
        matched: list[list[str]] = [[] for _ in rows]
        last_seen = False
        for _ in range(len(rows) * len(self._ids) + 2):
            fired = binding.complete_and_start_action(self._handle, session)
            if fired is None:
                break
            shape = _FIRED.match(fired)
            if shape is None:
                raise RuleFailed(self._stage, "the matcher answered in an unknown form")
            rule, fact = int(shape[1] or -1), int(shape[2])
            if rule >= 0:
                matched[fact - 1].append(self._ids[rule])
            else:
                last_seen = last_seen or fact == last
        else:
            raise RuleFailed(self._stage, "the matcher fired more rules than there are")
        if not last_seen:
            raise RuleFailed(self._stage, "the matcher did not read every fact")
        return matched

    def _batch(self, size: int) -> str:
        """Return the form of `size` facts and the last one, to be filled with session and values in turn."""
        form = self._batches.get(size)
        if form is None:
            facts = [f'{{"id":"{n}","sid":"%s","kind":{_FACT}{self._form}}}' for n in range(1, size + 1)]
            facts.append(f'{{"id":"{size + 1}","sid":"%s","kind":{_LAST}}}')
            form = self._batches[size] = f"[{','.join(facts)}]"
        return form


class _Stage:
    """The rules of one stage, in parts."""

    def __init__(self, ruleset: RuleSet, stage: str) -> None:
        rules = ruleset.stage(stage)
        self._name = stage
        self._operands = Operands(ruleset, stage, rules)
        self._parts = [_Part(ruleset, stage, self._operands, part) for part in _parts(rules)]

    def match(self, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        rows = self._operands.read(facts)
        matched: list[list[str]] = [[] for _ in facts]
        for part in self._parts:
            for start in range(0, len(rows), _MAX_FACTS):
                with _lock:
                    found = _guarded(self._name, part.match, rows[start : start + _MAX_FACTS])
                for index, ids in enumerate(found, start):
                    matched[index] += ids
        return [tuple(sorted(ids)) for ids in matched]


class DurableMatcher:
    """Matches with durable-rules; answers exactly as PortableMatcher does."""

    def __init__(self, ruleset: RuleSet) -> None:
        """Compile the rules of every stage. Raises RuleFailed if the engine refuses them."""
        with _lock:
            self._stages = {stage: _guarded(stage, _Stage, ruleset, stage) for stage in ruleset.schema.stages}

    def match(self, stage: str, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        """Give, for each fact, the ids of the stage's rules that match it, in id order."""
        compiled = self._stages.get(stage)
        if compiled is None:
            raise RuleFailed(stage, "facts.yaml has no such stage")
        return compiled.match(facts)


def _guarded(stage: str, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call into the engine; its own errors become RuleFailed."""
    try:
        return call(*args, **kwargs)
    except (binding.error, MemoryError) as error:
        raise RuleFailed(stage, f"the matcher failed: {str(error) or type(error).__name__}") from error
