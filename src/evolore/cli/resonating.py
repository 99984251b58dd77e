"""The command that says how strongly a use of memories was felt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.flows.resonate import Resonated


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(resonate)


def resonate(
    episode_ids: Annotated[
        list[str], typer.Argument(metavar="EPISODE", help="Ids of statements or passages, or their beginnings.")
    ],
    arousal: Annotated[
        float | None, typer.Option(help="How strongly the use was felt, 0 to 1; it must be said.")
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that memories were used: how strongly they are felt moves a fifth of the way to how the use was felt.

    If the mean of what was stated or moved is above 0.6 then, all of it is scaled by 0.9. `undo` takes either back.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        if arousal is None:
            raise InvalidValue("It is not said how strongly the use was felt: add --arousal with a number from 0 to 1.")
        resonated = memory.resonate(*episode_ids, arousal=arousal)
        session.show(resonated, lambda: _render(resonated))


def _render(resonated: Resonated) -> None:
    for episode in resonated.episodes:
        felt = "-" if episode.arousal is None else f"{episode.arousal:.2f}"
        typer.echo(f"{felt}  {episode.id}")
    if resonated.event_id is None:
        typer.echo("Nothing moved.")
    if resonated.deflation_id is not None:
        typer.echo(f"The mean was above 0.6: {resonated.deflated:,} scaled by 0.9.")
        typer.echo(f"Take that back first with: evolore undo {resonated.deflation_id}")
    if resonated.event_id is not None:
        typer.echo(f"Take it back with: evolore undo {resonated.event_id}")
