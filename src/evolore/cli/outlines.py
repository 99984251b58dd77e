"""The command that shows a document's outline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption, parse_time
from evolore.domain.checks import check_count


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(tree)


def tree(
    document: Annotated[str, typer.Argument(help="A document: its id, the beginning of it, or its path.")],
    depth: Annotated[
        int | None, typer.Option(help="How many levels to show, from 1; what lies deeper is counted. By default all.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write the outline with the document's text to one file that a browser opens without a network; `-` "
            "prints it.",
        ),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="The version that was there then: a date or time, UTC without a zone.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document's outline: codes, sizes, tiers, the bits each boundary gains, and how deep it goes."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        if depth is not None:
            check_count(depth, "--depth")
        found = memory.tree(document, with_text=html is not None, as_of=parse_time(as_of, "--as-of"))
        if html is not None:
            from evolore.cli.files import write_whole  # noqa: PLC0415 - `--help` should not pay for it
            from evolore.cli.outline_page import page_of  # noqa: PLC0415 - likewise

            page = page_of(found, depth=depth)
            if str(html) == "-":
                sys.stdout.buffer.write(page.encode("utf-8", errors="replace"))
                return
            written = write_whole(html, page, overwrite=force)
            session.show({"path": written, "nodes": len(found.nodes)}, lambda: typer.echo(f"Written to {written}."))
            return
        from evolore.cli.outline_table import render_tree  # noqa: PLC0415 - likewise

        session.show(found, lambda: render_tree(found, depth=depth))
