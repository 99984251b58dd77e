"""The command that shows what stands around an episode."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolore.cli.options import EpisodeArgument, ForceOption
from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption
from evolore.domain.moments import read_moment


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(graph)


def graph(
    episode_id: EpisodeArgument,
    depth: Annotated[int, typer.Option(help="How many edges to follow, 1 to 3.")] = 1,
    limit: Annotated[int, typer.Option(help="How many episodes to show at the most, 1 to 200.")] = 60,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help="Show it as it was then, such as 2026-03-02.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="Follow only edges of this kind, such as `semantic`. May be repeated."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Draw it in one file that a browser opens without a network; `-` prints it.",
        ),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what stands around an episode: its neighbours by context, what joins them, and what contradicts what."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        moment = read_moment(as_of, "--as-of")
        found = memory.graph(episode_id, depth=depth, limit=limit, as_of=moment, kinds=kind or None)
        if html is not None:
            from evolore.cli.files import give_page  # noqa: PLC0415 - `--help` should not pay for it
            from evolore.cli.graph_page import page_of  # noqa: PLC0415 - likewise

            give_page(session, html, page_of(found), nodes=len(found.nodes), overwrite=force)
            return
        from evolore.cli.graph_table import render_graph  # noqa: PLC0415 - likewise

        session.show(found, lambda: render_graph(found))
