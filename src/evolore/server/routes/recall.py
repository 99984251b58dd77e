"""Questions to the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.domain.outcome import QueryRecord
from evolore.domain.query import MOST_NAMESPACES, Recall
from evolore.server.access import Reader, may_enter
from evolore.server.cursors import Cursor, Limit, part_by_id
from evolore.server.described import Body, shows
from evolore.server.listings import questions_before

router = APIRouter(tags=["recall"])
MOST_CHARACTERS = 10_000
Time = Annotated[str, Field(max_length=64, description="A date or time in ISO 8601; in UTC where it names no zone.")]
_ID = "01kmzt0c7yd9v1g6m3q5x8e2ar"


class QuestionBody(Body, json_schema_extra={"examples": [{"question": "How long do refunds take?", "limit": 5}]}):
    """A question, and what it is to be answered from."""

    question: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    as_of: Time | None = None
    where: dict[str, str | int | float | bool] | None = None
    tags: Annotated[list[str], Field(max_length=100)] = []
    session: str | None = None
    speaker: str | None = None
    source: str | None = None
    path: str | Annotated[list[str], Field(max_length=100)] | None = None
    since: Time | None = None
    until: Time | None = None
    depth: Annotated[int | None, Field(ge=1, le=100)] = None
    also: Annotated[
        list[str],
        Field(max_length=MOST_NAMESPACES, description="Further namespaces to read, if the key may enter them."),
    ] = []

    def options(self) -> dict[str, Any]:
        """Return what was said besides the question."""
        said = self.model_dump(exclude_unset=True, exclude={"question", "record", "with_recall"})
        return {name: value for name, value in said.items() if value is not None}


class AskedForHits(QuestionBody):
    """A question that hits are wanted for."""

    expand: bool | None = None
    fold_echoes: bool | None = None
    tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    level: str | None = None
    least: Annotated[
        float | None,
        Field(
            ge=0, le=1, description="What bears less likely on the question is left out; with `tokens` by default 0.1."
        ),
    ] = None
    record: Annotated[bool | None, Field(description="Whether it is recorded; by default as the settings say.")] = None


@router.post(
    "/recall",
    summary="Find what the memory holds about a question",
    responses=shows(
        {
            "query": {"text": "How long do refunds take?", "limit": 5},
            "hits": [{"rank": 1, "score": 1.42, "episode": {"id": _ID, "text": "Refunds take 7 business days."}}],
            "context": "[1] refunds.md\nRefunds take 7 business days.",
            "query_id": _ID,
        },
        of=Recall,
        links={"/query_id": ("recall_question query_id", "answers_rate item_id")},
    ),
)
def recall(request: Request, asked: AskedForHits, caller: Reader) -> JSONResponse:
    """Return hits, best first, each with its score terms, and the text for a prompt."""
    may_enter(request, caller, asked.also)
    found = caller.memory.recall(asked.question, record=asked.record, principal=caller.principal, **asked.options())
    return JSONResponse({**found.to_dict(), "context": found.context})


@router.get(
    "/questions",
    summary="List questions that were asked",
    responses=shows(
        {"questions": [{"id": _ID, "text": "How long do refunds take?"}], "next": None}, of={"questions": QueryRecord}
    ),
)
def questions(caller: Reader, of: str | None = None, limit: Limit = 20, cursor: Cursor = None) -> JSONResponse:
    """List the recorded questions, the last first; ``of`` names a principal, to list only theirs."""

    def older(before: str, most: int) -> Sequence[QueryRecord]:
        return questions_before(caller.memory, of, before=before, limit=most)

    shown, following = part_by_id(older, lambda one: one.id, limit=limit, cursor=cursor)
    return JSONResponse({"questions": [one.to_dict() for one in shown], "next": following})
