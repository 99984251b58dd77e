"""The commands that look into a memory."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from evolore.cli.labels import read_pairs
from evolore.cli.options import (
    AskedByOption,
    AsOfOption,
    BelowOption,
    DepthOption,
    OfSessionOption,
    OfSourceOption,
    OfSpeakerOption,
    QuestionArgument,
    SinceOption,
    UntilOption,
    WhereOption,
    WithTagOption,
)
from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption
from evolore.domain.moments import read_moment


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(recall)
    app.command("list")(list_items)
    app.command()(show)
    app.command()(stats)


def recall(
    question: QuestionArgument,
    limit: Annotated[
        int | None,
        typer.Option(
            help="How many passages at the most; by default 5, or with --tokens as many as fit, up to 100.",
            show_default=False,
        ),
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option(help="What they may take of a model's context, in tokens; the best is given in any case."),
    ] = None,
    level: Annotated[
        str, typer.Option(help="What a hit is: `episode`, or `session` or `document` for the one it stands in.")
    ] = "episode",
    as_of: AsOfOption = None,
    where: WhereOption = None,
    tag: WithTagOption = None,
    session_name: OfSessionOption = None,
    speaker: OfSpeakerOption = None,
    source: OfSourceOption = None,
    path: BelowOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    depth: DepthOption = None,
    expand: Annotated[
        bool | None,
        typer.Option(
            "--expand/--no-expand",
            help="Give passages that stand side by side as the chunk above them; by default as the settings say.",
            show_default=False,
        ),
    ] = None,
    fold: Annotated[
        bool | None,
        typer.Option(
            "--fold/--no-fold",
            help="Fold passages that only repeat a better one into it; by default as the settings say.",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        bool | None,
        typer.Option(
            "--record/--no-record",
            help="Take the question down with its hits, so that `evolore rate` can say whether they served; by default as "
            "the settings say, a moment later.",
            show_default=False,
        ),
    ] = None,
    by: AskedByOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what the question was taken for, and what each score is the sum of.")
    ] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the passages that answer a question, best first.

    Options that begin with "Only" may be combined; what does not match all of them takes no part.
    """
    from evolore.cli.recalled import render_recall  # noqa: PLC0415 - `--help` should not pay for it
    from evolore.cli.show import sources_in  # noqa: PLC0415 - likewise

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        text = sys.stdin.read() if question == "-" else question
        found = memory.recall(
            text,
            limit=limit,
            as_of=read_moment(as_of, "--as-of"),
            where=read_pairs(where, "--where"),
            tags=tag or (),
            session=session_name,
            speaker=speaker,
            source=source,
            path=path,
            since=read_moment(since, "--since"),
            until=read_moment(until, "--until"),
            depth=depth,
            expand=expand,
            fold_echoes=fold,
            tokens=tokens,
            level=level,
            record=record,
            principal=by,
        )
        session.show(found, lambda: render_recall(found, explain=explain, sources=partial(sources_in, memory)))


def list_items(
    limit: Annotated[int, typer.Option(help="How many statements at the most, newest first.")] = 20,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the documents and the newest statements."""
    from evolore.cli.show import render_listing  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        listing = memory.list(limit=limit)
        session.show(listing, lambda: render_listing(listing))


def show(
    item_id: Annotated[
        str, typer.Argument(metavar="ID", help="An id, the beginning of one, or a document's source or path.")
    ],
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one document or episode."""
    from evolore.cli.show import render_item  # noqa: PLC0415 - `--help` should not pay for it
    from evolore.domain.episodes import Episode  # noqa: PLC0415 - likewise

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        item = memory.show(item_id)

        def render() -> None:
            if isinstance(item, Episode):
                render_item(item, members=memory.members(item.id), heads=memory.standing_for(item.id))
            else:
                render_item(item)

        session.show(item, render)


def stats(store: StoreOption = None, namespace: NamespaceOption = None, as_json: JsonOption = False) -> None:
    """Count what the namespace holds."""
    from evolore.cli.show import render_stats  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        counted = memory.stats()
        session.show(counted, lambda: render_stats(counted))
