"""The commands."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from inspect import getdoc
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option
from typer.core import TyperGroup
from typer.exceptions import TyperException

from evolore.cli.session import EXIT_INPUT, EXIT_USAGE, command, print_error

if TYPE_CHECKING:
    from typer._click.core import Command, Context

_EVERYDAY = (
    "add.add add.remember add.correct recall.recall answer.answer questions.rate add.forget add.expire evolution.evolve "
    "maintenance.maintain maintenance.verify recall.show recall.list_items recall.profile maintenance.history "
    "maintenance.undo recall.stats server.serve mcp.mcp watch.watch mirror.mirror"
)
EVERYDAY = {one.partition(".")[2].removesuffix("_items"): one for one in _EVERYDAY.split()}
"""In the order they are listed, each with the function that does it: its module is loaded when it is asked for."""


def _of(module: str, names: str) -> dict[str, str]:
    """Return the places of commands that are called as their functions in a module."""
    return {name: f"{module}.{name}" for name in names.split()}


GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "review": (
        "The review queue: what a person should look at.",
        {"list": "review.list_items", **_of("review", "show resolve settle reopen note export check confirm")},
    ),
    "evolution": (
        "How documents improve: jobs, candidates, approval, canaries, rollback.",
        {
            **_of(
                "evolution", "gaps jobs show diff approve reject rollback generations write stats history candidates"
            ),
            **_of("evolution", "feedback"),
            **_of("canary", "canary"),
        },
    ),
    "questions": (
        "What was asked, what it rested on, and what use teaches.",
        {
            "record-answer": "questions.record_answer",
            "list": "questions.list_questions",
            **_of("questions", "show contexts unlearn"),
            **_of("maintenance", "resonate"),
        },
    ),
    "page": (
        "Questions that are kept answered by a page of quotes.",
        {name: f"questions.page_{name}" for name in ("add", "list", "show", "rebuild", "remove")},
    ),
    "store": (
        "The store as a whole: check, mend, copy, move, change its models.",
        {
            **_of("store", "verify doctor audit backup upgrade copy shards"),
            "move-namespace": "store.move_namespace",
            "export": "store.export_namespace",
            "export-subject": "store.export_subject",
            "import": "store.import_namespace",
            **_of("store", "reembed"),
            **_of("maintenance", "calibrate"),
            "chat-check": "answer.chat_check",
        },
    ),
    "outline": (
        "Documents' outlines, and what is joined to an episode.",
        {**_of("outline", "tree"), **_of("graph", "graph")},
    ),
    "agent": (
        "Coding agents: what they are to remember, by hooks and over MCP.",
        _of("agent", "install uninstall serve mcp namespace"),
    ),
    "server": ("The server: who may reach it.", _of("server", "key keys revoke")),
}

APPS: Mapping[str, str] = {"evaluate": "evaluate.evaluate_app", "demo": "demo.demo_app"}
"""Groups that are built where their commands are."""

MEANT = {
    **dict.fromkeys(("ask", "query", "question"), "answer"),
    **dict.fromkeys(("search", "find", "lookup", "retrieve", "grep"), "recall"),
    **dict.fromkeys(("ingest", "index", "load", "insert", "upload"), "add"),
    **dict.fromkeys(("note", "save", "memorize", "memorise", "learn"), "remember"),
    **dict.fromkeys(("delete", "remove", "rm", "erase", "purge"), "forget"),
    **dict.fromkeys(("ls", "documents"), "list"),
    **dict.fromkeys(("get", "cat", "view"), "show"),
    **dict.fromkeys(("status", "info", "count"), "stats"),
    **dict.fromkeys(("check", "repair", "fsck"), "store doctor"),
    **{name: f"{group} {name}" for group, (_, commands) in GROUPS.items() for name in commands if name not in EVERYDAY},
    **dict.fromkeys(("export", "dump"), "store export"),
    **dict.fromkeys(("edit", "amend", "retire"), "correct"),
    "job": "evolution jobs",
    "queries": "questions list",
    "revert": "undo",
}
"""Our names for commands of other tools, and the groups that hold commands."""


_ABOUT = "A long-term memory and knowledge base that keeps itself in order."


class _Commands(TyperGroup):
    """Lists everyday commands before groups, and names the command that another word means, or what is only mistyped."""

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return sorted(super().list_commands(ctx), key=lambda name: name not in EVERYDAY)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Find the command that the first argument names."""
        meant = [] if args[0] in self.commands else _nearest(args[0].lower(), self.commands)
        if meant:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(map(repr, meant))}?")
        return super().resolve_command(ctx, args)


def _nearest(word: str, commands: Iterable[str]) -> list[str]:
    """Return the commands that a word may mean, the nearest first."""
    near = [word] if word in MEANT else get_close_matches(word, (*commands, *MEANT))
    return list(dict.fromkeys(MEANT.get(one, one) for one in near))


@cache
def whole() -> typer.Typer:
    """Return the command line with every command."""
    return _made([*EVERYDAY, *GROUPS, *APPS])


def _for(words: Sequence[str]) -> typer.Typer:
    """Return what some words need of it: to load all commands takes as long as a recall."""
    return _made([words[0]]) if words and words[0] in {*EVERYDAY, *GROUPS, *APPS} else whole()


def _made(names: Iterable[str]) -> typer.Typer:
    app = typer.Typer(
        name="evolore",
        cls=_Commands,
        help=_ABOUT,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=_ABOUT)(main)
    for name in names:
        if name in EVERYDAY:
            _register(app, {name: EVERYDAY[name]})
        else:
            app.add_typer(_group(name), name=name, rich_help_panel="More, in groups")
    return app


def _group(name: str) -> typer.Typer:
    if name in APPS:
        app: typer.Typer = _named(APPS[name])
        _unwrap(app)
        return app
    described, commands = GROUPS[name]
    group = typer.Typer(help=described, no_args_is_help=True, add_completion=False)
    _register(group, commands)
    return group


def _named(place: str) -> Any:  # noqa: ANN401 - a command or an app
    module, _, name = place.partition(".")
    return getattr(import_module(f"evolore.cli.{module}"), name)


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
        _for(sys.argv[1:])()


def _run_as_json() -> None:
    """Answer a wrong use or a refusal as JSON too."""
    try:
        sys.exit(_for(sys.argv[1:])(standalone_mode=False))
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


def main(
    version: Annotated[
        bool, Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Accept the options before a command."""
    del version


def _register(group: typer.Typer, commands: Mapping[str, str]) -> None:
    for name, place in commands.items():
        group.command(name)(command(_named(place)))
    _unwrap(group)


def _unwrap(group: typer.Typer) -> None:
    """Join the lines of each command's description, so that the terminal breaks them, not the source."""
    for one in group.registered_commands:
        described = one.help or getdoc(one.callback) or ""
        one.help = re.sub(r"(?<!\n)\n(?!\n)", " ", described)
