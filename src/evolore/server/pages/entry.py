"""Log-in and log-out, what pages are drawn with, and addresses that lead nowhere."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from evolore.server.access import COOKIE, PAGES
from evolore.server.house import house_of
from evolore.server.keys import key_of
from evolore.server.pages.page import FORM_COOKIE, PageRoute, SentRead, check_form, error_page, open_page
from evolore.server.problems import Refused

router = APIRouter(route_class=PageRoute)
last = APIRouter(route_class=PageRoute)
_ASSETS = {
    "pages.css": "text/css; charset=utf-8",
    "pages.js": "text/javascript; charset=utf-8",
    "job_log.js": "text/javascript; charset=utf-8",
    "mark.svg": "image/svg+xml",
}


@cache
def _asset(name: str) -> bytes:
    return files("evolore.server.pages").joinpath("assets", name).read_bytes()


@router.get("/assets/{name}")
def asset(name: str) -> Response:
    """Give a style sheet, script or picture of the pages."""
    if name not in _ASSETS:
        raise Refused(HTTPStatus.NOT_FOUND, f"There is no {name!r} here: load the page anew.")
    return Response(_asset(name), media_type=_ASSETS[name], headers={"Cache-Control": "max-age=300"})


@router.get("/login")
def log_in_page(request: Request, next: Annotated[str, "where to go then"] = "") -> Response:  # noqa: A002 - as addresses say it
    """Ask for a key."""
    page = open_page(request)
    if not house_of(request).has_keys():
        return page.go("")
    return page.html("login.html", next=next, is_wrong=False)


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
    found = key_of(house.service, key.strip(), at=house.now())
    if found is None:
        house.note(request, HTTPStatus.UNAUTHORIZED, key_id=None)
        return page.html("login.html", http_status=HTTPStatus.UNAUTHORIZED, next=next, is_wrong=True)
    house.sessions.end(request.cookies.get(COOKIE))
    answer = page.go(_within(next))
    page.keep(answer, COOKIE, house.sessions.begin(found.id, at=house.now()))
    answer.delete_cookie(FORM_COOKIE, path=PAGES)
    house.note(request, HTTPStatus.SEE_OTHER, key_id=found.id)
    return answer


@router.post("/logout")
def log_out(request: Request, page: SentRead) -> Response:
    """Log somebody out."""
    house_of(request).sessions.end(request.cookies.get(COOKIE))
    answer = page.go("/login")
    answer.delete_cookie(COOKIE, path=PAGES)
    return answer


def _within(wanted: str) -> str:
    """Give an address below the pages; none where it may lead elsewhere."""
    is_path = not wanted or (wanted[0] in "/?" and not wanted.startswith(("//", "/login", "/logout")))
    return wanted if is_path and wanted.isprintable() and "\\" not in wanted else ""


@last.get("/{rest:path}", response_class=HTMLResponse)
def nothing(request: Request, rest: str) -> Response:
    """Say that there is no such page."""
    del rest
    open_page(request)
    return error_page(request, HTTPStatus.NOT_FOUND, "There is no page at this address.")
