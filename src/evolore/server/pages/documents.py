"""Documents: the list, and one with its outline, versions, line, and what people said of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from evolore.domain.document import Upkeep
from evolore.errors import InputError
from evolore.server.drawings.outline import charts_of, text_of, tree_of
from evolore.server.house import house_of
from evolore.server.listings import documents_behind, jobs_before, reading
from evolore.server.pages.differences import rows_of
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read, SentWrite
from evolore.server.pages.stored import document_of, documents_about, version_texts, versions_of

router = APIRouter(prefix="/documents", route_class=PageRoute)
_MOST_SAID = 100


@router.get("")
def documents(page: Read, after: Annotated[str, Query(max_length=100)] = "", named: str = "") -> Response:
    """List documents, a page at a time; or go to one by its source or id, or find some by what they say."""
    if named.strip():
        try:
            return page.go(f"/documents/{document_of(page.memory, named.strip()).id}")
        except InputError:
            found = documents_about(page.memory, named.strip(), limit=MOST_SHOWN)
            return page.html("documents.html", found=found, next="", after="", named=named, total=None)
    found = documents_behind(page.memory, after=after, limit=MOST_SHOWN + 1)
    shown = found[:MOST_SHOWN]
    return page.html(
        "documents.html",
        found=shown,
        next=shown[-1].id if len(found) > MOST_SHOWN else "",
        after=after,
        named="",
        total=page.memory.stats().documents,
    )


@router.get("/{document_id}")
def document(request: Request, page: Read, document_id: str) -> Response:
    """Show a document."""
    memory = page.memory
    tree = memory.outline.tree(document_id, with_text=True)
    found = tree.document
    versions, upkeep = versions_of(memory, found.id), Upkeep.of(found.metadata)
    with reading(memory) as reader:
        feedback = reader.feedback(document_id=found.id, limit=_MOST_SAID, newest_first=True)
    return page.html(
        "document.html",
        document=found,
        upkeep=upkeep,
        is_overdue=upkeep.is_overdue(house_of(request).now().date()),
        charts=charts_of(tree, page.text),
        outline=tree_of(tree, page.text),
        text=text_of(tree, page.text),
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


@router.get("/{document_id}/versions/{number}")
def version(page: Read, document_id: str, number: int, against: int | None = None) -> Response:
    """Show what a version changed; by default against the one before."""
    found = document_of(page.memory, document_id)
    other = number - 1 if against is None else against
    before, after = version_texts(page.memory, found.id, other, number)
    return page.html(
        "version.html", document=found, number=number, against=other, rows=rows_of(before, after, found.language)
    )
