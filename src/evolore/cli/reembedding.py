"""``evolore reembed``: another embedding model for a whole store."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.printing import counted
from evolore.cli.session import JsonOption, Session, StoreOption
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.flows.reembed import AbandonedReembed, Reembedded, ReembedProgress
    from evolore.ports import EmbeddingModel


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(reembed)


def reembed(
    to: Annotated[str | None, typer.Option(metavar="[use|e5]", help="The embedder the store is to have.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what there is to do, and change nothing.")] = False,
    abandon: Annotated[
        bool, typer.Option("--abandon", help="Give up what was begun, and delete the vectors made for it.")
    ] = False,
    store: StoreOption = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", envvar="EVOLORE_NAMESPACE", help="Of no effect: all are changed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Change the embedding model of a store, all its namespaces, while it is in use.

    Recall and all writes go on with the old model until every text is embedded with the new one; then the store
    switches at once. Whenever it is stopped, the same command goes on where it was. Afterwards set `embedder` to the
    new one, in the settings file or as EVOLORE_EMBEDDER: the store is refused with another.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        if abandon:
            if to is not None or dry_run:
                raise InvalidValue("--abandon stands alone: leave out --to and --dry-run.")
            given_up = memory.abandon_reembed()
            session.show(given_up, lambda: _render_abandoned(given_up))
            return
        if to is None:
            raise InvalidValue("Name the embedder the store is to have: --to use, or --to e5.")
        with _saying_what_stands(), _progress(quiet=as_json or dry_run) as progress:
            done = memory.reembed(to, dry_run=dry_run, progress=progress)
        session.show(done, lambda: _render(done, to))


def _render(done: Reembedded, to: str) -> None:
    if done.is_dry_run:
        typer.echo(
            f"The store's embedding model is {_named(done.old_model)}. Of {counted(done.texts, 'text')}, "
            f"{done.remaining:,} would be embedded with {_named(done.new_model)}. Nothing was changed."
        )
        return
    if done.old_model == done.new_model:
        typer.echo(f"The store's embedding model is {_named(done.new_model)} already.")
    else:
        typer.echo(
            f"Changed from {_named(done.old_model)} to {_named(done.new_model)}: {counted(done.texts, 'text')}, "
            f"{done.embedded:,} embedded now. Set embedder = {to!r} in your settings: the store is refused with another."
        )
    if done.lingering_in:
        typer.echo(
            f"Another process reads an older state of the store: {', '.join(done.lingering_in)} is not smaller yet. "
            "The same command, once it stops, gives the space back."
        )


def _render_abandoned(given_up: AbandonedReembed) -> None:
    if given_up.model is None:
        typer.echo("No change of the embedding model was begun. Nothing was changed.")
    else:
        vectors = counted(given_up.deleted_vectors, "vector")
        typer.echo(f"Gave up the change to {_named(given_up.model)}: {vectors} deleted. The store is as it was before.")


def _named(model: EmbeddingModel) -> str:
    return f"{model.id} ({model.dimension} dimensions)"


@contextmanager
def _saying_what_stands() -> Generator[None]:
    """When stopped by the user, say what was done and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(
            "The vectors made so far are kept, and recall goes on as before: the same command goes on from here, "
            "`evolore reembed --abandon` gives up.\n"
        )
        raise


@contextmanager
def _progress(*, quiet: bool) -> Generator[ReembedProgress | None]:
    """Show a bar on a terminal, nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - a pipe needs none
    from rich.progress import Progress  # noqa: PLC0415 - likewise

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reembed", total=None)

        def show(*, done: int, texts: int) -> None:
            bar.update(task, completed=done, total=texts)

        yield show
