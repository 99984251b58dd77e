"""Documents: taken in, listed and shown."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from evolore.domain.document import MediaType
from evolore.server.access import Reader, Writer  # noqa: TC001 - FastAPI reads them

router = APIRouter(tags=["documents"])


class Text(BaseModel):
    """A document whose text is at hand."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "source": "refunds.md",
                    "text": "# Refunds\n\nRefunds take 7 business days.",
                    "media_type": "text/markdown",
                }
            ]
        },
    )

    source: Annotated[str, Field(min_length=1, max_length=2000)]
    text: Annotated[str, Field(min_length=1)]
    title: Annotated[str, Field(max_length=2000)] = ""
    media_type: MediaType = MediaType.PLAIN
    metadata: dict[str, str | int | float | bool] | None = None
    tags: list[str] | None = None


@router.put("/documents", summary="Take a document in, or its next version")
def add(text: Text, caller: Writer) -> JSONResponse:
    """Take a document in; one with the source of an earlier one is its next version."""
    document = caller.memory.add_text(
        text.text,
        source=text.source,
        title=text.title,
        media_type=text.media_type,
        metadata=text.metadata,
        tags=text.tags,
        principal=caller.principal,
    )
    return JSONResponse(document.to_dict(), status_code=HTTPStatus.OK)


@router.get("/documents", summary="List documents")
def listed(caller: Reader, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> JSONResponse:
    """List documents, by their sources."""
    found = caller.memory.list(limit=limit)
    return JSONResponse({"documents": [one.to_dict() for one in found.documents]})
