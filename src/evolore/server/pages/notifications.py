"""Notifications: targets, their events and what was sent; for administrators, as over the API."""

from __future__ import annotations

from http import HTTPStatus
from importlib.util import find_spec
from secrets import token_urlsafe
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query, Request, Response
from pydantic import AfterValidator, BaseModel, Field

from evolore.errors import InvalidValue
from evolore.server.delivery import TargetKind
from evolore.server.house import house_of
from evolore.server.languages import LANGUAGES
from evolore.server.notifications import Notice, shown_target
from evolore.server.pages.page import MOST_SHOWN, Page, PageRoute, ReadAdmin, SentAdmin, note
from evolore.store.service import DONE, FAILED, RUNNING, WAITING, Outgoing, Receiver

router = APIRouter(prefix="/running/notifications", route_class=PageRoute)
_SECRET_BYTES = 32
_STATES = (WAITING, RUNNING, DONE, FAILED)
_EVENTS = tuple(one for one in Notice if one is not Notice.TEST)
State = Literal["waiting", "running", "done", "failed"]


class TargetForm(BaseModel):
    """What was filled in; no events for all, no secret for one that is made up."""

    kind: Annotated[str, Field(max_length=20)] = ""
    address: Annotated[str, Field(max_length=2000), AfterValidator(str.strip)] = ""
    secret: Annotated[str, Field(max_length=200)] = ""
    events: Annotated[list[str], Field(max_length=20)] = []
    language: Annotated[str, Field(max_length=5)] = "en"


@router.get("")
def notifications(
    request: Request, page: ReadAdmin, state: State | None = None, after: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """List targets and messages of the namespace."""
    return _drawn(request, page, _empty(page), state=state, after=after)


def _drawn(
    request: Request,
    page: Page,
    wanted: TargetForm,
    *,
    state: str | None = None,
    after: str = "",
    problem: str = "",
) -> Response:
    service = house_of(request).service
    targets = {one.id: one for one in service.find(Receiver, namespace=page.memory.namespace)}
    fits: dict[str, object] = {"target_id": tuple(targets), **({} if state is None else {"state": state})}
    found = service.find(Outgoing, limit=MOST_SHOWN + 1, newest_first=True, after=after or None, **fits)
    return page.html(
        "notifications.html",
        http_status=HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        targets={id_: (one, shown_target(one)["address"]) for id_, one in targets.items()},
        messages=found[:MOST_SHOWN],
        next=found[MOST_SHOWN - 1].id if len(found) > MOST_SHOWN else "",
        after=after,
        states=_STATES,
        state=state,
        kinds=tuple(one for one in TargetKind if one is not TargetKind.APPRISE or find_spec("apprise")),
        events=_EVENTS,
        names=LANGUAGES,
        wanted=wanted,
        problem=problem,
        secret=page.take_secret(),
    )


def _empty(page: Page) -> TargetForm:
    return TargetForm(kind=TargetKind.WEBHOOK.value, language=page.language)


@router.post("")
def make(request: Request, page: SentAdmin, wanted: Annotated[TargetForm, Form()]) -> Response:
    """Make a target; a generated secret is shown once."""
    is_webhook = wanted.kind == TargetKind.WEBHOOK
    needs_secret = is_webhook and not wanted.secret
    own = token_urlsafe(_SECRET_BYTES) if needs_secret else wanted.secret if is_webhook else ""
    try:
        made = house_of(request).notifications.make(
            page.memory.namespace,
            kind=wanted.kind,
            address=wanted.address,
            secret=own,
            events=wanted.events,
            language=wanted.language,
        )
    except InvalidValue as error:
        return _drawn(request, page, wanted, problem=str(error))
    note(request, page, made.id, HTTPStatus.CREATED)
    if needs_secret:
        return page.go_with_secret("/running/notifications", own)
    return page.go("/running/notifications", said="target_made")


@router.post("/{target_id}/test")
def test(request: Request, page: SentAdmin, target_id: str) -> Response:
    """Send a test message now, and say how that went."""
    sent = house_of(request).notifications.test(target_id, namespace=page.memory.namespace)
    said = "test_taken" if sent.state == DONE else "test_refused"
    return page.go("/running/notifications", said=said, noted=target_id)


@router.post("/{target_id}/delete")
def delete(request: Request, page: SentAdmin, target_id: str) -> Response:
    """Delete a target with its messages."""
    house_of(request).notifications.remove(target_id, namespace=page.memory.namespace)
    return page.go("/running/notifications", said="target_removed", noted=target_id)


@router.post("/messages/{message_id}/send")
def send_again(request: Request, page: SentAdmin, message_id: str) -> Response:
    """Send a message again."""
    house_of(request).notifications.send_again(message_id, namespace=page.memory.namespace)
    return page.go("/running/notifications", said="sent_again", noted=message_id)
