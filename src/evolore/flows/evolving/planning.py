"""What a job goes by: what people complained of, what may be cited, and by which questions candidates are tried."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.domain.answers import Query
from evolore.domain.lineage import Operator, TrialStage
from evolore.domain.proposing import Complaint, EvidenceText
from evolore.domain.queries import Rating
from evolore.domain.trials import QuestionOrigin, TrialQuestion
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.job import StepKind
from evolore.evolution.job_forms import to_json, to_judged
from evolore.evolution.questions import split_questions, words_of
from evolore.flows.evolving.documents import as_one, joined
from evolore.flows.evolving.job_log import Stopped
from evolore.flows.question_supply import generate_questions
from evolore.flows.recall import recall
from evolore.flows.sentence_likeness import similar_by
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from evolore.domain.feedback import Feedback
    from evolore.domain.proposing import DocumentText
    from evolore.evolution.questions import QuestionSets
    from evolore.evolution.settings import EvolutionSettings
    from evolore.flows.context import Context
    from evolore.flows.evolving.recorded_model import JobAsker
    from evolore.flows.question_supply import Nearest
    from evolore.ports import StoreReader
    from evolore.text.sections import Section

_NEEDS_EVIDENCE = frozenset({Operator.MUTATION_DETAIL})
_NO_FAULT = frozenset({"no_claims", "no_question", "asked_before"})
"""Reasons why a claim has no question that say nothing against the reply."""

_EVIDENCE_QUESTIONS = 12
_EVIDENCE_HITS = 6
_EVIDENCE_PASSAGES = 8
_EVIDENCE_CHARACTERS = 6000
_EVIDENCE_CLAIMS = 10
_PAST_QUERIES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of the documents of a job.

    Args:
        documents: With their texts.
        taken: The feedback that the job took up.
        feedback: All feedback about them.
        asked: Questions whose best hits lie in them, by id.
        used: Questions by which earlier candidates were proved or refused, by their words.
    """

    documents: tuple[DocumentText, ...]
    taken: tuple[Feedback, ...]
    feedback: tuple[Feedback, ...]
    asked: Mapping[str, str]
    used: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The plan of a job.

    Args:
        body: As its step holds it.
        asked: The ids of the questions that people asked and whose words stand in it.
    """

    body: dict[str, object]
    asked: tuple[str, ...]


def known_of(reader: StoreReader, job_id: str, taken: Collection[str], documents: Sequence[DocumentText]) -> Known:
    """Read what a job is planned from."""
    ids = [one.document_id for one in documents]
    feedback = tuple(one for id_ in ids for one in reader.feedback(document_id=id_))
    return Known(
        documents=tuple(documents),
        taken=tuple(one for one in feedback if one.id in taken),
        feedback=feedback,
        asked={
            query_id: text for id_ in ids for query_id, text in reader.asked_about(id_, limit=_PAST_QUERIES).items()
        },
        used=frozenset(words_of(text) for id_ in ids for text in _used(reader, id_, but=job_id)),
    )


def plan(
    context: Context,
    asker: JobAsker,
    known: Known,
    *,
    seed: int,
    operators: Sequence[Operator],
    settings: EvolutionSettings,
) -> Planned:
    """Make the plan of a job.

    Raises:
        Stopped: Questions are wanted, and nothing that the model wrote can be used.
    """
    complaints = tuple(_complaint(one) for one in known.taken)
    evidence = _evidence(context, known, complaints)
    questions = list(supplied(known))
    sets = split_questions(questions, settings)
    missing = sets.missing(settings)
    if missing and asker.has_model:
        nearest = _nearest(context, complaints)
        written = _written(asker, known, evidence, questions, count=missing, seed=seed, nearest=nearest)
        sets = split_questions([*questions, *written], settings)
    asked = asked_in(known, sets)
    body: dict[str, object] = {
        "bases": [{"document_id": one.document_id, "version": one.version} for one in known.documents],
        "operators": [one for one in operators if evidence or one not in _NEEDS_EVIDENCE],
        "complaints": complaints,
        "evidence": evidence,
        "questions": to_json(sets),
        "asked": asked,
        "suspicions": list(_suspicions(known)),
    }
    return Planned(body=body, asked=asked)


def _written(
    asker: JobAsker,
    known: Known,
    evidence: Sequence[EvidenceText],
    questions: Sequence[TrialQuestion],
    *,
    count: int,
    seed: int,
    nearest: Nearest | None,
) -> list[TrialQuestion]:
    """Have questions written for claims of the documents, and of the evidence: what is missing has no claim of its own."""
    whole = as_one(known.documents)
    asked = [(whole, count)]
    if evidence:
        told = replace(whole, text=joined(one.text for one in evidence))
        asked = [(whole, (count + 1) // 2), (told, min((count + 1) // 2, _EVIDENCE_CLAIMS))]
    found: list[TrialQuestion] = []
    skips: list[str] = []
    for document, share in asked:
        known_questions = [*questions, *found]
        written = generate_questions(asker, document, count=share, seed=seed, known=known_questions, nearest=nearest)
        found += written.questions
        skips += [f"{number} {reason}" for reason, number in written.skips if reason not in _NO_FAULT]
    if skips and not (found or asker.failures):
        raise Stopped(f"No question could be written: {', '.join(skips)}", is_unusable=True)
    return found


def _nearest(context: Context, complaints: Sequence[Complaint]) -> Nearest | None:
    """Give how near texts are to what people complained of, by the nearest of their questions; None without any."""
    asked = tuple(dict.fromkeys(one.question for one in complaints if one.question.strip()))
    if not asked:
        return None
    similar = similar_by(context.embedder)
    return lambda texts: [float(one) for one in similar(texts, asked).max(axis=1)]


def supplied(known: Known) -> Iterator[TrialQuestion]:
    """Give the questions that people asked: those that gave rise to the job, other ratings', and past ones."""
    triggers = {words_of(one.question) for one in known.taken if one.question}
    for one in known.taken:
        if one.question:
            yield TrialQuestion(text=one.question, origin=QuestionOrigin.TRIGGER)
    for one in known.feedback:
        if one.question and words_of(one.question) not in triggers:
            yield TrialQuestion(
                text=one.question,
                origin=QuestionOrigin.RATING,
                was_good=one.rating is Rating.GOOD,
                is_used=words_of(one.question) in known.used,
            )
    for text in dict.fromkeys(known.asked.values()):
        if words_of(text) not in triggers:
            yield TrialQuestion(text=text, origin=QuestionOrigin.PAST_QUERY, is_used=words_of(text) in known.used)


def asked_in(known: Known, sets: QuestionSets) -> tuple[str, ...]:
    """Give the ids of all the questions whose words stand in the sets: who has one erased has the job's steps erased."""
    every = {**known.asked, **{one.query_id: one.question for one in known.feedback if one.query_id and one.question}}
    used = {words_of(one.text) for some in (sets.train, sets.screen, sets.confirm, sets.regression) for one in some}
    return tuple(sorted(id_ for id_, text in every.items() if words_of(text) in used))


def _complaint(one: Feedback) -> Complaint:
    """Take up what somebody said; a comment that speaks to a model is not handed to one."""
    comment = one.comment or ""
    return Complaint(
        feedback_id=one.id, question=one.question or "", comment="" if find_injections(comment) else comment
    )


def _suspicions(known: Known) -> Iterator[str]:
    for one in known.taken:
        for finding in find_injections(one.comment or ""):
            yield f"feedback {one.id}: {finding.reason}"
    for document in known.documents:
        for finding in find_injections(document.text):
            yield f"{document.source}: {finding.reason}"


def _evidence(context: Context, known: Known, complaints: Sequence[Complaint]) -> tuple[EvidenceText, ...]:
    """Find what else the memory says about what people asked; never the documents themselves, nor what speaks to a model."""
    own = {one.document_id for one in known.documents}
    best: dict[str, tuple[float, EvidenceText]] = {}
    texts = dict.fromkeys(one.question or one.comment for one in complaints)
    if not complaints:
        texts = dict.fromkeys(" ".join(one.path) for document in known.documents for one in _sections(document))
    for text in [text for text in texts if text.strip()][:_EVIDENCE_QUESTIONS]:
        for place, (id_, found, source) in enumerate(_passages(context, text, own)):
            share = best.get(id_, (0.0, None))[0] + 1 / (1 + place)
            best[id_] = (share, EvidenceText(id=id_, text=found, source=source))
    ranked = sorted(best.values(), key=lambda one: (-one[0], one[1].id))
    return tuple(_within(one for _, one in ranked))


def _sections(document: DocumentText) -> tuple[Section, ...]:
    return read_sections(document.text, media_type=document.media_type)


def _passages(context: Context, text: str, own: set[str]) -> list[tuple[str, str, str]]:
    hits = recall(context, Query(text=text, limit=_EVIDENCE_HITS + 6, expand=False)).hits
    found = [
        (one.episode.id, one.episode.text, " > ".join(one.episode.heading_path) or one.episode.speaker or "")
        for one in hits
        if one.episode.document_id not in own and not find_injections(one.episode.text)
    ]
    return found[:_EVIDENCE_HITS]


def _within(passages: Iterable[EvidenceText]) -> Iterator[EvidenceText]:
    left = _EVIDENCE_CHARACTERS
    for number, one in enumerate(passages):
        if number == _EVIDENCE_PASSAGES:
            return
        if len(one.text) <= left:
            left -= len(one.text)
            yield one


def _used(reader: StoreReader, document_id: str, *, but: str) -> Iterator[str]:
    for job in reader.jobs(document_id=document_id):
        for step in reader.steps(job.id) if job.id != but else ():
            if step.kind == StepKind.JUDGED.value:
                for one in map(to_judged, dict(step.body)["judged"]):  # pyright: ignore[reportArgumentType]
                    if one.request.match.stage is TrialStage.CONFIRM:
                        yield one.request.match.question
