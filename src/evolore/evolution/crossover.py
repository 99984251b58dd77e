"""Crossover without a call: sections of two documents recombined by heading, what documents share, where they disagree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.knowledge import MediaType
from evolore.evolution.edits import EditKind, SectionEdit, apply_edits, place_of
from evolore.text.protected import protected_spans
from evolore.text.protected.comparing import compare_spans
from evolore.text.scripts import detect_language
from evolore.text.sections import read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.signatures import likeness, text_signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.text.sections import Section

_SAME_SECTION = 0.8
_SAME_MATTER = 0.5
_UNDERLINES = ({"="}, {"-"})
_SAYS_MORE = "The other document says all that this section says, and more."
_ONLY_THERE = "Only the other document has it."


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
class Crossover:
    """What two documents give together.

    Args:
        text: The new document: the first, with sections of the second.
        taken: Its sections that both had or that come from the second, in order.
        conflicts: What a person has to settle; each stands in ``text`` as the first document has it.
    """

    text: str
    taken: tuple[TakenSection, ...]
    conflicts: tuple[Conflict, ...]


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


def cross_sections(first: str, second: str) -> Crossover:
    """Recombine the sections of two documents by heading: the first's frame, and whatever the second has more of.

    Of a section that both have, the second's text is taken where it says all that the first's protected spans say, and
    more; else the first's stays. Sections that only the second has follow the last section, as they stand there. The
    same two documents always give the same text.
    """
    ours, theirs = read_sections(first), read_sections(second)
    by_path, rivals = _once(theirs), _once(ours)
    known = {_key(one) for one in ours}
    shared = [(one, by_path[key]) for key, one in rivals.items() if key in by_path]
    taken = [_chosen(one, other) for one, other in shared]
    edits = [
        SectionEdit(
            kind=EditKind.REPLACE,
            place=place_of(one),
            digest=one.digest,
            text=other.text,
            reason=_SAYS_MORE,
        )
        for (one, other), choice in zip(shared, taken, strict=True)
        if choice.side is Side.SECOND
    ]
    more = [one for one in theirs if one.path and _key(one) not in known]
    if more and ours:
        added = "\n\n".join(one.text.strip() for one in more)
        last = ours[-1]
        edits.append(
            SectionEdit(kind=EditKind.INSERT, place=place_of(last), digest=last.digest, text=added, reason=_ONLY_THERE)
        )
    taken += [TakenSection(path=one.path, side=Side.SECOND, reason=_ONLY_THERE) for one in more]
    return Crossover(
        text=apply_edits(first, edits),
        taken=tuple(taken),
        conflicts=find_conflicts(first, second),
    )


def cross_many(first: str, others: Sequence[str]) -> tuple[SectionEdit, ...]:
    """Give the edits by which a document takes in what several others have more of, one after another.

    Returns:
        None where no other has anything more, or where what one has would break the first apart, as an open code block does.
    """
    before, text = read_sections(first), first
    for other in others:
        text = cross_sections(text, other).text
    after = read_sections(text)
    edits = [
        SectionEdit(kind=EditKind.REPLACE, place=place_of(one), digest=one.digest, text=new.text, reason=_SAYS_MORE)
        for one, new in zip(before, after, strict=False)
        if new.text.rstrip() != one.text.rstrip()
    ]
    added = "\n\n".join(one.text.strip() for one in after[len(before) :])
    if added and before:
        last = before[-1]
        edits.append(
            SectionEdit(kind=EditKind.INSERT, place=place_of(last), digest=last.digest, text=added, reason=_ONLY_THERE)
        )
    is_whole = apply_edits(first, edits).split() == text.split()
    return tuple(edits) if is_whole else ()


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
        if share < _SAME_MATTER:
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


def _once(sections: Sequence[Section]) -> dict[tuple[str, ...], Section]:
    """Give the sections whose headings stand once: of several under one path, nobody knows which is which."""
    counts = Counter(_key(one) for one in sections)
    return {_key(one): one for one in sections if one.path and counts[_key(one)] == 1}


def _key(section: Section) -> tuple[str, ...]:
    return tuple(" ".join(title.casefold().split()) for title in section.path)


def _chosen(ours: Section, theirs: Section) -> TakenSection:
    language = detect_language(ours.text)
    difference = compare_spans(protected_spans(ours.body, language), protected_spans(theirs.body, language))
    if not difference.lost and difference.added:
        return TakenSection(path=ours.path, side=Side.SECOND, reason="It says all that the first says, and more.")
    return TakenSection(path=ours.path, side=Side.FIRST, reason="The other does not say all that it says.")


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
