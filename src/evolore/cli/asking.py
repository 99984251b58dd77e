"""The commands about questions: what was asked, how answers were rated, and what that taught."""

from __future__ import annotations

from typing import Annotated

import typer

from evolore.cli.options import ByOption, EpisodeArgument
from evolore.cli.session import EXIT_TRY_AGAIN, JsonOption, NamespaceOption, Session, StoreOption

RateableArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="What is rated, by its id or the beginning of it: an answer, as `evolore answer` prints it, a question, as "
        "`evolore recall` does, or a document, as `evolore list` does; a document also by source or path.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(rate)
    app.command()(queries)
    app.command()(unlearn)
    app.command()(contexts)


def rate(
    item_id: RateableArgument,
    rating: Annotated[str, typer.Argument(metavar="good|bad", help="Whether it served.")],
    comment: Annotated[str | None, typer.Option(help="Why.")] = None,
    cited: Annotated[
        list[str] | None,
        typer.Option(
            "--cited", metavar="ID", help="An episode among the hits that the answer rests on. May be repeated."
        ),
    ] = None,
    helpful: Annotated[
        bool,
        typer.Option("--helpful", help="A good answer helped with the step it was asked for: it counts half more."),
    ] = False,
    by: ByOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether an answer served, or a document: what an answer rests on is trusted more or less, and recall learns.

    The documents it rests on get feedback, by which they improve; so does a document that is rated itself. A later rating by the same person takes the place of the earlier one, whose effect is taken back.
    """
    from evolore.cli.asked import render_rated, render_rated_document  # noqa: PLC0415 - `--help` should not pay for it
    from evolore.flows.rated_documents import RatedDocument  # noqa: PLC0415 - likewise

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        rated = memory.rate(item_id, rating, comment=comment, cited=cited or None, helpful=helpful, principal=by)
        if isinstance(rated, RatedDocument):
            session.show(rated, lambda: render_rated_document(rated))
        else:
            session.show(rated, lambda: render_rated(memory, rated))


def queries(
    query_id: Annotated[
        str | None,
        typer.Argument(metavar="QUERY", help="A question's id, or its beginning, to see all of it; by default a list."),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="NAME", help="Only what was asked on this one's behalf.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many questions at the most, the last first.")] = 20,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the questions that were taken down, or show one with what was handed over and how it was rated."""
    from evolore.cli.asked import render_queries, render_query  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        if query_id is not None:
            one = memory.query(query_id)
            session.show(one, lambda: render_query(memory, one))
            return
        found = memory.queries(principal=by, limit=limit)
        session.show({"queries": found}, lambda: render_queries(found))


def unlearn(
    by: Annotated[
        str | None, typer.Option("--by", metavar="NAME", help="Whose teaching; without it nobody's in particular.")
    ] = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="Erase the questions themselves too, with texts and vectors, for good.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be taken back, and change nothing.")
    ] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back all that one person taught: edges of questions, ratings, and what they did to confidence and arousal.

    It is one event, which `undo` takes back unless questions were erased.
    """
    from evolore.cli.asked import render_withdrawn  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        done = memory.unlearn(by, erase=erase, dry_run=dry_run)
        session.show(done, lambda: render_withdrawn(done, by, is_dry_run=dry_run, is_erased=erase))
        if done.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


def contexts(
    episode_id: EpisodeArgument,
    queries: Annotated[
        str | None,
        typer.Option(
            help="Which questions count: `none`, `confirmed`, or `with_pending`; by default as the settings say.",
            show_default=False,
        ),
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the contexts an episode belongs to, and how evenly: whether it would be split by them. Nothing is changed."""
    from evolore.cli.asked import render_contexts  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.contexts(episode_id, queries=queries)
        session.show(found, lambda: render_contexts(memory, found))
