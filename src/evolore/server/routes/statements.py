"""Statements: what is remembered, shown and forgotten."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - pydantic reads it
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from evolore.domain.episode import Statement
from evolore.server.access import Admin, Reader, Writer  # noqa: TC001 - FastAPI reads them

router = APIRouter(tags=["statements"])
_MOST = 1000


class Said(BaseModel):
    """A statement."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "We moved to Postgres 18.", "speaker": "Mika", "tags": ["db"]}]},
    )

    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    occurred_at: datetime | None = None
    speaker: str | None = None
    session: str | None = None
    arousal: Annotated[float | None, Field(ge=0, le=1)] = None
    about: Annotated[tuple[str, str] | None, Field(description="Subject and attribute.")] = None
    metadata: dict[str, str | int | float | bool] = {}
    tags: list[str] = []

    def statement(self) -> Statement:
        """Give it as the memory takes it."""
        said = self.model_dump(exclude_unset=True)
        if "tags" in said:
            said["tags"] = tuple(said["tags"])
        return Statement(**said)


class Remembering(BaseModel):
    """Statements, in their order."""

    model_config = ConfigDict(extra="forbid")

    statements: Annotated[list[Said], Field(min_length=1, max_length=_MOST)]


@router.post("/statements", status_code=HTTPStatus.CREATED, summary="Remember statements")
def remember(said: Remembering, caller: Writer) -> JSONResponse:
    """Take statements in, in their order and in one transaction, and say what became of each."""
    found = caller.memory.remember_many([one.statement() for one in said.statements], principal=caller.principal)
    return JSONResponse(found.to_dict(), status_code=HTTPStatus.CREATED)


@router.get("/items/{item_id}", summary="Show a document, chunk or statement")
def show(item_id: str, caller: Reader) -> JSONResponse:
    """Show an item by its id, the beginning of one, or a document's source."""
    return JSONResponse(caller.memory.show(item_id).to_dict())


@router.get("/items/{item_id}/history", summary="Say what happened to an item")
def history(item_id: str, caller: Reader) -> JSONResponse:
    """Give the events that made, changed or joined an item, oldest first."""
    return JSONResponse({"events": [one.to_dict() for one in caller.memory.history(item_id)]})


@router.delete("/items/{item_id}", summary="Forget an item for good")
def forget(item_id: str, caller: Admin) -> JSONResponse:
    """Erase an item with all that quotes it, and give the receipt."""
    return JSONResponse(caller.memory.forget(item_id, principal=caller.principal).to_dict())
