"""The review queue, keys and the audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from http import HTTPStatus
from operator import attrgetter
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from evolore.domain.evolution import JobState
from evolore.domain.review import Keep, ReviewCategory, ReviewFilter, ReviewItem, ReviewStatus
from evolore.errors import InvalidValue
from evolore.server.access import COOKIE
from evolore.server.cursors import part, place_in_queue, queue_key
from evolore.server.house import house_of
from evolore.server.keys import Scope, make_key, revoke_key
from evolore.server.listings import jobs_before, reading
from evolore.server.pages.differences import rows_of
from evolore.server.pages.page import Page, PageRoute, Read, ReadAdmin, SentAdmin, SentReview, note
from evolore.server.pages.stored import episodes_named
from evolore.server.problems import Refused
from evolore.store.service import ApiKey, AuditEntry

router = APIRouter(route_class=PageRoute)


_ITEMS: Mapping[str, Callable[[ReviewItem], object]] = {
    "id": attrgetter("id"),
    **{name: attrgetter(f"{name}.value") for name in ("category", "priority", "status")},
    **{name: attrgetter(name) for name in ("reason", "source", "created_at")},
}
_SHOWN = 8
_ENTRIES: Mapping[str, Callable[[AuditEntry], object]] = {
    name: attrgetter(name) for name in ("at", "act", "status", "key_id", "detail")
}


@router.get("/review")
def queue(
    page: Read,
    category: ReviewCategory | None = None,
    status: ReviewStatus = ReviewStatus.OPEN,
    after: Annotated[str, Query(max_length=400)] = "",
) -> Response:
    """List what a person should look at, a page at a time."""

    def behind(key: Sequence[str], most: int) -> Sequence[ReviewItem]:
        wanted = ReviewFilter(status=status, category=category, after=place_in_queue(key), limit=most)
        with reading(page.memory) as reader:
            return reader.review_items(wanted)

    items, following = part(behind, queue_key, limit=page.most - 1, cursor=after or None)
    return page.listed(
        "queue.html",
        items,
        _ITEMS,
        categories=tuple(ReviewCategory),
        statuses=tuple(ReviewStatus),
        category=category,
        status=status,
        waiting=jobs_before(page.memory, states=[JobState.WAITING], limit=_SHOWN)
        if status is ReviewStatus.OPEN
        else (),
        behind=following or "",
    )


@router.get("/review/{item_id}")
def item(page: Read, item_id: str) -> Response:
    """Show one item: of a contradiction both statements, of a change its source's text beside it."""
    found = page.memory.review.show(item_id)
    known = episodes_named(page.memory, [found.episode_id, found.other_episode_id])
    newer, older = known.get(found.episode_id or ""), known.get(found.other_episode_id or "")
    is_change = found.category is ReviewCategory.PROMOTION and found.status is ReviewStatus.OPEN
    return page.html(
        "item.html",
        item=found,
        newer=newer,
        older=older,
        rows=rows_of(older.text, newer.text, newer.language) if older and newer else (),
        waiting=page.memory.review.list(category=found.category, limit=1),
        change=page.memory.review.conflict(item_id) if is_change else None,
        is_contradiction=found.category is ReviewCategory.CONTRADICTION,
        undo=page.request.query_params.get("undo", ""),
    )


@router.post("/review/{item_id}/settle")
def settle(
    page: SentReview, item_id: str, keep: Annotated[Keep, Form()], note: Annotated[str, Form(max_length=10_000)] = ""
) -> Response:
    """Decide which of two statements holds."""
    said = note.strip() or None
    if keep in {Keep.PROMOTED, Keep.SOURCE}:
        page.memory.review.settle_promotion(item_id, keep=keep, note=said, principal=page.principal)
        return page.go(f"/review/{item_id}", said="settled")
    done = page.memory.review.settle(item_id, keep=keep, note=said, principal=page.principal)
    return page.go(f"/review/{item_id}", said="settled", undo=done.event_id)


@router.post("/review/{item_id}/undo")
def undo(page: SentReview, item_id: str, event: Annotated[str, Form(max_length=100)]) -> Response:
    """Undo what settling did, and ask again."""
    page.memory.undo(event, principal=page.principal)
    if page.memory.review.show(item_id).status is ReviewStatus.RESOLVED:
        page.memory.review.reopen(item_id, principal=page.principal)
    return page.go(f"/review/{item_id}", said="undone")


@router.post("/review/{item_id}/resolve")
def resolve(page: SentReview, item_id: str, note: Annotated[str, Form(max_length=10_000)] = "") -> Response:
    """Mark an item as resolved."""
    page.memory.review.resolve(item_id, note=note.strip() or None, principal=page.principal)
    return page.go("/review", said="resolved")


@router.post("/review/{item_id}/reopen")
def reopen(page: SentReview, item_id: str) -> Response:
    """Ask about something again."""
    page.memory.review.reopen(item_id, principal=page.principal)
    return page.go(f"/review/{item_id}", said="reopened")


@router.get("/keys")
def keys(request: Request, page: ReadAdmin) -> Response:
    """List keys, and show one that was made just now."""
    return page.html(
        "keys.html",
        keys=_own_keys(request, page)[::-1],
        scopes=tuple(Scope),
        now=house_of(request).now(),
        secret=page.take_secret(),
    )


def _own_keys(request: Request, page: Page) -> tuple[ApiKey, ...]:
    found = house_of(request).service.find(ApiKey)
    return tuple(one for one in found if page.caller is None or page.caller.covers(one.namespaces))


@router.post("/keys")
def new_key(
    request: Request,
    page: SentAdmin,
    label: Annotated[str, Form(max_length=200)] = "",
    scopes: Annotated[list[str] | None, Form()] = None,
    namespaces: Annotated[str, Form(max_length=2000)] = "",
    days: Annotated[str, Form(pattern=r"^[0-9]{0,4}$")] = "",
) -> Response:
    """Make a key; the list shows it once. Who makes the first one is logged in with it."""
    house, key = house_of(request), page.caller.key if page.caller else None
    named = [one for one in (part.strip() for part in namespaces.split(",")) if one]
    spaces = tuple(named) or (key.namespaces if key else ())
    if page.caller is not None and not page.caller.covers(spaces):
        raise Refused(HTTPStatus.FORBIDDEN, "The key lacks a right to a namespace asked for: ask its maker.")
    if key is None and Scope.ADMIN not in (scopes or ()):
        raise InvalidValue(
            "The first key needs the scope admin: with any other nobody could make a second one. `evolore server key` makes any."
        )
    secret, made = make_key(
        house.service,
        id_=house.new_id(),
        label=label,
        scopes=scopes or (),
        namespaces=spaces,
        at=house.now(),
        expires_at=house.now() + timedelta(days=int(days)) if days else None,
        created_by=page.key_id,
    )
    house.keys_changed()
    note(request, page, made.id, HTTPStatus.CREATED)
    if key is not None:
        return page.go_with_secret("/keys", secret)
    session = house.sessions.begin(made.id, at=house.now())
    answer = page.go_with_secret("/keys", secret, name=session)
    page.keep(answer, COOKIE, session)
    return answer


@router.post("/keys/{key_id}/revoke")
def revoke(request: Request, page: SentAdmin, key_id: str) -> Response:
    """Revoke a key."""
    house = house_of(request)
    if key_id not in {one.id for one in _own_keys(request, page)}:
        raise Refused(HTTPStatus.NOT_FOUND, f"No key has the id {key_id!r}: the list of keys shows them.")
    revoke_key(house.service, key_id, at=house.now())
    return page.go("/keys", said="revoked", noted=key_id)


@router.get("/audit")
def audit(request: Request, page: ReadAdmin, after: Annotated[str, Query(max_length=100)] = "") -> Response:
    """List what was refused, and administrative acts, the newest first; a bound key sees those of its own keys."""
    own = {one.id: one for one in _own_keys(request, page)}
    is_bound = bool(page.caller and page.caller.key and page.caller.key.namespaces)
    found = house_of(request).service.find(
        AuditEntry,
        limit=page.most,
        newest_first=True,
        after=after or None,
        **({"key_id": tuple(own)} if is_bound else {}),
    )
    return page.listed("audit.html", found, _ENTRIES, keys=own)
