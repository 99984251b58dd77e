"""The command that answers questions."""

from __future__ import annotations

import sys
from dataclasses import replace
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
    """Add the command to the application."""
    app.command()(answer)


def answer(
    question: QuestionArgument,
    limit: Annotated[
        int | None,
        typer.Option(
            help="How many passages are read at the most; by default as the settings say.", show_default=False
        ),
    ] = None,
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
    record: Annotated[
        bool,
        typer.Option(
            "--record/--no-record",
            help="Take question and answer down, so that `evolore rate` can say whether it served.",
        ),
    ] = True,
    by: AskedByOption = None,
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
            record=record,
            principal=by,
        )
        session.show(replace(found, recall=None), lambda: render_answer(memory, found))
