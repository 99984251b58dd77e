"""Documents: the list, and one with its outline, versions, line, and what people said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Response

from evolore.errors import InputError
from evolore.server.listings import documents_behind, newest_feedback
from evolore.server.pages.differences import rows_of
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read
from evolore.server.pages.stored import document_of, jobs_about, version_texts, versions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.outline import DocumentTree, OutlineNode

router = APIRouter(prefix="/documents", route_class=PageRoute)
_MOST_SAID = 100
_MOST_CHARACTERS = 300_000
"""Of a longer text the page shows the beginning."""


@router.get("")
def documents(page: Read, after: Annotated[str, Query(max_length=100)] = "", named: str = "") -> Response:
    """List documents, a page at a time; or go to one by its source or id."""
    if named.strip():
        try:
            return page.go(f"/documents/{document_of(page.memory, named.strip()).id}")
        except InputError:
            return page.html("documents.html", found=(), next="", after="", named=named, total=None)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of a document's text between two boundaries.

    Args:
        text: What it says.
        node: The chunk; None for what stands in none.
    """

    text: str
    node: OutlineNode | None = None


@router.get("/{document_id}")
def document(page: Read, document_id: str) -> Response:
    """Show a document."""
    memory = page.memory
    tree = memory.outline.tree(document_id, with_text=True)
    found = tree.document
    versions = versions_of(memory, found.id)
    return page.html(
        "document.html",
        document=found,
        nodes=tree.nodes,
        stretches=tuple(_stretches(tree)),
        is_cut=len(tree.text or "") > _MOST_CHARACTERS,
        versions=versions[:MOST_SHOWN],
        generations=memory.evolution.generations(found.id)[::-1],
        feedback=newest_feedback(memory, found.id, limit=_MOST_SAID),
        jobs=jobs_about(memory, found.id, limit=MOST_SHOWN),
    )


def _stretches(tree: DocumentTree) -> Iterator[Stretch]:
    """Cut a document's text at the boundaries of its leaves."""
    text, at = tree.text or "", 0
    for node in tree.nodes:
        span = node.chunk.span
        if not node.chunk.is_leaf or span.start < at:
            continue
        if span.start >= _MOST_CHARACTERS:
            return
        if text[at : span.start].strip():
            yield Stretch(text=text[at : span.start])
        yield Stretch(text=text[span.start : span.end], node=node)
        at = span.end
    if text[at:].strip():
        yield Stretch(text=text[at:])


@router.get("/{document_id}/versions/{number}")
def version(page: Read, document_id: str, number: int, against: int | None = None) -> Response:
    """Show what a version changed; by default against the one before."""
    found = document_of(page.memory, document_id)
    other = number - 1 if against is None else against
    before, after = version_texts(page.memory, found.id, other, number)
    return page.html(
        "version.html", document=found, number=number, against=other, rows=rows_of(before, after, found.language)
    )
