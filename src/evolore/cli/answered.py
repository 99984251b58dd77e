"""How an answer looks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from evolore.cli.printing import one_line, open_console, visible
from evolore.domain.citing import episode_place
from evolore.domain.episodes import Episode
from evolore.errors import NotFound

if TYPE_CHECKING:
    from evolore.domain.answering import Answer, Citation
    from evolore.memory import Memory


def render_answer(memory: Memory, found: Answer) -> None:
    """Print an answer, and below it where each of its citations stands."""
    console = open_console()
    console.print(Text(visible(found.text)))
    if found.citations:
        console.print()
    for one in found.citations:
        console.print(Text(f"[{one.number}] {one_line(_place(memory, one))}", style="dim"))
    if found.reason:
        console.print()
        console.print(Text(f"The chat model did not answer: {one_line(found.reason)}", style="yellow"))
    if found.id:
        console.print()
        console.print(f"Say whether this served with: evolore rate {found.id} good|bad")


def _place(memory: Memory, cited: Citation) -> str:
    """Say where a citation stands: title and headings, source, outline code, and line."""
    episode = memory.show(cited.episode_id)
    if not isinstance(episode, Episode) or episode.document_id is None:
        return episode_place(episode) if isinstance(episode, Episode) else cited.source
    path = " › ".join(dict.fromkeys(part for part in (episode.title or "", *episode.heading_path) if part))
    line = _line(memory, episode, cited)
    facts = [cited.source, *([str(episode.outline)] if episode.outline else []), *([f"line {line}"] if line else [])]
    return f"{path} ({', '.join(facts)})"


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
