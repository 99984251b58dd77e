"""Overview of evolution in a whole memory: ``stats``, ``history`` and ``candidates``, each also in the API's form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from evolore.domain.checks import check_count
from evolore.domain.contest import Scores
from evolore.domain.evolution import JobState, Operator, PromotedDocument, Promotion
from evolore.domain.feedback import people
from evolore.domain.result import Result
from evolore.evolution.contest_plan import TrialOutcome
from evolore.evolution.job import folded, merged_at, taken_by
from evolore.evolution.job_steps import JobCandidate, StepKind
from evolore.flows.browse import document_named
from evolore.flows.context import Context
from evolore.flows.evolve.blame import Complaints
from evolore.flows.evolve.rollback import can_roll_back
from evolore.flows.evolve.show import CandidateView, EvolutionJob
from evolore.store.reading import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionStats(Result):
    """How much was said of documents, and what followed.

    Feedback is counted as the seed keeps it: one for each document that a rated answer rests on.
    """

    good: int  #: How often somebody said that a document served.
    bad: int  #: How often somebody said that it did not.
    pending_bad: int  #: How many of those no job has taken up.
    #: The documents that ``evolve`` would begin a job about now, those with the most complaints first.
    eligible_document_ids: tuple[str, ...]
    total_evolutions: int  #: How many jobs were begun.
    successful_evolutions: int  #: How many of them ended in a text that is before everybody and was not taken back.
    threshold: int  #: From how many people's BAD ratings on a job is begun.
    documents: int  #: How many documents there are.

    def to_seed(self) -> dict[str, object]:
        """Return it in the API's form (``GET /api/evolution/stats``), field for field."""
        return {
            "feedback": {
                "total": self.good + self.bad,
                "good": self.good,
                "bad": self.bad,
                "pendingBad": self.pending_bad,
            },
            "evolution": {
                "eligibleDocuments": len(self.eligible_document_ids),
                "eligibleDocumentIds": list(self.eligible_document_ids),
                "totalEvolutions": self.total_evolutions,
                "successfulEvolutions": self.successful_evolutions,
                "threshold": self.threshold,
            },
            "documents": {"total": self.documents},
        }


def stats(context: Context) -> tuple[EvolutionStats, tuple[EligibleDocument, ...]]:
    """Count feedback, jobs and documents, and list the documents that ``evolve`` would take up."""
    with context.store.read(context.namespace) as reader:
        good, bad, pending_bad = reader.feedback_counts()
        jobs = reader.job_counts()
        eligible = tuple(_eligible(context, reader))
        figures = EvolutionStats(
            good=good,
            bad=bad,
            pending_bad=pending_bad,
            eligible_document_ids=tuple(one.id for one in eligible),
            total_evolutions=sum(jobs.values()),
            successful_evolutions=jobs.get(JobState.PROMOTED, 0),
            threshold=context.settings.evolution.bad_feedback_threshold,
            documents=reader.document_count(),
        )
        return figures, eligible


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionRecord(Result):
    """One change of one document by evolution: one generation in its line."""

    #: Of this entry: that of the promotion; of its second document on with the number behind it, as in ``…-2``.
    id: str
    promotion_id: str  #: The promotion, which ``rollback`` takes.
    document_id: str  #: The document.
    source: str  #: Where the document came from; empty where it was forgotten.
    generation: int  #: Counts promotions of the document from 1.
    operator: Operator  #: How the text was made.
    win_rate: float  #: The share of matches, or of a correction's questions, that it won, 0-1.
    feedback_ids: tuple[str, ...]  #: The ratings that caused it.
    before: str | None  #: The whole text before; None where it was forgotten, or there was none.
    after: str | None  #: The whole text that was promoted; None where it was forgotten.
    can_roll_back: bool  #: Whether ``rollback`` would take it back now.
    created_at: datetime  #: When it was promoted.
    rolled_back_at: datetime | None = None  #: When it was taken back; None while it holds.
    merged_at: datetime | None = None  #: When its file was found to say it; None while it does not.

    def to_seed(self) -> dict[str, object]:
        """Return it in the API's form (``GET /api/evolution/history``), field for field."""
        return {
            "id": self.id,
            "documentId": self.document_id,
            "generation": self.generation,
            "mutationType": self.operator.value,
            "winRate": self.win_rate,
            "triggerFeedbackIds": list(self.feedback_ids),
            "previousContentSnapshot": self.before,
            "newContentSnapshot": self.after,
            "rollbackAvailable": self.can_roll_back,
            "createdAt": self.created_at.isoformat(),
        }


def history(
    context: Context, document: str | None = None, *, before: str = "", limit: int = 50
) -> tuple[EvolutionRecord, ...]:
    """List what evolution changed, the newest first: of all documents, or of one.

    A text that is before some people only is listed once it is before all.
    """
    check_count(limit, "limit")
    with context.store.read(context.namespace) as reader:
        wanted = None if document is None else document_named(reader, document).id
        found = [entry for entry in _entries(reader) if wanted in {None, entry.one.document_id}]
        end = next((place for place, entry in enumerate(found) if before and entry.id == before), len(found))
        return tuple(_record(reader, entry) for entry in found[max(0, end - limit) : end][::-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A document of a promotion, with its place in both."""

    promotion: Promotion
    one: PromotedDocument
    place: int
    generation: int

    @property
    def id(self) -> str:
        """That of the promotion; of its second document on with the number behind it."""
        return _numbered(self.promotion.id, self.place)


def _entries(reader: StoreReader) -> Iterator[_Entry]:
    """Yield every change of every document, oldest first."""
    generations: dict[str, int] = {}
    for promotion in reader.promotions():
        for place, one in enumerate(promotion.documents):
            if one.after:  # a canary is no generation before it is before all
                generation = generations[one.document_id] = generations.get(one.document_id, 0) + 1
                yield _Entry(promotion=promotion, one=one, place=place, generation=generation)


def _record(reader: StoreReader, entry: _Entry) -> EvolutionRecord:
    promotion, one = entry.promotion, entry.one
    merges = reader.steps_of([promotion.job_id], {StepKind.MERGED})
    document = reader.document(one.document_id)
    return EvolutionRecord(
        id=entry.id,
        promotion_id=promotion.id,
        document_id=one.document_id,
        source="" if document is None else document.source,
        generation=entry.generation,
        operator=promotion.operator,
        win_rate=promotion.win_rate,
        feedback_ids=_taken(reader, promotion.job_id),
        before=reader.document_text(one.document_id, one.before) if one.before else None,
        after=reader.document_text(one.document_id, one.after) if one.after else None,
        can_roll_back=can_roll_back(reader, promotion),
        created_at=promotion.promoted_at,
        rolled_back_at=promotion.rolled_back_at,
        merged_at=merged_at(merges.get(promotion.job_id, ()), promotion.id, one.document_id),
    )


def _taken(reader: StoreReader, job_id: str) -> tuple[str, ...]:
    first = reader.step(job_id, 1)  # a job is begun by its first step
    return () if first is None else taken_by([first])


def _numbered(id_: str, place: int) -> str:
    return f"{id_}-{place + 1}" if place else id_


@dataclass(frozen=True, slots=True, kw_only=True)
class EligibleDocument:
    """A document that ``evolve`` would begin a job about."""

    id: str  #: Which.
    source: str  #: Where it came from.
    title: str  #: What it is called.
    people: int  #: How many people complain of it.
    feedback_ids: tuple[str, ...]  #: What they said, by id, oldest first.


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCandidate:
    """A text that an open job proposes for a document."""

    #: Of this text: the job's and the candidate's number, as in ``…-1``; of its second text on with that number too.
    id: str
    job_id: str  #: The job, which ``approve`` takes.
    candidate_id: str  #: The candidate's number in the job.
    content: str  #: The whole text.
    operator: Operator  #: How it was made.
    document_id: str  #: The document that the text is for; of a new one the first that it was made from.
    parent_document_ids: tuple[str, ...] = ()  #: The documents it was made from; empty where it is one.
    is_refused: bool = False  #: Whether a gate ended it.

    def to_seed(self) -> dict[str, object]:
        """Return it as the seed's ``DocumentCandidate``, field for field."""
        return {
            "id": self.id,
            "content": self.content,
            "mutationType": self.operator.value,
            "sourceDocumentId": self.document_id,
            **({"parentDocumentIds": list(self.parent_document_ids)} if self.parent_document_ids else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """How a candidate did."""

    candidate_id: str  #: The id of its text, as its ``DocumentCandidate`` has it.
    win_rate: float  #: The share of matches, or of a correction's questions, that it won, 0-1, a tie counting half.
    #: The judge's scores for its answers, each 1-5 on average; None where no reply of the judge had any.
    metrics: Scores | None

    @property
    def score(self) -> float | None:
        """The mean of the three metrics, 1-5; None where there are none."""
        return None if self.metrics is None else self.metrics.total / 3

    def to_seed(self) -> dict[str, object]:
        """Return it as the seed's ``EvaluationResult``, field for field; null where it was not judged."""
        names = ("helpfulness", "correctness", "coherence")
        return {
            "candidateId": self.candidate_id,
            "score": self.score,
            "winRate": self.win_rate,
            "metrics": {name: None if self.metrics is None else getattr(self.metrics, name) for name in names},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionCandidates(Result):
    """What may become of documents."""

    #: The documents that ``evolve`` would begin a job about now, those with the most complaints first.
    eligible: tuple[EligibleDocument, ...]
    candidates: tuple[DocumentCandidate, ...]  #: What open jobs propose, the newest job first.
    results: tuple[EvaluationResult, ...]  #: How those that were tried did.

    def to_seed(self) -> dict[str, object]:
        """Return it with the seed's ``DocumentCandidate`` and ``EvaluationResult`` (``GET /api/evolution/candidates``)."""
        return {
            "eligibleDocumentIds": [one.id for one in self.eligible],
            "candidates": [one.to_seed() for one in self.candidates],
            "evaluationResults": [one.to_seed() for one in self.results],
        }


def candidates(context: Context, document: str | None = None, *, limit: int = 50) -> EvolutionCandidates:
    """List the documents that ``evolve`` would take up, and the candidates of open jobs: of all documents, or of one."""
    check_count(limit, "limit")
    with context.store.read(context.namespace) as reader:
        wanted = None if document is None else document_named(reader, document).id
        records = reader.jobs(states=[one for one in JobState if one.is_open], document_id=wanted, limit=limit)
        jobs = [(record, folded(record.seed, reader.steps(record.id))) for record in records]
        made = [(record, candidate, job.outcome) for record, job in jobs for candidate in job.candidates]
        return EvolutionCandidates(
            eligible=tuple(one for one in _eligible(context, reader) if wanted in {None, one.id}),
            candidates=tuple(
                text
                for record, candidate, _ in made
                for text in _texts(record.id, [base.document_id for base in record.bases], candidate)
            ),
            results=tuple(
                result for record, candidate, outcome in made for result in _results(record.id, candidate, outcome)
            ),
        )


def seed_job(job: EvolutionJob) -> dict[str, object]:
    """Return a job in the form of ``POST /api/evolution/run``, with our finer ``state``; null where nothing won."""
    parents = [one.id for one in job.documents]
    outcome = job.outcome
    made = [one for candidate in job.candidates for one in _texts(job.id, parents, candidate)]
    results = [one for candidate in job.candidates for one in _results(job.id, candidate, outcome)]
    return {
        "id": job.id,
        "documentId": parents[0] if parents else None,
        "status": "running" if job.state is JobState.RUNNING else "completed",
        "state": job.state.value,
        "candidates": [one.to_seed() for one in made],
        "evaluationResults": [one.to_seed() for one in results],
        "winnerCandidateId": f"{job.id}-{job.candidate_id}" if job.candidate_id else None,
    }


def _texts(job_id: str, parents: list[str], made: CandidateView | JobCandidate) -> Iterator[DocumentCandidate]:
    for place, text in enumerate(made.texts):
        yield DocumentCandidate(
            id=_numbered(f"{job_id}-{made.id}", place),
            job_id=job_id,
            candidate_id=made.id,
            content=text.text,
            operator=made.operator,
            document_id=text.document_id or parents[0],
            parent_document_ids=tuple(parents) if len(parents) > 1 else (),
            is_refused=bool(made.refusals),
        )


def _eligible(context: Context, reader: StoreReader) -> Iterator[EligibleDocument]:
    least = context.settings.evolution.bad_feedback_threshold
    complaints = Complaints(reader, least=least, today=context.clock.now().date())
    for one in complaints.documents():
        said = complaints.about(one.id)
        yield EligibleDocument(
            id=one.id,
            source=one.source,
            title=one.title,
            people=people(said),
            feedback_ids=tuple(about.id for about in said),
        )


def _results(
    job_id: str, candidate: CandidateView | JobCandidate, outcome: TrialOutcome | None
) -> Iterator[EvaluationResult]:
    """Yield how a candidate did: in the proof of a correction, or in the matches that say most of those it had."""
    metrics = None if outcome is None else dict(outcome.judge.candidates).get(candidate.id)
    tried = () if outcome is None else (one for one in outcome.candidates if one.candidate_id == candidate.id)
    played = [tally for one in tried for tally in (one.confirm, one.screen, one.complaints) if tally.played]
    if candidate.proof is not None and candidate.proof.is_proved:
        rate, metrics = candidate.proof.win_rate, candidate.proof.metrics
    elif played:
        rate = float(played[0].win_rate)
    else:
        return
    yield EvaluationResult(candidate_id=f"{job_id}-{candidate.id}", win_rate=rate, metrics=metrics)
