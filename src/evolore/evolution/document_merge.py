"""Merge: a chat model makes one document of several and quotes their conflicts; what of its reply is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.contest import Complaint, DocumentText, EvidenceText
from evolore.domain.language import language_name
from evolore.evolution.crossover import Clash, find_conflicts
from evolore.evolution.edits import SectionEdit, place_of
from evolore.evolution.mutation import NOTHING_TO_IMPROVE, Edited, EditReply, written
from evolore.evolution.requests import (
    PromptName,
    ReplyForm,
    Unusable,
    one_line,
    read_reply,
    reply_tokens,
    shown_complaints,
    shown_evidence,
    shown_sections,
)
from evolore.text.alignment import find_quote
from evolore.text.fences import Data, fenced_request
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans
from evolore.text.sections import Section, read_sections

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


def conflicts_by_rule(documents: Sequence[DocumentText], texts: Mapping[str, str] | None = None) -> tuple[Clash, ...]:
    """List what documents say differently, pair by pair, in their order.

    Args:
        documents: Which.
        texts: By document, what of it is looked at; all of it where nothing is given.
    """
    found: list[Clash] = []
    for one, other in combinations(documents, 2):
        ours, theirs = ((texts or {}).get(doc.document_id, doc.text) for doc in (one, other))
        found += [_of(conflict, one, other) for conflict in find_conflicts(ours, theirs)]
    return tuple(found)


def _of(conflict: Clash, one: DocumentText, other: DocumentText) -> Clash:
    return Clash(
        path=conflict.path,
        first=conflict.first,
        second=conflict.second,
        first_says=conflict.first_says,
        second_says=conflict.second_says,
        first_document=one.document_id,
        second_document=other.document_id,
    )


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
    around = _section_at(sections, first.start)
    return Clash(
        path=around.path if around else (),
        first=first.of(one.text),
        second=second.of(other.text),
        first_document=one.document_id,
        second_document=other.document_id,
        reason=one_line(reply.reason),
    )


def _section_at(sections: Sequence[Section], place: int) -> Section | None:
    return next((one for one in sections if one.span.start <= place < one.span.end), None)


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
    for side, document in _sides(conflicts):
        if find_quote(side, whole):
            continue
        language = languages[document]
        spans = protected_spans(side, language)
        if not spans or compare_spans(spans, there[language]).lost:
            return f"One side of a conflict is gone, which is for a person to settle: {one_line(side)[:120]!r}."
    return ""


def _sides(conflicts: Sequence[Clash]) -> Iterator[tuple[str, str]]:
    for one in conflicts:
        yield one.first, one.first_document
        yield one.second, one.second_document


MERGE_PROMPT = PromptName(name="merge_documents", version=1)
_MOST_EDITS = 100


class MergeReply(ReplyForm):
    """What a reply must be."""

    edits: Annotated[list[EditReply], Field(max_length=_MOST_EDITS)]
    conflicts: Annotated[list[ConflictReply], Field(max_length=MOST_CONFLICTS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a reply makes of several documents.

    Args:
        edits: Those of the first document. Their evidence names what was given, and of sections of the other documents
            the document's id and the place: ``ID#2.1``.
        text: The first document with them.
        conflicts: What the documents say differently: what a rule found and what the reply lists.
    """

    edits: tuple[SectionEdit, ...]
    text: str
    conflicts: tuple[Clash, ...]


def merge_request(
    instructions: str,
    documents: Sequence[DocumentText],
    *,
    complaints: Sequence[Complaint],
    evidence: Sequence[EvidenceText],
    conflicts: Sequence[Clash],
    seed: int,
) -> ChatRequest:
    """Ask how the first of several documents takes up all that the others say.

    The data between ``<documents>`` and ``</documents>``: ``language`` of the first (its English name); ``documents``, each
    with ``document`` (its number from 1), ``title`` and ``sections``, each with ``place``, ``path`` and ``text``;
    ``conflicts``, what a rule found, each with ``first_document``, ``first``, ``second_document`` and ``second``;
    ``complaints``, each with ``question`` and ``comment``; ``evidence``, each with ``id``, ``source`` and ``text``. The
    reply is ``MergeReply``.
    """
    data: Data = {
        "language": language_name(documents[0].language),
        "documents": shown_documents(documents),
        "conflicts": shown_conflicts(conflicts, documents),
        "complaints": shown_complaints(complaints),
        "evidence": shown_evidence(evidence),
    }
    return fenced_request(
        "evolution.merge",
        instructions,
        ("documents", data),
        schema=MergeReply.model_json_schema(),
        most_tokens=reply_tokens([one.text for one in documents]),
        version=MERGE_PROMPT.version,
        seed=seed,
    )


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


def read_merge(
    reply: str,
    documents: Sequence[DocumentText],
    *,
    evidence: Sequence[EvidenceText],
    conflicts: Sequence[Clash],
) -> Merged | Unusable:
    """Return what a reply makes of the first document, or why nothing of it is used.

    Of every conflict both sides must stand in the merged text: which of them holds is for a person, and the other
    documents are about to go.
    """
    read = read_reply(reply, MergeReply)
    if isinstance(read, Unusable):
        return read
    if not read.edits:
        return Unusable(reason=NOTHING_TO_IMPROVE)
    first, ids = documents[0], _section_ids(documents)
    made = written(read.edits, first, evidence={*ids, *(one.id for one in evidence)})
    if isinstance(made, Unusable):
        return made
    found = read_conflicts(read.conflicts, documents, conflicts)
    if isinstance(found, Unusable):
        return found
    reason = unsettled(found, documents, [made.text])
    return Unusable(reason=reason) if reason else _merged(made, found, ids)


def _section_ids(documents: Sequence[DocumentText]) -> dict[str, str]:
    """Return for what a reply calls a section of another document, ``2:1.1``, what an edit calls it."""
    return {
        f"{number}:{place_of(section)}": f"{one.document_id}#{place_of(section)}"
        for number, one in enumerate(documents[1:], start=2)
        for section in read_sections(one.text, media_type=one.media_type)
    }


def _merged(made: Edited, conflicts: tuple[Clash, ...], ids: Mapping[str, str]) -> Merged:
    edits = tuple(
        SectionEdit(
            kind=one.kind,
            place=one.place,
            digest=one.digest,
            text=one.text,
            reason=one.reason,
            evidence=tuple(ids.get(name, name) for name in one.evidence),
        )
        for one in made.edits
    )
    return Merged(edits=edits, text=made.text, conflicts=conflicts)
