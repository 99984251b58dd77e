"""``evolore agent``: a memory for coding agents, by hooks and over MCP."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from evolore.cli import mcp as over_mcp
from evolore.cli.session import CliRun
from evolore.text.display import one_line

if TYPE_CHECKING:
    from evolore.integrations.agents.installing import Configured

AgentArgument = Annotated[str, Argument(metavar="AGENT", help="claude-code, codex, cursor or gemini.")]
FolderOption = Annotated[
    Path | None,
    Option("--folder", help="A repository to install it for alone; by default your home folder, for all of them."),
]


def install(session: CliRun, agent: AgentArgument, folder: FolderOption = None) -> None:
    """Write hooks and an MCP entry into a coding agent's configuration.

    From then on its sessions are remembered, each repository for itself, and what bears on a prompt is recalled.
    """
    from evolore.integrations.agents import installing  # noqa: PLC0415 - `--help` need not pay for it

    with session.explaining():
        command = over_mcp.command_path()
        done = installing.install(agent, _folder(folder), store=_store(session), command=command)
        session.show(done, lambda: _show("Wrote", done))


def uninstall(session: CliRun, agent: AgentArgument, folder: FolderOption = None) -> None:
    """Remove what `install` wrote from a coding agent's configuration; the rest is as it was, byte for byte."""
    from evolore.integrations.agents import installing  # noqa: PLC0415 - likewise

    with session.explaining():
        done = installing.uninstall(agent, _folder(folder))
        session.show(done, lambda: _show("Restored", done))


def serve(
    session: CliRun, idle: Annotated[float, Option(min=1, help="Stop after so many seconds without a hook.")] = 1800.0
) -> None:
    """Answer the hooks of coding agents; they start it by themselves."""
    from evolore.integrations.agents import serving  # noqa: PLC0415 - likewise

    with session.explaining():
        if not serving.serve(_store(session), idle_seconds=idle):
            typer.echo("It runs already.", err=True)


def mcp(session: CliRun) -> None:
    """Serve the memory of the repository one is in over MCP, as `evolore mcp` does."""
    over_mcp.mcp(replace(session, namespace=session.namespace or _namespace()))


def namespace(session: CliRun) -> None:
    """Print the namespace of the repository one is in, for `--namespace` of other commands."""
    found = _namespace()
    session.show({"namespace": found}, lambda: typer.echo(found))


def _namespace() -> str:
    from evolore.integrations.agents.serving import place_of  # noqa: PLC0415 - likewise

    return place_of(str(Path.cwd())).namespace


def _folder(folder: Path | None) -> Path:
    return Path.home() if folder is None else folder.absolute()


def _store(session: CliRun) -> str | None:
    return session.store if session.store is None or "://" in session.store else str(Path(session.store).absolute())


def _show(verb: str, done: Configured) -> None:
    for path in done.files:
        typer.echo(f"{verb} {one_line(path)}.")
    for path in done.edited:
        typer.echo(f"{one_line(path)} was edited since: only our entries were taken out.")
    if not done.files:
        typer.echo("Nothing was installed there.")
