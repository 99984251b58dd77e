"""Namespaces that a key may enter."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from evolore.server.access import Looker
from evolore.server.described import shows
from evolore.server.house import house_of

router = APIRouter(tags=["namespaces"])


@router.get("/namespaces", summary="List namespaces", responses=shows({"namespaces": ["default"]}))
def listed(request: Request, caller: Looker) -> JSONResponse:
    """List the namespaces that something was written to and that the caller may enter, by name."""
    own = caller.key.namespaces if caller.key else ()
    every = house_of(request).memories.namespaces()
    return JSONResponse({"namespaces": [one for one in every if not own or one in own]})
