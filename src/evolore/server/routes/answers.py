"""Answers with citations, and what people say of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field

from evolore.domain.answer import Answer
from evolore.domain.result import fields_but
from evolore.errors import EvoloreError
from evolore.flows.rate import RatedDocument, RatedQuery
from evolore.server.access import Rater, Reader, Writer, may_enter
from evolore.server.described import Body, shows
from evolore.server.idempotency import DoneOnce
from evolore.server.routes.recall import MOST_CHARACTERS, QuestionBody, Time

router = APIRouter(tags=["answers"], route_class=DoneOnce)
_ID = "01kmzt0c7yd9v1g6m3q5x8e2ar"
_ANSWER = {
    "id": _ID,
    "question": "How long do refunds take?",
    "text": "Refunds take 7 business days [1].",
    "kind": "extracted",
    "citations": [{"number": 1, "episode_id": _ID, "quote": "Refunds take 7 business days."}],
}


_TO_ANSWER = {"/id": ("answers_rate item_id",), "/query_id": ("recall_question query_id",)}


class AskedForAnswer(QuestionBody):
    """A question that an answer is wanted for."""

    record: Annotated[bool, Field(description="Whether it is recorded, so that it can be rated.")] = True
    with_recall: Annotated[bool, Field(description="Whether what was found is given with it.")] = False


_RECORDED = {"question": "How long do refunds take?", "text": "Seven business days.", "cited": ["refunds.md"]}


class AnsweredElsewhere(Body, json_schema_extra={"examples": [_RECORDED]}):
    """An answer that was produced elsewhere."""

    question: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    cited: Annotated[
        list[str], Field(max_length=1000, description="Ids of what it rests on; documents also by source.")
    ] = []
    outcome: Annotated[str | None, Field(max_length=40)] = None
    answered_at: Time | None = None


class RatingBody(Body, json_schema_extra={"examples": [{"rating": "bad", "comment": "It is ten days now."}]}):
    """What somebody says of an answer or a document."""

    rating: Annotated[str, Field(pattern="^(?i:good|bad)$")]
    comment: Annotated[str | None, Field(max_length=20_000)] = None
    cited: Annotated[list[str] | None, Field(max_length=1000)] = None
    helpful: bool = False


_STREAM = "text/event-stream"
_NOT_BUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.post(
    "/answers",
    status_code=HTTPStatus.CREATED,
    summary="Answer a question with citations",
    responses=shows(_ANSWER, of=Answer, status=HTTPStatus.CREATED, links=_TO_ANSWER),
)
def answer(request: Request, asked: AskedForAnswer, caller: Reader) -> Response:
    """Answer from what the memory holds, with the passages the answer rests on; its id is what a rating names.

    With `Accept: text/event-stream` the words come as they are written: events `piece` with `{"text"}`, which nothing has
    checked yet, and in the end one `answer` with the whole answer, to be put in their place, or one `problem`.
    """
    may_enter(request, caller, asked.also)
    options = asked.options()
    if _STREAM in request.headers.get("accept", ""):
        pieces = caller.memory.answer_stream(asked.question, record=asked.record, principal=caller.principal, **options)
        first = next(pieces)  # errors in the question are reported as usual
        events = _events(chain([first], pieces), with_recall=asked.with_recall)
        return StreamingResponse(events, status_code=HTTPStatus.CREATED, media_type=_STREAM, headers=_NOT_BUFFERED)
    found = caller.memory.answer(asked.question, record=asked.record, principal=caller.principal, **options)
    return JSONResponse(_body(found, with_recall=asked.with_recall), status_code=HTTPStatus.CREATED)


def _body(found: Answer, *, with_recall: bool) -> dict[str, object]:
    return found.to_dict() if with_recall else fields_but(found, "recall")


def _events(pieces: Iterable[str | Answer], *, with_recall: bool) -> Iterator[str]:
    try:
        for piece in pieces:
            if isinstance(piece, str):
                yield _event("piece", {"text": piece})
            else:
                yield _event("answer", _body(piece, with_recall=with_recall))
    except EvoloreError as error:
        yield _event("problem", {"detail": str(error), "error": type(error).__name__})


def _event(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"  # in ASCII, and so on one line


@router.post(
    "/answers/recorded",
    status_code=HTTPStatus.CREATED,
    summary="Record an answer that was produced elsewhere",
    responses=shows({**_ANSWER, "kind": "recorded"}, of=Answer, status=HTTPStatus.CREATED, links=_TO_ANSWER),
)
def record(said: AnsweredElsewhere, caller: Writer) -> JSONResponse:
    """Record a question, its answer and what that rests on, so that it can be rated like one of ours."""
    found = caller.memory.questions.record_answer(**said.model_dump(), principal=caller.principal)
    return JSONResponse(found.to_dict(), status_code=HTTPStatus.CREATED)


@router.post(
    "/ratings/{item_id:path}",
    status_code=HTTPStatus.CREATED,
    summary="Rate an answer or a document",
    responses=shows(
        {"query": {"id": _ID}, "feedback": [{"document_id": _ID, "rating": "bad"}]},
        of=(RatedQuery, RatedDocument),
        status=HTTPStatus.CREATED,
    ),
)
def rate(item_id: str, said: RatingBody, caller: Rater) -> JSONResponse:
    """Rate an answer, a question's hits or a document; a later rating of the same person replaces it."""
    told = said.model_dump(exclude={"rating"})
    found = caller.memory.rate(item_id, said.rating.lower(), **told, principal=caller.principal)
    return JSONResponse(found.to_dict(), status_code=HTTPStatus.CREATED)
