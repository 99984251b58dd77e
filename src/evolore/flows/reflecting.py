"""Reflection: a chat model is asked for new texts of sections by how a document did; what it says is taken whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure
from evolore.evolution.chat_requests import Unusable
from evolore.evolution.edits import place_of
from evolore.evolution.reflecting import REFLECT_PROMPT, read_reflection, reflect_request
from evolore.evolution.writing_settings import WritingSettings
from evolore.flows.prompt_words import prompt_words
from evolore.flows.proposing import NoProposal
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Collection

    from evolore.domain.proposing import Complaint, DocumentText, EvidenceText
    from evolore.evolution.reflecting import SearchHistory
    from evolore.evolution.writing import Written
    from evolore.flows.asking import Asker

_DEFAULT = WritingSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionPlan:
    """What is reflected on, and what may be made of it.

    Args:
        document: As it stands in the search.
        places: Which of its sections are shown, and may be rewritten.
        history: How it did, and what was tried before.
        complaints: What people said of answers; never evidence.
        evidence: Passages from elsewhere that may be cited.
        seed: What makes the reply the same again.
    """

    document: DocumentText
    places: Collection[str]
    history: SearchHistory
    seed: int
    complaints: tuple[Complaint, ...] = ()
    evidence: tuple[EvidenceText, ...] = ()


def reflect(asker: Asker, plan: ReflectionPlan, *, settings: WritingSettings = _DEFAULT) -> Written | NoProposal:
    """Ask for new texts of sections; whatever goes wrong is a reason.

    Args:
        asker: Asks the chat model within its budget; at most one call, and tries after failures.
        plan: What to reflect on.
        settings: How much may be written and touched.
    """
    document = plan.document
    shown = [
        one for one in read_sections(document.text, media_type=document.media_type) if place_of(one) in plan.places
    ]
    request = reflect_request(
        prompt_words(REFLECT_PROMPT.name, REFLECT_PROMPT.version),
        document,
        shown=shown,
        complaints=plan.complaints,
        evidence=plan.evidence,
        history=plan.history,
        seed=plan.seed,
        settings=settings,
    )
    before = asker.usage
    (outcome,) = asker.complete([request])
    usage = asker.usage - before
    if isinstance(outcome, ChatFailure):
        return NoProposal(reason=outcome.kind.value, usage=usage, failure=outcome)
    ids = frozenset(one.id for one in plan.evidence)
    read = read_reflection(outcome.text, document, shown=shown, evidence=ids, settings=settings)
    return NoProposal(reason=read.reason, usage=usage) if isinstance(read, Unusable) else read
