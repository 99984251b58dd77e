"""Crossover without a call: what documents share, where they disagree, and their sections recombined by heading."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from evolore.domain.document import MediaType
from evolore.evolution.edits import EditKind, SectionEdit, apply_edits, place_of
from evolore.evolution.requests import section_scores
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans
from evolore.text.scripts import detect_language
from evolore.text.sections import read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import likeness, text_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.contest import DocumentText
    from evolore.domain.language import Language
    from evolore.text.sections import Section

_SAME_SECTION = 0.8
_LIKE_SECTION = 0.5
"""Two sections of different headings that share so much of what they say belong together (Jaccard's measure)."""

_UNDERLINES = ({"="}, {"-"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two sentences about one matter that say different things.

    Args:
        path: The headings of the section where the first stands.
        first: The first document's sentence.
        second: The second document's sentence.
        first_says: What only the first says: its protected spans, as they are written.
        second_says: Likewise of the second.
        first_document: The id of the first document; empty where nobody told.
        second_document: The id of the second.
        reason: What a chat model said of it; empty for one that a rule found.
    """

    path: tuple[str, ...]
    first: str
    second: str
    first_says: tuple[str, ...] = ()
    second_says: tuple[str, ...] = ()
    first_document: str = ""
    second_document: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonSection:
    """A section that two documents have in common.

    Args:
        first: As the first has it.
        second: As the second has it.
        share: How alike the two are, 0-1.
    """

    first: Section
    second: Section
    share: float


def common_sections(first: str, second: str) -> tuple[CommonSection, ...]:
    """List the sections that two documents share: under one heading, or with nearly one text.

    Returns:
        In the order of the first, each section at most once.
    """
    theirs = [one for one in read_sections(second) if one.body]
    found: list[CommonSection] = []
    for one in read_sections(first):
        if not one.body:
            continue
        likely = max(theirs, key=lambda other: _likeness(one, other), default=None)
        if likely is None:
            continue
        share = _likeness(one, likely)
        if share >= _SAME_SECTION:
            found.append(CommonSection(first=one, second=likely, share=share))
            theirs.remove(likely)
    return tuple(found)


def find_conflicts(first: str, second: str) -> tuple[Conflict, ...]:
    """List where two documents speak of one matter and say different things, by their protected spans.

    Two sentences are of one matter when they share most of their words. Nothing is decided: which of the two holds
    is for a person.
    """
    language = detect_language(first)
    theirs = [(sentence, _matter(sentence)) for _, sentence in _sentences(second, language)]
    found: list[Conflict] = []
    for path, sentence in _sentences(first, language):
        matter = _matter(sentence)
        twin, share = _likest(matter, theirs)
        if share < SAME_MATTER:
            continue
        difference = compare_spans(protected_spans(sentence, language), protected_spans(twin, language))
        if difference.lost and difference.added:
            found.append(
                Conflict(
                    path=path,
                    first=sentence,
                    second=twin,
                    first_says=tuple(span.quote for span in difference.lost),
                    second_says=tuple(span.quote for span in difference.added),
                )
            )
    return tuple(found)


def _likeness(one: Section, other: Section) -> float:
    return likeness(text_signature(one.body), text_signature(other.body))


def _matter(sentence: str) -> frozenset[str]:
    return text_signature(sentence, without_numbers=True)


def _likest(matter: frozenset[str], sentences: Sequence[tuple[str, frozenset[str]]]) -> tuple[str, float]:
    """Give the first sentence that is most like one, and how much; no sentence where there is none."""
    shares = [likeness(matter, other) for _, other in sentences]
    best = max(shares, default=0.0)
    return (sentences[shares.index(best)][0], best) if shares else ("", 0.0)


def _sentences(text: str, language: Language) -> Iterator[tuple[tuple[str, ...], str]]:
    for section in read_sections(text):
        for span in sentence_spans(section.body, language=language):
            sentence = span.of(section.body).strip()
            if sentence:
                yield section.path, sentence


def extract_edits(
    text: str,
    shared: Sequence[Section],
    *,
    reference: str,
    reason: str,
    media_type: MediaType = MediaType.MARKDOWN,
) -> tuple[SectionEdit, ...]:
    """Give the edits by which a document leaves sections to another document and keeps a reference to it.

    Args:
        text: The document.
        shared: Sections of it.
        reference: What is written in their place, below each heading.
        reason: Why, for the person who approves.
        media_type: How the document is marked up.
    """
    known = {one.digest for one in read_sections(text, media_type=media_type)}
    return tuple(
        SectionEdit(
            kind=EditKind.REPLACE,
            place=place_of(one),
            digest=one.digest,
            text=f"{_heading(one)}\n\n{reference}" if one.level else reference,
            reason=reason,
        )
        for one in shared
        if one.digest in known
    )


def _heading(section: Section) -> str:
    """Give the lines of a section's heading: one, or two where the second underlines the first."""
    lines = section.text.splitlines()
    is_underlined = len(lines) > 1 and not lines[0].lstrip().startswith("#") and set(lines[1].strip()) in _UNDERLINES
    return "\n".join(lines[:2] if is_underlined else lines[:1])


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
    """Recombine the sections of two documents: the first's frame, and whatever the second has better.

    Sections belong together under one heading, or else by what they say.

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
    shared = _paired(ours, theirs)
    known = {section_key(one) for one in ours} | {section_key(other) for _, other in shared}
    taken = [take_section(one, other, _served(one, other, ours_served, theirs_served)) for one, other in shared]
    edits = [
        _replaced(one, _under(one, other), choice.reason)
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


def _paired(ours: Sequence[Section], theirs: Sequence[Section]) -> list[tuple[Section, Section]]:
    """Give the sections that belong together: under one heading, and of the others those that say most of the same."""
    by_path = _once(theirs)
    found = {key: by_path[key] for key in _once(ours) if key in by_path}
    left = [one for one in ours if one.path and section_key(one) not in found and one.body.strip()]
    rest = [one for one in theirs if one.path and section_key(one) not in found and one.body.strip()]
    alike = sorted(
        ((-_likeness(one, other), mine, place) for mine, one in enumerate(left) for place, other in enumerate(rest)),
    )
    matched: dict[int, Section] = {}
    taken: set[int] = set()
    for cost, mine, place in alike:
        if -cost >= _LIKE_SECTION and mine not in matched and place not in taken:
            matched[mine] = rest[place]
            taken.add(place)
    said = {id(one): matched[mine] for mine, one in enumerate(left) if mine in matched}
    pairs = ((one, said.get(id(one)) or found.get(section_key(one))) for one in ours)
    return [(one, other) for one, other in pairs if other is not None]


def _under(section: Section, other: Section) -> str:
    """Give what another section says under the heading of one."""
    if section_key(section) == section_key(other):
        return other.text
    heading, _, _ = section.text.partition("\n")
    return f"{heading}\n\n{other.body}\n" if heading.startswith("#") else other.text


def _served(
    section: Section,
    other: Section,
    ours: Mapping[SectionKey, Served] | None,
    theirs: Mapping[SectionKey, Served] | None,
) -> dict[Side, Served]:
    sides = (
        (Side.FIRST, (ours or {}).get(section_key(section))),
        (Side.SECOND, (theirs or {}).get(section_key(other))),
    )
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
