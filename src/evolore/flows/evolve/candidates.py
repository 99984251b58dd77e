"""Candidates: ask a chat model for section edits by one operator, and refuse them by gates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatFailure
from evolore.domain.contest import DocumentText, EvidenceText, NoVerdict
from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.evolution import crossover
from evolore.evolution.corrections import NewValue, corrected, corrections_of, expansions_of
from evolore.evolution.edits import compared_texts
from evolore.evolution.fact_proof import CORRECTION
from evolore.evolution.gates import claim_judge
from evolore.evolution.gates.claims import Similar
from evolore.evolution.gates.injection import of_the_candidate
from evolore.evolution.gates.screen import novelty_gate, run_gates
from evolore.evolution.gates.verdicts import Gate, Ruling
from evolore.evolution.job import FROM_FEEDBACK, Job
from evolore.evolution.job_steps import GateFindings, JobCandidate
from evolore.evolution.mutation import AIMS, WRITE_PROMPT, read_edits, write_request
from evolore.evolution.novelty import adds_nothing, change_alike, echoes_of, said_again
from evolore.evolution.proposals import CROSSOVERS, Proposal, ProposalPlan
from evolore.evolution.requests import LONGEST_JOINED, Unusable
from evolore.flows.evolve.documents import as_one, joined
from evolore.flows.evolve.entailment import without_settled_doubts
from evolore.ports import Entailment
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans

_WAYS = {
    **dict.fromkeys(AIMS, (WRITE_PROMPT, write_request, read_edits)),
    Operator.CROSSOVER_MERGE: (crossover.MERGE_PROMPT, crossover.merge_request, crossover.read_merge),
    Operator.CROSSOVER_EXTRACT: (crossover.EXTRACT_PROMPT, crossover.extract_request, crossover.read_extract),
}
"""By operator, with which words a candidate is asked for, how, and what of the reply is taken."""


def propose(asker: Asker, plan: ProposalPlan) -> Proposal | Unusable:
    """Ask for a candidate; every failure is a reason, and a reply is used whole or not at all.

    Args:
        asker: Asks the chat model within its budget; at most one call, and tries after failures.
        plan: What to make it of.

    Returns:
        The candidate, or why there is none: what kind of failure, such as ``timed_out``; ``nothing_to_improve``,
        ``made_before``, ``too_long``, ``no_evidence``; or what is wrong with the reply.
    """
    reason = _unfit(plan)
    if reason:
        return Unusable(reason=reason)
    prompt, request, read = _WAYS[plan.operator]
    (outcome,) = asker.complete([request(prompt_words(prompt.name, prompt.version), plan)])
    return Unusable(reason=outcome.kind.value) if isinstance(outcome, ChatFailure) else read(outcome.text, plan)


def _unfit(plan: ProposalPlan) -> str:
    """Return why the model is not asked; nothing where it is."""
    if plan.operator in CROSSOVERS:
        return "too_long" if sum(len(one.text) for one in plan.documents) > LONGEST_JOINED else ""
    if plan.operator is Operator.MUTATION_DETAIL and not plan.evidence:
        return "no_evidence"
    return "" if plan.shown else "too_long"


_ADDS_NOTHING = "novelty: The candidate adds nothing and puts nothing right"


def gated(
    job: Job,
    candidate: JobCandidate,
    documents: Sequence[DocumentText],
    *,
    similar: Similar | None = None,
    entailment: Entailment | None = None,
) -> GateFindings:
    """Return what the free gates say of a candidate; the first that refuses ends it.

    What they doubt is put to ``entailment``, where there is one.
    """
    language = as_one(documents).language
    corrections, expansions = zip(*(_new_values(job, candidate, one, language) for one in documents), strict=True)
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
        similar=similar,
    )
    refusals, doubts = list[str](), [f"{CORRECTION}{one}" for some in corrections for one in some]
    doubts += dict.fromkeys(f"expansion: {one}" for some in expansions for one in some)
    drops = compare_spans(protected_spans(original, language), protected_spans(after, language)).lost
    if candidate.operator is Operator.MUTATION_DETAIL and adds_nothing(original, after) and not drops:
        return GateFindings(candidate=candidate.id, refusals=(_ADDS_NOTHING,))
    told = list(_told(verdicts, original, after, earlier))
    told = without_settled_doubts(told, before, after, language=language, entailment=entailment)
    for one in told:
        doubts += str(replace(one, findings=one.doubts)).splitlines() if one.doubts else []
        refusals += [] if one.passes else str(replace(one, findings=one.refusals)).splitlines()
    comments = [one.comment for one in job.plan.complaints if one.comment]
    echoes = echoes_of(before, after, comments, language=language, evidence=[one.text for one in job.plan.evidence])
    refusals += [f"{FROM_FEEDBACK}{value!r} is in feedback alone" for value in echoes.values]
    doubts += [f"{FROM_FEEDBACK}the words {words!r} are in feedback alone" for words in echoes.words[:3]]
    again = said_again(original, after, language)
    doubts += [f"repetition: {one!r} occurs more often than before" for one in again[:3]]
    doubts += [f"conflict: {one.first!r} or {one.second!r}" for one in candidate.conflicts]
    return GateFindings(candidate=candidate.id, refusals=tuple(refusals), doubts=tuple(doubts))


def _told(verdicts: Iterable[Ruling], original: str, after: str, earlier: Sequence[str]) -> Iterator[Ruling]:
    """Yield what gates say of the candidate itself, up to the first that refuses."""
    for verdict in verdicts:
        told = verdict
        if verdict.gate is Gate.NOVELTY:  # what only corrects is new: it is held against the original as it is
            told = novelty_gate(original, after, earlier=earlier)
        if verdict.gate is Gate.INJECTION:
            told = of_the_candidate(verdict, original)
        yield told
        if not told.passes:
            return


def _nearly(job: Job, candidate: JobCandidate, original: str, after: str) -> list[str]:
    """Return the earlier candidates that were not refused, and change nearly the same words."""
    texts = (joined(one.text for one in other.texts) for other in job.standing if int(other.id) < int(candidate.id))
    return [text for text in texts if change_alike(text, after, original=original)]


def _new_values(
    job: Job, candidate: JobCandidate, document: DocumentText, language: Language
) -> tuple[tuple[NewValue, ...], tuple[NewValue, ...]]:
    """Return the values that a candidate corrects by evidence, which only what may add can, and the short forms it spells out."""
    made = zip(candidate.texts, candidate.edits, strict=True)
    edits = next((some for text, some in made if text.document_id == document.document_id), ())
    evidence, text, media_type = job.plan.evidence, document.text, document.media_type
    cited = evidence if candidate.operator is Operator.MUTATION_DETAIL else ()
    values = corrections_of(text, edits, evidence=cited, language=language, media_type=media_type)
    return values, expansions_of(text, edits, evidence=evidence, media_type=media_type)


def cited_texts(job: Job, candidate: JobCandidate) -> list[str]:
    """Return the evidence that a candidate's edits name."""
    named = {id_ for some in candidate.edits for edit in some for id_ in edit.evidence}
    return [one.text for one in job.plan.evidence if one.id in named]


def judge_claims(
    asker: Asker,
    before: str,
    after: str,
    *,
    language: Language,
    evidence: Sequence[EvidenceText] = (),
    doubts: Sequence[str] = (),
) -> claim_judge.ReadClaims | NoVerdict:
    """Ask the chat model to judge a rewrite's claims in one call; nothing the model does raises.

    Returns:
        What is lost and invented, or why there is no verdict: the rewrite then is not approved by itself.
    """
    changed = claim_judge.changed_sections(before, after)
    if not (changed.before or changed.after):
        return claim_judge.ReadClaims()
    if changed.is_too_long:
        return NoVerdict(reason="too_long")
    words = prompt_words(claim_judge.CLAIMS_PROMPT.name, claim_judge.CLAIMS_PROMPT.version)
    request = claim_judge.claims_request(words, changed, language=language, evidence=evidence, doubts=doubts)
    (outcome,) = asker.complete([request])
    if isinstance(outcome, ChatFailure):
        return NoVerdict(reason=f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value)
    read = claim_judge.read_claim_reply(outcome.text, before, after, language=language, evidence=evidence)
    return NoVerdict(reason=read.reason) if isinstance(read, Unusable) else read
