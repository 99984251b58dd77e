"""Corrections: a value of the original gives way to another that cited evidence states; a person decides about each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.proposing import EvidenceText
from evolore.evolution.edits import EditKind, find_section
from evolore.text.protected import protected_spans
from evolore.text.protected.comparing import compare_spans
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.knowledge import MediaType
    from evolore.domain.language import Language
    from evolore.evolution.edits import SectionEdit
    from evolore.evolution.expansions import Expansion
    from evolore.text.protected import ProtectedSpan
    from evolore.text.sections import Section

_OWN = "another section of the document"
_DIGITS = re.compile(r"\d[\d.,:/-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A value that an edit puts in the place of another, as evidence has it.

    Args:
        before: As the original writes it.
        after: As the edit writes it.
        evidence_id: What states it.
        source: Where that stands.
        start: Where it stands in the original.
    """

    before: str
    after: str
    evidence_id: str
    source: str
    start: int

    def __str__(self) -> str:
        return f"{self.before!r} became {self.after!r}, as {self.source or self.evidence_id} says"


def corrections_of(
    text: str,
    edits: Sequence[SectionEdit],
    *,
    evidence: Sequence[EvidenceText],
    language: Language,
    media_type: MediaType,
) -> tuple[Correction, ...]:
    """List the values that edits correct: lost in a section, and there instead another of its kind that its evidence states.

    Args:
        text: The original.
        edits: The edits of it; only those that replace a section can correct anything: by evidence that they name, or by
            what another section of the document states.
        evidence: What they may name.
        language: What all is written in.
        media_type: How the original is marked up.
    """
    sections = read_sections(text, media_type=media_type)
    found: list[Correction] = []
    for edit in edits:
        section = find_section(sections, edit.place) if edit.kind is EditKind.REPLACE else None
        if section is not None:
            cited = [one for one in evidence if one.id in edit.evidence]
            others = "".join(one.text for one in sections if one is not section)
            own = [EvidenceText(id=_OWN, text=others, source=_OWN)] if others.strip() else []
            found += _of_section(section, edit, [*cited, *own], language)
    return tuple(found)


def corrected(text: str, changes: Sequence[Correction | Expansion]) -> str:
    """Give the original with its corrections made, and nothing else: what a candidate is held against.

    Args:
        text: The original.
        changes: What becomes of parts of it; of two that overlap the first counts.
    """
    free = len(text)
    listed = [one for place, one in enumerate(changes) if not any(_overlap(one, first) for first in changes[:place])]
    for one in sorted(listed, key=lambda one: -one.start):
        end = one.start + len(one.before)
        assert end <= free
        text, free = text[: one.start] + one.after + text[end:], one.start
    return text


def _overlap(one: Correction | Expansion, other: Correction | Expansion) -> bool:
    return one.start < other.start + len(other.before) and other.start < one.start + len(one.before)


def _of_section(
    section: Section, edit: SectionEdit, cited: Sequence[EvidenceText], language: Language
) -> Iterator[Correction]:
    difference = compare_spans(protected_spans(section.text, language), protected_spans(edit.text, language))
    stated = [(one, {span.value for span in protected_spans(one.text, language)}) for one in cited]
    left = [span for span in difference.added if _source(span, stated)]
    for lost in difference.lost:
        fitting = [span for span in left if span.kind is lost.kind and _form(span) == _form(lost)]
        if fitting:
            left.remove(fitting[0])
            source = _source(fitting[0], stated)
            assert source is not None
            yield Correction(
                before=lost.quote,
                after=fitting[0].quote,
                evidence_id=source.id,
                source=source.source,
                start=section.span.start + lost.span.start,
            )


def _source(span: ProtectedSpan, stated: Sequence[tuple[EvidenceText, set[str]]]) -> EvidenceText | None:
    return next((one for one, values in stated if span.value in values), None)


def _form(span: ProtectedSpan) -> str:
    """Give what a value is besides its number: its unit, or its form."""
    return _DIGITS.sub("#", span.value)
