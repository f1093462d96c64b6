"""The commands `plan` and `explain`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rungwise.cli.failure import Failure, failure_of, usage
from rungwise.cli.job_options import given_job_flags, request_of
from rungwise.cli.output import write, write_json
from rungwise.cli.texts import language_of

if TYPE_CHECKING:
    from rungwise.v1.planner_service_pb2 import ExplainResponse, PlanResponse

_EXIT_CODES = {"OUTCOME_FEASIBLE": 0, "OUTCOME_INFEASIBLE": 1}
_NO_VERDICT = 3
_PATH_STARTS = (".", "/", "~")


class Output(StrEnum):
    """How an answer is printed."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    ENV = "env"


class Matcher(StrEnum):
    """Which rule matcher plans."""

    AUTO = "auto"
    DURABLE = "durable"
    PORTABLE = "portable"


class Planner(Protocol):
    """Answers requests given as plain values with the .proto's field names."""

    def plan(self, request: Any) -> "PlanResponse":
        """Plan a job."""

    def explain(self, request: Any, why_not: Sequence[str]) -> "ExplainResponse":
        """Explain a job."""


@dataclass(frozen=True, slots=True)
class Question:
    """A command line of `plan` or `explain`. `job` holds the job options by parameter name."""

    model: str | None
    job: Mapping[str, Any]
    requests: str | None
    output: Output | None
    rulebooks: Sequence[Path]
    matcher: Matcher | None
    server: str | None
    timeout: str | None
    why_not: Sequence[str] | None
    """Labels to explain; None for `plan`."""


def answer(question: Question) -> int:
    """Answer one job, or every line of a file. Returns the exit code; raises Failure and RungwiseError."""
    if question.requests is not None:
        return _answer_lines(question, question.requests)
    request, model_fault = request_of(question.job), None
    if question.model is not None:
        try:
            request["model"] = _model_reference(question.model)
        except Exception as error:  # an unreadable file: told together with the faults of the options
            model_fault = failure_of(error)
    planner = _planner(question)
    try:
        response = _ask(question, planner, request)
    except Exception as error:
        raise _joined(model_fault, failure_of(error)) from error
    return _print(question, response)


def _answer_lines(question: Question, path: str) -> int:
    from rungwise.catalog.json_text import parse_json
    from rungwise.cli.batch import answer_lines, opened
    from rungwise.wire.to_json import to_json

    surplus = [*(["MODEL"] if question.model is not None else []), *given_job_flags(question.job)]
    if surplus:
        raise usage(
            "--requests", f"cannot be combined with {', '.join(surplus)}", "each line has its own job"
        )
    if question.output not in (None, Output.JSON):
        raise usage(
            "--output", f"{question.output} is not for --requests", "answers come as JSON, one a line"
        )
    preferences = request_of(question.job).get("preferences", {})

    def answered(line: bytes) -> str:
        request = parse_json(line)
        if isinstance(request, dict) and isinstance(own := request.get("preferences") or {}, dict):
            # A null is an unset field: the command line's word stands.
            said = {name: value for name, value in own.items() if value is not None}
            request["preferences"] = {**preferences, **said}
        return to_json(_ask(question, planner, request))

    with opened(path) as lines:
        planner = _planner(question)
        return answer_lines(lines, answered)


def _model_reference(model: str) -> dict[str, str]:
    """Return a path's config.json, or the catalog name. Raises InvalidRequest for a file that cannot be read."""
    if not model.startswith(_PATH_STARTS) and not model.endswith(".json"):
        return {"name": model}
    from rungwise.catalog.config_file import read_config_file

    return {"hf_config_json": read_config_file(model)}


def _planner(question: Question) -> Planner:
    if question.server is None:
        if question.timeout is not None:
            raise usage("--timeout", "is for --server", "planning here takes well under a second")
        from rungwise.cli.local import LocalPlanner

        return LocalPlanner(question.rulebooks, (question.matcher or Matcher.AUTO).value)
    if question.rulebooks or question.matcher:
        given = "--rulebook" if question.rulebooks else "--matcher"
        raise usage(given, "cannot be combined with --server", "a server plans with its own rulebook")
    from rungwise.cli.remote import RemotePlanner

    return RemotePlanner(question.server, question.timeout)


def _ask(question: Question, planner: Planner, request: Any) -> "PlanResponse | ExplainResponse":
    if question.why_not is None:
        return planner.plan(request)
    return planner.explain(request, question.why_not)


def _joined(model_fault: Failure | None, failure: Failure) -> Failure:
    """Add the fault of the model's file, in place of what its absence from the request caused."""
    if model_fault is None:
        return failure
    others = [v for v in failure.violations if v.field != "model"]
    return Failure(
        model_fault.code,
        model_fault.reason,
        "; ".join(f"{v.field}: {v.description}" for v in (*model_fault.violations, *others)),
        model_fault.exit_code,
        [*model_fault.violations, *others],
    )


def _print(question: Question, response: "PlanResponse | ExplainResponse") -> int:
    from rungwise.v1.plan_pb2 import Outcome
    from rungwise.v1.planner_service_pb2 import ExplainResponse

    plan = response.plan if isinstance(response, ExplainResponse) else response
    match question.output:
        case Output.JSON:
            from rungwise.wire.to_json import to_json

            write_json(to_json(response, indent=2))
        case Output.YAML:
            from rungwise.cli.yaml_text import yaml_text

            write(yaml_text(response))
        case Output.ENV:
            from rungwise.cli.shell import shell_lines

            write(shell_lines(plan))
        case _:
            from rungwise.cli.layout import show
            from rungwise.cli.table import explanation_table, plan_table

            language = language_of(question.job["lang"])
            if isinstance(response, ExplainResponse):
                show(explanation_table(response, language))
            else:
                show(plan_table(response, language))
    outcome = Outcome.Name(plan.outcome) if plan.outcome in Outcome.values() else ""
    return _EXIT_CODES.get(outcome, _NO_VERDICT)
