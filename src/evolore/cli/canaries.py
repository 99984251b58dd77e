"""The command for changes that are before some people only."""

from __future__ import annotations

from typing import Annotated

import typer

from evolore.cli.options import ByOption
from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(canary)


def canary(
    promotion_id: Annotated[
        str | None,
        typer.Argument(
            metavar="PROMOTION",
            help="A promotion's id or its job's, or the beginning of either; by default all that go on.",
        ),
    ] = None,
    grow: Annotated[
        bool, typer.Option("--grow", help="Bring it before the next stage's share of people, or before everybody.")
    ] = False,
    by: ByOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the changes that are before some people only: how both texts are rated, and whether more people may see them.

    A text that is rated worse is taken from everybody by itself; `evolore rollback` takes any.
    """
    from evolore.cli.canary_lines import render_canaries  # noqa: PLC0415 - `--help` should not pay for it

    if grow and promotion_id is None:
        raise typer.BadParameter("--grow needs the canary that is meant: name it.")
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        if promotion_id is None:
            found = memory.canaries()
            session.show({"canaries": found}, lambda: render_canaries(found))
            return
        one = memory.grow_canary(promotion_id, principal=by) if grow else memory.canary(promotion_id)
        session.show(one, lambda: render_canaries([one]))
