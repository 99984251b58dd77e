"""API keys, for who administers the server, and the namespaces that a key may enter."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.domain.times import read_moment
from evolore.server.access import Admin, Looker
from evolore.server.described import Body, shows
from evolore.server.house import house_of
from evolore.server.keys import Scope, make_key, revoke_key, shown_key
from evolore.server.problems import Refused
from evolore.store.service import ApiKey

_KEY = {
    "id": "01m8364hhjbh7q9dh3a8z351rh",
    "prefix": "evo_abcd",
    "label": "a bot",
    "scopes": ["read"],
    "namespaces": ["support"],
    "created_at": "2026-03-02T09:30:00+00:00",
    "created_by": None,
    "expires_at": None,
    "used_at": None,
    "revoked_at": None,
}
router = APIRouter(prefix="/keys", tags=["keys"])
entered = APIRouter(tags=["namespaces"])


class NewKey(Body, json_schema_extra={"examples": [{"label": "support bot", "scopes": ["read", "rate"]}]}):
    """What a key is to be."""

    label: Annotated[str, Field(min_length=1, max_length=200)]
    scopes: Annotated[list[Scope], Field(min_length=1)]
    namespaces: list[str] = []
    expires_at: Annotated[str | None, Field(max_length=64, description="A date or time in ISO 8601.")] = None


@router.get("", summary="List keys", responses=shows({"keys": [_KEY]}))
def listed(request: Request, caller: Admin) -> JSONResponse:
    """List keys that may enter no other namespace than the caller's, without the keys themselves."""
    found = house_of(request).service.find(ApiKey)
    return JSONResponse({"keys": [shown_key(one) for one in found if caller.covers(one.namespaces)]})


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    summary="Make a key",
    responses=shows(
        {**_KEY, "key": "evo_…"},
        status=HTTPStatus.CREATED,
        links={"/id": ("keys_revoke key_id",)},
    ),
)
def make(request: Request, new: NewKey, caller: Admin) -> JSONResponse:
    """Make a key and show it, once. A key that is bound to namespaces makes keys for these alone."""
    house = house_of(request)
    spaces = tuple(new.namespaces) or (caller.key.namespaces if caller.key else ())
    if not caller.covers(spaces):
        raise Refused(HTTPStatus.FORBIDDEN, "The key lacks a right to a namespace asked for: ask its maker.")
    secret, key = make_key(
        house.service,
        id_=house.new_id(),
        label=new.label,
        scopes=new.scopes,
        namespaces=spaces,
        at=house.now(),
        expires_at=read_moment(new.expires_at, "expires_at"),
        created_by=caller.key_id,
    )
    house.keys_changed()
    house.note(request, HTTPStatus.CREATED, key_id=caller.key_id, detail=key.id)
    return JSONResponse({**shown_key(key), "key": secret}, status_code=HTTPStatus.CREATED)


@router.delete("/{key_id}", summary="Revoke a key", responses=shows(_KEY))
def revoke(
    request: Request,
    key_id: str,
    caller: Admin,
    force: Annotated[bool, Query(description="Also the last key that administers.")] = False,  # noqa: FBT002
) -> JSONResponse:
    """Revoke a key; requests with it are refused from then on. The last that administers is revoked only by `force`."""
    house = house_of(request)
    found = house.service.get(ApiKey, id=key_id)
    if found is None or not caller.covers(found.namespaces):
        raise Refused(HTTPStatus.NOT_FOUND, f"No key has the id {key_id!r}: `GET /api/keys` lists them.")
    key = revoke_key(house.service, key_id, at=house.now(), force=force)
    house.note(request, HTTPStatus.OK, key_id=caller.key_id, detail=key.id)
    return JSONResponse(shown_key(key))


@entered.get("/namespaces", name="listed", summary="List namespaces", responses=shows({"namespaces": ["default"]}))
def namespaces(request: Request, caller: Looker) -> JSONResponse:
    """List the namespaces that something was written to and that the caller may enter, by name."""
    own = caller.key.namespaces if caller.key else ()
    every = house_of(request).memories.namespaces()
    return JSONResponse({"namespaces": [one for one in every if not own or one in own]})
