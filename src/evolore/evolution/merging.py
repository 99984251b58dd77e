"""Merge: how a chat model is asked to make one document of several, and what of its reply is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from evolore.domain.language import language_name
from evolore.evolution.chat_requests import PromptName, ReplyForm, Unusable, asked, read_reply
from evolore.evolution.conflict_listing import (
    MOST_CONFLICTS,
    ConflictReply,
    read_conflicts,
    shown_conflicts,
    unsettled,
)
from evolore.evolution.edits import SectionEdit, place_of
from evolore.evolution.shown_texts import reply_tokens, shown_complaints, shown_evidence, shown_sections
from evolore.evolution.writing import NOTHING_TO_IMPROVE, EditReply, Written, written
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.domain.chats import ChatRequest
    from evolore.domain.proposing import Complaint, DocumentText, EvidenceText
    from evolore.evolution.crossover import Conflict
    from evolore.evolution.settings import WritingSettings
    from evolore.text.fences import Data

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
    conflicts: tuple[Conflict, ...]


def merge_request(
    instructions: str,
    documents: Sequence[DocumentText],
    *,
    complaints: Sequence[Complaint],
    evidence: Sequence[EvidenceText],
    conflicts: Sequence[Conflict],
    seed: int,
    settings: WritingSettings,
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
    return asked(
        "evolution.merge",
        MERGE_PROMPT,
        instructions,
        ("documents", data),
        form=MergeReply,
        most_tokens=reply_tokens([one.text for one in documents], settings),
        seed=seed,
    )


def shown_documents(documents: Sequence[DocumentText]) -> list[Data]:
    """Give documents as they are shown, numbered from 1."""
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
    conflicts: Sequence[Conflict],
    settings: WritingSettings,
) -> Merged | Unusable:
    """Give what a reply makes of the first document, or why nothing of it is used.

    Of every conflict both sides must stand in the merged text: which of them holds is for a person, and the other
    documents are about to go.
    """
    read = read_reply(reply, MergeReply)
    if isinstance(read, Unusable):
        return read
    if not read.edits:
        return Unusable(reason=NOTHING_TO_IMPROVE)
    first, ids = documents[0], _section_ids(documents)
    made = written(read.edits, first, evidence={*ids, *(one.id for one in evidence)}, settings=settings)
    if isinstance(made, Unusable):
        return made
    found = read_conflicts(read.conflicts, documents, conflicts)
    if isinstance(found, Unusable):
        return found
    reason = unsettled(found, documents, [made.text])
    return Unusable(reason=reason) if reason else _merged(made, found, ids)


def _section_ids(documents: Sequence[DocumentText]) -> dict[str, str]:
    """Give for what a reply calls a section of another document, ``2:1.1``, what an edit calls it."""
    return {
        f"{number}:{place_of(section)}": f"{one.document_id}#{place_of(section)}"
        for number, one in enumerate(documents[1:], start=2)
        for section in read_sections(one.text, media_type=one.media_type)
    }


def _merged(made: Written, conflicts: tuple[Conflict, ...], ids: Mapping[str, str]) -> Merged:
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
