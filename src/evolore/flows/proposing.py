"""Candidates: a chat model is asked for section edits by one operator, and what it says is taken whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure, ChatUsage
from evolore.domain.evolving import ProposedText
from evolore.domain.lineage import Operator
from evolore.errors import InvalidValue
from evolore.evolution.chat_requests import Unusable
from evolore.evolution.writing import WRITE_PROMPT, read_edits, write_request
from evolore.evolution.writing_settings import WritingSettings
from evolore.flows.prompt_words import prompt_words

if TYPE_CHECKING:
    from evolore.domain.proposing import Complaint, DocumentText, EvidenceText
    from evolore.evolution.crossover import Conflict
    from evolore.evolution.edits import SectionEdit
    from evolore.flows.asking import Asker

CROSSOVERS = frozenset({Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT})
_DEFAULT = WritingSettings()
_LEAST_CROSSED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPlan:
    """What a candidate is to be made of, and how.

    Args:
        operator: How.
        documents: What is rewritten: one for a mutation, two or more for a crossover, of which a merge keeps the first.
        complaints: What people said of answers; never evidence.
        evidence: Passages from elsewhere that may be cited.
        seed: What makes the reply the same again, and that of another candidate another.
        earlier: Texts of candidates that were made before: what they changed is not to be written again.

    Raises:
        InvalidValue: Too few documents or too many.
    """

    operator: Operator
    documents: tuple[DocumentText, ...]
    seed: int
    complaints: tuple[Complaint, ...] = ()
    evidence: tuple[EvidenceText, ...] = ()
    earlier: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.documents)
        if self.operator in CROSSOVERS and count < _LEAST_CROSSED:
            raise InvalidValue(f"{self.operator.value} has {count} documents: give at least {_LEAST_CROSSED}.")
        if self.operator not in CROSSOVERS and count != 1:
            raise InvalidValue(f"{self.operator.value} has {count} documents: give one.")
        if len({one.document_id for one in self.documents}) != count:
            raise InvalidValue(f"{self.operator.value} names a document twice: give each once.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A candidate.

    Args:
        operator: How it was made.
        texts: The next text of each document it changes, and of a new one.
        edits: For each text the edits it comes of, each with its reason and evidence; none for a new document.
        conflicts: Where documents of a crossover disagree, for a person to settle; both sides stand in its texts.
        prompt: With which words it was asked; empty where nobody was asked.
        usage: What it cost.
    """

    operator: Operator
    texts: tuple[ProposedText, ...]
    edits: tuple[tuple[SectionEdit, ...], ...]
    conflicts: tuple[Conflict, ...] = ()
    prompt: str = ""
    usage: ChatUsage = field(default_factory=ChatUsage)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoProposal:
    """Why there is no candidate; nothing is changed.

    Args:
        reason: Why: what kind of failure, such as ``timed_out``; ``nothing_to_improve``, ``too_long``, ``no_evidence``;
            or what is wrong with the reply.
        usage: What it cost.
        failure: The failure of the call; None where there was a reply, or no call.
    """

    reason: str
    usage: ChatUsage = field(default_factory=ChatUsage)
    failure: ChatFailure | None = None


def propose(asker: Asker, plan: ProposalPlan, *, settings: WritingSettings = _DEFAULT) -> Proposal | NoProposal:
    """Ask for a candidate; whatever goes wrong is a reason, and nothing of a reply is used that cannot all be used.

    Args:
        asker: Asks the chat model within its budget; at most one call, and tries after failures.
        plan: What to make it of.
        settings: How much may be shown, written and touched.
    """
    return _mutated(asker, plan, settings)


def _mutated(asker: Asker, plan: ProposalPlan, settings: WritingSettings) -> Proposal | NoProposal:
    (document,) = plan.documents
    if len(document.text) > settings.longest_document:
        return NoProposal(reason="too_long")
    if plan.operator is Operator.MUTATION_DETAIL and not plan.evidence:
        return NoProposal(reason="no_evidence")
    before = asker.usage
    request = write_request(
        prompt_words(WRITE_PROMPT.name, WRITE_PROMPT.version),
        plan.operator,
        document,
        complaints=plan.complaints,
        evidence=plan.evidence,
        earlier=plan.earlier,
        seed=plan.seed,
        settings=settings,
    )
    (outcome,) = asker.complete([request])
    usage = asker.usage - before
    if isinstance(outcome, ChatFailure):
        return NoProposal(reason=outcome.kind.value, usage=usage, failure=outcome)
    ids = frozenset(one.id for one in plan.evidence)
    read = read_edits(outcome.text, plan.operator, document, evidence=ids, settings=settings)
    if isinstance(read, Unusable):
        return NoProposal(reason=read.reason, usage=usage)
    if read.text in plan.earlier:
        return NoProposal(reason="The reply makes an earlier candidate again.", usage=usage)
    text = ProposedText(text=read.text, document_id=document.document_id, base_version=document.version)
    return Proposal(operator=plan.operator, texts=(text,), edits=(read.edits,), prompt=str(WRITE_PROMPT), usage=usage)
