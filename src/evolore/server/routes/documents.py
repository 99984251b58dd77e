"""Documents: taken in, listed and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.domain.checks import check_name
from evolore.domain.document import Document, DocumentTree, MediaType
from evolore.domain.feedback import Feedback
from evolore.domain.metadata import checked_tags
from evolore.errors import InvalidValue
from evolore.flows.add import Added
from evolore.flows.browse import DocumentVersion, document_versions
from evolore.flows.browse import overdue as overdue_in
from evolore.flows.evolve.write import WrittenFile
from evolore.ports import SourceText
from evolore.ports.sources import MAX_SOURCE_CHARACTERS
from evolore.server.access import Looker, Reader, Reviewer, Writer
from evolore.server.cursors import Cursor, Labelled, Limit, moment_and_id_in, number_in, part, part_by_id, read_metadata
from evolore.server.described import Body, shows
from evolore.server.idempotency import DoneOnce
from evolore.server.listings import context_of, documents_behind, feedback_behind
from evolore.sources.files import text_of

router = APIRouter(tags=["documents"], route_class=DoneOnce)

_DOCUMENT = {
    "id": "01kmzt0c7yd9v1g6m3q5x8e2ar",
    "source": "refunds.md",
    "title": "Refunds",
    "media_type": "text/markdown",
    "language": "en",
    "characters": 41,
    "version": 1,
    "recorded_at": "2026-03-02T09:30:00+00:00",
}


_LINES = ["--- version 1", "+++ version 2", "@@ -1,3 +1,3 @@", "-7 days", "+10 days"]
_VERSION = {"number": 2, "recorded_at": "2026-03-09T09:30:00+00:00", "characters": 42, "lines": _LINES}
_TO_DOCUMENT = (
    *(f"documents_{one} document" for one in ("show", "versions", "outline")),
    *("answers_rate item_id", "statements_forget item_id"),
)


_TEXT = {"source": "refunds.md", "text": "# Refunds\n\nRefunds take 7 business days.", "media_type": "text/markdown"}


class Text(Body, json_schema_extra={"examples": [_TEXT]}):
    """A document whose text is at hand."""

    source: Annotated[str, Field(min_length=1, max_length=MAX_SOURCE_CHARACTERS)]
    text: Annotated[str, Field(min_length=1)]
    title: Annotated[str, Field(max_length=2000)] = ""
    media_type: Annotated[
        MediaType | None, Field(description="How it is marked up; by default as the ending of its source says.")
    ] = None
    metadata: dict[str, str | int | float | bool] | None = None
    tags: list[str] | None = None


@router.put(
    "/documents",
    summary="Add a document, or its next version",
    responses=shows(_DOCUMENT, of=Document, links={"/id": _TO_DOCUMENT}),
)
def add(text: Text, caller: Writer) -> JSONResponse:
    """Add a document; one with the source of an earlier one is its next version."""
    return JSONResponse(caller.memory.add_text(**text.model_dump(), principal=caller.principal).to_dict())


@router.post(
    "/documents",
    status_code=HTTPStatus.CREATED,
    summary="Upload a file",
    responses=shows(
        {"documents": [{"document": _DOCUMENT, "outcome": "added", "new_leaves": 1}], "failures": []},
        of=Added,
        status=HTTPStatus.CREATED,
        links={"/documents/0/document/id": _TO_DOCUMENT},
    ),
)
def upload(
    caller: Writer,
    file: Annotated[
        UploadFile, File(description="Markdown, text, HTML, PDF, Office, a book, mail, a notebook, data or a program.")
    ],
    source: Annotated[
        str | None, Form(max_length=MAX_SOURCE_CHARACTERS, description="What to call it; by default the file's name.")
    ] = None,
    title: Annotated[str, Form(max_length=2000)] = "",
    media_type: Annotated[
        MediaType | None, Form(description="How it is marked up; by default as the ending of its name says.")
    ] = None,
    metadata: Annotated[str | None, Form(description="Names with values, as a JSON object.")] = None,
    tags: Annotated[list[str] | None, Form()] = None,
) -> JSONResponse:
    """Add a file of any kind that is read; one with the source of an earlier document is its next version."""
    read = read_file(file, source or "", media_type)
    text = replace(
        read,
        title=title or read.title,
        metadata=None if metadata is None else read_metadata(metadata, "metadata"),
        tags=None if tags is None else checked_tags(tags),
    )
    added = caller.memory.add(text, principal=caller.principal)
    return JSONResponse(added.to_dict(), status_code=HTTPStatus.CREATED)


def read_file(file: UploadFile, source: str = "", media_type: MediaType | None = None) -> SourceText:
    """Read an uploaded file, as the ending of its name says where nothing else does."""
    name = source or file.filename or ""
    check_name(name, "source", most=MAX_SOURCE_CHARACTERS)
    suffix = "" if media_type else PurePath(file.filename or name).suffix
    read = text_of(file.file.read(), source=name, name=repr(name), suffix=suffix)
    return read if media_type is None else replace(read, media_type=media_type)


@router.get(
    "/documents",
    summary="List documents",
    responses=shows({"documents": [_DOCUMENT], "next": None}, of={"documents": Document}),
)
def listed(
    caller: Looker,
    wanted: Labelled,
    overdue: Annotated[bool, Query(description="Only those past their day to be verified.")] = False,  # noqa: FBT002
    limit: Limit = 100,
    cursor: Cursor = None,
) -> JSONResponse:
    """List documents, oldest first; with `where` and `tag` those that are filed so."""

    def behind(after: str, most: int) -> Sequence[Document]:
        if overdue:
            return [one for one in overdue_in(context_of(caller.memory), wanted) if one.id > after][:most]
        return documents_behind(caller.memory, wanted=wanted, after=after, limit=most)

    shown, following = part_by_id(behind, lambda one: one.id, limit=limit, cursor=cursor)
    return JSONResponse({"documents": [one.to_dict() for one in shown], "next": following})


@router.get(
    "/documents/{document:path}/versions",
    summary="List a document's versions with what each changed",
    responses=shows({"versions": [_VERSION], "next": None}, of={"versions": DocumentVersion}),
)
def versions(document: str, caller: Looker, limit: Limit = 20, cursor: Cursor = None) -> JSONResponse:
    """List a document's versions, the newest first, each with a unified diff from the one before."""

    def older(key: Sequence[str], most: int) -> Sequence[DocumentVersion]:
        return document_versions(context_of(caller.memory), document, before=number_in(key), limit=most)

    shown, following = part(older, lambda one: (str(one.number),), limit=limit, cursor=cursor)
    return JSONResponse({"versions": [one.to_dict() for one in shown], "next": following})


@router.get(
    "/documents/{document:path}/outline",
    summary="Show a document's outline",
    responses=shows(
        {"document": _DOCUMENT, "nodes": [{"chunk": {"outline": "1"}, "beginning": "# Refunds"}]}, of=DocumentTree
    ),
)
def outline(
    document: str,
    caller: Looker,
    as_of: Annotated[str | None, Query(max_length=64, description="As it was then; a time in ISO 8601.")] = None,
    text: Annotated[bool, Query(description="Whether its whole text is given with it.")] = False,  # noqa: FBT002
) -> JSONResponse:
    """Show how a document was cut: its chunks in outline order, now or at a moment."""
    return JSONResponse(caller.memory.outline.tree(document, with_text=text, as_of=as_of).to_dict())


@router.get(
    "/documents/{document:path}/patch",
    summary="Show where a document differs from its file",
    responses=shows({"patch": "--- a/refunds.md\n+++ b/refunds.md\n", "is_written": False}, of=WrittenFile),
)
def patch(document: str, caller: Reviewer) -> JSONResponse:
    """Return a patch for the file that a document was read from, as ``git apply`` takes it; nothing is written."""
    found = caller.memory.outline.tree(document).document
    if not found.is_file:  # its name was given by who sent it, and may be that of any file of the server
        raise InvalidValue(f"{found.source} was not read from a file of the server: there is nothing to patch.")
    return JSONResponse(caller.memory.evolution.write(found.id, patch=True).to_dict())


@router.get(
    "/documents/{document:path}",
    summary="Show a document with its text",
    responses=shows({**_DOCUMENT, "text": _TEXT["text"]}, of=Document),
)
def show(document: str, caller: Reader) -> JSONResponse:
    """Show a document by its id, the beginning of it, or its source, with its whole text."""
    found = caller.memory.outline.tree(document, with_text=True)
    return JSONResponse({**found.document.to_dict(), "text": found.text})


@router.get(
    "/feedback",
    summary="List what people said of documents",
    responses=shows(
        {"feedback": [{"document_id": _DOCUMENT["id"], "rating": "bad", "version": 1}], "next": None},
        of={"feedback": Feedback},
    ),
)
def feedback(
    caller: Looker,
    document: Annotated[str | None, Query(max_length=MAX_SOURCE_CHARACTERS)] = None,
    unprocessed: Annotated[bool, Query(description="Only what no job has taken up.")] = False,  # noqa: FBT002
    limit: Limit = 100,
    cursor: Cursor = None,
) -> JSONResponse:
    """List ratings as they concern documents, oldest first."""

    def behind(key: Sequence[str], most: int) -> Sequence[Feedback]:
        after = moment_and_id_in(key)
        return feedback_behind(caller.memory, document, unprocessed=unprocessed, after=after, limit=most)

    shown, following = part(behind, lambda one: (one.rated_at.isoformat(), one.id), limit=limit, cursor=cursor)
    return JSONResponse({"feedback": [one.to_dict() for one in shown], "next": following})
