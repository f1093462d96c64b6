"""Entry point of the command line: runs a command and turns what it raises into words and an exit code."""

import gc
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import typer
from rungwise.cli.app import app
from rungwise.cli.failure import INTERNAL, Failure, failure_of, tell, usage
from rungwise.cli.output import OutputLost, ReaderLeft, abandon_stdout, prepare_stdout, write_json

_INTERRUPTED = 130
_READER_LEFT = 141
"""128 + SIGPIPE, as a program reports it that does not catch the signal."""

_UsageError: Any = typer.BadParameter.__base__
"""What is wrong with a command line; typer may carry its own click, and gives the class no public name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Never raises."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    # Nearly all that a command allocates lives as long as it does: looking for garbage is a twentieth of its time.
    gc.set_threshold(100_000)
    prepare_stdout()
    try:
        return _run(given)
    except (ReaderLeft, SystemExit):  # typer ends the process itself when nobody reads its help
        abandon_stdout()
        return _READER_LEFT
    except OutputLost as error:
        abandon_stdout()
        tell(Failure("INTERNAL", "OUTPUT_LOST", f"cannot write the answer: {error}", INTERNAL))
        return INTERNAL
    except KeyboardInterrupt:
        abandon_stdout()
        return _INTERRUPTED


def _run(arguments: list[str]) -> int:
    try:
        code = app(arguments or ["--help"], prog_name="rungwise", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (ReaderLeft, OutputLost):
        raise
    except Exception as error:
        failure = _usage_failure(error) if isinstance(error, _UsageError) else failure_of(error)
    if _wants_json(arguments):
        write_json(json.dumps(failure.as_object(), ensure_ascii=False, indent=2))
    else:
        tell(failure)
    return failure.exit_code


def _usage_failure(error: Any) -> Failure:
    command = error.ctx.command_path if error.ctx else "rungwise"
    return usage("", error.format_message(), f"`{command} --help` shows what is accepted")


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether JSON was asked for; an error of the command line itself leaves nothing parsed to look at."""
    return "--output=json" in arguments or ("--output", "json") in pairwise(arguments)


if __name__ == "__main__":
    sys.exit(main())
