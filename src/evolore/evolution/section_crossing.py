"""Crossover without a call: the sections of documents recombined by heading."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.evolution.crossover import find_conflicts
from evolore.evolution.edits import EditKind, SectionEdit, apply_edits, place_of
from evolore.evolution.section_taking import (
    SAYS_MORE,
    Side,
    TakenSection,
    path_key,
    section_key,
    take_section,
)
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evolore.evolution.crossover import Conflict
    from evolore.evolution.section_taking import SectionKey, Served
    from evolore.text.sections import Section

_ONLY_THERE = "Only the other document has it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """What two documents give together.

    Args:
        text: The new document: the first, with sections of the second.
        taken: Its sections that both had or that come from the second, in order.
        conflicts: What a person has to settle.
    """

    text: str
    taken: tuple[TakenSection, ...]
    conflicts: tuple[Conflict, ...]


def cross_sections(
    first: str,
    second: str,
    *,
    ours_served: Mapping[SectionKey, Served] | None = None,
    theirs_served: Mapping[SectionKey, Served] | None = None,
) -> Crossover:
    """Recombine the sections of two documents by heading: the first's frame, and whatever the second has better.

    Of a section that both have, the text of the one that served people better is taken, where that is known; else the
    second's, where it says all that the first's protected spans say, and more, or the same and was written later; else
    the first's stays. Sections that only the second has follow the last section, as they stand there. The same two
    documents always give the same text.

    Args:
        first: Whose frame it is.
        second: The other.
        ours_served: How the sections of the first served people, by heading.
        theirs_served: Those of the second.
    """
    ours, theirs = read_sections(first), read_sections(second)
    by_path, known = _once(theirs), {section_key(one) for one in ours}
    shared = [(one, by_path[key]) for key, one in _once(ours).items() if key in by_path]
    taken = [take_section(one, other, _served(one, ours_served, theirs_served)) for one, other in shared]
    edits = [
        _replaced(one, other.text, choice.reason)
        for (one, other), choice in zip(shared, taken, strict=True)
        if choice.side is Side.SECOND
    ]
    more = [one for one in theirs if one.path and section_key(one) not in known]
    taken += [TakenSection(path=one.path, side=Side.SECOND, reason=_ONLY_THERE) for one in more]
    return Crossover(
        text=apply_edits(first, [*edits, *_inserted(ours, more)]),
        taken=tuple(taken),
        conflicts=find_conflicts(first, second),
    )


def cross_many(
    first: str, others: Sequence[str], *, served: Sequence[Mapping[SectionKey, Served]] = ()
) -> tuple[SectionEdit, ...]:
    """Give the edits by which a document takes in what several others have better, one after another.

    Args:
        first: The document.
        others: The others, in their order.
        served: How the sections of each served people, the first document's first; none for not known.

    Returns:
        None where no other has anything better, or where what one has would break the first apart, as an open code block
        does.
    """
    before, text = read_sections(first), first
    known = served or [{} for _ in (first, *others)]
    ours, rest = dict(known[0]), known[1:]
    reasons: dict[SectionKey, str] = {}
    for other, theirs in zip(others, rest, strict=True):
        crossed = cross_sections(text, other, ours_served=ours, theirs_served=theirs)
        text = crossed.text
        for key, one in ((path_key(one.path), one) for one in crossed.taken if one.side is Side.SECOND):
            reasons[key] = one.reason
            ours.update({key: theirs[key]} if key in theirs else {})
    after = read_sections(text)
    edits = [
        _replaced(one, new.text, reasons.get(section_key(one), SAYS_MORE))
        for one, new in zip(before, after, strict=False)
        if new.text.rstrip() != one.text.rstrip()
    ]
    edits += _inserted(before, after[len(before) :])
    is_whole = apply_edits(first, edits).split() == text.split()
    return tuple(edits) if is_whole else ()


def _served(
    section: Section, ours: Mapping[SectionKey, Served] | None, theirs: Mapping[SectionKey, Served] | None
) -> dict[Side, Served]:
    key = section_key(section)
    sides = ((Side.FIRST, (ours or {}).get(key)), (Side.SECOND, (theirs or {}).get(key)))
    return {side: one for side, one in sides if one is not None}


def _replaced(section: Section, text: str, reason: str) -> SectionEdit:
    return SectionEdit(kind=EditKind.REPLACE, place=place_of(section), digest=section.digest, text=text, reason=reason)


def _inserted(sections: Sequence[Section], more: Sequence[Section]) -> Iterator[SectionEdit]:
    """Give the edit by which sections follow the last one; none where there is nothing to follow, or to be added."""
    if sections and more:
        last = sections[-1]
        added = "\n\n".join(one.text.strip() for one in more)
        yield SectionEdit(
            kind=EditKind.INSERT, place=place_of(last), digest=last.digest, text=added, reason=_ONLY_THERE
        )


def _once(sections: Sequence[Section]) -> dict[SectionKey, Section]:
    """Give the sections whose headings stand once: of several under one path, nobody knows which is which."""
    counts = Counter(section_key(one) for one in sections)
    return {section_key(one): one for one in sections if one.path and counts[section_key(one)] == 1}
