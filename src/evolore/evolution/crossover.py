"""Compare documents by rules alone: the sections they share, and the sentences in which they disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.evolution.edits import EditKind, SectionEdit, place_of
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans
from evolore.text.scripts import detect_language
from evolore.text.sections import Section, read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import likeness, text_signature

_SAME_SECTION = 0.8
_SAME_MATTER = 0.5
_UNDERLINES = ({"="}, {"-"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
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
    """

    first: Section
    second: Section


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
        if _likeness(one, likely) >= _SAME_SECTION:
            found.append(CommonSection(first=one, second=likely))
            theirs.remove(likely)
    return tuple(found)


def find_conflicts(first: str, second: str) -> tuple[Clash, ...]:
    """List where two documents speak of one matter and say different things, by their protected spans.

    Two sentences are of one matter when they share most of their words. Nothing is decided: which of the two holds
    is for a person.
    """
    language = detect_language(first)
    theirs = [(sentence, _matter(sentence)) for _, sentence in _sentences(second, language)]
    found: list[Clash] = []
    for path, sentence in _sentences(first, language):
        matter = _matter(sentence)
        twin, share = _likest(matter, theirs)
        if share < _SAME_MATTER:
            continue
        difference = compare_spans(protected_spans(sentence, language), protected_spans(twin, language))
        if difference.lost and difference.added:
            found.append(
                Clash(
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
    """Return the first sentence that is most like one, and how much; no sentence where there is none."""
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
    """Return the edits by which a document leaves sections to another document and keeps a reference to it.

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
    """Return the lines of a section's heading: one, or two where the second underlines the first."""
    lines = section.text.splitlines()
    is_underlined = len(lines) > 1 and not lines[0].lstrip().startswith("#") and set(lines[1].strip()) in _UNDERLINES
    return "\n".join(lines[:2] if is_underlined else lines[:1])
