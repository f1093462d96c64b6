"""A plan as lines for a shell: to be sourced before the job starts."""

import re
from collections.abc import Iterator
from shlex import quote

from rungwise.cli.output import printable
from rungwise.v1.plan_pb2 import Configuration, Outcome
from rungwise.v1.planner_service_pb2 import PlanResponse

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def shell_lines(plan: PlanResponse) -> str:
    """Return `export NAME=value` lines: the configuration's environment and RUNGWISE_* variables.

    Without a configuration there is RUNGWISE_OUTCOME alone. Raises ValueError for a variable whose name no shell
    takes: a plan may come from another machine, and its lines are executed.
    """
    comment = "".join(f"# {line}\n" for line in printable(plan.summary).splitlines())
    variables = [("RUNGWISE_OUTCOME", Outcome.Name(plan.outcome) if plan.outcome in Outcome.values() else "")]
    if plan.HasField("configuration"):
        variables += _settings(plan.configuration)
        variables += sorted(plan.configuration.env.items())
    for name, _ in variables:
        if not _VARIABLE.fullmatch(name):
            raise ValueError(f"the plan sets an environment variable named {name!r}, which no shell takes")
    return comment + "".join(f"export {name}={quote(value)}\n" for name, value in variables)


def _settings(configuration: Configuration) -> Iterator[tuple[str, str]]:
    yield "RUNGWISE_LABEL", configuration.label
    yield "RUNGWISE_MEASURES", ",".join(configuration.measures)
    yield "RUNGWISE_SEQUENCE_PARALLEL_SIZE", str(configuration.sequence_parallel_size)
    yield "RUNGWISE_CPU_OFFLOAD", "true" if configuration.cpu_offload else "false"
    yield "RUNGWISE_MAX_TOKEN_LEN_PER_GPU", str(configuration.max_token_len_per_gpu)
    yield "RUNGWISE_STRATEGY", configuration.strategy
    if configuration.HasField("rope_scaling"):
        rope = configuration.rope_scaling
        yield "RUNGWISE_ROPE_SCALING_TYPE", rope.rope_type
        yield "RUNGWISE_ROPE_SCALING_FACTOR", str(rope.factor)
        original = str(rope.original_max_position_embeddings)
        yield "RUNGWISE_ROPE_SCALING_ORIGINAL_MAX_POSITION_EMBEDDINGS", original
        yield "RUNGWISE_MAX_POSITION_EMBEDDINGS", str(rope.max_position_embeddings)
