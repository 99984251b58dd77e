"""``evolore mcp``: a memory for a program that speaks the Model Context Protocol, over standard input and output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from evolore.cli.session import CliRun
from evolore.domain.query import TOOL_TOKENS


def mcp(
    session: CliRun,
    principal: Annotated[str | None, Option(help="On whose behalf the model acts.")] = None,
    tokens: Annotated[int, Option(min=1, help="What one result may take, in tokens.")] = TOOL_TOKENS,
    read_only: Annotated[bool, Option("--read-only", help="Offer only tools that change nothing.")] = False,
    print_config: Annotated[
        bool, Option("--print-config", help="Print the client configuration that starts this, and stop.")
    ] = False,
) -> None:
    """Serve the memory to an agent over MCP, until its input ends.

    The agent gets the tools recall, answer, outline, history, remember, correct, rate and forget, in the
    namespace chosen here: it cannot choose another. `evolore serve` serves the same at /mcp, to clients with a key.
    """
    with session.explaining():
        from evolore.integrations.mcp import client_config, mcp_server  # noqa: PLC0415 - an extra

        if print_config:
            options = ["--read-only"] if read_only else []
            arguments = ["mcp", *_where(session), *_given(principal, tokens), *options]
            config = client_config(command_path(), arguments)
            session.show(config, lambda: typer.echo("\n\n".join(f"# {name}\n{text}" for name, text in config.items())))
            return
        with session.memory() as memory:
            from evolore.integrations.tools import MemoryTools  # noqa: PLC0415 - `--help` need not pay for it

            tools = MemoryTools(memory, principal=principal, tokens=tokens, read_only=read_only)
            mcp_server(tools).run("stdio")


def _where(session: CliRun) -> Iterator[str]:
    """Yield the options that lead to the same store and namespace from any folder."""
    if session.store is not None:
        is_address = "://" in session.store
        yield from ("--store", session.store if is_address else str(Path(session.store).absolute()))
    if session.namespace is not None:
        yield from ("--namespace", session.namespace)


def _given(principal: str | None, tokens: int) -> Iterator[str]:
    if principal is not None:
        yield from ("--principal", principal)
    if tokens != TOOL_TOKENS:
        yield from ("--tokens", str(tokens))


def command_path() -> str:
    """Return the program that runs, by its whole path: clients are started without one."""
    beside = Path(sys.executable).with_name("evolore")
    return str(beside) if beside.exists() else shutil.which("evolore") or "evolore"
