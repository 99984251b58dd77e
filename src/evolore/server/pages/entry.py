"""Log-in and log-out, what pages are drawn with, and addresses that lead nowhere."""

from __future__ import annotations

import gzip
from functools import cache
from http import HTTPStatus
from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from evolore.server.access import COOKIE, PAGES
from evolore.server.house import house_of
from evolore.server.pages.page import FORM_COOKIE, PageRoute, SentRead, assets, check_form, error_page, open_page
from evolore.server.problems import Refused

router = APIRouter(route_class=PageRoute)
last = APIRouter(route_class=PageRoute)
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_YEAR, _SHORT = "public, max-age=31536000, immutable", "max-age=300"


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(assets()[name], mtime=0)


@router.get("/assets/{name}")
def asset(request: Request, name: str, v: str = "") -> Response:
    """Return a style sheet, script or picture of the pages; it may be kept for as long as its address says what it holds."""
    if name not in assets():
        raise Refused(HTTPStatus.NOT_FOUND, f"There is no {name!r} here. In a clone, `make setup` bundles it.")
    is_packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"Cache-Control": _YEAR if v or name.startswith("picture-") else _SHORT, "Vary": "Accept-Encoding"}
    return Response(
        _packed(name) if is_packed else assets()[name],
        media_type=_KINDS[PurePath(name).suffix],
        headers={**headers, **({"Content-Encoding": "gzip"} if is_packed else {})},
    )


@router.get("/login")
def log_in_page(request: Request, next: Annotated[str, "where to go then"] = "") -> Response:  # noqa: A002 - as addresses say it
    """Ask for a key."""
    page = open_page(request)
    return page.go("") if not house_of(request).has_keys() else page.html("login.html", next=next, is_wrong=False)


@router.post("/login")
def log_in(
    request: Request,
    key: Annotated[str, Form(max_length=200)],
    form_mark: Annotated[str, Form(max_length=200)] = "",
    next: Annotated[str, Form(max_length=2000)] = "",  # noqa: A002 - likewise
) -> Response:
    """Log somebody in by their key; their session has another name than before."""
    page = open_page(request)
    house = house_of(request)
    check_form(request, form_mark)
    found = house.key_of(request, key.strip())
    if found is None:
        house.note_refusal(request, HTTPStatus.UNAUTHORIZED)
        return page.html("login.html", http_status=HTTPStatus.UNAUTHORIZED, next=next, is_wrong=True)
    house.sessions.end(request.cookies.get(COOKIE))
    answer = page.go(_within(next))
    page.keep(answer, COOKIE, house.sessions.begin(found.id, at=house.now()))
    answer.delete_cookie(FORM_COOKIE, path=PAGES)
    house.note_later(request, HTTPStatus.SEE_OTHER, key_id=found.id)
    return answer


@router.post("/logout")
def log_out(request: Request, page: SentRead) -> Response:
    """Log somebody out."""
    house_of(request).sessions.end(request.cookies.get(COOKIE))
    answer = page.go("/login")
    answer.delete_cookie(COOKIE, path=PAGES)
    return answer


def _within(wanted: str) -> str:
    """Return an address below the pages; none where it may lead elsewhere."""
    is_path = not wanted or (wanted[0] in "/?" and not wanted.startswith(("//", "/login", "/logout")))
    return wanted if is_path and wanted.isprintable() and "\\" not in wanted else ""


@last.get("/{rest:path}", response_class=HTMLResponse)
def nothing(request: Request, rest: str) -> Response:
    """Report that there is no such page."""
    del rest
    open_page(request)
    return error_page(request, HTTPStatus.NOT_FOUND, "There is no page at this address.")
