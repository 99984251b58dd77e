"""Plan a job: complaints, what may be cited, and questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatFailure, ChatOutcome
from evolore.domain.checks import check_count
from evolore.domain.contest import Complaint, DocumentText, EvidenceText, QuestionOrigin, TrialQuestion
from evolore.domain.evolution import Base, Operator, TrialStage
from evolore.domain.outcome import Rating
from evolore.domain.query import Query
from evolore.evolution.contest_questions import (
    CLAIMS_PER_CALL,
    QUESTIONS_PROMPT,
    AskableClaim,
    QuestionSets,
    askable_claims,
    chosen_claims,
    questions_request,
    read_questions,
    split_questions,
    words_of,
)
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.job_steps import Plan, Questioned, StepKind, read_step
from evolore.evolution.novelty import MadeChange, states
from evolore.evolution.requests import Unusable
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.evolve.documents import as_one, joined, similar_by
from evolore.flows.evolve.log import JobAsker, Stopped
from evolore.flows.recall import recall
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from evolore.domain.feedback import Feedback
    from evolore.flows.context import Context
    from evolore.store.reading import StoreReader

_NEEDS_EVIDENCE = frozenset({Operator.MUTATION_DETAIL})
_NO_FAULT = frozenset({"no_claims", "no_question", "asked_before"})
"""Reasons why a claim has no question that say nothing against the reply."""

_WRITING = ("document_added",)
"""The events by which somebody wrote a version of a document; a rating of it is none."""

_EVIDENCE_QUESTIONS = 12
_EVIDENCE_HITS = 6
_EVIDENCE_PASSAGES = 8
_EVIDENCE_CHARACTERS = 6000
_EVIDENCE_CLAIMS = 10
_PAST_QUERIES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class JobBase:
    """What is known of the documents of a job."""

    documents: tuple[DocumentText, ...]  #: With their texts.
    taken: tuple[Feedback, ...]  #: The feedback that the job took up.
    feedback: tuple[Feedback, ...]  #: All feedback about them.
    asked: Mapping[str, str]  #: Questions whose best hits lie in them, by id.
    used: frozenset[str]  #: Questions by which earlier candidates were proved or refused, by their words.


def known_of(reader: StoreReader, job_id: str, taken: Collection[str], documents: Sequence[DocumentText]) -> JobBase:
    """Read what a job is planned from."""
    ids = [one.document_id for one in documents]
    feedback = tuple(one for id_ in ids for one in reader.feedback(document_id=id_))
    return JobBase(
        documents=tuple(documents),
        taken=tuple(one for one in feedback if one.id in taken),
        feedback=feedback,
        asked={
            query_id: text for id_ in ids for query_id, text in reader.asked_about(id_, limit=_PAST_QUERIES).items()
        },
        used=frozenset(words_of(text) for id_ in ids for text in _used(reader, id_, but=job_id)),
    )


def plan(context: Context, known: JobBase, *, operators: Sequence[Operator], settings: EvolutionSettings) -> Plan:
    """Make the plan of a job; no model is asked."""
    complaints = tuple(_complaint(one) for one in known.taken)
    evidence = (*_confirmed(context, known, settings), *_evidence(context, known, complaints))
    sets = split_questions(supplied(known))
    return Plan(
        bases=tuple(Base(document_id=one.document_id, version=one.version) for one in known.documents),
        operators=tuple(one for one in operators if evidence or one not in _NEEDS_EVIDENCE),
        complaints=complaints,
        evidence=evidence,
        questions=sets,
        asked=asked_in(known, sets),
        suspicions=tuple(_suspicions(known)),
        lacks_questions=sets.missing(settings) > 0,
    )


def questioned(
    context: Context, asker: JobAsker, known: JobBase, planned: Plan, *, seed: int, settings: EvolutionSettings
) -> Questioned:
    """Generate the questions that a job's candidates are tried by, beside those that people asked.

    Raises:
        Stopped: Nothing that the model wrote can be used.
    """
    questions = list(supplied(known))
    written = _written(
        asker,
        known,
        planned.evidence,
        questions,
        count=split_questions(questions).missing(settings),
        seed=seed,
        nearest=_nearest(context, planned.complaints),
    )
    sets = split_questions([*questions, *written])
    return Questioned(questions=sets, asked=asked_in(known, sets))


def _written(
    asker: JobAsker,
    known: JobBase,
    evidence: Sequence[EvidenceText],
    questions: Sequence[TrialQuestion],
    *,
    count: int,
    seed: int,
    nearest: Nearest | None,
) -> list[TrialQuestion]:
    """Generate questions for claims of the documents, and of the evidence: what is missing has no claim of its own."""
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
    """Return how near texts are to what people complained of, by the nearest of their questions; None without any."""
    asked = tuple(dict.fromkeys(one.question for one in complaints if one.question.strip()))
    if not asked:
        return None
    similar = similar_by(context.embedder)
    return lambda texts: [float(one) for one in similar(texts, asked).max(axis=1)]


def supplied(known: JobBase) -> Iterator[TrialQuestion]:
    """Yield the questions that people asked: those that caused the job, other ratings', and past ones."""
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


def asked_in(known: JobBase, sets: QuestionSets) -> tuple[str, ...]:
    """Return the ids of all questions whose words are in the sets: erasing one erases the job's steps."""
    every = {**known.asked, **{one.query_id: one.question for one in known.feedback if one.query_id and one.question}}
    used = {words_of(one.text) for some in (sets.train, sets.screen, sets.confirm, sets.regression) for one in some}
    return tuple(sorted(id_ for id_, text in every.items() if words_of(text) in used))


def _complaint(one: Feedback) -> Complaint:
    """Build a complaint from feedback; a comment that speaks to a model is not handed to one."""
    comment = one.comment or ""
    return Complaint(
        feedback_id=one.id, question=one.question or "", comment="" if find_injections(comment) else comment
    )


def _suspicions(known: JobBase) -> Iterator[str]:
    for one in known.taken:
        for finding in find_injections(one.comment or ""):
            yield f"feedback {one.id}: {finding.reason}"
    for document in known.documents:
        for finding in find_injections(document.text):
            yield f"{document.source}: {finding.reason}"


def _evidence(context: Context, known: JobBase, complaints: Sequence[Complaint]) -> tuple[EvidenceText, ...]:
    """Find what else the memory says about what people asked; never the documents themselves, nor what speaks to a model."""
    own = {one.document_id for one in known.documents}
    best: dict[str, tuple[float, EvidenceText]] = {}
    texts = dict.fromkeys([*(one.question or one.comment for one in complaints), *(one.comment for one in complaints)])
    if not complaints:
        sections = (read_sections(one.text, media_type=one.media_type) for one in known.documents)
        texts = dict.fromkeys(" ".join(one.path) for some in sections for one in some)
    for text in [text for text in texts if text.strip()][:_EVIDENCE_QUESTIONS]:
        for place, one in enumerate(_passages(context, text, own)):
            best[one.id] = (best.get(one.id, (0.0, one))[0] + 1 / (1 + place), one)
    return tuple(_within(one for _, one in sorted(best.values(), key=lambda one: (-one[0], one[1].id))))


def _confirmed(context: Context, known: JobBase, settings: EvolutionSettings) -> Iterator[EvidenceText]:
    """Yield the comments of which somebody else, who wrote the document or is trusted, says the same in another comment."""
    said = [one for one in known.taken if one.principal and one.comment and not find_injections(one.comment)]
    with context.store.read(context.namespace) as reader:
        writers = {one.document_id: all_writers(reader, one.document_id) for one in known.documents}
    for document in known.documents:
        trusted = {*writers[document.document_id], *settings.policy.trusted_writers}
        for one in (one for one in said if one.document_id == document.document_id):
            change = MadeChange(section=(), before=document.text, after=one.comment or "")
            by = next(
                (
                    other.principal
                    for other in said
                    if other.principal in trusted - {one.principal}
                    and states(other.comment or "", change, document.language)
                ),
                None,
            )
            if by:
                yield EvidenceText(id=one.id, text=change.after, source=f"{one.principal}, confirmed by {by}")


def all_writers(reader: StoreReader, document_id: str) -> list[str | None]:
    """Return who wrote the versions of a document, the first one's first; None if unnamed."""
    return [one.principal for one in sorted(reader.history(document_id, kinds=_WRITING), key=lambda one: one.seq)]


def _passages(context: Context, text: str, own: set[str]) -> Iterator[EvidenceText]:
    hits = recall(context, Query(text=text, limit=_EVIDENCE_HITS + 6, expand=False)).hits
    episodes = (one.episode for one in hits if one.episode.document_id not in own)
    for one in islice((one for one in episodes if not find_injections(one.text)), _EVIDENCE_HITS):
        yield EvidenceText(id=one.id, text=one.text, source=" > ".join(one.heading_path) or one.speaker or "")


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
                for request, _ in read_step(step):
                    if request.match.stage is TrialStage.CONFIRM:
                        yield request.match.question


Nearest: TypeAlias = "Callable[[Sequence[str]], Sequence[float]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedQuestions:
    """Questions that were made from claims."""

    questions: tuple[TrialQuestion, ...]  #: Each with the claim it asks for, word for word.
    #: Why claims that were chosen have none, with how many; in the order of the reasons.
    skips: tuple[tuple[str, int], ...] = ()


def generate_questions(
    asker: Asker,
    document: DocumentText,
    *,
    count: int,
    seed: int,
    known: Sequence[TrialQuestion] = (),
    nearest: Nearest | None = None,
) -> GeneratedQuestions:
    """Generate questions for claims of a document, one each, in one batch; nothing the model does raises.

    Args:
        asker: Asks the chat model within its budget: one call for every ten claims.
        document: Whose claims.
        count: How many claims to ask for, at least 1; fewer where the document has fewer that were not asked for.
        seed: Which claims are chosen, and what makes the replies the same again.
        known: Questions that there are already, whose words and claims are not used again.
        nearest: How near each of some texts is to what people complained of: the nearest claims are asked for first.

    Raises:
        InvalidValue: ``count`` is out of range.
    """
    check_count(count, "count")
    askable = askable_claims(document)
    texts = [one.text for one in askable]
    claims = chosen_claims(
        askable,
        count,
        seed=seed,
        known=[one.claim for one in known if one.claim is not None],
        nearness=dict(zip(texts, nearest(texts), strict=True)) if nearest and texts else None,
    )
    if not claims:
        return GeneratedQuestions(questions=(), skips=(("no_claims", count),))
    batches = [claims[start : start + CLAIMS_PER_CALL] for start in range(0, len(claims), CLAIMS_PER_CALL)]
    words = prompt_words(QUESTIONS_PROMPT.name, QUESTIONS_PROMPT.version)
    outcomes = asker.complete([questions_request(words, document, batch, seed=seed) for batch in batches])
    questions: list[TrialQuestion] = []
    skips: Counter[str] = Counter()
    for batch, outcome in zip(batches, outcomes, strict=True):
        _take(questions, skips, (document, batch, outcome), known)
    return GeneratedQuestions(questions=tuple(questions), skips=tuple(sorted(skips.items())))


def _take(
    questions: list[TrialQuestion],
    skips: Counter[str],
    told: tuple[DocumentText, Sequence[AskableClaim], ChatOutcome],
    known: Sequence[TrialQuestion],
) -> None:
    document, batch, outcome = told
    if isinstance(outcome, ChatFailure):
        skips[outcome.kind.value] += len(batch)
        return
    taken = {words_of(one.text) for one in (*known, *questions)}
    read = read_questions(outcome.text, batch, document.language, known=taken)
    if isinstance(read, Unusable):
        skips[read.reason] += len(batch)
        return
    for one in read:
        if isinstance(one, Unusable):
            skips[one.reason] += 1
        else:
            questions.append(one)
