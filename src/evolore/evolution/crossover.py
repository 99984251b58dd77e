"""Crossovers: the sections that documents share, the sentences in which they disagree, and how a chat model tells of more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

from pydantic import Field

from evolore.domain.contest import DocumentText
from evolore.domain.language import Language
from evolore.evolution.requests import ReplyForm, Unusable, one_line, shown_sections
from evolore.text.alignment import find_quote
from evolore.text.fences import Data
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans
from evolore.text.scripts import detect_language
from evolore.text.sections import Section, read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import likeness, text_signature

_SAME_SECTION = 0.8
_SAME_MATTER = 0.5
MOST_CONFLICTS = 60
_LONGEST_QUOTE = 2_000
_LONGEST_REASON = 500


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


def common_sections(first: str, second: str) -> tuple[tuple[Section, Section], ...]:
    """Pair the sections that two documents share: under one heading, or with nearly one text.

    Returns:
        In the order of the first, each section at most once.
    """
    theirs = [one for one in read_sections(second) if one.body]
    found: list[tuple[Section, Section]] = []
    for one in read_sections(first):
        likely = max(theirs, key=lambda other: _likeness(one, other), default=None) if one.body else None
        if likely is not None and _likeness(one, likely) >= _SAME_SECTION:
            found.append((one, likely))
            theirs.remove(likely)
    return tuple(found)


def find_conflicts(documents: Sequence[DocumentText]) -> tuple[Clash, ...]:
    """List where documents speak of one matter and say different things, pair by pair, by their protected spans.

    Two sentences are of one matter when they share most of their words. Nothing is decided: which of the two holds
    is for a person.
    """
    return tuple(conflict for one, other in combinations(documents, 2) for conflict in _conflicts(one, other))


def _conflicts(one: DocumentText, other: DocumentText) -> Iterator[Clash]:
    language = detect_language(one.text)
    theirs = [(sentence, _matter(sentence)) for _, sentence in _sentences(other.text, language)]
    for path, sentence in _sentences(one.text, language):
        matter = _matter(sentence)
        twin, share = _likest(matter, theirs)
        if share < _SAME_MATTER:
            continue
        difference = compare_spans(protected_spans(sentence, language), protected_spans(twin, language))
        if difference.lost and difference.added:
            yield Clash(
                path=path,
                first=sentence,
                second=twin,
                first_says=tuple(span.quote for span in difference.lost),
                second_says=tuple(span.quote for span in difference.added),
                first_document=one.document_id,
                second_document=other.document_id,
            )


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


class ConflictReply(ReplyForm):
    """Two claims that a reply says cannot both be true."""

    first_document: Annotated[int, Field(ge=1)]
    first: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)]
    second_document: Annotated[int, Field(ge=1)]
    second: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)]
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]


def shown_documents(documents: Sequence[DocumentText]) -> list[Data]:
    """Return documents as they are shown, numbered from 1."""
    return [
        {
            "document": number,
            "title": one.title,
            "sections": shown_sections(read_sections(one.text, media_type=one.media_type)),
        }
        for number, one in enumerate(documents, start=1)
    ]


def shown_conflicts(conflicts: Sequence[Clash], documents: Sequence[DocumentText]) -> list[Data]:
    """Return conflicts as they are shown, their documents by number."""
    numbers = {one.document_id: number for number, one in enumerate(documents, start=1)}
    return [
        {
            "first_document": numbers[one.first_document],
            "first": one.first,
            "second_document": numbers[one.second_document],
            "second": one.second,
        }
        for one in conflicts[:MOST_CONFLICTS]
    ]


def read_conflicts(
    replies: Sequence[ConflictReply], documents: Sequence[DocumentText], known: Sequence[Clash]
) -> tuple[Clash, ...] | Unusable:
    """Return all conflicts: those a rule found, always, then those of a reply that it did not find.

    A quote that does not stand in the document it names makes the whole reply unusable: who misquotes may have left out
    what matters.
    """
    found = list(known)
    for reply in replies:
        conflict = _read(reply, documents)
        if isinstance(conflict, Unusable):
            return conflict
        if not any(_is_same(conflict, other) for other in found):
            found.append(conflict)
    return tuple(found)


def _read(reply: ConflictReply, documents: Sequence[DocumentText]) -> Clash | Unusable:
    numbers = (reply.first_document, reply.second_document)
    if max(numbers) > len(documents) or numbers[0] == numbers[1]:
        return Unusable(
            reason=f"The reply lists a conflict of the documents {numbers[0]} and {numbers[1]}: name two others."
        )
    one, other = (documents[number - 1] for number in numbers)
    spans = (find_quote(reply.first, one.text), find_quote(reply.second, other.text))
    for span, quote, number in zip(spans, (reply.first, reply.second), numbers, strict=True):
        if span is None:
            return Unusable(
                reason=f"The reply quotes what does not stand in document {number}: {one_line(quote)[:80]!r}."
            )
    first, second = spans
    assert first is not None
    assert second is not None
    sections = read_sections(one.text, media_type=one.media_type)
    return Clash(
        path=next((around.path for around in sections if around.span.start <= first.start < around.span.end), ()),
        first=first.of(one.text),
        second=second.of(other.text),
        first_document=one.document_id,
        second_document=other.document_id,
        reason=one_line(reply.reason),
    )


def _is_same(one: Clash, other: Clash) -> bool:
    """Return whether two conflicts are about the same two sentences, in whichever order; one may quote less of them."""
    straight = (one.first_document, one.second_document) == (other.first_document, other.second_document)
    swapped = (one.first_document, one.second_document) == (other.second_document, other.first_document)
    if straight and _overlap(one.first, other.first) and _overlap(one.second, other.second):
        return True
    return swapped and _overlap(one.first, other.second) and _overlap(one.second, other.first)


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one


def unsettled(conflicts: Sequence[Clash], documents: Sequence[DocumentText], texts: Sequence[str]) -> str:
    """Return which side of a conflict is gone from the texts a crossover makes; empty where both sides of all stand there.

    A side stands there when its sentence does, or what of it must not change: its numbers, dates, names and the like.
    """
    whole = "\n\n".join(texts)
    languages = {one.document_id: one.language for one in documents}
    there = {language: protected_spans(whole, language) for language in set(languages.values())} if conflicts else {}
    sides = [side for one in conflicts for side in ((one.first, one.first_document), (one.second, one.second_document))]
    for side, document in sides:
        if find_quote(side, whole):
            continue
        language = languages[document]
        spans = protected_spans(side, language)
        if not spans or compare_spans(spans, there[language]).lost:
            return f"One side of a conflict is gone, which is for a person to settle: {one_line(side)[:120]!r}."
    return ""
