"""The commands."""

from __future__ import annotations

import re
import sys
from inspect import getdoc
from typing import Annotated

import typer
from typer.exceptions import TyperException

from evolore.cli import (
    answering,
    asking,
    canaries,
    chatting,
    evaluate_evolution,
    evaluate_rated,
    evolving,
    finding,
    graphs,
    maintaining,
    moving,
    outlines,
    reembedding,
    resonating,
    writing,
)
from evolore.cli.evaluate import evaluate_app
from evolore.cli.review import review_app
from evolore.cli.session import EXIT_INPUT, EXIT_USAGE, print_error

app = typer.Typer(
    name="evolore",
    help="A long-term memory and knowledge base that keeps itself in order.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(evaluate_app, name="evaluate")
app.add_typer(review_app, name="review")


def run() -> None:
    """Run the command line on the arguments of the process."""
    for stream in (sys.stdout, sys.stderr):
        # A text in another script must not end in a traceback on a terminal that cannot show it.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    if "--json" in sys.argv[1:]:
        _run_as_json()
    else:
        app()


def _run_as_json() -> None:
    """Answer a wrong use or a refusal as JSON too."""
    try:
        sys.exit(app(standalone_mode=False))
    except typer.Abort:
        print_error("Aborted", "Nothing was changed.")
        sys.exit(EXIT_INPUT)
    except TyperException as error:
        print_error("UsageError", str(error))
        sys.exit(EXIT_USAGE)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the flag
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - only this option needs it

        typer.echo(f"evolore {version('evolore')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A long-term memory and knowledge base that keeps itself in order."""
    del version


def _unwrap(group: typer.Typer) -> None:
    """Let the terminal break the lines of a command's description, not the source."""
    for command in group.registered_commands:
        described = command.help or getdoc(command.callback) or ""
        command.help = re.sub(r"(?<!\n)\n(?!\n)", " ", described)


for commands in (
    writing,
    resonating,
    maintaining,
    finding,
    answering,
    asking,
    evolving,
    canaries,
    outlines,
    graphs,
    moving,
    reembedding,
    chatting,
):
    commands.register(app)
evaluate_rated.register(evaluate_app)
evaluate_evolution.register(evaluate_app)
for commands in (app, evaluate_app, review_app):
    _unwrap(commands)
