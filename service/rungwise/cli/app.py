"""The commands and their options. Bodies import what they need: `rungwise --help` loads nothing else."""

from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer
from rungwise.cli.job_commands import Matcher, Output, Question, answer
from rungwise.cli.job_options import job_parameters
from rungwise.cli.listing import Language, ListOutput

app = typer.Typer(
    name="rungwise",
    help="Answers, before a training job starts, which configuration fits these GPUs, and why.",
    epilog="Exit codes: 0 fits, 1 nothing fits, 2 bad input, 3 no basis for a verdict, 4 unreachable, 5 internal.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
rules = typer.Typer(help="Show, check and test the rules.", rich_markup_mode=None)
app.add_typer(rules, name="rules")

Overlays = Annotated[
    list[Path] | None,
    typer.Option("--rulebook", metavar="DIR", help="Overlay over the built-in rulebook; repeatable."),
]
Directories = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[DIR]...",
        help="Overlays over the built-in rulebook; the first may be a whole rulebook (it has a facts.yaml).",
        show_default=False,
    ),
]
Listing = Annotated[ListOutput, typer.Option("--output", help="How to print it.")]
Lang = Annotated[Language, typer.Option("--lang", help="Language of titles and messages.")]
MatcherOption = Annotated[Matcher, typer.Option("--matcher", help="Which rule matcher to use.")]

_PLANNING_OPTIONS: tuple[tuple[str, Any], ...] = (
    (
        "requests",
        Annotated[
            str | None,
            typer.Option(
                metavar="FILE", help="Answer each line of a JSON Lines file of requests; - is stdin."
            ),
        ],
    ),
    ("output", Annotated[Output | None, typer.Option(help="How to print the answer; default: table.")]),
    ("rulebook", Overlays),
    ("matcher", Annotated[Matcher | None, typer.Option(help="Which rule matcher to use; default: auto.")]),
    (
        "server",
        Annotated[
            str | None, typer.Option(metavar="HOST:PORT", help="Ask this server instead of planning here.")
        ],
    ),
    ("timeout", Annotated[str | None, typer.Option(metavar="S", help="Seconds that the server may take.")]),
)
_WHY_NOT = (
    "why_not",
    Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help='Rung that you expected, as "Env + SP=2"; repeatable.'),
    ],
)


def _version(wanted: bool) -> None:
    if wanted:
        from rungwise.planning.version import PLANNER_VERSION

        typer.echo(f"rungwise {PLANNER_VERSION}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Answers, before a training job starts, which configuration fits these GPUs, and why."""


def _job_command(name: str, summary: str, *own: tuple[str, Any]) -> Callable[..., int]:
    """Make `plan` or `explain`: the same options, but for `own`."""
    names = [option for option, _ in (*_PLANNING_OPTIONS, *own)]

    def command(**values: Any) -> int:
        rest = {option: values.pop(option) for option in names}
        return answer(
            Question(
                model=values.pop("model"),
                job=values,
                requests=rest["requests"],
                output=rest["output"],
                rulebooks=rest["rulebook"] or (),
                matcher=rest["matcher"],
                server=rest["server"],
                timeout=rest["timeout"],
                why_not=(rest["why_not"] or ()) if own else None,
            )
        )

    model = Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help="Catalog name, or the path of a config.json or of its folder (./x, /x, ~/x, x.json).",
            show_default=False,
        ),
    ]
    parameters = [
        Parameter("model", Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=model),
        *job_parameters(),
        *(
            Parameter(option, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for option, annotation in (*_PLANNING_OPTIONS, *own)
        ),
    ]
    command.__name__, command.__doc__ = name, summary
    # typer asks for the signature, and takes the types from the annotations.
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


app.command("plan")(
    _job_command(
        "plan", "Choose the cheapest configuration that fits, and say why every cheaper one does not."
    )
)
app.command("explain")(
    _job_command(
        "explain", "Plan, and say why other rungs were not chosen and where the answer changes.", _WHY_NOT
    )
)


@app.command()
def models(rulebook: Overlays = None, output: Listing = ListOutput.TABLE) -> int:
    """List the models of the catalog."""
    from rungwise.cli.catalog import list_models

    return list_models(rulebook or (), output)


@app.command()
def gpus(rulebook: Overlays = None, output: Listing = ListOutput.TABLE) -> int:
    """List the GPUs of the catalog."""
    from rungwise.cli.catalog import list_gpus

    return list_gpus(rulebook or (), output)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0: any free one; default: 50051.")] = None,
    health_port: Annotated[
        int | None, typer.Option(help="Port for probes, never with TLS; default: the next one.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads that plan; default: 4.")] = None,
    maximum_concurrent_rpcs: Annotated[
        int | None, typer.Option(help="Calls in flight before one is refused; default: 16.")
    ] = None,
    cache_entries: Annotated[int | None, typer.Option(help="Answers that are kept; default: 4096.")] = None,
    drain_seconds: Annotated[
        float | None, typer.Option(help="Seconds that running calls have at the end; default: 10.")
    ] = None,
    rulebook: Overlays = None,
    matcher: MatcherOption = Matcher.AUTO,
    reflection: Annotated[bool, typer.Option(help="Whether clients may ask for the API.")] = True,
    tls_cert: Annotated[Path | None, typer.Option(metavar="PEM", help="Certificate chain.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="PEM", help="Key of the certificate.")] = None,
) -> int:
    """Serve plans over gRPC until SIGTERM or SIGINT."""
    settings = {**locals(), "rulebook": rulebook or (), "matcher": matcher.value}
    from rungwise.cli.serving import run_server

    return run_server(settings)


@app.command()
def healthcheck(
    target: Annotated[
        str, typer.Argument(metavar="[HOST:PORT]", help="The health port.", show_default=True)
    ] = "127.0.0.1:50052",
    timeout: Annotated[float, typer.Option(metavar="S", help="Seconds to wait.", min=0.001)] = 3.0,
) -> int:
    """Ask a server whether it serves; exit code 4 if it does not."""
    from rungwise.cli.address import checked_address
    from rungwise.server.healthcheck import healthcheck as ask

    return ask(checked_address("HOST:PORT", target), timeout)


@rules.command("list")
def rules_list(
    rulebook: Overlays = None, output: Listing = ListOutput.TABLE, lang: Lang = Language.EN
) -> int:
    """List the rules."""
    from rungwise.cli.rules import list_rules

    return list_rules(rulebook or (), output, lang)


@rules.command("show")
def rules_show(
    rule: Annotated[str, typer.Argument(metavar="ID", help="Id of the rule.")],
    rulebook: Overlays = None,
    output: Listing = ListOutput.TABLE,
) -> int:
    """Show one rule: what it compares, what it says in every language, its source, its cases."""
    from rungwise.cli.rules import show_rule

    return show_rule(rule, rulebook or (), output)


@rules.command("check")
def rules_check(directories: Directories = None, output: Listing = ListOutput.TABLE) -> int:
    """Find every fault of a rulebook; exit code 2 if there is one."""
    from rungwise.cli.rules import check_rules

    return check_rules(directories or (), output)


@rules.command("test")
def rules_test(
    directories: Directories = None,
    output: Listing = ListOutput.TABLE,
    matcher: MatcherOption = Matcher.AUTO,
) -> int:
    """Run the cases of every rule; exit code 1 if one fails or none ran."""
    from rungwise.cli.rules import test_rules

    return test_rules(directories or (), output, matcher.value)
