"""The command that answers questions, how an answer looks, and whether the chat model can be reached."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text
from typer import Option

from evolore.cli.printing import open_console, print_wrapped, short_source
from evolore.cli.recall import why_nothing
from evolore.cli.session import EXIT_TRY_AGAIN, CliRun, QuestionArgument
from evolore.cli.show import sources_in
from evolore.domain.answer import Answer, AnswerKind, Citation
from evolore.domain.citation import episode_place
from evolore.domain.episode import Episode
from evolore.domain.filters import breadcrumb
from evolore.domain.query import AskOptions
from evolore.errors import NotFound
from evolore.text.display import one_line, visible

if TYPE_CHECKING:
    from evolore.flows.chat_check import ChatCheck
    from evolore.memory import Memory


def answer(
    session: CliRun,
    question: QuestionArgument,
    limit: Annotated[
        int | None,
        Option(help="How many passages to read at most; by default as the settings say.", show_default=False),
    ] = None,
    *,
    asked: AskOptions,
    record: Annotated[
        bool,
        Option(
            "--record/--no-record", help="Record question and answer, so that `evolore rate` can say whether it served."
        ),
    ] = True,
) -> None:
    """Answer a question from what is found, with the passages the answer rests on.

    A chat model writes it where one is set; without one, it is sentences of the sources, word for word. What the sources
    do not say is not answered.
    """
    asked["limit"] = limit
    with session.memory() as memory:
        found = memory.answer(sys.stdin.read() if question == "-" else question, record=record, **asked)
        session.show(replace(found, recall=None), lambda: render_answer(memory, found))


_WORTH_A_LOOK = 0.18
"""From this likelihood on, the passage nearest to an unanswered question is named; of answerable ones 5 % lie
below 0.19, and of a few statements that share nothing with it the nearest has 0.17."""

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def render_answer(memory: Memory, found: Answer) -> None:
    """Print an answer, and below it where each of its citations is."""
    console = open_console()
    print_wrapped(console, Text(visible(found.text)))
    for line in _unmatched(memory, found):
        console.print(Text(line))
    if found.citations:
        console.print()
    for one in found.citations:
        print_wrapped(console, Text(f"[{one.number}] {one_line(_place(memory, found, one))}", style="dim"))
        if warnings := "; ".join(found.warnings_of(one)):
            console.print(Text(f"    {warnings}", style="yellow"))
    if (nearest := _nearest(found)) is not None:
        console.print()
        print_wrapped(console, Text(f"Nearest to the question: {one_line(nearest)}", style="dim"))
    if found.reason:
        console.print()
        console.print(Text(f"The chat model did not answer: {one_line(found.reason)}", style="yellow"))
    if found.id:
        console.print()
        console.print(f"Did this help? Type: evolore rate {found.id} good|bad")


def _unmatched(memory: Memory, found: Answer) -> Iterator[str]:
    """Yield why nothing was searched, where nothing was."""
    if found.recall is not None and not found.recall.searched:
        yield from why_nothing(found.recall, partial(sources_in, memory))


def _nearest(found: Answer) -> str | None:
    """Return where a question that is not answered may be answered after all; None where that is unlikely."""
    hits = found.recall.hits if found.recall is not None else ()
    is_doubtful = found.kind is AnswerKind.NOT_IN_SOURCES and (found.likelihood or 0.0) >= _WORTH_A_LOOK
    if not is_doubtful or not hits:
        return None
    episode = hits[0].episode
    if episode.document_id is None:
        return episode_place(episode)
    path = " › ".join(breadcrumb(episode.title, episode.heading_path))
    facts = (part for part in (short_source(episode.source or ""), str(episode.outline or "")) if part)
    return f"{path} ({', '.join(facts)})"


def _place(memory: Memory, found: Answer, cited: Citation) -> str:
    """Return where a citation is: title and headings, source, outline code, and line."""
    if cited.namespace is not None:
        return f"{cited.namespace}: {_place_elsewhere(found, cited)}"
    episode = memory.show(cited.episode_id)
    if not isinstance(episode, Episode) or episode.document_id is None:
        return episode_place(episode) if isinstance(episode, Episode) else short_source(cited.source)
    path = " › ".join(breadcrumb(episode.title, _headings(episode, cited)))
    line = _line(memory, episode, cited)
    facts = [
        short_source(cited.source),
        *([str(episode.outline)] if episode.outline else []),
        *([f"line {line}"] if line else []),
    ]
    return f"{path} ({', '.join(facts)})"


def _place_elsewhere(found: Answer, cited: Citation) -> str:
    """Return where a citation of another namespace is, as far as the hits show."""
    hits = () if found.recall is None else found.recall.hits
    known = (one for hit in hits for one in (*hit.episodes, *hit.conflicts_with) if one.id == cited.episode_id)
    episode = next(known, None)
    return short_source(cited.source) if episode is None else episode_place(episode, write_source=short_source)


def _headings(episode: Episode, cited: Citation) -> tuple[str, ...]:
    """Return the heading a citation is below: a passage may hold several, and its own path names the first."""
    above = _HEADING.findall(episode.text[: cited.span.start])
    return (above[-1].strip(),) if len(above) > 1 else episode.heading_path


def _line(memory: Memory, episode: Episode, cited: Citation) -> int | None:
    """Return the line of the document a citation begins on; None in a version that is not the present one."""
    if episode.document_id is None or episode.span is None:
        return None
    try:
        tree = memory.outline.tree(episode.document_id, with_text=True)
    except NotFound:
        return None
    if tree.document.version != cited.version or tree.text is None:
        return None
    return tree.text.count("\n", 0, episode.span.start + cited.span.start) + 1


_MICROS = 1_000_000


def chat_check(session: CliRun) -> None:
    """Make one small call of the chat model that the settings name, and print what it said, took and cost.

    Nothing of the memory is sent. It ends with exit code 4 where there was no reply.
    """
    with session.memory() as memory:
        found = memory.store.chat_check()
        session.show(found, lambda: _render(found))
        if not found.answered:
            raise typer.Exit(EXIT_TRY_AGAIN)


def _render(found: ChatCheck) -> None:
    from evolore.text.display import visible  # noqa: PLC0415 - `--help` need not pay for it

    usage = found.usage
    cost = f", cost {usage.cost_micros / _MICROS:.6f}" if usage.cost_micros else ""
    typer.echo(f"{visible(found.model)} {'answered' if found.answered else 'did not answer'}: {visible(found.reply)}")
    typer.echo(
        f"{found.seconds:.2f} seconds, {usage.calls} call, {usage.prompt_tokens} tokens read, "
        f"{usage.reply_tokens} written{cost}."
    )
