"""Common parts of every page: its reader, its language and colours, its forms' mark, and its errors."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from http import HTTPStatus
from importlib.resources import files
from io import StringIO
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, TypeVar, cast
from urllib.parse import quote, unquote, urlencode

from fastapi import Depends, Form, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined

from evolore.errors import EvoloreError, InvalidValue
from evolore.server.access import COOKIE, PAGES, Caller, caller_of, secret_of
from evolore.server.drawings.markup import MARKDOWN, Markup
from evolore.server.house import house_of
from evolore.server.keys import Scope, key_with_id
from evolore.server.languages import LANGUAGES, Texts, language_of, texts_in
from evolore.server.pages.reasons import worded
from evolore.server.problems import Refused, detail_of, problem_of
from evolore.server.sessions import new_name
from evolore.text.display import visible

if TYPE_CHECKING:
    from evolore.memory import Memory

FORM_COOKIE = "evolore_form"
_LANGUAGE_COOKIE = "evolore_language"
_THEME_COOKIE = "evolore_theme"
_NAMESPACE_COOKIE = "evolore_namespace"
_SAID_COOKIE = "evolore_said"
_YEAR_SECONDS = 365 * 24 * 3600
_THEMES = ("auto", "light", "dark")
_LOOPBACK = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?", re.ASCII)
_KEPT_HEADERS = {"retry-after", "www-authenticate"}
MOST_SHOWN = 50
"""So many rows a page lists."""
_MOST_IN_FILE = 100_000
_RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")
Row = TypeVar("Row")


_PARTLY = Markup(
    'hx-boost:inherited="true" hx-target:inherited="#main" hx-select:inherited="#main"'
    ' hx-swap:inherited="outerHTML show:none"'
)
"""Links below an element with these attributes reload the page's main part, and nothing else."""


def _moment(value: datetime | None) -> str:
    return "" if value is None else value.strftime("%Y-%m-%d %H:%M")


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


@cache
def assets() -> Mapping[str, bytes]:
    """Return what pages are drawn with, by name: what `make setup` bundled, or a wheel brought along."""
    folder = files("evolore.server.pages").joinpath("assets")
    return {one.name: one.read_bytes() for one in folder.iterdir()} if folder.is_dir() else {}


@cache
def _address(name: str) -> str:
    """Return an asset's address, which changes with what it holds."""
    return f"{PAGES}/assets/{name}?v={hashlib.sha256(assets().get(name, b'')).hexdigest()[:12]}"


def _rendered(text: str) -> Markup:
    return Markup(visible(MARKDOWN.render(text)))


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("evolore.server.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(moment=_moment, percent=_percent, part=lambda text: quote(str(text), safe=""))
    made.filters.update(asset=_address, rendered=_rendered)
    cast("dict[str, object]", made.globals)["partly"] = _PARTLY
    return made


_TEMPLATES = _environment()


class LogIn(Exception):
    """The reader is not logged in, and has to be."""


@dataclass(slots=True, kw_only=True)
class Page:
    """A page that is asked for."""

    request: Request  #: The request.
    language: str  #: The language it is in.
    theme: str  #: Its colours: ``auto``, ``light`` or ``dark``.
    caller: Caller | None = None  #: Who reads it; None at the log-in and for an error.
    cookies: dict[str, str] = field(default_factory=dict[str, str])  #: What is kept of what they chose just now.

    @property
    def memory(self) -> Memory:
        """The memory it is about."""
        assert self.caller is not None
        return self.caller.memory

    @property
    def principal(self) -> str | None:
        """On whose behalf it acts."""
        return None if self.caller is None else self.caller.principal

    @property
    def key_id(self) -> str | None:
        """The id of the key by which it is asked for; None where there are none."""
        return None if self.caller is None else self.caller.key_id

    @property
    def text(self) -> Texts:
        """Its words, in its language."""
        return texts_in(self.language)

    @property
    def said(self) -> str:
        """What was done just now, in its language; empty for nothing, or for a link that says so though nothing was."""
        told = self.request.query_params.get("said", "")
        name = f"said.{told}"
        return self.text(name) if name in self.text and self.request.cookies.get(_SAID_COOKIE) == told else ""

    def may(self, scope: Scope | str) -> bool:
        """Return whether its reader may do something."""
        key = None if self.caller is None else self.caller.key
        return key is None or bool({str(scope), Scope.ADMIN.value} & set(key.scopes))

    def is_at(self, path: str) -> bool:
        """Return whether it is below an address; the first page is no other's."""
        here = self.request.url.path.removeprefix(PAGES).rstrip("/")
        return here == path or (bool(path) and here.startswith(f"{path}/"))

    def here(self, **changes: str | int) -> str:
        """Return the page's own address with parts of its query changed."""
        query = {**{name: text for name, text in self.request.query_params.items() if name != "said"}, **changes}
        return f"?{urlencode(query)}"

    def namespaces(self) -> tuple[str, ...]:
        """List the namespaces that its reader may enter."""
        return tuple(dict.fromkeys((self.caller.namespace, *self.namespaces_there()))) if self.caller else ()

    def namespaces_there(self) -> tuple[str, ...]:
        """List those that its reader's key is bound to, or else the default one and those that hold anything."""
        house = house_of(self.request)
        bound = self.caller.key.namespaces if self.caller and self.caller.key else ()
        return bound or (house.default_namespace, *house.memories.namespaces())

    def form_mark(self) -> str:
        """Return what its forms bear; its cookie is made where there is none."""
        name = _form_name(self.request) or self.cookies.get(FORM_COOKIE)
        if name is None:
            name = self.cookies[FORM_COOKIE] = new_name()
        return house_of(self.request).sessions.form_mark(name)

    def html(self, template: str, *, http_status: int = HTTPStatus.OK, **values: object) -> HTMLResponse:
        """Draw it."""
        ours = {"page": self, "t": self.text, "worded": partial(worded, wanted=self.language), "languages": LANGUAGES}
        written = _TEMPLATES.get_template(template).render(**ours, form_mark=self.form_mark(), **values)
        answer = self._with_cookies(HTMLResponse(written, status_code=http_status))
        if self.said:
            answer.delete_cookie(_SAID_COOKIE, path=PAGES)
        return cast("HTMLResponse", answer)

    @property
    def is_file(self) -> bool:
        """Whether its list is asked for as a CSV file."""
        return self.request.query_params.get("format") == "csv"

    @property
    def most(self) -> int:
        """How many rows its list takes: one more than it shows, so that it knows of the next."""
        return (_MOST_IN_FILE if self.is_file else MOST_SHOWN) + 1

    def listed(
        self,
        template: str,
        rows: Sequence[Row],
        columns: Mapping[str, Callable[[Row], object]],
        *,
        key: Callable[[Row], object] = attrgetter("id"),
        behind: str | None = None,
        **values: object,
    ) -> Response:
        """Draw a list a page at a time, or return the whole of it as a CSV file.

        Args:
            template: What draws it: ``found`` are the rows, ``next`` is the key of the last one where more follow.
            rows: At most ``most`` of them.
            columns: Of the file: their names, and how a cell is read from a row.
            key: By which the next page begins.
            behind: By which it begins whatever the rows; empty for no next page, None for the key of the last row shown.
            values: What else is drawn.

        Raises:
            InvalidValue: A file would have more than 100,000 rows.
        """
        if self.is_file:
            if len(rows) == self.most:
                raise InvalidValue(f"The list has more than {_MOST_IN_FILE:,} rows: choose fewer of them by a filter.")
            return _csv(
                template.removesuffix(".html"), columns, ([read(one) for read in columns.values()] for one in rows)
            )
        shown = rows[:MOST_SHOWN]
        if behind is None:
            behind = str(key(shown[-1])) if len(rows) > MOST_SHOWN else ""
        return self.html(template, http_status=HTTPStatus.OK, found=shown, next=behind, **values)

    def go(self, path: str, *, said: str = "", noted: str = "", **query: str) -> Response:
        """Send its reader to another page below ``/admin``, with a word of what was done there; ``noted`` is written down."""
        if noted:
            note(self.request, self, noted)
        wanted = {**({"said": said} if said else {}), **query}
        if said:
            self.cookies[_SAID_COOKIE] = said
        where = f"{PAGES}{path}" + (f"?{urlencode(wanted)}" if wanted else "")
        return self._with_cookies(RedirectResponse(where, status_code=HTTPStatus.SEE_OTHER))

    def go_with_secret(self, path: str, secret: str, *, name: str | None = None) -> Response:
        """Send its reader to another page, which shows them a secret once; ``name`` is their new session's, if any."""
        house_of(self.request).sessions.keep_once(name or _form_name(self.request) or "", secret)
        return self.go(path)

    def take_secret(self) -> str:
        """Return the secret that it shows once; empty for none."""
        return house_of(self.request).sessions.take_once(_form_name(self.request))

    def keep(self, response: Response, name: str, value: str, *, seconds: int | None = None) -> None:
        """Set a cookie that no script reads and no other site sends."""
        is_safe = self.request.url.scheme == "https"
        response.set_cookie(name, value, max_age=seconds, path=PAGES, httponly=True, samesite="strict", secure=is_safe)

    def _with_cookies(self, response: Response) -> Response:
        for name, value in self.cookies.items():
            self.keep(
                response, name, value, seconds=_YEAR_SECONDS if name in {_LANGUAGE_COOKIE, _THEME_COOKIE} else None
            )
        return response


def _csv(name: str, head: Iterable[str], rows: Iterable[Iterable[object]]) -> Response:
    written = StringIO(newline="")
    out = csv.writer(written)
    out.writerow(head)
    out.writerows([_cell(value) for value in row] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(written.getvalue().encode("utf-8-sig"), media_type="text/csv; charset=utf-8", headers=headers)


def _cell(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return f"'{value}" if isinstance(value, str) and value.startswith(_RUN_BY_SPREADSHEETS) else value


def _form_name(request: Request) -> str | None:
    return request.cookies.get(COOKIE) or request.cookies.get(FORM_COOKIE)


def open_page(request: Request) -> Page:
    """Return a page that needs no login.

    Raises:
        Refused: There is no key, and the request is made to a name that is not this machine's: another site's page may have
            sent it.
    """
    if not house_of(request).has_keys() and not _LOOPBACK.fullmatch(request.headers.get("host", "")):
        raise Refused(
            HTTPStatus.FORBIDDEN,
            "There is no key, so only this machine is served: open http://127.0.0.1 at the server's port, or make a key.",
        )
    return plain_page(request)


def plain_page(request: Request) -> Page:
    """Return a page in any reader's language and colours."""
    said, kept = request.query_params, request.cookies
    language = language_of(said.get("lang"), kept.get(_LANGUAGE_COOKIE), request.headers.get("accept-language", ""))
    theme = next((one for one in (said.get("theme"), kept.get(_THEME_COOKIE)) if one in _THEMES), "auto")
    page = Page(request=request, language=language, theme=theme)
    if said.get("lang") == language:
        page.cookies[_LANGUAGE_COOKIE] = language
    if said.get("theme") == theme:
        page.cookies[_THEME_COOKIE] = theme
    return page


def page_for(scope: Scope) -> Callable[[Request], Page]:
    """Return what a page depends on: a reader with a scope, in the namespace they chose."""

    def asked(request: Request) -> Page:
        return _page_of(request, scope, chosen=request.query_params.get("namespace"))

    return asked


def _page_of(request: Request, scope: Scope, *, chosen: str | None = None) -> Page:
    page = open_page(request)
    house = house_of(request)
    bound: tuple[str, ...] = ()
    if house.has_keys() and secret_of(request) is None:
        key_id = house.sessions.key_id(request.cookies.get(COOKIE), at=house.now())
        key = key_with_id(house.service, key_id, at=house.now()) if key_id else None
        if key is None:
            raise LogIn
        bound = key.namespaces
    kept = unquote(request.cookies.get(_NAMESPACE_COOKIE, ""))
    is_kept = not bound or kept in bound  # it was kept from an earlier login
    page.caller = caller_of(request, scope, namespace=chosen or (kept if is_kept else None) or None, principal=None)
    if chosen and chosen not in page.namespaces_there():
        raise Refused(HTTPStatus.NOT_FOUND, f"There is no namespace {chosen!r} here: choose one from the menu.")
    if chosen:
        page.cookies[_NAMESPACE_COOKIE] = quote(chosen)
    return page


def form_for(scope: Scope) -> Callable[..., Page]:
    """Return what a form depends on: a reader with a scope who sent it from a page of ours."""
    asked = page_for(scope)

    def sent(request: Request, form_mark: Annotated[str, Form(max_length=200)] = "") -> Page:
        page = asked(request)
        check_form(request, form_mark)
        return page

    return sent


def check_form(request: Request, form_mark: str) -> None:
    """Refuse a form that no page of ours sent."""
    if not house_of(request).sessions.is_form_mark(_form_name(request) or "", form_mark):
        raise Refused(HTTPStatus.FORBIDDEN, "The form is too old, or was sent from elsewhere: load the page again.")


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """Return what answers a request."""
        handled = super().get_route_handler()

        async def handler(request: Request) -> Response:
            # A form sends its empty fields too: they say nothing.
            asked: bytes = request.scope["query_string"]
            request.scope["query_string"] = b"&".join(one for one in asked.split(b"&") if one.partition(b"=")[2])
            try:
                return await handled(request)
            except LogIn:
                query = f"?{request.url.query}" if request.url.query else ""
                back = request.url.path.removeprefix(PAGES) + query if request.method == "GET" else ""
                return plain_page(request).go("/login", **({"next": back} if back else {}))
            except (EvoloreError, Refused) as error:
                answer = problem_of(request, error)
                told, written = detail_of(request, error), await _written(request)
                return error_page(request, answer.status_code, told, headers=answer.headers, written=written)
            except RequestValidationError as error:
                told = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors()[:3])
                return error_page(request, HTTPStatus.UNPROCESSABLE_ENTITY, told, written=await _written(request))

        return handler


def note(request: Request, page: Page, detail: str, status: HTTPStatus = HTTPStatus.OK) -> None:
    """Write down an administrative act that a form asked for."""
    house_of(request).note(request, status, key_id=page.key_id, detail=detail)


async def _written(request: Request) -> dict[str, str]:
    """Return the texts that a refused form bears, so that nobody has to write them again."""
    if request.method != "POST":
        return {}
    texts = {name: text for name, text in (await request.form()).items() if isinstance(text, str) and text.strip()}
    return {name: text for name, text in texts.items() if name not in {"form_mark", "key"}}


def error_page(
    request: Request,
    status: int,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    written: Mapping[str, str] | None = None,
) -> Response:
    """Return what went wrong and what to do, with the menu of who may see it and what they wrote."""
    page = plain_page(request)
    with suppress(EvoloreError, Refused, LogIn):
        page.caller = _page_of(request, Scope.READ).caller
    answer = page.html(
        "error.html", http_status=status, problem_status=status, detail=detail, written=dict(written or {})
    )
    for name, value in (headers or {}).items():
        if name.lower() in _KEPT_HEADERS:
            answer.headers[name] = value
    return answer


Read = Annotated[Page, Depends(page_for(Scope.READ))]
ReadAdmin = Annotated[Page, Depends(page_for(Scope.ADMIN))]
SentRead = Annotated[Page, Depends(form_for(Scope.READ))]
SentWrite = Annotated[Page, Depends(form_for(Scope.WRITE))]
SentRate = Annotated[Page, Depends(form_for(Scope.RATE))]
SentReview = Annotated[Page, Depends(form_for(Scope.REVIEW))]
SentAdmin = Annotated[Page, Depends(form_for(Scope.ADMIN))]
