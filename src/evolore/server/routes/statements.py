"""Statements and items: what is remembered, shown, undone and forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.domain.document import Document
from evolore.domain.episode import MAX_STATEMENT_CHARACTERS, Episode, ProcedureOutcome, Statement, StatementKind
from evolore.flows.expire import Expired
from evolore.flows.maintain import Maintained
from evolore.flows.remember.remember import RememberedMany
from evolore.ports import EventRecord, Receipt
from evolore.server.access import Admin, Looker, Reader, Writer
from evolore.server.cursors import Cursor, Labelled, Limit, part_by_id
from evolore.server.described import Body, shows
from evolore.server.idempotency import DoneOnce
from evolore.server.listings import reading
from evolore.server.routes.recall import Time

router = APIRouter(tags=["statements"], route_class=DoneOnce)
_MOST = 1000
_ID = "01kmzt0c7yd9v1g6m3q5x8e2ar"
_EPISODE = {"id": _ID, "kind": "statement", "text": "We moved to Postgres 18.", "speaker": "Mika"}
_RECEIPT = {"event_id": _ID, "documents": 0, "episodes": 1, "payloads": 1, "vectors": 1}


_TO_EPISODE = ("statements_show item_id", "statements_history item_id", "statements_forget item_id")


class StatementBody(
    Body, json_schema_extra={"examples": [{"text": "We moved to Postgres 18.", "speaker": "Mika", "tags": ["db"]}]}
):
    """A statement."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_STATEMENT_CHARACTERS)]
    occurred_at: Time | None = None
    speaker: str | None = None
    session: str | None = None
    arousal: Annotated[float | None, Field(ge=0, le=1)] = None
    about: Annotated[list[str] | None, Field(min_length=2, max_length=2, description="Subject and attribute.")] = None
    metadata: dict[str, str | int | float | bool] = {}
    tags: list[str] = []
    kind: Annotated[StatementKind, Field(description="`procedure` for steps.")] = StatementKind.STATEMENT
    outcome: Annotated[ProcedureOutcome | None, Field(description="How a procedure turned out.")] = None

    def statement(self) -> Statement:
        """Return it as the memory takes it."""
        about = None if self.about is None else (self.about[0], self.about[1])
        return Statement(**self.model_dump(exclude={"about"}), about=about)


class Remembering(Body, json_schema_extra={"examples": [{"statements": [{"text": "We moved to Postgres 18."}]}]}):
    """Statements, in their order."""

    statements: Annotated[list[StatementBody], Field(min_length=1, max_length=_MOST)]


class ForgetBody(Body, json_schema_extra={"examples": [{"speaker": "Mika", "dry_run": True}]}):
    """What is to be erased: exactly one of an id, a document, a session, a speaker, a principal, a filter, or everything."""

    item_id: str | None = None
    document: str | None = None
    session: str | None = None
    speaker: Annotated[str | None, Field(description="All that is this person's.")] = None
    of_principal: Annotated[str | None, Field(description="All that is this principal's.")] = None
    where: dict[str, str | int | float | bool] | None = None
    tags: list[str] = []
    since: Time | None = None
    until: Time | None = None
    everything: bool = False
    dry_run: bool = False


class Expiring(Body, json_schema_extra={"examples": [{"older_than_days": 365, "tag": "chat", "dry_run": True}]}):
    """What is over: what meets every rule that is given."""

    older_than_days: Annotated[float | None, Field(gt=0, le=1_000_000)] = None
    tag: str | None = None
    session: str | None = None
    questions: Annotated[bool, Field(description="Whether questions go by age too.")] = False
    dry_run: bool = False


class Maintaining(Body, json_schema_extra={"examples": [{"items": 500, "dry_run": True}]}):
    """How much to check."""

    items: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    seconds: Annotated[float | None, Field(gt=0, le=3600)] = None
    redecide: bool = False
    dry_run: bool = False


@router.post(
    "/statements",
    status_code=HTTPStatus.CREATED,
    summary="Remember statements",
    responses=shows(
        {"episodes": [_EPISODE], "event_ids": [], "review_ids": []},
        of=RememberedMany,
        status=HTTPStatus.CREATED,
        links={
            "/episodes/0/id": _TO_EPISODE,
            "/event_ids/0": ("statements_undo event_id",),
            "/review_ids/0": ("review_settle item_id",),
        },
    ),
)
def remember(said: Remembering, caller: Writer) -> JSONResponse:
    """Store statements, in their order and in one transaction, and report what became of each."""
    found = caller.memory.remember_many([one.statement() for one in said.statements], principal=caller.principal)
    return JSONResponse(found.to_dict(), status_code=HTTPStatus.CREATED)


@router.get(
    "/statements",
    summary="List statements",
    responses=shows({"statements": [_EPISODE], "next": None}, of={"statements": Episode}),
)
def listed(caller: Reader, wanted: Labelled, limit: Limit = 20, cursor: Cursor = None) -> JSONResponse:
    """List current statements, the newest first; with `where` and `tag` those that are filed so."""

    def older(before: str, most: int) -> Sequence[Episode]:
        with reading(caller.memory) as reader:
            return reader.statements(wanted, before=before, limit=most)

    shown, following = part_by_id(older, lambda one: one.id, limit=limit, cursor=cursor)
    return JSONResponse({"statements": [one.to_dict() for one in shown], "next": following})


@router.get(
    "/items/{item_id:path}/history",
    summary="Show the history of an item",
    tags=["items"],
    responses=shows({"events": [{"id": _ID, "kind": "remembered"}]}, of={"events": EventRecord}),
)
def history(item_id: str, caller: Looker, limit: Annotated[int | None, Query(ge=1, le=1000)] = None) -> JSONResponse:
    """Return the events that made, changed or joined an item, oldest first; by default all."""
    return JSONResponse({"events": [one.to_dict() for one in caller.memory.history(item_id, limit=limit)]})


@router.get(
    "/items/{item_id:path}",
    summary="Show a document, chunk or statement",
    tags=["items"],
    responses=shows(_EPISODE, of=(Episode, Document)),
)
def show(item_id: str, caller: Looker) -> JSONResponse:
    """Show an item by its id, the beginning of one, or a document's source."""
    return JSONResponse(caller.memory.show(item_id).to_dict())


@router.delete(
    "/items/{item_id:path}", summary="Forget an item for good", tags=["items"], responses=shows(_RECEIPT, of=Receipt)
)
def forget(item_id: str, caller: Admin) -> JSONResponse:
    """Erase an item with all that quotes it, and return the receipt."""
    return JSONResponse(caller.memory.forget(item_id, principal=caller.principal).to_dict())


@router.post("/forget", summary="Forget what fits, for good", tags=["items"], responses=shows(_RECEIPT, of=Receipt))
def forget_many(doomed: ForgetBody, caller: Admin) -> JSONResponse:
    """Erase documents with all their versions, and statements; name exactly one thing, or say ``dry_run`` first."""
    said = {name: value for name, value in doomed.model_dump(exclude_unset=True).items() if value is not None}
    return JSONResponse(caller.memory.forget(principal=caller.principal, **said).to_dict())


@router.post(
    "/expire",
    summary="Forget what is over by rule, for good",
    tags=["items"],
    responses=shows({"statement_ids": [_ID], "question_ids": [], "receipt": _RECEIPT, "is_dry_run": False}, of=Expired),
)
def expire(rule: Expiring, caller: Admin) -> JSONResponse:
    """Erase statements, and questions if asked for, that meet every rule; documents stay. Say ``dry_run`` first."""
    return JSONResponse(caller.memory.expire(principal=caller.principal, **rule.model_dump()).to_dict())


@router.get(
    "/events",
    summary="List what happened",
    tags=["items"],
    responses=shows({"events": [{"id": _ID, "kind": "remembered"}]}, of={"events": EventRecord}),
)
def events(caller: Looker, limit: Limit = 20) -> JSONResponse:
    """Return the newest events, oldest first."""
    return JSONResponse({"events": [one.to_dict() for one in caller.memory.history(limit=limit)]})


@router.post(
    "/maintain", summary="Look again at what changed", tags=["care"], responses=shows({"examined": 12}, of=Maintained)
)
def maintain(caller: Admin, how: Maintaining | None = None) -> JSONResponse:
    """Merge, split, link and prune where that is due; it goes on where it was, and waits until the items are done."""
    wanted = how or Maintaining()
    return JSONResponse(caller.memory.maintain(**wanted.model_dump(), principal=caller.principal).to_dict())
