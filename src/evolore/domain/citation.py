"""Citing: how hits of each level are written for whoever answers from them, a person or a language model."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.filters import breadcrumb
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.document import Span
    from evolore.domain.episode import Episode
    from evolore.domain.query import Hit

GAP = "[…]"
"""Stands where something is left out."""


def cite(hits: Sequence[Hit]) -> str:
    """Write hits one after the other, each with its rank, where it stands, what repeats it, and its text."""
    return "\n\n".join(map(cite_one, hits))


def cite_one(hit: Hit) -> str:
    """Write one hit."""
    lines = [f"[{hit.rank}] {hit_place(hit)}"]
    lines += [f"also: {episode_place(echo.episode)}" for echo in hit.echoes]
    return "\n".join([*lines, hit.text.strip()])


def excerpt(text: str, passages: Sequence[Span]) -> str:
    """Write passages of a text one after the other, with ``[…]`` on a line of its own wherever something is left out.

    >>> from evolore.domain.document import Span
    >>> print(excerpt("One. Two. Three. Four.", [Span(0, 5), Span(5, 10), Span(17, 22)]))
    One. Two.
    […]
    Four.
    """
    parts: list[str] = []
    end = 0
    for passage in passages:
        if passage.start > end:
            parts.append(GAP)
        if parts and passage.start == end:
            parts[-1] += passage.of(text)
        else:
            parts.append(passage.of(text))
        end = passage.end
    if end < len(text):
        parts.append(GAP)
    return "\n".join(part.strip() for part in parts)


def hit_place(hit: Hit, *, write_source: Callable[[str], str] = str) -> str:
    """Say where what is shown stands: a session or document, an expansion, the episode or passages of it.

    Args:
        hit: What is shown.
        write_source: How the source of its document is written; by default as it is.
    """
    episode = hit.episode
    if hit.whole is not None:
        return _whole_place(hit, write_source)
    if hit.expansion is None:
        spans = ", ".join(f"{span.start}–{span.end}" for span in hit.passages)
        passages = f" (characters {spans} of {len(episode.text)})" if hit.passages else ""
        return episode_place(episode, write_source=write_source) + passages
    wider = hit.expansion
    path = " › ".join(breadcrumb(episode.title, wider.heading_path))
    whole = wider.outline or "the whole document"
    return f"{path} ({write_source(episode.source or '')}, {whole}, characters {wider.span.start}–{wider.span.end})"


def episode_place(episode: Episode, *, write_source: Callable[[str], str] = str) -> str:
    """Say where an episode stands: in its document, or who said it, in which session, and when.

    Args:
        episode: The episode.
        write_source: How the source of its document is written; by default as it is.
    """
    if episode.document_id is None:
        said = [episode.speaker, episode.session, episode_day(episode)]
        return " · ".join(part for part in said if part) or "statement"
    path = " › ".join(breadcrumb(episode.title, episode.heading_path))
    span = f", characters {episode.span.start}–{episode.span.end}" if episode.span else ""
    return f"{path} ({write_source(episode.source or '')}, {episode.outline}{span})"


def episode_day(episode: Episode) -> str:
    """Give the day an episode happened or else was recorded, in ISO 8601."""
    return (episode.occurred_at or episode.recorded_at).date().isoformat()


def _whole_place(hit: Hit, write_source: Callable[[str], str]) -> str:
    whole = hit.whole
    if whole is None or whole.level is Level.DOCUMENT:
        return f"{hit.episode.title or ''} ({write_source(hit.episode.source or '')})"
    days = sorted({episode_day(one.episode) for one in whole.found})
    return f"{whole.name} · {' – '.join(dict.fromkeys((days[0], days[-1])))}"


class Level(StrEnum):
    """What a hit is; a passage of a document and a turn of a conversation are episodes.

    >>> Level("turn")
    <Level.EPISODE: 'episode'>
    """

    EPISODE = "episode"
    SESSION = "session"
    DOCUMENT = "document"

    @classmethod
    def _missing_(cls, value: object) -> Level | None:
        # What an episode is called where it stands.
        return cls.EPISODE if value in {"turn", "passage"} else None


def read_level(word: str) -> Level:
    """Read the word for a level.

    Raises:
        InvalidValue: It is another word.
    """
    try:
        return Level(word)
    except ValueError as error:
        raise InvalidValue(f"level is {word!r}: give 'episode', 'session' or 'document'.") from error
