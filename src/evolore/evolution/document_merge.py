"""Merge: a chat model makes one document of several and quotes their conflicts; what of its reply is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.contest import DocumentText
from evolore.domain.language import language_name
from evolore.evolution.crossover import (
    MOST_CONFLICTS,
    ConflictReply,
    read_conflicts,
    shown_conflicts,
    shown_documents,
    unsettled,
)
from evolore.evolution.edits import leave_reference, place_of
from evolore.evolution.mutation import EditReply, read_section_edits
from evolore.evolution.proposals import NOTHING_TO_IMPROVE, Proposal, ProposalPlan, next_text
from evolore.evolution.requests import (
    PromptName,
    ReplyForm,
    Unusable,
    read_reply,
    reply_tokens,
    shown_complaints,
    shown_evidence,
)
from evolore.text.fences import Data, fenced_request
from evolore.text.sections import read_sections

MERGE_PROMPT = PromptName(name="merge_documents", version=1)
_MOST_EDITS = 100


class MergeReply(ReplyForm):
    """What a reply must be."""

    edits: Annotated[list[EditReply], Field(max_length=_MOST_EDITS)]
    conflicts: Annotated[list[ConflictReply], Field(max_length=MOST_CONFLICTS)]


def merge_request(instructions: str, plan: ProposalPlan) -> ChatRequest:
    """Ask how the first of several documents takes up all that the others say.

    The data between ``<documents>`` and ``</documents>``: ``language`` of the first (its English name); ``documents``, each
    with ``document`` (its number from 1), ``title`` and ``sections``, each with ``place``, ``path`` and ``text``;
    ``conflicts``, what a rule found, each with ``first_document``, ``first``, ``second_document`` and ``second``;
    ``complaints``, each with ``question`` and ``comment``; ``evidence``, each with ``id``, ``source`` and ``text``. The
    reply is ``MergeReply``.
    """
    data: Data = {
        "language": language_name(plan.documents[0].language),
        "documents": shown_documents(plan.documents),
        "conflicts": shown_conflicts(plan.conflicts, plan.documents),
        "complaints": shown_complaints(plan.complaints),
        "evidence": shown_evidence(plan.evidence),
    }
    return fenced_request(
        "evolution.merge",
        instructions,
        ("documents", data),
        schema=MergeReply.model_json_schema(),
        most_tokens=reply_tokens([one.text for one in plan.documents]),
        version=MERGE_PROMPT.version,
        seed=plan.seed,
    )


def read_merge(reply: str, plan: ProposalPlan) -> Proposal | Unusable:
    """Return what a reply makes of the first document, with references to it in the others; or why nothing of it is used.

    Of every conflict both sides must stand in the merged text: which of them holds is for a person, and the other
    documents are about to go. The evidence of an edit names what was given, and of sections of the other documents the
    document's id and the place: ``ID#2.1``.
    """
    read = read_reply(reply, MergeReply)
    if isinstance(read, Unusable):
        return read
    if not read.edits:
        return Unusable(reason=NOTHING_TO_IMPROVE)
    first, *others = plan.documents
    ids = _section_ids(others)
    made = read_section_edits(read.edits, first, evidence={*ids, *(one.id for one in plan.evidence)})
    if isinstance(made, Unusable):
        return made
    conflicts = read_conflicts(read.conflicts, plan.documents, plan.conflicts)
    if isinstance(conflicts, Unusable):
        return conflicts
    edits = tuple(replace(one, evidence=tuple(ids.get(name, name) for name in one.evidence)) for one in made)
    merged = next_text(first, edits)
    reason = unsettled(conflicts, plan.documents, [merged.text])
    if reason:
        return Unusable(reason=reason)
    left = [leave_reference(one, title=first.title, source=first.source) for one in others]
    return Proposal(
        operator=plan.operator,
        texts=(merged, *map(next_text, others, left)),
        edits=(edits, *left),
        conflicts=conflicts,
        prompt=str(MERGE_PROMPT),
    )


def _section_ids(others: Sequence[DocumentText]) -> dict[str, str]:
    """Return for what a reply calls a section of another document, ``2:1.1``, what an edit calls it."""
    return {
        f"{number}:{place_of(section)}": f"{one.document_id}#{place_of(section)}"
        for number, one in enumerate(others, start=2)
        for section in read_sections(one.text, media_type=one.media_type)
    }
