"""A candidate before the gates: what refuses it, and what is left for a person to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.feedback_echo import echoes_of
from evolore.evolution.gates.running import run_gates
from evolore.flows.evolving.documents import as_one, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.proposing import DocumentText
    from evolore.evolution.gate_settings import GateSettings
    from evolore.evolution.job import Job, JobCandidate


def gated(
    job: Job, candidate: JobCandidate, documents: Sequence[DocumentText], *, settings: GateSettings
) -> dict[str, object]:
    """Give what the free gates say of a candidate, as its step holds it; the first that refuses ends it."""
    assert job.plan is not None
    before, after = joined(one.text for one in documents), joined(one.text for one in candidate.texts)
    language = as_one(documents).language
    cited = cited_texts(job, candidate)
    refusals: list[str] = []
    verdicts = run_gates(
        before,
        after,
        language=language,
        operator=candidate.operator,
        evidence=cited,
        earlier=[joined(one.text for one in other.texts) for other in _before(job, candidate)],
        settings=settings,
    )
    for verdict in verdicts:
        if not verdict.passes:
            refusals = str(verdict).splitlines()
            break
    comments = [one.comment for one in job.plan.complaints if one.comment]
    echoes = echoes_of(before, after, comments, language=language, evidence=[one.text for one in job.plan.evidence])
    refusals += [f"feedback: {value!r} stands in feedback alone" for value in echoes.values]
    doubts = [f"feedback: the words {words!r} stand in feedback alone" for words in echoes.words[:3]]
    doubts += [f"conflict: {one.first!r} or {one.second!r}" for one in candidate.conflicts]
    return {"candidate": candidate.id, "refusals": refusals, "doubts": doubts}


def cited_texts(job: Job, candidate: JobCandidate) -> list[str]:
    """Give the evidence that a candidate's edits name."""
    assert job.plan is not None
    named = {id_ for some in candidate.edits for edit in some for id_ in edit.evidence}
    return [one.text for one in job.plan.evidence if one.id in named]


def _before(job: Job, candidate: JobCandidate) -> Iterator[JobCandidate]:
    for other in job.candidates:
        if other.id == candidate.id:
            return
        yield other
