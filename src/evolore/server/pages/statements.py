"""Statements and people: what was said, what became of it, and all that is one person's."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Form, Query, Response

from evolore.domain.episode import Edge, EdgeKind
from evolore.domain.person import StatementState
from evolore.domain.review import ReviewFilter
from evolore.errors import NotFound
from evolore.flows.browse import resolve
from evolore.server.listings import reading
from evolore.server.pages.page import (
    MOST_SHOWN,
    PageRoute,
    Read,
    ReadAdmin,
    SentAdmin,
    SentReview,
    SentWrite,
    note,
)
from evolore.server.pages.stored import statements_about

router = APIRouter(route_class=PageRoute)
_CORRECTED = {StatementState.HOLDS, StatementState.DOUBTED, StatementState.CONFLICT_PENDING}
_JOINS = frozenset((EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.CONTRADICTS, EdgeKind.MEMBER))
Name = Annotated[str, Query(max_length=500)]


@router.get("/statements")
def statements(
    page: Read,
    named: Annotated[str, Query(max_length=1000)] = "",
    speaker: Name = "",
    state: StatementState | None = None,
    before: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """List statements, newest first and a page at a time; or find some by what they say, best first."""
    words, who = named.strip(), speaker.strip()
    with reading(page.memory) as reader:
        found = reader.statements_in(state, speaker=who, words=words, before=before, limit=MOST_SHOWN + 1)
        if words:
            ids = statements_about(page.memory, words, speaker=who)
            near = {one.id: (one, now) for one, now in reader.statements_in(ids=ids, limit=len(ids))}
            fits = [near[id_] for id_ in ids if id_ in near and state in {None, near[id_][1]}]
            found = (*fits, *(pair for pair in found if pair[0].id not in near))
    shown = found[:MOST_SHOWN]
    more = len(found) > MOST_SHOWN and not words
    return page.html(
        "statements.html",
        found=shown,
        next=shown[-1][0].id if more else "",
        before=before,
        named=named,
        speaker=who,
        state=state,
        states=tuple(StatementState),
    )


@router.get("/statements/{statement_id}")
def statement(page: Read, statement_id: str) -> Response:
    """Show a statement: its state, what joins it with others, its history, and what forgetting it takes along."""
    memory = page.memory
    with reading(memory) as reader:
        whole = resolve(reader, statement_id)
        pairs = reader.statements_in(ids=[whole], limit=1)
        if not pairs:
            raise NotFound(f"No statement has the id {statement_id!r}: it is a document or a part of one.")
        ((one, state),) = pairs
        edges = reader.edges_around([one.id], kinds=_JOINS, hidden=True, limit=MOST_SHOWN)
        known = {it.id: it for it in reader.episodes([_other(edge, one.id) for edge in edges])}
        items = reader.review_items(ReviewFilter(episode_id=one.id, limit=MOST_SHOWN))
    return page.html(
        "statement.html",
        one=one,
        state=state,
        ties=[(edge, known[_other(edge, one.id)]) for edge in edges if _other(edge, one.id) in known],
        items=items,
        events=memory.history(one.id)[::-1][:MOST_SHOWN],
        can_correct=page.may("write") and state in _CORRECTED,
        doomed=memory.forget(one.id, dry_run=True) if page.may("admin") else None,
    )


def _other(edge: Edge, id_: str) -> str:
    return edge.target_id if edge.source_id == id_ else edge.source_id


@router.post("/statements/{statement_id}/correct")
def correct(page: SentWrite, statement_id: str, text: Annotated[str, Form()]) -> Response:
    """Put a new version in a statement's place."""
    done = page.memory.correct(statement_id, text.replace("\r\n", "\n"), principal=page.principal)
    assert done.statement is not None
    return page.go(f"/statements/{done.statement.id}", said="corrected")


@router.post("/statements/{statement_id}/retire")
def retire(page: SentWrite, statement_id: str) -> Response:
    """Retire a statement."""
    done = page.memory.correct(statement_id, principal=page.principal)
    return page.go(f"/statements/{done.old_id}", said="retired")


@router.post("/statements/{statement_id}/undo")
def undo(page: SentReview, statement_id: str, event: Annotated[str, Form(max_length=100)]) -> Response:
    """Undo an event of a statement."""
    page.memory.undo(event, principal=page.principal)
    return page.go(f"/statements/{statement_id}", said="event_undone")


@router.post("/statements/{statement_id}/forget")
def forget(page: SentAdmin, statement_id: str) -> Response:
    """Erase a statement."""
    done = page.memory.forget(statement_id, principal=page.principal)
    note(page.request, page, done.event_id)
    return page.go("/statements", said="lingering" if done.lingering_in else "forgotten")


@router.get("/people")
def people(page: Read, named: Name = "", after: Name = "") -> Response:
    """List who said anything, by name and a page at a time."""
    with reading(page.memory) as reader:
        found = reader.speakers(named=named.strip(), after=after, limit=MOST_SHOWN + 1)
    more = found[MOST_SHOWN - 1][0] if len(found) > MOST_SHOWN else ""
    return page.html("people.html", found=found[:MOST_SHOWN], next=more, after=after, named=named.strip())


@router.get("/people.jsonl")
def export(page: ReadAdmin, name: Name) -> Response:
    """Return all that is one person's, a record a line."""
    told = page.memory.export_subject(speaker=name)
    note(page.request, page, "")
    headers = {"Content-Disposition": 'attachment; filename="person.jsonl"'}
    return Response("".join(f"{line}\n" for line in told.lines()), media_type="application/jsonl", headers=headers)


@router.post("/people")
def erase(page: SentAdmin, name: Annotated[str, Form(max_length=500)]) -> Response:
    """Erase all that is one person's."""
    done = page.memory.forget(speaker=name, principal=page.principal)
    note(page.request, page, done.event_id)
    return page.go("/people", said="lingering" if done.lingering_in else "forgotten")


@router.get("/people/{name:path}")
def person(page: Read, name: str) -> Response:
    """Show a person: what holds of them, what they said, and what erasing takes along."""
    memory, doomed = page.memory, None
    with reading(memory) as reader:
        found = reader.statements_in(speaker=name, limit=MOST_SHOWN + 1)
    if page.may("admin"):
        with suppress(NotFound):
            doomed = memory.forget(speaker=name, dry_run=True)
    return page.html(
        "person.html",
        name=name,
        profile=memory.profile(name),
        found=found[:MOST_SHOWN],
        more=len(found) > MOST_SHOWN,
        doomed=doomed,
    )
