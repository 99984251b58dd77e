"""The command that shows a document's outline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolore.cli.options import DocumentArgument, ForceOption
from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption
from evolore.domain.checks import check_count
from evolore.domain.moments import read_moment


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(tree)


def tree(
    document: DocumentArgument,
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
    force: ForceOption = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document's outline: codes, sizes, tiers, the bits each boundary gains, and how deep it goes."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        if depth is not None:
            check_count(depth, "--depth")
        found = memory.tree(document, with_text=html is not None, as_of=read_moment(as_of, "--as-of"))
        if html is not None:
            from evolore.cli.files import give_page  # noqa: PLC0415 - `--help` should not pay for it
            from evolore.cli.outline_page import page_of  # noqa: PLC0415 - likewise

            give_page(session, html, page_of(found, depth=depth), nodes=len(found.nodes), overwrite=force)
            return
        from evolore.cli.outline_table import render_tree  # noqa: PLC0415 - likewise

        session.show(found, lambda: render_tree(found, depth=depth))
