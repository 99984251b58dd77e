"""Questions to the memory."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - pydantic reads it
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from evolore.server.access import Reader  # noqa: TC001 - FastAPI reads it

router = APIRouter(tags=["recall"])
MOST_CHARACTERS = 20_000


class Asked(BaseModel):
    """A question, and what it is to be answered from."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"question": "How long do refunds take?", "limit": 5}]}
    )

    question: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    as_of: datetime | None = None
    where: dict[str, str | int | float | bool] | None = None
    tags: Annotated[list[str], Field(max_length=100)] = []
    session: str | None = None
    speaker: str | None = None
    source: str | None = None
    path: str | list[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    depth: Annotated[int | None, Field(ge=1, le=100)] = None

    def options(self) -> dict[str, Any]:
        """Give what was said besides the question."""
        said = self.model_dump(exclude_unset=True, exclude={"question", "record"})
        return {name: value for name, value in said.items() if value is not None}


class AskedForHits(Asked):
    """A question that hits are wanted for."""

    expand: bool | None = None
    fold_echoes: bool | None = None
    tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    level: str | None = None
    record: Annotated[bool | None, Field(description="Whether it is taken down; by default as the settings say.")] = (
        None
    )


@router.post("/recall", summary="Find what the memory holds about a question")
def recall(asked: AskedForHits, caller: Reader) -> JSONResponse:
    """Give hits, best first, each with its score terms, and the text for a prompt."""
    found = caller.memory.recall(asked.question, record=asked.record, principal=caller.principal, **asked.options())
    return JSONResponse({**found.to_dict(), "context": found.context})
