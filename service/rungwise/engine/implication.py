"""What a conjunction of conditions implies: whether it can hold at all, and whether another always follows.

Whole numbers are decided as difference constraints (every comparison is `a - b <= c`, a literal being a
difference from zero) with excluded points; strings and truth values by their sets of possible values. A
contradiction that is found is always one; one that needs several `!=` between fields at once may be missed.
"""

from collections.abc import Iterable, Mapping, Sequence

from rungwise.engine.condition import Condition
from rungwise.engine.facts import FactField, Value

_ZERO = ""
"""The node that literals are differences from; no field has this name."""

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def contradicts(conditions: Sequence[Condition], fields: Mapping[str, FactField]) -> bool:
    """Tell whether no fact can meet all conditions."""
    ints = [c for c in conditions if fields[c.field].type == "int"]
    others = [c for c in conditions if fields[c.field].type != "int"]
    return _no_numbers(ints) or _no_values(others, fields)


def implies(
    premises: Sequence[Condition], conclusions: Iterable[Condition], fields: Mapping[str, FactField]
) -> bool:
    """Tell whether every fact that meets all premises meets all conclusions."""
    return all(contradicts([*premises, _negated(conclusion)], fields) for conclusion in conclusions)


def _negated(condition: Condition) -> Condition:
    return Condition(condition.field, _OPPOSITE[condition.op], condition.value, condition.other)


def _no_numbers(conditions: Sequence[Condition]) -> bool:
    # bound[a, b] = c means a - b <= c.
    bound: dict[tuple[str, str], int] = {}
    apart: list[tuple[str, str, int]] = []  # a - b != c

    def limit(a: str, b: str, c: int) -> None:
        bound[a, b] = min(c, bound.get((a, b), c))

    for condition in conditions:
        a, b = condition.field, condition.other or _ZERO
        c = 0 if condition.other is not None else int(condition.value or 0)
        match condition.op:
            case "==":
                limit(a, b, c)
                limit(b, a, -c)
            case "<=":
                limit(a, b, c)
            case "<":
                limit(a, b, c - 1)
            case ">=":
                limit(b, a, -c)
            case ">":
                limit(b, a, -c - 1)
            case _:
                apart.append((a, b, c))
    nodes = {_ZERO, *(node for pair in bound for node in pair), *(n for a, b, _ in apart for n in (a, b))}
    while True:
        for middle in nodes:
            for a in nodes:
                for b in nodes:
                    if (a, middle) in bound and (middle, b) in bound:
                        limit(a, b, bound[a, middle] + bound[middle, b])
        if any(bound.get((node, node), 0) < 0 for node in nodes):
            return True
        # An excluded point at the end of a range moves the end by one; then the ranges are worked out again.
        moved = False
        for a, b, c in apart:
            if bound.get((a, b)) == c:
                bound[a, b] = c - 1
                moved = True
            if bound.get((b, a)) == -c:
                bound[b, a] = -c - 1
                moved = True
        if not moved:
            return False


def _no_values(conditions: Sequence[Condition], fields: Mapping[str, FactField]) -> bool:
    names = [name for c in conditions for name in (c.field, c.other) if name is not None]
    group = {name: {name} for name in names}
    for condition in conditions:
        if condition.op == "==" and condition.other is not None:
            joined = group[condition.field] | group[condition.other]
            for name in joined:
                group[name] = joined
    for condition in conditions:
        if condition.op == "!=" and condition.other in group[condition.field]:
            return True
    possible = {name: _possible(group[name], conditions, fields) for name in group}
    if any(values is not None and not values for values in possible.values()):
        return True
    for condition in conditions:
        if condition.op == "!=" and condition.other is not None:
            left, right = possible[condition.field], possible[condition.other]
            if left is not None and right is not None and len(left) == 1 and left == right:
                return True
    return False


def _possible(
    names: Iterable[str], conditions: Sequence[Condition], fields: Mapping[str, FactField]
) -> set[Value] | None:
    """Give the values that equal fields may have together; None if any string may be."""
    possible: set[Value] | None = None
    excluded: set[Value] = set()
    for name in names:
        field = fields[name]
        own: set[Value] | None = None
        if field.type == "bool":
            own = {True, False}
        elif field.values is not None:
            own = set(field.values)
        for condition in conditions:
            if condition.field != name or condition.value is None:
                continue
            if condition.op == "!=":
                excluded.add(condition.value)
            else:
                own = {condition.value} if own is None else own & {condition.value}
        if own is not None:
            possible = own if possible is None else possible & own
    return None if possible is None else possible - excluded
