"""Reflection: how a chat model is asked to rewrite sections by how a document did, and what of its reply is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.language import language_name
from evolore.evolution.chat_requests import PromptName, Unusable, asked, read_reply
from evolore.evolution.edits import EditKind
from evolore.evolution.shown_texts import reply_tokens, shown_complaints, shown_evidence, shown_sections
from evolore.evolution.writing import NOTHING_TO_IMPROVE, EditsReply, unfit_places, written
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from evolore.domain.chats import ChatRequest
    from evolore.domain.proposing import Complaint, DocumentText, EvidenceText
    from evolore.domain.searching import SearchTrace
    from evolore.evolution.writing import Written
    from evolore.evolution.writing_settings import WritingSettings
    from evolore.text.fences import Data
    from evolore.text.sections import Section

REFLECT_PROMPT = PromptName(name="reflect_sections", version=1)
_MOST_ELSEWHERE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRewrite:
    """A rewrite that was made before in a search.

    Args:
        sections: The texts it changed, as it wrote them.
        found: What came of it.
    """

    sections: tuple[str, ...]
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHistory:
    """What is reflected on.

    Args:
        tried: How the document did as it stands.
        earlier: The last rewrites of the search, each with what came of it.
    """

    tried: tuple[SearchTrace, ...]
    earlier: tuple[EarlierRewrite, ...] = ()


def reflect_request(
    instructions: str,
    document: DocumentText,
    *,
    shown: Sequence[Section],
    complaints: Sequence[Complaint],
    evidence: Sequence[EvidenceText],
    history: SearchHistory,
    seed: int,
    settings: WritingSettings,
) -> ChatRequest:
    """Ask for new texts of sections.

    The data between ``<task>`` and ``</task>``: ``language``, ``most_sections``, ``document``, ``complaints`` and
    ``evidence`` as in ``write_request``; ``tried``, each with ``question``, ``answer``, ``score`` and ``found``;
    ``earlier``, each with ``sections`` (the texts it changed) and ``found``. The reply is ``EditsReply``, with
    replacements alone.
    """
    sections = read_sections(document.text, media_type=document.media_type)
    elsewhere: list[Data] = [" > ".join(one.path) for one in sections if one not in shown and one.path]
    data: Data = {
        "language": language_name(document.language),
        "most_sections": settings.most_sections(len(sections)),
        "document": {
            "title": document.title,
            "sections": shown_sections(shown),
            "elsewhere": elsewhere[:_MOST_ELSEWHERE],
        },
        "complaints": shown_complaints(complaints),
        "evidence": shown_evidence(evidence),
        "tried": [
            {"question": one.question, "answer": one.answer, "score": round(one.score, 2), "found": one.feedback}
            for one in history.tried
        ],
        "earlier": [{"sections": list(one.sections), "found": one.found} for one in history.earlier],
    }
    return asked(
        "evolution.reflect",
        REFLECT_PROMPT,
        instructions,
        ("task", data),
        form=EditsReply,
        most_tokens=reply_tokens([one.text for one in shown], settings),
        seed=seed,
    )


def read_reflection(
    reply: str,
    document: DocumentText,
    *,
    shown: Sequence[Section],
    evidence: Collection[str],
    settings: WritingSettings,
) -> Written | Unusable:
    """Give the edits of a reply with what they make of the document; or why none of it is used.

    Args:
        reply: What the model said.
        document: What is edited; its headings stay as they are.
        shown: The sections that may be touched.
        evidence: The ids that may be named.
        settings: How much may be touched and written.
    """
    read = read_reply(reply, EditsReply)
    if isinstance(read, Unusable):
        return read
    if not read.edits:
        return Unusable(reason=NOTHING_TO_IMPROVE)
    other = next((one for one in read.edits if one.kind is not EditKind.REPLACE), None)
    if other is not None:
        return Unusable(reason=f"The edit of {other.place!r} is to {other.kind.value}, and only texts may be replaced.")
    reason = unfit_places(read.edits, document, shown, settings)
    if reason:
        return Unusable(reason=reason)
    made = written(read.edits, document, evidence=evidence, settings=settings)
    if isinstance(made, Unusable) or _paths(made.text, document) == _paths(document.text, document):
        return made
    return Unusable(reason="The reply changes headings, and they are to stay as they are.")


def _paths(text: str, document: DocumentText) -> list[tuple[str, ...]]:
    return [one.path for one in read_sections(text, media_type=document.media_type)]
