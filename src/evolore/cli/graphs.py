"""The command that shows what stands around an episode."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption, parse_time


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(graph)


def graph(
    episode: Annotated[str, typer.Argument(help="A statement or passage: its id, or the beginning of it.")],
    depth: Annotated[int, typer.Option(help="How many edges to follow, 1 to 3.")] = 1,
    limit: Annotated[int, typer.Option(help="How many episodes to show at the most, 1 to 200.")] = 60,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help="Show it as it was then, such as 2026-03-02.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="Follow only edges of this kind, such as `semantic`; can be given several times."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Draw it in one file that a browser opens without a network; `-` prints it.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what stands around an episode: its neighbours by context, what joins them, and what contradicts what."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        moment = parse_time(as_of, "--as-of")
        found = memory.graph(episode, depth=depth, limit=limit, as_of=moment, kinds=kind or None)
        if html is not None:
            from evolore.cli.files import write_whole  # noqa: PLC0415 - `--help` should not pay for it
            from evolore.cli.graph_page import page_of  # noqa: PLC0415 - likewise

            page = page_of(found)
            if str(html) == "-":
                sys.stdout.buffer.write(page.encode("utf-8", errors="replace"))
                return
            written = write_whole(html, page, overwrite=force)
            session.show({"path": written, "nodes": len(found.nodes)}, lambda: typer.echo(f"Written to {written}."))
            return
        from evolore.cli.graph_table import render_graph  # noqa: PLC0415 - likewise

        session.show(found, lambda: render_graph(found))
