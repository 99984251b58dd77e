"""Candidates: a chat model is asked for section edits by one operator, and gates say what refuses them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatFailure, ChatUsage
from evolore.domain.contest import NoVerdict
from evolore.domain.evolution import Operator, ProposedText
from evolore.errors import InvalidValue
from evolore.evolution.corrections import corrected, corrections_of, expansions_of
from evolore.evolution.document_merge import MERGE_PROMPT, conflicts_by_rule, merge_request, read_merge
from evolore.evolution.edits import apply_edits, compared_texts, leave_reference
from evolore.evolution.extraction import EXTRACT_PROMPT, extract_request, read_extract
from evolore.evolution.fact_proof import CORRECTION
from evolore.evolution.gates.claim_judge import CLAIMS_PROMPT, changed_sections, claims_request, read_claim_reply
from evolore.evolution.gates.injection import of_the_candidate
from evolore.evolution.gates.screen import novelty_gate, run_gates
from evolore.evolution.gates.verdicts import Gate
from evolore.evolution.job import FROM_FEEDBACK
from evolore.evolution.mutation import WRITE_PROMPT, read_edits, write_request
from evolore.evolution.novelty import adds_nothing, change_alike, echoes_of, said_again
from evolore.evolution.requests import LONGEST_JOINED, Unusable, sections_to_show
from evolore.flows.evolve.documents import as_one, joined
from evolore.flows.evolve.entailment import without_settled_doubts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from evolore.chat.asking import Asker
    from evolore.domain.chat import ChatRequest
    from evolore.domain.contest import Complaint, DocumentText, EvidenceText
    from evolore.domain.language import Language
    from evolore.evolution.corrections import NewValue, SpeltOut
    from evolore.evolution.crossover import Clash
    from evolore.evolution.edits import SectionEdit
    from evolore.evolution.gates.claims import Similar
    from evolore.evolution.gates.verdicts import Concern, Ruling
    from evolore.evolution.job import Job, JobCandidate
    from evolore.evolution.requests import PromptName
    from evolore.evolution.settings import GateSettings
    from evolore.ports import Entailment

MADE_BEFORE = "made_before"
"""Why there is no candidate where the reply makes an earlier one again."""

CROSSOVERS = frozenset({Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT})
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
        prompt: With which words it was asked for.
        conflicts: Where documents of a crossover disagree, for a person to settle; both sides stand in its texts.
        usage: What it cost.
    """

    operator: Operator
    texts: tuple[ProposedText, ...]
    edits: tuple[tuple[SectionEdit, ...], ...]
    prompt: str
    conflicts: tuple[Clash, ...] = ()
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


def propose(asker: Asker, plan: ProposalPlan) -> Proposal | NoProposal:
    """Ask for a candidate; whatever goes wrong is a reason, and nothing of a reply is used that cannot all be used.

    Args:
        asker: Asks the chat model within its budget; at most one call, and tries after failures.
        plan: What to make it of.
    """
    reason = _unfit(plan)
    if reason:
        return NoProposal(reason=reason)
    if plan.operator is Operator.CROSSOVER_MERGE:
        return _merged(asker, plan)
    if plan.operator is Operator.CROSSOVER_EXTRACT:
        return _extracted(asker, plan)
    return _mutated(asker, plan)


def _unfit(plan: ProposalPlan) -> str:
    """Return why nobody is asked; nothing where somebody is."""
    if plan.operator in CROSSOVERS:
        return "too_long" if sum(len(one.text) for one in plan.documents) > LONGEST_JOINED else ""
    return "no_evidence" if plan.operator is Operator.MUTATION_DETAIL and not plan.evidence else ""


def _mutated(asker: Asker, plan: ProposalPlan) -> Proposal | NoProposal:
    (document,) = plan.documents
    shown = sections_to_show(document, plan.complaints, plan.evidence)
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
    )
    ids = frozenset(one.id for one in plan.evidence)
    asked = _asked(asker, request, lambda reply: read_edits(reply, plan.operator, document, shown=shown, evidence=ids))
    if isinstance(asked, NoProposal):
        return asked
    read, usage = asked
    if read.text.split() in [one.split() for one in plan.earlier]:
        return NoProposal(reason=MADE_BEFORE, usage=usage)
    return Proposal(
        operator=plan.operator,
        texts=(_next(document, read.text),),
        edits=(read.edits,),
        prompt=str(WRITE_PROMPT),
        usage=usage,
    )


def _merged(asker: Asker, plan: ProposalPlan) -> Proposal | NoProposal:
    known = conflicts_by_rule(plan.documents)
    request = merge_request(
        _words(MERGE_PROMPT),
        plan.documents,
        complaints=plan.complaints,
        evidence=plan.evidence,
        conflicts=known,
        seed=plan.seed,
    )
    asked = _asked(
        asker, request, lambda reply: read_merge(reply, plan.documents, evidence=plan.evidence, conflicts=known)
    )
    if isinstance(asked, NoProposal):
        return asked
    read, usage = asked
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


def _extracted(asker: Asker, plan: ProposalPlan) -> Proposal | NoProposal:
    known = conflicts_by_rule(plan.documents)
    request = extract_request(
        _words(EXTRACT_PROMPT),
        plan.documents,
        evidence=plan.evidence,
        conflicts=known,
        seed=plan.seed,
    )
    asked = _asked(asker, request, lambda reply: read_extract(reply, plan.documents, conflicts=known))
    if isinstance(asked, NoProposal):
        return asked
    read, usage = asked
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


_Read = TypeVar("_Read")


def _asked(
    asker: Asker, request: ChatRequest, read: Callable[[str], _Read | Unusable]
) -> tuple[_Read, ChatUsage] | NoProposal:
    before = asker.usage
    (outcome,) = asker.complete([request])
    usage = asker.usage - before
    if isinstance(outcome, ChatFailure):
        return NoProposal(reason=outcome.kind.value, usage=usage, failure=outcome)
    found = read(outcome.text)
    return NoProposal(reason=found.reason, usage=usage) if isinstance(found, Unusable) else (found, usage)


def _next(document: DocumentText, text: str) -> ProposedText:
    return ProposedText(text=text, document_id=document.document_id, base_version=document.version)


_ADDS_NOTHING = "novelty: The candidate adds nothing and puts nothing right"


def gated(
    job: Job,
    candidate: JobCandidate,
    documents: Sequence[DocumentText],
    *,
    settings: GateSettings,
    similar: Similar | None = None,
    entailment: Entailment | None = None,
) -> dict[str, object]:
    """Return what the free gates say of a candidate, as its step holds it; the first that refuses ends it.

    What they doubt is put to ``entailment``, where there is one.
    """
    assert job.plan is not None
    language = as_one(documents).language
    corrections = _corrections(job, candidate, documents, language)
    expansions = _expansions(job, candidate, documents)
    right = [
        replace(one, text=corrected(one.text, [*some, *spelled]))
        for one, some, spelled in zip(documents, corrections, expansions, strict=True)
    ]
    before, after = compared_texts(right, candidate.texts)
    original = compared_texts(documents, candidate.texts)[0]
    earlier = _nearly(job, candidate, original, after)
    verdicts = run_gates(
        before,
        after,
        language=language,
        operator=candidate.operator,
        evidence=cited_texts(job, candidate),
        earlier=earlier,
        settings=settings,
        similar=similar,
    )
    refusals, doubts = list[str](), [f"{CORRECTION}{one}" for some in corrections for one in some]
    doubts += dict.fromkeys(f"expansion: {one}" for some in expansions for one in some)
    if candidate.operator is Operator.MUTATION_DETAIL and adds_nothing(original, after):
        return {"candidate": candidate.id, "refusals": [_ADDS_NOTHING], "doubts": []}
    told = list(_told(verdicts, original, after, settings, earlier))
    told = without_settled_doubts(told, before, after, language=language, entailment=entailment)
    for one in told:
        doubts += str(replace(one, findings=one.doubts)).splitlines() if one.doubts else []
        refusals += [] if one.passes else str(replace(one, findings=one.refusals)).splitlines()
    comments = [one.comment for one in job.plan.complaints if one.comment]
    echoes = echoes_of(before, after, comments, language=language, evidence=[one.text for one in job.plan.evidence])
    refusals += [f"{FROM_FEEDBACK}{value!r} stands in feedback alone" for value in echoes.values]
    doubts += [f"{FROM_FEEDBACK}the words {words!r} stand in feedback alone" for words in echoes.words[:3]]
    again = said_again(original, after, language)
    doubts += [f"repetition: {one!r} is said more often than before" for one in again[:3]]
    doubts += [f"conflict: {one.first!r} or {one.second!r}" for one in candidate.conflicts]
    return {"candidate": candidate.id, "refusals": refusals, "doubts": doubts}


def _told(
    verdicts: Iterable[Ruling], original: str, after: str, settings: GateSettings, earlier: Sequence[str]
) -> Iterator[Ruling]:
    """Yield what gates say of the candidate itself, up to the first that refuses."""
    for verdict in verdicts:
        told = verdict
        if verdict.gate is Gate.NOVELTY:  # what only corrects is new: it is held against the original as it is
            told = novelty_gate(original, after, settings, earlier=earlier)
        if verdict.gate is Gate.INJECTION:
            told = of_the_candidate(verdict, original)
        yield told
        if not told.passes:
            return


def _nearly(job: Job, candidate: JobCandidate, original: str, after: str) -> list[str]:
    """Return the candidates before this one that stand, and change nearly the same words."""
    texts = (joined(one.text for one in other.texts) for other in job.standing if int(other.id) < int(candidate.id))
    return [text for text in texts if change_alike(text, after, original=original)]


def _corrections(
    job: Job, candidate: JobCandidate, documents: Sequence[DocumentText], language: Language
) -> list[tuple[NewValue, ...]]:
    """Return for each document the values that the candidate corrects by evidence: only what may add can correct."""
    assert job.plan is not None
    edits = _edits_of(candidate)
    evidence = job.plan.evidence if candidate.operator is Operator.MUTATION_DETAIL else ()
    return [
        corrections_of(
            one.text, edits.get(one.document_id, ()), evidence=evidence, language=language, media_type=one.media_type
        )
        for one in documents
    ]


def _expansions(job: Job, candidate: JobCandidate, documents: Sequence[DocumentText]) -> list[tuple[SpeltOut, ...]]:
    """Return for each document the short forms that the candidate spells out as a glossary has it."""
    assert job.plan is not None
    edits = _edits_of(candidate)
    return [
        expansions_of(one.text, edits.get(one.document_id, ()), evidence=job.plan.evidence, media_type=one.media_type)
        for one in documents
    ]


def _edits_of(candidate: JobCandidate) -> dict[str, tuple[SectionEdit, ...]]:
    return {
        text.document_id: some for text, some in zip(candidate.texts, candidate.edits, strict=True) if text.document_id
    }


def cited_texts(job: Job, candidate: JobCandidate) -> list[str]:
    """Return the evidence that a candidate's edits name."""
    assert job.plan is not None
    named = {id_ for some in candidate.edits for edit in some for id_ in edit.evidence}
    return [one.text for one in job.plan.evidence if one.id in named]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsJudged:
    """What a chat model says of the claims of a rewrite.

    Args:
        lost: What the original says and the rewrite does not; each with its place in the original.
        invented: What the rewrite says, and neither the original nor the evidence; each with its place in the rewrite.
        judge: Name and version of the model and its words; empty where nothing differs and nobody was asked.
        usage: What it cost.
    """

    lost: tuple[Concern, ...] = ()
    invented: tuple[Concern, ...] = ()
    judge: str = ""
    usage: ChatUsage = field(default_factory=ChatUsage)

    @property
    def passes(self) -> bool:
        """Whether nothing is lost and nothing invented."""
        return not (self.lost or self.invented)


def judge_claims(
    asker: Asker,
    before: str,
    after: str,
    *,
    language: Language,
    evidence: Sequence[EvidenceText] = (),
    doubts: Sequence[str] = (),
) -> ClaimsJudged | NoVerdict:
    """Ask the chat model to judge a rewrite's claims in one call; nothing the model does raises.

    Args:
        asker: Asks the chat model within its budget.
        before: The original; of a crossover, all of them joined.
        after: The rewrite; likewise.
        language: What they are written in.
        evidence: What the rewrite may say besides. Feedback is none.
        doubts: What the free gates suspect, in their words; the model decides.

    Returns:
        What is lost and invented, or why there is no verdict: the rewrite then is not approved by itself.
    """
    changed = changed_sections(before, after)
    if not (changed.before or changed.after):
        return ClaimsJudged()
    if changed.is_too_long:
        return NoVerdict(reason="too_long")
    usage = asker.usage
    words = prompt_words(CLAIMS_PROMPT.name, CLAIMS_PROMPT.version)
    request = claims_request(words, changed, language=language, evidence=evidence, doubts=doubts)
    (outcome,) = asker.complete([request])
    if isinstance(outcome, ChatFailure):
        return NoVerdict(reason=f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value)
    read = read_claim_reply(outcome.text, before, after, language=language, evidence=evidence)
    if isinstance(read, Unusable):
        return NoVerdict(reason=read.reason)
    return ClaimsJudged(
        lost=read.lost,
        invented=read.invented,
        judge=f"{asker.model_id}/{CLAIMS_PROMPT}",
        usage=asker.usage - usage,
    )
