"""How an answer looks on a terminal."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text

from evolore.cli.printing import one_line, open_console, print_wrapped, short_source, visible
from evolore.cli.recalled import why_nothing
from evolore.cli.show import sources_in
from evolore.domain.answering import AnswerKind
from evolore.domain.citing import episode_place
from evolore.domain.episodes import Episode
from evolore.domain.paths import breadcrumb
from evolore.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.answering import Answer, Citation
    from evolore.memory import Memory

_WORTH_A_LOOK = 0.1
"""From this likelihood on, a question that is not answered is told which passage comes nearest to it."""

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def render_answer(memory: Memory, found: Answer) -> None:
    """Print an answer, and below it where each of its citations stands."""
    console = open_console()
    print_wrapped(console, Text(visible(found.text)))
    for line in _unmatched(memory, found):
        console.print(Text(line))
    if found.citations:
        console.print()
    for one in found.citations:
        print_wrapped(console, Text(f"[{one.number}] {one_line(_place(memory, one))}", style="dim"))
    if (nearest := _nearest(found)) is not None:
        console.print()
        print_wrapped(console, Text(f"Nearest to the question: {one_line(nearest)}", style="dim"))
    if found.reason:
        console.print()
        console.print(Text(f"The chat model did not answer: {one_line(found.reason)}", style="yellow"))
    if found.id:
        console.print()
        console.print(f"Say whether this served with: evolore rate {found.id} good|bad")


def _unmatched(memory: Memory, found: Answer) -> Iterator[str]:
    """Say why nothing was looked at, where nothing was."""
    if found.recall is not None and not found.recall.searched:
        yield from why_nothing(found.recall, partial(sources_in, memory))


def _nearest(found: Answer) -> str | None:
    """Say where a question that is not answered may be answered after all; None where that is unlikely."""
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


def _place(memory: Memory, cited: Citation) -> str:
    """Say where a citation stands: title and headings, source, outline code, and line."""
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


def _headings(episode: Episode, cited: Citation) -> tuple[str, ...]:
    """Give the heading a citation stands below: a passage may hold several, and its own path names the first."""
    above = _HEADING.findall(episode.text[: cited.span.start])
    return (above[-1].strip(),) if len(above) > 1 else episode.heading_path


def _line(memory: Memory, episode: Episode, cited: Citation) -> int | None:
    """Give the line of the document a citation begins on; None in a version that is not the present one."""
    if episode.document_id is None or episode.span is None:
        return None
    try:
        tree = memory.tree(episode.document_id, with_text=True)
    except NotFound:
        return None
    if tree.document.version != cited.version or tree.text is None:
        return None
    return tree.text.count("\n", 0, episode.span.start + cited.span.start) + 1
