"""Candidates: a chat model is asked for section edits by one operator, and what it says is taken whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure, ChatUsage
from evolore.domain.evolving import ProposedText
from evolore.domain.knowledge import MediaType
from evolore.domain.lineage import Operator
from evolore.errors import InvalidValue
from evolore.evolution.chat_requests import Unusable
from evolore.evolution.conflict_listing import conflicts_by_rule
from evolore.evolution.edits import apply_edits
from evolore.evolution.extraction import EXTRACT_PROMPT, extract_request, read_extract
from evolore.evolution.merging import MERGE_PROMPT, merge_request, read_merge
from evolore.evolution.references import leave_reference
from evolore.evolution.section_crossing import cross_many
from evolore.evolution.settings import WritingSettings
from evolore.evolution.shown_texts import sections_to_show
from evolore.evolution.writing import NOTHING_TO_IMPROVE, WRITE_PROMPT, read_edits, write_request
from evolore.flows.prompt_words import prompt_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.domain.chats import ChatRequest
    from evolore.domain.proposing import Complaint, DocumentText, EvidenceText
    from evolore.evolution.chat_requests import PromptName
    from evolore.evolution.crossover import Conflict
    from evolore.evolution.edits import SectionEdit
    from evolore.evolution.section_taking import SectionKey, Served
    from evolore.flows.asking import Asker

MADE_BEFORE = "made_before"
"""Why there is no candidate where the reply makes an earlier one again."""

CROSSOVERS = frozenset({Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT, Operator.CROSSOVER_SECTIONS})
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
        earlier: Texts of candidates that were made before: what they changed is not to be written again. Only mutations
            look at them; the novelty gate looks at all.
        served: How the sections of each document served people, for the crossover by sections; none for not known.

    Raises:
        InvalidValue: Too few documents or too many.
    """

    operator: Operator
    documents: tuple[DocumentText, ...]
    seed: int
    complaints: tuple[Complaint, ...] = ()
    evidence: tuple[EvidenceText, ...] = ()
    earlier: tuple[str, ...] = ()
    served: tuple[Mapping[SectionKey, Served], ...] = ()

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
        reason: Why: what kind of failure, such as ``timed_out``; ``nothing_to_improve``, ``made_before``, ``too_long``,
            ``no_evidence``; or what is wrong with the reply.
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
    reason = _unfit(plan, settings)
    if reason:
        return NoProposal(reason=reason)
    if plan.operator is Operator.CROSSOVER_SECTIONS:
        return cross(plan.documents, served=plan.served)
    if plan.operator is Operator.CROSSOVER_MERGE:
        return _merged(asker, plan, settings)
    if plan.operator is Operator.CROSSOVER_EXTRACT:
        return _extracted(asker, plan, settings)
    return _mutated(asker, plan, settings)


def cross(
    documents: Sequence[DocumentText], *, served: Sequence[Mapping[SectionKey, Served]] = ()
) -> Proposal | NoProposal:
    """Give the first document with what others have better, heading by heading; nobody is asked.

    The others stay as they are. Of a section that disagrees the text of the first stays, unless ratings say that the
    other's served people better; either way it is listed as a conflict. The same documents always give the same.

    Args:
        documents: At least two.
        served: How the sections of each served people; none for not known.

    Raises:
        InvalidValue: There are fewer.
    """
    plan = ProposalPlan(operator=Operator.CROSSOVER_SECTIONS, documents=tuple(documents), seed=0)
    if any(one.media_type is not MediaType.MARKDOWN for one in plan.documents):
        return NoProposal(reason="no_headings")
    first, *others = plan.documents
    edits = cross_many(first.text, [one.text for one in others], served=served)
    if not edits:
        return NoProposal(reason=NOTHING_TO_IMPROVE)
    return Proposal(
        operator=plan.operator,
        texts=(_next(first, apply_edits(first.text, edits)),),
        edits=(edits,),
        conflicts=conflicts_by_rule(plan.documents),
    )


def _unfit(plan: ProposalPlan, settings: WritingSettings) -> str:
    """Say why nobody is asked; nothing where somebody is."""
    if plan.operator is Operator.CROSSOVER_SECTIONS:
        return ""
    if plan.operator in CROSSOVERS:
        return "too_long" if sum(len(one.text) for one in plan.documents) > settings.longest_joined else ""
    return "no_evidence" if plan.operator is Operator.MUTATION_DETAIL and not plan.evidence else ""


def _mutated(asker: Asker, plan: ProposalPlan, settings: WritingSettings) -> Proposal | NoProposal:
    (document,) = plan.documents
    shown = sections_to_show(document, plan.complaints, plan.evidence, settings)
    if not shown:
        return NoProposal(reason="too_long")
    request = write_request(
        _words(WRITE_PROMPT),
        plan.operator,
        document,
        complaints=plan.complaints,
        evidence=plan.evidence,
        earlier=plan.earlier,
        seed=plan.seed,
        settings=settings,
    )
    reply, usage = _reply(asker, request)
    if isinstance(reply, NoProposal):
        return reply
    ids = frozenset(one.id for one in plan.evidence)
    read = read_edits(reply, plan.operator, document, shown=shown, evidence=ids, settings=settings)
    if isinstance(read, Unusable):
        return NoProposal(reason=read.reason, usage=usage)
    if read.text.split() in [one.split() for one in plan.earlier]:
        return NoProposal(reason=MADE_BEFORE, usage=usage)
    return Proposal(
        operator=plan.operator,
        texts=(_next(document, read.text),),
        edits=(read.edits,),
        prompt=str(WRITE_PROMPT),
        usage=usage,
    )


def _merged(asker: Asker, plan: ProposalPlan, settings: WritingSettings) -> Proposal | NoProposal:
    known = conflicts_by_rule(plan.documents)
    request = merge_request(
        _words(MERGE_PROMPT),
        plan.documents,
        complaints=plan.complaints,
        evidence=plan.evidence,
        conflicts=known,
        seed=plan.seed,
        settings=settings,
    )
    reply, usage = _reply(asker, request)
    if isinstance(reply, NoProposal):
        return reply
    read = read_merge(reply, plan.documents, evidence=plan.evidence, conflicts=known, settings=settings)
    if isinstance(read, Unusable):
        return NoProposal(reason=read.reason, usage=usage)
    first, *others = plan.documents
    left = [leave_reference(one, title=first.title, source=first.source) for one in others]
    texts = [
        _next(one, apply_edits(one.text, edits, media_type=one.media_type))
        for one, edits in zip(others, left, strict=True)
    ]
    return Proposal(
        operator=plan.operator,
        texts=(_next(first, read.text), *texts),
        edits=(read.edits, *left),
        conflicts=read.conflicts,
        prompt=str(MERGE_PROMPT),
        usage=usage,
    )


def _extracted(asker: Asker, plan: ProposalPlan, settings: WritingSettings) -> Proposal | NoProposal:
    known = conflicts_by_rule(plan.documents)
    request = extract_request(
        _words(EXTRACT_PROMPT),
        plan.documents,
        evidence=plan.evidence,
        conflicts=known,
        seed=plan.seed,
        settings=settings,
    )
    reply, usage = _reply(asker, request)
    if isinstance(reply, NoProposal):
        return reply
    read = read_extract(reply, plan.documents, conflicts=known, settings=settings)
    if isinstance(read, Unusable):
        return NoProposal(reason=read.reason, usage=usage)
    changed = [_next(plan.documents[number - 1], text) for number, _, text in read.changes]
    return Proposal(
        operator=plan.operator,
        texts=(ProposedText(text=read.text, source=read.source, title=read.title), *changed),
        edits=((), *(edits for _, edits, _ in read.changes)),
        conflicts=read.conflicts,
        prompt=str(EXTRACT_PROMPT),
        usage=usage,
    )


def _words(prompt: PromptName) -> str:
    return prompt_words(prompt.name, prompt.version)


def _reply(asker: Asker, request: ChatRequest) -> tuple[str | NoProposal, ChatUsage]:
    before = asker.usage
    (outcome,) = asker.complete([request])
    usage = asker.usage - before
    if isinstance(outcome, ChatFailure):
        return NoProposal(reason=outcome.kind.value, usage=usage, failure=outcome), usage
    return outcome.text, usage


def _next(document: DocumentText, text: str) -> ProposedText:
    return ProposedText(text=text, document_id=document.document_id, base_version=document.version)
