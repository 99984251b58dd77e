"""Notifications: targets, their events, and what was sent."""

from __future__ import annotations

from http import HTTPStatus
from secrets import token_urlsafe
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.domain.result import fields_but
from evolore.server.access import Admin, Caller
from evolore.server.delivery import TargetKind
from evolore.server.described import Body, shows
from evolore.server.house import house_of
from evolore.server.notifications import Notice, check_target, shown_target
from evolore.store.service import Outgoing, Receiver

_TARGET = {
    "id": "01m8364hhjbh7q9dh3a8z351rh",
    "namespace": "support",
    "kind": "webhook",
    "address": "https://example.com…",
    "events": ["needs_person"],
    "language": "en",
    "created_at": "2026-03-02T09:30:00+00:00",
}
_MESSAGE: dict[str, object] = {
    "id": "01m8364hhjbh7q9dh3a8z351rh",
    "target_id": "01m8364hhjbh7q9dh3a8z351rh",
    "event": "needs_person",
    "facts": {},
    "state": "done",
    "attempts": 1,
    "error": None,
    "runs_at": "2026-03-02T09:30:00+00:00",
    "created_at": "2026-03-02T09:30:00+00:00",
}
router = APIRouter(prefix="/notifications", tags=["notifications"])
_SECRET_BYTES = 32
Language = Literal["en", "ja", "zh"]


_NEW = {"kind": "webhook", "address": "https://example.com/hook", "events": ["candidate_ready"]}


class NewTarget(Body, json_schema_extra={"examples": [_NEW]}):
    """A target and its events."""

    kind: TargetKind
    address: Annotated[str, Field(min_length=1, max_length=2000)]
    secret: Annotated[str | None, Field(max_length=200, description="Signs webhooks; by default one is made.")] = None
    events: Annotated[list[Notice], Field(max_length=20, description="By default all.")] = []
    language: Language = "en"


class ChangedTarget(Body, json_schema_extra={"examples": [{"language": "ja"}]}):
    """What to change in a target."""

    events: Annotated[list[Notice] | None, Field(min_length=1, max_length=20)] = None
    language: Language | None = None


@router.get("/targets", summary="List targets", responses=shows({"targets": [_TARGET]}))
def listed(request: Request, caller: Admin) -> JSONResponse:
    """List the targets of the namespace, without secrets and without the secret part of addresses."""
    found = house_of(request).service.find(Receiver, namespace=caller.namespace)
    return JSONResponse({"targets": [shown_target(one) for one in found]})


@router.post(
    "/targets",
    status_code=HTTPStatus.CREATED,
    summary="Make a target",
    responses=shows(
        {**_TARGET, "secret": "…"},
        status=HTTPStatus.CREATED,
        links={"/id": tuple(f"notifications_{one} target_id" for one in ("show", "change", "test", "delete"))},
    ),
)
def make(request: Request, new: NewTarget, caller: Admin) -> JSONResponse:
    """Make a target. A secret that the server generates is shown here, once."""
    house = house_of(request)
    needs_secret = new.kind is TargetKind.WEBHOOK and not new.secret
    secret = token_urlsafe(_SECRET_BYTES) if needs_secret else new.secret or ""
    target = house.notifications.make(
        caller.namespace,
        kind=new.kind,
        address=new.address,
        secret=secret,
        events=[one.value for one in new.events],
        language=new.language,
    )
    _note(request, caller, HTTPStatus.CREATED, target.id)
    shown = {**shown_target(target), **({"secret": secret} if needs_secret else {})}
    return JSONResponse(shown, status_code=HTTPStatus.CREATED)


@router.get("/targets/{target_id}", summary="Show a target", responses=shows(_TARGET))
def show(request: Request, target_id: str, caller: Admin) -> JSONResponse:
    """Show a target, without its secret."""
    return JSONResponse(shown_target(house_of(request).notifications.of(target_id, namespace=caller.namespace)))


@router.patch("/targets/{target_id}", summary="Change what is sent to a target", responses=shows(_TARGET))
def change(request: Request, target_id: str, new: ChangedTarget, caller: Admin) -> JSONResponse:
    """Change events or language; for another address, make another target."""
    house = house_of(request)
    old = house.notifications.of(target_id, namespace=caller.namespace)
    events = old.events if new.events is None else tuple(dict.fromkeys(one.value for one in new.events))
    language = new.language or old.language
    check_target(old.kind, old.address, old.secret, events, language)
    house.service.change(Receiver, {"id": old.id}, {"events": events, "language": language})
    _note(request, caller, HTTPStatus.OK, old.id)
    return JSONResponse(shown_target(house.notifications.of(target_id, namespace=caller.namespace)))


@router.delete("/targets/{target_id}", status_code=HTTPStatus.NO_CONTENT, summary="Delete a target")
def delete(request: Request, target_id: str, caller: Admin) -> None:
    """Delete a target with its messages, those that wait too."""
    house_of(request).notifications.remove(target_id, namespace=caller.namespace)
    _note(request, caller, HTTPStatus.NO_CONTENT, target_id)


@router.post(
    "/targets/{target_id}/test",
    summary="Send a test message",
    responses=shows(_MESSAGE, links={"/id": ("notifications_send_again message_id",)}),
)
def test(request: Request, target_id: str, caller: Admin) -> JSONResponse:
    """Send a test message now, and say whether the target took it: `state` is `done` or `failed`."""
    sent = house_of(request).notifications.test(target_id, namespace=caller.namespace)
    _note(request, caller, HTTPStatus.OK, target_id)
    return JSONResponse(shown_message(sent))


@router.get("/messages", summary="List messages", responses=shows({"messages": [_MESSAGE], "next": None}))
def messages(
    request: Request,
    caller: Admin,
    state: Annotated[Literal["waiting", "running", "done", "failed"] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    after: Annotated[str | None, Query(max_length=200, description="`next` of the page before.")] = None,
) -> JSONResponse:
    """List the messages to the targets of the namespace, the newest first."""
    service = house_of(request).service
    ids = tuple(one.id for one in service.find(Receiver, namespace=caller.namespace))
    fits: dict[str, object] = {"target_id": ids}
    if state is not None:
        fits["state"] = state
    found = service.find(Outgoing, limit=limit, newest_first=True, after=after, **fits)
    following = found[-1].id if len(found) == limit else None
    return JSONResponse({"messages": [shown_message(one) for one in found], "next": following})


@router.post(
    "/messages/{message_id}/send",
    status_code=HTTPStatus.ACCEPTED,
    summary="Send a message again",
    responses=shows({**_MESSAGE, "state": "waiting", "attempts": 0}, status=HTTPStatus.ACCEPTED),
)
def send_again(request: Request, message_id: str, caller: Admin) -> JSONResponse:
    """Queue a message that failed, or waits for its next try, to be sent now."""
    message = house_of(request).notifications.send_again(message_id, namespace=caller.namespace)
    _note(request, caller, HTTPStatus.ACCEPTED, message_id)
    return JSONResponse(shown_message(message), status_code=HTTPStatus.ACCEPTED)


def shown_message(message: Outgoing) -> dict[str, object]:
    """Return a message as JSON: ids and how it went."""
    facts = {name: value for name, value in message.body.items() if name != "namespace"}
    return {**fields_but(message, "name", "body"), "facts": facts}


def _note(request: Request, caller: Caller, status: HTTPStatus, detail: str) -> None:
    house_of(request).note(request, status, key_id=caller.key_id, detail=detail)
