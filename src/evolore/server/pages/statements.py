"""Statements and people: what was said, what became of it, and all that is one person's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from operator import itemgetter
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query, Response
from pydantic import BaseModel, Field

from evolore.domain.episode import EdgeKind, Episode
from evolore.domain.person import StatementState
from evolore.domain.review import ReviewFilter
from evolore.errors import NotFound
from evolore.flows.browse import resolve
from evolore.ports import Receipt
from evolore.server.listings import reading
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read, ReadAdmin, SentAdmin, SentReview, SentWrite, note
from evolore.server.pages.stored import episodes_named, statements_about

router = APIRouter(route_class=PageRoute)
_JOINS = frozenset((EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.CONTRADICTS, EdgeKind.MEMBER))
_STATEMENTS: Mapping[str, Callable[[tuple[Episode, StatementState]], object]] = {
    "id": lambda row: row[0].id,
    "text": lambda row: row[0].text,
    "speaker": lambda row: row[0].speaker,
    "session": lambda row: row[0].session,
    "state": lambda row: row[1].value,
    "language": lambda row: row[0].language.value,
    "occurred_at": lambda row: row[0].occurred_at,
    "recorded_at": lambda row: row[0].recorded_at,
    "tags": lambda row: ", ".join(row[0].tags),
}
_PEOPLE: Mapping[str, Callable[[tuple[str, int, datetime]], object]] = {
    name: itemgetter(place) for place, name in enumerate(("name", "statements", "last"))
}
Name = Annotated[str, Query(max_length=500)]


class Wanted(BaseModel):
    """What is listed of statements; empty fields say nothing."""

    named: Annotated[str, Field(max_length=1000)] = ""
    speaker: Annotated[str, Field(max_length=500)] = ""
    state: StatementState | Literal[""] = ""
    before: Annotated[str, Field(max_length=100)] = ""


@router.get("/statements")
def statements(page: Read, wanted: Annotated[Wanted, Query()]) -> Response:
    """List statements, newest first and a page at a time; or find some by what they say, best first."""
    words, who, state = wanted.named.strip(), wanted.speaker.strip(), wanted.state or None
    with reading(page.memory) as reader:
        found = reader.statements_in(state, speaker=who, words=words, before=wanted.before, limit=page.most)
        if words:
            ids = statements_about(page.memory, words, speaker=who)
            near = {one.id: (one, now) for one, now in reader.statements_in(ids=ids, limit=len(ids))}
            fits = [near[id_] for id_ in ids if id_ in near and state in {None, near[id_][1]}]
            found = (*fits, *(pair for pair in found if pair[0].id not in near))
    behind = "" if words else None
    shown = {"wanted": wanted, "states": [*StatementState]}
    return page.listed("statements.html", found, _STATEMENTS, key=lambda row: row[0].id, behind=behind, **shown)


@router.get("/statements/{statement_id}")
def statement(page: Read, statement_id: str) -> Response:
    """Show a statement: its state, what joins it with others, its history, and what forgetting it takes along."""
    memory = page.memory
    with reading(memory) as reader:
        found = reader.statements_in(ids=[resolve(reader, statement_id)], limit=1)
        if not found:
            raise NotFound(f"No statement has the id {statement_id!r}: it is a document or a part of one.")
        one, _ = found[0]
        edges = reader.edges_around([one.id], kinds=_JOINS, hidden=True, limit=MOST_SHOWN)
        items = reader.review_items(ReviewFilter(episode_id=one.id, limit=MOST_SHOWN))
    known = episodes_named(memory, [id_ for edge in edges for id_ in (edge.source_id, edge.target_id)])
    events = memory.history(one.id, limit=MOST_SHOWN)
    doomed = memory.forget(one.id, dry_run=True) if page.may("admin") else None
    shown = {"edges": edges, "known": known, "items": items, "events": events}
    return page.html("statement.html", said=found[0], doomed=doomed, shown=shown)


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
    memory = page.memory
    with reading(memory) as reader:
        edges = reader.edges_around([statement_id], kinds=(EdgeKind.SUPERSEDES,), hidden=True, limit=MOST_SHOWN)
    memory.undo(event, principal=page.principal)
    with reading(memory) as reader:
        [(one, _)] = reader.statements_in(ids=[statement_id], limit=1)
    before = next((edge.target_id for edge in edges if edge.source_id == statement_id), statement_id)
    return page.go(f"/statements/{statement_id if one.stands else before}", said="event_undone")


@router.post("/statements/{statement_id}/forget")
def forget(page: SentAdmin, statement_id: str) -> Response:
    """Erase a statement."""
    return erased(page, page.memory.forget(statement_id, principal=page.principal), "/statements")


def erased(page: SentAdmin, done: Receipt, back: str) -> Response:
    """Note an erasure, and report it on another page."""
    note(page.request, page, done.event_id)
    return page.go(back, said="lingering" if done.lingering_in else "forgotten")


@router.get("/people")
def people(page: Read, named: Name = "", after: Name = "") -> Response:
    """List who said anything, by name and a page at a time."""
    with reading(page.memory) as reader:
        found = reader.speakers(named=named.strip(), after=after, limit=page.most)
    return page.listed("people.html", found, _PEOPLE, key=itemgetter(0), after=after, named=named.strip())


@router.get("/people.jsonl")
def export(page: ReadAdmin, name: Name) -> Response:
    """Return all that is one person's, a record a line."""
    told = "".join(f"{line}\n" for line in page.memory.export_subject(speaker=name).lines())
    note(page.request, page, "")
    headers = {"Content-Disposition": 'attachment; filename="person.jsonl"'}
    return Response(told, media_type="application/jsonl", headers=headers)


@router.post("/people")
def erase(page: SentAdmin, name: Annotated[str, Form(max_length=500)]) -> Response:
    """Erase all that is one person's."""
    return erased(page, page.memory.forget(speaker=name, principal=page.principal), "/people")


@router.get("/people/{name:path}")
def person(page: Read, name: str) -> Response:
    """Show a person: what holds of them, what they said, and what erasing takes along."""
    memory, doomed = page.memory, None
    with reading(memory) as reader:
        found = reader.statements_in(speaker=name, limit=MOST_SHOWN)
    if page.may("admin"):
        with suppress(NotFound):
            doomed = memory.forget(speaker=name, dry_run=True)
    return page.html("person.html", name=name, profile=memory.profile(name, tokens=2_000), found=found, doomed=doomed)
