"""Which of two documents a section of a crossover is taken from: what each says, how it served people, which is newer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from evolore.evolution.shown_texts import section_scores
from evolore.text.protected import protected_spans
from evolore.text.protected.comparing import compare_spans
from evolore.text.scripts import detect_language
from evolore.text.sections import read_sections
from evolore.text.signatures import likeness, text_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from evolore.domain.proposing import DocumentText
    from evolore.text.sections import Section

SectionKey: TypeAlias = tuple[str, ...]
"""The headings of a section, whatever their case and spaces."""

SAME_MATTER = 0.5
SAYS_MORE = "The other document says all that this section says, and more."
_SERVES_BETTER = "Readers were served better by what the other document says."
_NEWER = "The other document says the same, and was written later."


class Side(StrEnum):
    """Which of two documents a section was taken from."""

    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenSection:
    """A section of a crossover.

    Args:
        path: Its headings.
        side: Where its text is from.
        reason: Why from there.
    """

    path: tuple[str, ...]
    side: Side
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """What one person said of a document, as it may concern a section.

    Args:
        about: What was asked and said.
        is_good: Whether it served.
        principal: Who said it; None where nobody was named.
    """

    about: str
    is_good: bool
    principal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """How a section served people.

    Args:
        net: How many people it served, less how many it did not; each counts once either way.
        written_at: When this version of its document was taken in.
    """

    net: int
    written_at: datetime


def path_key(path: tuple[str, ...]) -> SectionKey:
    """Give headings as they are compared.

    >>> path_key(("Refunds", "How  long?"))
    ('refunds', 'how long?')
    """
    return tuple(" ".join(title.casefold().split()) for title in path)


def section_key(section: Section) -> SectionKey:
    """Give what a section is found by in another document."""
    return path_key(section.path)


def served_sections(
    document: DocumentText, ratings: Iterable[Rated], *, written_at: datetime
) -> dict[SectionKey, Served]:
    """Say how each section of a document served people.

    A rating concerns the section that shares most with what was asked and said, rare words counting more; one that
    shares nothing with any concerns none.
    """
    sections = [one for one in read_sections(document.text, media_type=document.media_type) if one.path]
    people: dict[SectionKey, set[tuple[bool, str | None]]] = {section_key(one): set() for one in sections}
    for rating in ratings:
        scores = section_scores(sections, [rating.about], language=document.language)
        if max(scores, default=0.0) > 0:
            concerned = sections[scores.index(max(scores))]
            people[section_key(concerned)].add((rating.is_good, rating.principal))
    return {
        key: Served(net=sum(1 if is_good else -1 for is_good, _ in said), written_at=written_at)
        for key, said in people.items()
    }


def take_section(ours: Section, theirs: Section, served: Mapping[Side, Served] | None = None) -> TakenSection:
    """Say which text a section that both documents have is to have.

    The one that served people better, where ratings tell. Else the second's, where it says all that the first's
    protected spans say, and more; or where both say the same in like words, and the second's is newer.

    Args:
        ours: The first document's.
        theirs: The second's.
        served: How each served; None, or a side that is missing, for not known.
    """
    side, reason = _by_ratings(served or {}) or _by_spans(ours, theirs, served or {})
    return TakenSection(path=ours.path, side=side, reason=reason)


def _by_ratings(served: Mapping[Side, Served]) -> tuple[Side, str] | None:
    first, second = served.get(Side.FIRST), served.get(Side.SECOND)
    if first is None or second is None or first.net == second.net:
        return None
    return (Side.SECOND, _SERVES_BETTER) if second.net > first.net else (Side.FIRST, "It served readers better.")


def _by_spans(ours: Section, theirs: Section, served: Mapping[Side, Served]) -> tuple[Side, str]:
    language = detect_language(ours.text)
    difference = compare_spans(protected_spans(ours.body, language), protected_spans(theirs.body, language))
    if difference.lost:
        return Side.FIRST, "The other does not say all that it says."
    if difference.added:
        return Side.SECOND, SAYS_MORE
    if _is_newer(served) and likeness(text_signature(ours.body), text_signature(theirs.body)) >= SAME_MATTER:
        return Side.SECOND, _NEWER
    return Side.FIRST, "The other does not say more."


def _is_newer(served: Mapping[Side, Served]) -> bool:
    first, second = served.get(Side.FIRST), served.get(Side.SECOND)
    return first is not None and second is not None and second.written_at > first.written_at
