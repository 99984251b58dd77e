"""A candidate before the gates: what refuses it, and what is left for a person to look at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.lineage import Operator
from evolore.evolution.compared_texts import compared_texts
from evolore.evolution.corrections import corrected, corrections_of
from evolore.evolution.expansions import expansions_of
from evolore.evolution.feedback_echo import echoes_of
from evolore.evolution.gates.injection import of_the_candidate
from evolore.evolution.gates.running import novelty_gate, run_gates
from evolore.evolution.gates.verdicts import Gate
from evolore.evolution.job import CORRECTION
from evolore.evolution.what_is_new import adds_nothing, change_alike, said_again
from evolore.flows.evolving.documents import as_one, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.language import Language
    from evolore.domain.proposing import DocumentText
    from evolore.evolution.corrections import Correction
    from evolore.evolution.edits import SectionEdit
    from evolore.evolution.expansions import Expansion
    from evolore.evolution.gates.claims import Similar
    from evolore.evolution.job import Job, JobCandidate
    from evolore.evolution.settings import GateSettings


_ADDS_NOTHING = "novelty: The candidate adds nothing and puts nothing right"


def gated(
    job: Job,
    candidate: JobCandidate,
    documents: Sequence[DocumentText],
    *,
    settings: GateSettings,
    similar: Similar | None = None,
) -> dict[str, object]:
    """Give what the free gates say of a candidate, as its step holds it; the first that refuses ends it."""
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
    for verdict in verdicts:
        told = verdict
        if verdict.gate is Gate.NOVELTY:  # what only corrects is new: it is held against the original as it is
            told = novelty_gate(original, after, settings, earlier=earlier)
        if verdict.gate is Gate.INJECTION:
            told = of_the_candidate(verdict, original)
        doubts += str(replace(told, findings=told.doubts)).splitlines() if told.doubts else []
        if not told.passes:
            refusals = str(replace(told, findings=told.refusals)).splitlines()
            break
    comments = [one.comment for one in job.plan.complaints if one.comment]
    echoes = echoes_of(before, after, comments, language=language, evidence=[one.text for one in job.plan.evidence])
    refusals += [f"feedback: {value!r} stands in feedback alone" for value in echoes.values]
    doubts += [f"feedback: the words {words!r} stand in feedback alone" for words in echoes.words[:3]]
    again = said_again(original, after, language)
    doubts += [f"repetition: {one!r} is said more often than before" for one in again[:3]]
    doubts += [f"conflict: {one.first!r} or {one.second!r}" for one in candidate.conflicts]
    return {"candidate": candidate.id, "refusals": refusals, "doubts": doubts}


def _nearly(job: Job, candidate: JobCandidate, original: str, after: str) -> list[str]:
    """Give the candidates before this one that stand, and change nearly the same words."""
    texts = (joined(one.text for one in other.texts) for other in job.standing if int(other.id) < int(candidate.id))
    return [text for text in texts if change_alike(text, after, original=original)]


def _corrections(
    job: Job, candidate: JobCandidate, documents: Sequence[DocumentText], language: Language
) -> list[tuple[Correction, ...]]:
    """Give for each document the values that the candidate corrects by evidence: only what may add can correct."""
    assert job.plan is not None
    edits = _edits_of(candidate)
    evidence = job.plan.evidence if candidate.operator is Operator.MUTATION_DETAIL else ()
    return [
        corrections_of(
            one.text, edits.get(one.document_id, ()), evidence=evidence, language=language, media_type=one.media_type
        )
        for one in documents
    ]


def _expansions(job: Job, candidate: JobCandidate, documents: Sequence[DocumentText]) -> list[tuple[Expansion, ...]]:
    """Give for each document the short forms that the candidate spells out as a glossary has it."""
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
    """Give the evidence that a candidate's edits name."""
    assert job.plan is not None
    named = {id_ for some in candidate.edits for edit in some for id_ in edit.evidence}
    return [one.text for one in job.plan.evidence if one.id in named]
