"""The pieces of one document that a question is answered from: its sections, the longest of them cut further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.knowledge import Span
from evolore.recall.answer_units import answer_units
from evolore.recall.extracting import Passage
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.proposing import DocumentText

_LONGEST = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a document.

    Args:
        start: Where it begins in the document's text.
        passage: What it says, with the title and headings above it.
    """

    start: int
    passage: Passage


def document_pieces(document: DocumentText) -> tuple[Piece, ...]:
    """Cut a document into its sections, and these into stretches of at most about 1,500 characters; blank ones left out."""
    return tuple(
        Piece(
            start=span.start,
            passage=Passage(
                text=span.of(document.text), context=" › ".join(dict.fromkeys((document.title, *section.path)))
            ),
        )
        for section in read_sections(document.text, media_type=document.media_type)
        for span in _stretches(section.text, section.span.start)
        if span.of(document.text).strip()
    )


def best_pieces(pieces: Sequence[Piece], scores: Sequence[float], *, characters: int) -> tuple[Piece, ...]:
    """Give the best pieces that fit, in text order; the best in any case.

    Args:
        pieces: In text order.
        scores: How well each answers.
        characters: How much they may have together.
    """
    chosen: list[int] = []
    left = characters
    for place in sorted(range(len(pieces)), key=lambda place: (-scores[place], place)):
        length = len(pieces[place].passage.text)
        if length <= left or not chosen:
            chosen.append(place)
            left -= length
    return tuple(pieces[place] for place in sorted(chosen))


def _stretches(text: str, start: int) -> Iterator[Span]:
    """Cut a section between units, so that no stretch grows too long; without losing a character."""
    begun = 0
    for unit in answer_units(text) if len(text) > _LONGEST else ():
        if unit.span.end - begun > _LONGEST and unit.span.start > begun:
            yield Span(start + begun, start + unit.span.start)
            begun = unit.span.start
    yield Span(start + begun, start + len(text))
