"""Changes that people rolled back or rejected: a later job does not propose them again without new evidence or new people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evolore.domain.document import Document
from evolore.domain.episode import Episode
from evolore.domain.evolution import JobRecord, JobState, Promotion, Step
from evolore.domain.outcome import Rating
from evolore.domain.result import Result
from evolore.evolution.job import folded
from evolore.evolution.job_steps import JobCandidate, StepKind, read_step
from evolore.evolution.novelty import MadeChange, made_changes, repeats, states
from evolore.flows.evolve.log import Desk
from evolore.store.reading import StoreReader
from evolore.text.sentences import sentence_spans

_RATED, _ADDED = ("feedback_given",), ("document_added",)
_TOLD = frozenset({StepKind.PROPOSED, StepKind.GATED, StepKind.CLAIMS_JUDGED, StepKind.DECIDED, StepKind.REJECTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedDown(Result):
    """A change of a document that a person rolled back or rejected."""

    document_id: str  #: The document.
    state: JobState  #: ``rolled_back`` or ``rejected``.
    at: datetime  #: When.
    by: str | None  #: Who; None if unnamed.
    reason: str  #: Why.
    changes: tuple[MadeChange, ...]  #: What it changed, by section.

    @property
    def line(self) -> str:
        """What was decided, when, by whom and why."""
        who = self.by or "an unnamed person"
        return f"{self.state.value.replace('_', ' ')} on {self.at.date().isoformat()} by {who}: {self.reason}"


def turned_down(reader: StoreReader, document: Document) -> tuple[TurnedDown, ...]:
    """List the changes of a document that people rolled back or rejected; of jobs whose steps were erased only what was promoted."""
    rejected = reader.jobs(document_id=document.id, states=[JobState.REJECTED])
    steps = reader.steps_of([one.id for one in rejected], _TOLD)
    back = (rolled_back(reader, one, document) for one in reader.promotions(document_id=document.id))
    no = (one for job in rejected for one in _rejected(reader, job, steps, document))
    return (*(one for one in back if one is not None), *no)


def turned_down_in(reader: StoreReader, job: JobRecord, steps: Sequence[Step]) -> tuple[TurnedDown, ...]:
    """List what a job proposed and a person rolled back or rejected."""
    found: list[TurnedDown] = []
    promotions = reader.promotions(job_id=job.id)
    for document in reader.documents_with([base.document_id for base in job.bases]):
        mine = (one for one in promotions if any(of.document_id == document.id for of in one.documents))
        found += (back for one in mine if (back := rolled_back(reader, one, document)))
        if job.state is JobState.REJECTED:
            found += _rejected(reader, job, {job.id: steps}, document)
    return tuple(found)


def rolled_back(reader: StoreReader, promotion: Promotion, document: Document) -> TurnedDown | None:
    """Return what a promotion changed in a document, if a person rolled it back; None if not."""
    mine = next(one for one in promotion.documents if one.document_id == document.id)
    if promotion.rolled_back_at is None or not mine.before:
        return None
    after = None if mine.after is None else reader.document_text(document.id, mine.after)
    if mine.after is None:  # the text of a canary is erased; it counts only if a person ended it
        job = reader.job(promotion.job_id)
        if job is not None and job.state is JobState.ROLLED_BACK:
            candidate = folded(job.seed, _some(reader.steps(job.id))).candidate(promotion.candidate_id)
            texts = () if candidate is None else candidate.texts
            after = next((one.text for one in texts if one.document_id == document.id), None)
    before = reader.document_text(document.id, mine.before)
    if before is None or after is None:
        return None
    return TurnedDown(
        document_id=document.id,
        state=JobState.ROLLED_BACK,
        at=promotion.rolled_back_at,
        by=promotion.rolled_back_by,
        reason=promotion.rollback_reason,
        changes=made_changes(before, after, language=document.language, media_type=document.media_type),
    )


def _some(steps: Sequence[Step]) -> list[Step]:
    return [one for one in steps if one.kind in _TOLD]


def _rejected(
    reader: StoreReader, record: JobRecord, steps: Mapping[str, Sequence[Step]], document: Document
) -> Iterator[TurnedDown]:
    """Yield what a rejected job had put before a person: each candidate that passed the gates."""
    told = _some(steps.get(record.id, ()))
    job = folded(record.seed, told)
    if job.decision is None:
        return
    closed = read_step(told[-1])
    for text in (text for one in job.standing for text in one.texts if text.document_id == document.id):
        before = reader.document_text(document.id, text.base_version)
        if before is not None:
            yield TurnedDown(
                document_id=document.id,
                state=JobState.REJECTED,
                at=told[-1].at,
                by=closed.by,
                reason=closed.reason,
                changes=made_changes(before, text.text, language=document.language, media_type=document.media_type),
            )


def turned_down_again(desk: Desk, candidate: JobCandidate) -> tuple[str, ...]:
    """Return which changes of a candidate people turned down before, unless newer evidence states them or new people complain."""
    found: list[str] = []
    with desk.context.store.read(desk.context.namespace) as reader:
        evidence = reader.episodes([one.id for one in desk.job.plan.evidence])
        for text in desk.documents():
            document = reader.document(text.document_id)
            new = next((one.text for one in candidate.texts if one.document_id == text.document_id), None)
            if document is None or new is None:
                continue
            made = made_changes(text.text, new, language=text.language, media_type=text.media_type)
            for earlier in turned_down(reader, document):
                new = [_new_words(reader, one, earlier.at) for one in evidence]
                if any(
                    any(repeats(mine, one, text.language) for mine in made)
                    and not any(states(said, one, text.language) for said in new)
                    for one in earlier.changes
                ) and not _has_new_people(reader, document.id, earlier.at):
                    found.append(earlier.line)
    return tuple(dict.fromkeys(found))


def _new_words(reader: StoreReader, one: Episode, at: datetime) -> str:
    """Return the sentences of a passage that its document did not have at a moment."""
    if one.recorded_at <= at or one.document_id is None:
        return one.text if one.recorded_at > at else ""
    known = sum(event.recorded_at <= at for event in reader.history(one.document_id, kinds=_ADDED))
    before = (reader.document_text(one.document_id, known) if known else None) or ""
    said = (span.of(one.text).strip() for span in sentence_spans(one.text, language=one.language))
    return " ".join(sentence for sentence in said if sentence not in before)


def _has_new_people(reader: StoreReader, document_id: str, at: datetime) -> bool:
    """Return whether somebody rated a document BAD after a moment, and had not rated it before; unnamed people may have."""
    known = {one.principal for one in reader.history(document_id, kinds=_RATED) if one.recorded_at <= at}
    said = (one for one in reader.feedback(document_id=document_id) if one.rating is Rating.BAD and one.rated_at > at)
    return any(one.principal is not None and one.principal not in known for one in said)
