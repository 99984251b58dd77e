"""The matches of a trial: questions are answered from original and candidate, and the answers compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure
from evolore.domain.judging import NoVerdict, Order, SameAnswer
from evolore.domain.proposing import DocumentText
from evolore.evolution.job import ORIGINAL, AnswerKey, StepKind
from evolore.evolution.job_forms import judged_form
from evolore.evolution.questions import words_of
from evolore.evolution.requests import Judged
from evolore.flows.answering_text import TextQuestion, answer_text
from evolore.flows.evolving.documents import as_one, joined_after
from evolore.flows.evolving.job_log import Stopped
from evolore.flows.matches import Pair, judge_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.judging import JudgeReply
    from evolore.evolution.job import JobCandidate
    from evolore.evolution.requests import JudgeRequest

from evolore.flows.evolving.desk import Desk, Done, pause_after_failures

_AT_ONCE = 8


def answered(desk: Desk) -> Done:
    """Answer what is needed next from original and candidates, all in one way."""
    keys, documents = desk.job.answers_left[:_AT_ONCE], desk.documents()
    asked = [
        TextQuestion(question=key.question, document=_read(desk, key, documents), attempt=key.attempt) for key in keys
    ]
    told = answer_text(desk.context, desk.asker, asked)
    pause_after_failures(desk)
    texts = [None if isinstance(one, ChatFailure) else one.text for one in told]
    if texts and not any(texts):
        raise Stopped(
            "No question could be answered from the document: the model's replies cannot be used.", is_unusable=True
        )
    answers = [
        {"candidate": key.candidate_id, "question": key.question, "attempt": key.attempt, "text": text}
        for key, text in zip(keys, texts, strict=True)
    ]
    return Done(kind=StepKind.ANSWERED, body={"answers": answers})


def _read(desk: Desk, key: AnswerKey, documents: Sequence[DocumentText]) -> DocumentText:
    """Give what is asked: the original, or a candidate's texts in its place."""
    if key.candidate_id == ORIGINAL:
        return as_one(documents)
    candidate = desk.job.candidate(key.candidate_id)
    assert candidate is not None
    return _candidate_text(candidate, documents)


def _candidate_text(candidate: JobCandidate, documents: Sequence[DocumentText]) -> DocumentText:
    """Give a candidate's texts as one document."""
    first = as_one(documents)
    return DocumentText(
        document_id=first.document_id,
        version=first.version,
        source=first.source,
        title=first.title,
        text=joined_after(documents, candidate.texts),
        media_type=first.media_type,
        language=first.language,
    )


def judged(desk: Desk) -> Done:
    """Have answers compared; a reply that cannot be used counts for the original, and where most cannot a job pauses."""
    requests = desk.job.awaited[: 2 * _AT_ONCE]
    language = as_one(desk.documents()).language
    pairs = {request: _pair(desk, request, language) for request in requests}
    asked = [(request, pair) for request, pair in pairs.items() if pair is not None]
    heard = dict(
        zip((request for request, _ in asked), judge_pairs(desk.asker, [pair for _, pair in asked]), strict=True)
    )
    pause_after_failures(desk)
    silent = sum(isinstance(reply, NoVerdict) for reply in heard.values())
    if heard and 2 * silent > len(heard):
        reason = next(reply.reason for reply in heard.values() if isinstance(reply, NoVerdict))
        raise Stopped(f"The judge gave no verdict that can be used: {reason}", is_unusable=True)
    told = [
        judged_form(Judged(request=request, reply=heard.get(request) or _unjudged(desk, request)))
        for request in requests
    ]
    return Done(kind=StepKind.JUDGED, body={"judged": told})


def _unjudged(desk: Desk, request: JudgeRequest) -> JudgeReply:
    """Say why nobody is asked about a pair: its answers are the same, or one is missing."""
    original, candidate = _answers(desk, request)
    if original is None or candidate is None:
        return NoVerdict(reason="one of the answers is missing")
    return SameAnswer()


def _answers(desk: Desk, request: JudgeRequest) -> tuple[str | None, str | None]:
    match = request.match
    answers = desk.job.answers
    return (
        answers.get(AnswerKey(ORIGINAL, match.question, match.attempt)),
        answers.get(AnswerKey(match.candidate_id, match.question, match.attempt)),
    )


def _pair(desk: Desk, request: JudgeRequest, language: object) -> Pair | None:
    match = request.match
    original, candidate = _answers(desk, request)
    if original is None or candidate is None or words_of(original) == words_of(candidate):
        return None
    is_first = request.order is Order.ORIGINAL_FIRST
    assert desk.job.plan is not None
    return Pair(
        question=match.question,
        first=original if is_first else candidate,
        second=candidate if is_first else original,
        language=language,  # pyright: ignore[reportArgumentType]
        attempt=match.attempt + 100 * desk.job.stops,
        reference="\n\n".join(one.text for one in desk.job.plan.evidence),
    )
