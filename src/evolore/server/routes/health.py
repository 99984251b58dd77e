"""Routes of a server's health: whether it lives, whether it is ready, and its figures."""

from __future__ import annotations

from http import HTTPStatus
from ipaddress import ip_address
from typing import cast

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse

from evolore.server.access import LOOPBACK_NAMES, PAGES, key_that_asks
from evolore.server.described import refuses
from evolore.server.house import house_of
from evolore.server.keys import Scope
from evolore.server.mcp import PATH as MCP_PATH
from evolore.server.observation import Metrics
from evolore.server.problems import Refused

router = APIRouter(tags=["health"])


@router.get("/", include_in_schema=False)
def entrance(request: Request) -> Response:
    """Send a browser to the pages, and tell a program where things are."""
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(PAGES, status_code=HTTPStatus.SEE_OTHER)
    return JSONResponse({"pages": PAGES, "api": "/api/openapi.json", "mcp": MCP_PATH, "health": "/healthz"})


@router.get("/healthz", summary="Report that the process lives")
async def alive() -> dict[str, str]:
    """Return that the process lives, without reading the store or waiting for a thread."""
    return {"status": "ok"}


@router.get("/readyz", summary="Report that the store can be read", responses=refuses(503))
def ready(request: Request) -> dict[str, str]:
    """Return that the store can be read."""
    house = house_of(request)
    house.memories.of(house.default_namespace).stats()
    return {"status": "ok"}


@router.get(
    "/metrics",
    summary="Return metrics for Prometheus",
    response_class=PlainTextResponse,
    responses=refuses(401, 403, 429),
)
def metrics(request: Request) -> PlainTextResponse:
    """Return figures of requests, jobs and messages of all namespaces: to this machine, or to an admin key bound to none."""
    house = house_of(request)
    if not _is_from_here(request):
        key = key_that_asks(request)
        if key is None or Scope.ADMIN.value not in key.scopes or key.namespaces:
            house.note_later(request, HTTPStatus.FORBIDDEN, key_id=key.id if key else "")
            raise Refused(
                HTTPStatus.FORBIDDEN, "Figures are for this machine, or an admin key that is bound to no namespace."
            )
        house.limit(key)
    told = cast("Metrics", request.app.state.metrics).text()
    return PlainTextResponse(told, media_type="text/plain; version=0.0.4; charset=utf-8")


def _is_from_here(request: Request) -> bool:
    """Return whether this machine asks, and not somebody through a proxy on it."""
    if any(name in request.headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via")):
        return False
    if request.url.hostname not in LOOPBACK_NAMES:
        return False
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False
