"""The command that answers questions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from evolore.cli.labels import read_pairs
from evolore.cli.options import SinceOption, UntilOption, WhereOption, WithTagOption
from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption, parse_time


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(answer)


def answer(
    question: Annotated[str, typer.Argument(help="What you want to know; `-` reads it from standard input.")],
    limit: Annotated[
        int | None,
        typer.Option(
            help="How many passages are read at the most; by default as the settings say.", show_default=False
        ),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            help="The moment to ask from: what came later is not seen. UTC without a zone; by default now, in the zone "
            "of this machine."
        ),
    ] = None,
    where: WhereOption = None,
    tag: WithTagOption = None,
    session_name: Annotated[str | None, typer.Option("--session", help="Only statements of this conversation.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Only statements of this speaker.")] = None,
    source: Annotated[
        str | None, typer.Option(help="Only passages of this document, or of the documents in this folder.")
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(
            help="Only passages at or below this outline code of --source, such as 1.2, or below these headings, such as "
            '"Handbook > Going live".'
        ),
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    depth: Annotated[
        int | None, typer.Option(help="Prefer passages this deep in their outlines, from 1 for the top.")
    ] = None,
    record: Annotated[
        bool,
        typer.Option(
            "--record/--no-record",
            help="Take question and answer down, so that `evolore rate` can say whether it served.",
        ),
    ] = True,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="NAME", help="On whose behalf it is asked; kept where it is taken down."),
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question from what is found, with the passages the answer rests on.

    A chat model writes it where one is set; without one, it is sentences of the sources, word for word. What the sources
    do not say is not answered.
    """
    from evolore.cli.answered import render_answer  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.answer(
            sys.stdin.read() if question == "-" else question,
            limit=limit,
            as_of=parse_time(as_of, "--as-of"),
            where=read_pairs(where, "--where"),
            tags=tag or (),
            session=session_name,
            speaker=speaker,
            source=source,
            path=path,
            since=parse_time(since, "--since"),
            until=parse_time(until, "--until"),
            depth=depth,
            record=record,
            principal=by,
        )
        session.show(replace(found, recall=None), lambda: render_answer(memory, found))
