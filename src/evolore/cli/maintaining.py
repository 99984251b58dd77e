"""The commands that keep a memory in order, say what happened, and take it back."""

from __future__ import annotations

from typing import Annotated

import typer

from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(maintain)
    app.command()(history)
    app.command()(undo)
    app.command()(calibrate)


def maintain(
    items: Annotated[int, typer.Option(help="How many changed episodes to look at, at the most.")] = 1000,
    seconds: Annotated[float | None, typer.Option(help="Begin no new work after so many seconds.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look again at what changed: merge what is the same, split what was mixed, link, and find what does not fit.

    It goes on where the last call ended, and others may read and write meanwhile. It prints what it did and why; each
    change is an event that `undo` takes back.
    """
    from evolore.cli.maintained import MaintainDisplay, render_maintained  # noqa: PLC0415 - `--help` need not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        with MaintainDisplay(quiet=as_json) as display:
            done = memory.maintain(items=items, seconds=seconds, dry_run=dry_run, progress=display)
        session.show(done, lambda: render_maintained(memory, done))


def history(
    item_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="A statement's, passage's or document's id, or its beginning; without one, of whatever.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            help="How many events at the most, the newest; by default all of an item, and 20 of whatever happened.",
            show_default=False,
        ),
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what happened, oldest first: how an item came to be, merges, splits, supersessions, undoings.

    Without an id it shows what happened last, whatever it was about.
    """
    from evolore.cli.maintained import render_history  # noqa: PLC0415 - `--help` need not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        events = memory.history(item_id, limit=limit)
        session.show({"events": events}, lambda: render_history(events, memory=None if item_id else memory))


def undo(
    event_id: Annotated[
        str, typer.Argument(metavar="EVENT", help="The id that the change was reported with, or its beginning.")
    ],
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Undo later changes that depend on it first, all at once.")
    ] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back what an event did, exactly: a merge, a split, a supersession, a conflict, what `resonate` did.

    Undoing is an event too, and can be undone. `history` shows the events, of an episode or the newest of all.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        undone = memory.undo(event_id, cascade=cascade)

        def render() -> None:
            for event, again in zip(undone.undone_ids, undone.event_ids, strict=True):
                typer.echo(f"Undid {event}. Redo with: evolore undo {again}")

        session.show(undone, render)


def calibrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be found, and change nothing.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find from the memory's own texts what similarities mean in each language; what was decided stays as it is."""
    from evolore.cli.maintained import render_calibrated  # noqa: PLC0415 - `--help` need not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.calibrate(dry_run=dry_run)
        session.show({"languages": found}, lambda: render_calibrated(found))
