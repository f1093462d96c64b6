"""Whether anybody still waits for the answer of a call."""

from collections.abc import Sequence
from dataclasses import replace

import grpc
from rungwise.engine.facts import Fact
from rungwise.engine.matching import Matcher
from rungwise.planning.knowledge import Knowledge


class CallEnded(Exception):
    """The caller has gone, or its deadline has passed."""


class Deadline:
    """The deadline of one call. A call without one never passes it: gRPC tells some 10^18 seconds then."""

    def __init__(self, context: grpc.ServicerContext) -> None:
        """Watch the call that `context` belongs to."""
        self._context = context

    def check(self) -> None:
        """Raise CallEnded if nobody waits any more."""
        if self._context.time_remaining() <= 0 or not self._context.is_active():
            raise CallEnded


class _DeadlineMatcher:
    """Asks the deadline before every question to the engine.

    A decision asks the engine a few times, an explanation hundreds of times, and the threads take turns at its lock.
    """

    def __init__(self, matcher: Matcher, deadline: Deadline) -> None:
        self._matcher = matcher
        self._deadline = deadline

    def match(self, stage: str, facts: Sequence[Fact]) -> list[tuple[str, ...]]:
        self._deadline.check()
        return self._matcher.match(stage, facts)


def until(deadline: Deadline, knowledge: Knowledge) -> Knowledge:
    """Return the same knowledge for one call: planning with it raises CallEnded when the call has ended."""
    return replace(knowledge, matcher=_DeadlineMatcher(knowledge.matcher, deadline))
