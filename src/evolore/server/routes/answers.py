"""Answers with citations, and what people say of them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from evolore.server.access import Rater, Reader  # noqa: TC001 - FastAPI reads them
from evolore.server.routes.recall import Asked

router = APIRouter(tags=["answers"])


class AskedForAnswer(Asked):
    """A question that an answer is wanted for."""

    record: Annotated[bool, Field(description="Whether it is taken down, so that it can be rated.")] = True


class Rated(BaseModel):
    """What somebody says of an answer or a document."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"rating": "bad", "comment": "It is ten days now."}]}
    )

    rating: Annotated[str, Field(pattern="^(?i:good|bad)$")]
    comment: Annotated[str | None, Field(max_length=20_000)] = None
    cited: list[str] | None = None
    helpful: bool = False


@router.post("/answers", status_code=HTTPStatus.CREATED, summary="Answer a question with citations")
def answer(asked: AskedForAnswer, caller: Reader) -> JSONResponse:
    """Answer from what the memory holds, with the passages the answer rests on; its id is what a rating names."""
    found = caller.memory.answer(asked.question, record=asked.record, principal=caller.principal, **asked.options())
    body = {name: value for name, value in found.to_dict().items() if name != "recall"}
    return JSONResponse(body, status_code=HTTPStatus.CREATED)


@router.post("/ratings/{item_id}", status_code=HTTPStatus.CREATED, summary="Rate an answer or a document")
def rate(item_id: str, said: Rated, caller: Rater) -> JSONResponse:
    """Say that an answer, a question's hits or a document served, or not; a later rating of the same person replaces it."""
    found = caller.memory.rate(
        item_id,
        said.rating.lower(),
        comment=said.comment,
        cited=said.cited,
        helpful=said.helpful,
        principal=caller.principal,
    )
    return JSONResponse(found.to_dict(), status_code=HTTPStatus.CREATED)
