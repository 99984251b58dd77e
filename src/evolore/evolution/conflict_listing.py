"""Conflicts between documents of a crossover: those a rule finds, those a chat model quotes, and whether both sides stay."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from evolore.evolution.chat_requests import ReplyForm, Unusable
from evolore.evolution.crossover import Conflict, find_conflicts
from evolore.evolution.shown_texts import one_line
from evolore.text.protected import protected_spans
from evolore.text.protected.comparing import compare_spans
from evolore.text.quotes import find_quote
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evolore.domain.proposing import DocumentText
    from evolore.text.fences import Data
    from evolore.text.sections import Section

MOST_CONFLICTS = 60
_LONGEST_QUOTE = 2_000
_LONGEST_REASON = 500


class ConflictReply(ReplyForm):
    """Two claims that a reply says cannot both be true."""

    first_document: Annotated[int, Field(ge=1)]
    first: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)]
    second_document: Annotated[int, Field(ge=1)]
    second: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)]
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]


def conflicts_by_rule(
    documents: Sequence[DocumentText], texts: Mapping[str, str] | None = None
) -> tuple[Conflict, ...]:
    """List what documents say differently, pair by pair, in their order.

    Args:
        documents: Which.
        texts: By document, what of it is looked at; all of it where nothing is given.
    """
    found: list[Conflict] = []
    for one, other in combinations(documents, 2):
        ours, theirs = ((texts or {}).get(doc.document_id, doc.text) for doc in (one, other))
        found += [_of(conflict, one, other) for conflict in find_conflicts(ours, theirs)]
    return tuple(found)


def _of(conflict: Conflict, one: DocumentText, other: DocumentText) -> Conflict:
    return Conflict(
        path=conflict.path,
        first=conflict.first,
        second=conflict.second,
        first_says=conflict.first_says,
        second_says=conflict.second_says,
        first_document=one.document_id,
        second_document=other.document_id,
    )


def shown_conflicts(conflicts: Sequence[Conflict], documents: Sequence[DocumentText]) -> list[Data]:
    """Give conflicts as they are shown, their documents by number."""
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
    replies: Sequence[ConflictReply], documents: Sequence[DocumentText], known: Sequence[Conflict]
) -> tuple[Conflict, ...] | Unusable:
    """Give all conflicts: those a rule found, always, then those of a reply that it did not find.

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


def _read(reply: ConflictReply, documents: Sequence[DocumentText]) -> Conflict | Unusable:
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
    around = _section_at(sections, first.start)
    return Conflict(
        path=around.path if around else (),
        first=first.of(one.text),
        second=second.of(other.text),
        first_document=one.document_id,
        second_document=other.document_id,
        reason=one_line(reply.reason),
    )


def _section_at(sections: Sequence[Section], place: int) -> Section | None:
    return next((one for one in sections if one.span.start <= place < one.span.end), None)


def _is_same(one: Conflict, other: Conflict) -> bool:
    """Tell whether two conflicts are about the same two sentences, in whichever order; one may quote less of them."""
    straight = (one.first_document, one.second_document) == (other.first_document, other.second_document)
    swapped = (one.first_document, one.second_document) == (other.second_document, other.first_document)
    if straight and _overlap(one.first, other.first) and _overlap(one.second, other.second):
        return True
    return swapped and _overlap(one.first, other.second) and _overlap(one.second, other.first)


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one


def unsettled(conflicts: Sequence[Conflict], documents: Sequence[DocumentText], texts: Sequence[str]) -> str:
    """Say which side of a conflict is gone from the texts a crossover makes; empty where both sides of all stand there.

    A side stands there when its sentence does, or what of it must not change: its numbers, dates, names and the like.
    """
    whole = "\n\n".join(texts)
    languages = {one.document_id: one.language for one in documents}
    there = {language: protected_spans(whole, language) for language in set(languages.values())} if conflicts else {}
    for side, document in _sides(conflicts):
        if find_quote(side, whole):
            continue
        language = languages[document]
        spans = protected_spans(side, language)
        if not spans or compare_spans(spans, there[language]).lost:
            return f"One side of a conflict is gone, which is for a person to settle: {one_line(side)[:120]!r}."
    return ""


def _sides(conflicts: Sequence[Conflict]) -> Iterator[tuple[str, str]]:
    for one in conflicts:
        yield one.first, one.first_document
        yield one.second, one.second_document
