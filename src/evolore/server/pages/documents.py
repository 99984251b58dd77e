"""Documents: the list, and one with its outline, versions, line, and what people said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from operator import attrgetter
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile
from pydantic import BaseModel, Field

from evolore.domain.document import Document, MediaType, Upkeep
from evolore.errors import InputError
from evolore.flows.browse import overdue
from evolore.server.drawings.outline import charts_of, rendered_of, text_of, tree_of
from evolore.server.house import house_of
from evolore.server.listings import context_of, jobs_before, reading
from evolore.server.pages.differences import rows_of
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read, SentAdmin, SentWrite
from evolore.server.pages.statements import erased
from evolore.server.pages.stored import document_of, documents_about, version_texts, versions_of
from evolore.server.routes.documents import read_file
from evolore.store.selects import DocumentOrder

router = APIRouter(prefix="/documents", route_class=PageRoute)
_MOST_SAID = 100
_MOST_FILES = 100
_MOST_RENDERED = 100_000
"""Rendering a longer text takes longer than a page may; it is shown in chunks, unless asked for."""


def _upkeep(name: str) -> Callable[[Document], object]:
    return lambda one: getattr(Upkeep.of(one.metadata), name)


_COLUMNS: Mapping[str, Callable[[Document], object]] = {
    **{name: attrgetter(name) for name in ("id", "title", "source", "version", "characters")},
    "language": attrgetter("language.value"),
    "passages": attrgetter("episode_count"),
    "changed_at": attrgetter("recorded_at"),
    "tags": lambda one: ", ".join(one.tags),
    **{name: _upkeep(name) for name in ("owner", "verify_by", "last_verified")},
}


class View(StrEnum):
    """A form in which a page shows a document's text."""

    RENDERED = "rendered"
    CHUNKS = "chunks"


class DocumentsWanted(BaseModel):
    """What is listed of documents, and in which order; empty fields say nothing."""

    named: Annotated[str, Field(max_length=2000)] = ""
    order: DocumentOrder = DocumentOrder.ADDED
    overdue: bool = False
    skip: Annotated[int, Field(ge=0, le=10**9)] = 0


@router.get("")
def documents(page: Read, wanted: Annotated[DocumentsWanted, Query()]) -> Response:
    """List documents, a page at a time; or go to one by its source or id, or find some by what they say."""
    named, skip, total = wanted.named.strip(), wanted.skip, None
    if named:
        try:
            return page.go(f"/documents/{document_of(page.memory, named).id}")
        except InputError:
            found = documents_about(page.memory, named, limit=MOST_SHOWN)
    elif wanted.overdue:
        found = overdue(context_of(page.memory))[skip : skip + page.most]
    else:
        with reading(page.memory) as reader:
            total = reader.counts()["documents"]
            found = reader.documents(order=wanted.order, skip=skip, limit=page.most)
    return page.listed(
        "documents.html",
        found,
        _COLUMNS,
        key=lambda _: skip + MOST_SHOWN,
        wanted=wanted,
        orders=DocumentOrder,
        total=total,
    )


@router.post("")
def upload(page: SentWrite, files: Annotated[list[UploadFile], File(min_length=1, max_length=_MOST_FILES)]) -> Response:
    """Add files; one with the name of an earlier document is its next version."""
    added = page.memory.add(*[read_file(one) for one in files], principal=page.principal)
    if len(added.documents) == 1:
        return page.go(f"/documents/{added.documents[0].document.id}", said="added")
    return page.go("/documents", said="added", order=DocumentOrder.CHANGED)


@router.get("/{document_id}")
def document(request: Request, page: Read, document_id: str, view: View | None = None) -> Response:
    """Show a document: rendered, where it is Markdown, or cut into its chunks."""
    memory = page.memory
    tree = memory.outline.tree(document_id, with_text=True)
    found = tree.document
    versions, upkeep = versions_of(memory, found.id), Upkeep.of(found.metadata)
    is_rendered = found.media_type is MediaType.MARKDOWN and found.characters <= _MOST_RENDERED
    shown = view or (View.RENDERED if is_rendered else View.CHUNKS)
    with reading(memory) as reader:
        feedback = reader.feedback(document_id=found.id, limit=_MOST_SAID, newest_first=True)
    return page.html(
        "document.html",
        document=found,
        upkeep=upkeep,
        doomed=memory.forget(found.id, dry_run=True) if page.may("admin") else None,
        is_overdue=upkeep.is_overdue(house_of(request).now().date()),
        charts=charts_of(tree, page.text),
        outline=tree_of(tree, page.text),
        text=(rendered_of if shown is View.RENDERED else text_of)(tree, page.text),
        view=shown,
        views=tuple(View),
        versions=versions[:MOST_SHOWN],
        generations=memory.evolution.generations(found.id)[::-1],
        feedback=feedback,
        jobs=jobs_before(memory, document_id=found.id, limit=MOST_SHOWN),
    )


@router.post("/{document_id}/verify")
def verify(page: SentWrite, document_id: str, until: Annotated[str, Form(max_length=64)] = "") -> Response:
    """Record that a document is current."""
    found = page.memory.verify(document_id, verify_by=until or None, principal=page.principal)
    return page.go(f"/documents/{found.id}", said="verified")


@router.post("/{document_id}/forget")
def forget(page: SentAdmin, document_id: str) -> Response:
    """Erase a document with all its versions."""
    return erased(page, page.memory.forget(document_id, principal=page.principal), "/documents")


@router.get("/{document_id}/versions/{number}")
def version(page: Read, document_id: str, number: int, against: int | None = None) -> Response:
    """Show what a version changed; by default against the one before."""
    found = document_of(page.memory, document_id)
    other = number - 1 if against is None else against
    before, after = version_texts(page.memory, found.id, other, number)
    return page.html(
        "version.html", document=found, number=number, against=other, rows=rows_of(before, after, found.language)
    )
