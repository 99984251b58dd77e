"""The matches of a trial: questions are answered from original and candidate, and the answers compared."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure
from evolore.domain.judging import NoVerdict, Order, SameAnswer
from evolore.domain.proposing import DocumentText
from evolore.evolution.job import ORIGINAL, AnswerKey, StepKind
from evolore.evolution.job_forms import judged_form
from evolore.evolution.judging import Judged
from evolore.evolution.questions import words_of
from evolore.flows.answering_text import TextQuestion, answer_text
from evolore.flows.evolving.documents import as_one, joined_after
from evolore.flows.evolving.job_log import Stopped
from evolore.flows.matches import Pair, judge_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.judging import JudgeReply
    from evolore.evolution.job import JobCandidate
    from evolore.evolution.judging import JudgeRequest

from evolore.flows.evolving.desk import Desk, Done, pause_after_failures

_AT_ONCE = 8
_SEVERAL = 4
"""Where so many answers in a row cannot be used, or the first, it is the model's fault and not a question's."""

_STEP = re.compile(r"^[^\S\n]*\d{1,2}[.)．、]\s+", re.MULTILINE)
_ONCE_MORE = 50
"""What is added to an attempt, and so to the seed, where a reply could not be used."""


def answered(desk: Desk) -> Done:
    """Answer what is needed next from original and candidates, all in one way."""
    keys, documents = desk.job.answers_left[:_AT_ONCE], desk.documents()
    asked = [
        TextQuestion(question=key.question, document=_read(desk, key, documents), attempt=key.attempt) for key in keys
    ]
    texts = _texts(desk, asked)
    was_answered = any(text is not None for text in desk.job.answers.values())
    if not any(texts) and (len(texts) >= _SEVERAL or not was_answered):
        raise Stopped(
            "No question could be answered from the document: the model's replies cannot be used.", is_unusable=True
        )
    answers = [
        {"candidate": key.candidate_id, "question": key.question, "attempt": key.attempt, "text": text}
        for key, text in zip(keys, texts, strict=True)
    ]
    return Done(kind=StepKind.ANSWERED, body={"answers": answers})


def _texts(desk: Desk, asked: Sequence[TextQuestion]) -> list[str | None]:
    """Answer questions; what could not be used is asked for once more, and is None where it fails again."""
    texts = _answers_to(desk, asked)
    missing = [place for place, text in enumerate(texts) if text is None]
    if missing:
        again = [replace(asked[place], attempt=asked[place].attempt + _ONCE_MORE) for place in missing]
        for place, text in zip(missing, _answers_to(desk, again), strict=True):
            texts[place] = text
    return texts


def _answers_to(desk: Desk, asked: Sequence[TextQuestion]) -> list[str | None]:
    told = answer_text(desk.context, desk.asker, asked)
    pause_after_failures(desk)
    return [None if isinstance(one, ChatFailure) else one.text for one in told]


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
    """Have answers compared; a verdict that is missing twice counts for the original, and where most are a job pauses."""
    requests = desk.job.awaited[: 2 * _AT_ONCE]
    language = as_one(desk.documents()).language
    pairs = {request: _pair(desk, request, language) for request in requests}
    asked = [(request, pair) for request, pair in pairs.items() if pair is not None]
    replies = _verdicts(desk, [pair for _, pair in asked])
    heard = dict(zip((request for request, _ in asked), replies, strict=True))
    silent = sum(isinstance(reply, NoVerdict) for reply in heard.values())
    if heard and 2 * silent > len(heard):
        reason = next(reply.reason for reply in heard.values() if isinstance(reply, NoVerdict))
        raise Stopped(f"The judge gave no verdict that can be used: {reason}", is_unusable=True)
    told = [
        judged_form(Judged(request=request, reply=heard.get(request) or _unjudged(desk, request)))
        for request in requests
    ]
    return Done(kind=StepKind.JUDGED, body={"judged": told})


def _verdicts(desk: Desk, pairs: Sequence[Pair]) -> list[JudgeReply]:
    """Have pairs judged; what could not be used is asked for once more."""
    replies = list(judge_pairs(desk.asker, pairs))
    pause_after_failures(desk)
    missing = [place for place, one in enumerate(replies) if isinstance(one, NoVerdict) and not pairs[place].unfit]
    if missing:
        again = [replace(pairs[place], attempt=pairs[place].attempt + _ONCE_MORE) for place in missing]
        for place, reply in zip(missing, judge_pairs(desk.asker, again), strict=True):
            replies[place] = reply
        pause_after_failures(desk)
    return replies


def _unjudged(desk: Desk, request: JudgeRequest) -> JudgeReply:
    """Say why nobody is asked about a pair: its answers are the same, or the original's is missing; or the candidate's is."""
    original, candidate = _answers(desk, request)
    if original is not None and candidate is None:
        return NoVerdict(reason="the candidate's answer is missing")
    return SameAnswer()


def _answers(desk: Desk, request: JudgeRequest) -> tuple[str | None, str | None]:
    match = request.match
    answers = desk.job.answers
    return (
        answers.get(AnswerKey(ORIGINAL, match.question, match.attempt)),
        answers.get(AnswerKey(match.candidate_id, match.question, match.attempt)),
    )


def _bare(answer: str) -> str:
    """Give the words of an answer without the numbers of steps: a step that moved down says the same."""
    return words_of(_STEP.sub("", answer))


def _pair(desk: Desk, request: JudgeRequest, language: object) -> Pair | None:
    match = request.match
    original, candidate = _answers(desk, request)
    if original is None or candidate is None or _bare(original) == _bare(candidate):
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
