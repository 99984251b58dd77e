"""Requests to a server, and verbs made of them: called on a ``Client``, awaited on an ``AsyncClient``."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from inspect import signature
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, cast, overload
from urllib.parse import quote

from evolore.domain.checks import check_count
from evolore.domain.metadata import Metadata, checked_tags
from evolore.domain.result import from_json, to_json
from evolore.domain.times import read_moment
from evolore.errors import InvalidValue

P = ParamSpec("P")
R = TypeVar("R")
Json: TypeAlias = Any
_MOST = 1000
ID = "01kmzt0c7yd9v1g6m3q5x8e2ar"
"""An id, for examples."""
LOOK = "read review"
"""A key with one of these scopes may look at what both people and programs see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to the server."""

    method: str  #: Of HTTP.
    path: str  #: Below ``/api``.
    body: Json = None  #: What is sent as JSON; None for nothing.
    params: Mapping[str, str | Sequence[str]] | None = None  #: Parameters of the query.
    form: Mapping[str, str | list[str]] | None = None  #: Fields of a form, beside a file.
    file: tuple[str, bytes] | None = None  #: A file's name and bytes; None for none.
    principal: str | None = None  #: On whose behalf.
    headers: Mapping[str, str] | None = None  #: Further headers.


Asking: TypeAlias = Generator[Request, Json, R]
"""Requests, one after the other, each answered with what JSON holds; in the end the verb's result."""


class Waiting:
    """A client, or a noun of one, whose verbs wait for their replies."""

    def _send(self, asking: Asking[R]) -> R:
        """Send a verb's requests, one after the other, and return its result."""
        raise NotImplementedError


class Awaiting:
    """A client, or a noun of one, whose verbs are awaited."""

    async def _send(self, asking: Asking[R]) -> R:
        """Send a verb's requests, one after the other, and return its result."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Served:
    """How a server answers a plain verb, whose route is made of this."""

    summary: str  #: The route in a few words.
    tags: str  #: The chapters of the API's description, with blanks between.
    scopes: str  #: A key needs one of them; with blanks between.
    reply: Mapping[str, object]  #: An example of what it answers.
    #: The types of its parameters, with their bounds; those that the path names are texts.
    takes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Mapping[str, object] | None = None  #: An example of what it is sent; None for nothing.
    status: int = 200  #: Of its answer.
    #: Which routes take what of its answer, as ``shows`` of the server reads them.
    links: Mapping[str, tuple[str, ...]] | None = None
    name: str = ""  #: Of the route, which its ``operationId`` begins with; empty for the verb's.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRoute:
    """A route that a server makes of a plain verb."""

    verb: Callable[..., object]  #: The verb of ``Memory`` or of one of its nouns.
    method: str  #: Of HTTP.
    path: str  #: Below ``/api``.
    result: Any  #: The type of its result.
    inside: str  #: Under which name the reply holds the result; empty where it is all of it.
    served: Served  #: How it is answered.


class Verb(Generic[P, R]):
    """A verb of a client: a method that waits on a ``Waiting`` class, and is awaited on an ``Awaiting`` one."""

    def __init__(self, asking: Callable[Concatenate[Any, P], Asking[R]], route: PlainRoute | None = None) -> None:
        self.route = route

        @wraps(asking)
        def sent(on: Waiting, *args: P.args, **kwargs: P.kwargs) -> R:
            return on._send(asking(on, *args, **kwargs))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - of this module

        @wraps(asking)
        async def awaited(on: Awaiting, *args: P.args, **kwargs: P.kwargs) -> R:
            return await on._send(asking(on, *args, **kwargs))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise

        self._sent, self._awaited = sent, awaited

    @overload
    def __get__(self, on: Waiting, owner: type) -> Callable[P, R]: ...
    @overload
    def __get__(self, on: Awaiting, owner: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, on: None, owner: type) -> Callable[..., Any]: ...
    def __get__(self, on: object, owner: type) -> Callable[..., Any]:
        form = self._awaited if issubclass(owner, Awaiting) else self._sent
        return form if on is None else MethodType(form, on)


def plain(
    verb: Callable[Concatenate[Any, P], R],
    route: str,
    result: type[R],
    *,
    inside: str = "",
    called: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    served: Served | None = None,
) -> Verb[P, R]:
    """Make a verb that is one request with the parameters of a memory's verb.

    Those that the path names are parts of it; the others are parameters of the query of a GET, else the body, where
    ``principal`` becomes a header. None is left out.
    """
    method, path = route.split()
    read_arguments = _reader_of_arguments(verb, called or {})

    @wraps(verb)
    def asking(_on: object, *args: P.args, **kwargs: P.kwargs) -> Asking[R]:
        given = read_arguments(args, kwargs)
        where = _filled(path, given)
        if method == "GET":
            reply = yield Request(method=method, path=where, params=_texts(given), headers=headers)
        else:
            principal = given.pop("principal", None)
            reply = yield Request(method=method, path=where, body=said(given), principal=principal, headers=headers)
        return from_json(result, reply[inside] if inside else reply)

    if served is None:
        return Verb(asking)
    return Verb(asking, PlainRoute(verb=verb, result=result, method=method, path=path, inside=inside, served=served))


def listed(
    verb: Callable[Concatenate[Any, P], tuple[R, ...]],
    path: str,
    name: str,
    kind: type[R],
    *,
    called: Mapping[str, str] | None = None,
) -> Verb[P, tuple[R, ...]]:
    """Make a verb that reads a list part by part, as many as its ``limit`` says."""
    read_arguments = _reader_of_arguments(verb, called or {})

    @wraps(verb)
    def asking(_on: object, *args: P.args, **kwargs: P.kwargs) -> Asking[tuple[R, ...]]:
        given = read_arguments(args, kwargs)
        limit = given.pop("limit", None)
        found = yield from every(_filled(path, given), name, limit, _texts(given))
        return tuple(from_json(kind, one) for one in found)

    return Verb(asking)


def every(
    path: str, name: str, limit: int | None, wanted: Mapping[str, str | Sequence[str]] | None = None
) -> Asking[Sequence[Json]]:
    """Return a list part by part: all of it, or so many."""
    if limit is not None:
        check_count(limit, "limit")
    found: list[Json] = []
    cursor: str | None = None
    while limit is None or len(found) < limit:
        most = _MOST if limit is None else min(_MOST, limit - len(found))
        params = {**(wanted or {}), "limit": str(most), **({} if cursor is None else {"cursor": cursor})}
        reply = yield Request(method="GET", path=path, params=params)
        found += reply[name]
        cursor = reply["next"]
        if cursor is None:
            break
    return found


def said(body: Mapping[str, object]) -> dict[str, Json]:
    """Leave out what was not said."""
    return {name: to_json(value) for name, value in body.items() if value is not None}


def part(name: str) -> str:
    """Write an id or source as a part of a path."""
    if not name:
        raise InvalidValue("The id is empty: pass one.")
    return quote(name.encode("utf-8", "surrogatepass"), safe="")


_READ: Mapping[str, Callable[[Any], object]] = {"metadata": Metadata, "where": Metadata, "tags": checked_tags}
_PLACE = re.compile(r"\{(\w+)(?::path)?\}")


def _reader_of_arguments(
    verb: Callable[..., object], called: Mapping[str, str]
) -> Callable[[Sequence[object], Mapping[str, object]], dict[str, Any]]:
    """Return what reads the arguments of a verb by the names of its route."""
    takes = signature(verb)

    def read(args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, Any]:
        bound = takes.bind(None, *args, **kwargs)
        bound.apply_defaults()
        _, *given = bound.arguments.items()  # but ``self``
        return {called.get(name, name): _checked(name, value) for name, value in given}

    return read


def _checked(name: str, value: object) -> object:
    """Check an argument as ``Memory`` does, where what is wrong with it could not be seen in JSON."""
    if value is not None and name in _READ:
        return _READ[name](value)
    if isinstance(value, datetime):
        return read_moment(value, name)
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return cast("object", value)
    return tuple(cast("Iterable[object]", value))


def _filled(path: str, given: dict[str, Any]) -> str:
    """Write the arguments that a path names into it, and take them out of the others."""
    return _PLACE.sub(lambda place: part(given.pop(place[1])), path)


def _texts(given: Mapping[str, object]) -> dict[str, str | Sequence[str]]:
    """Write arguments as parameters of a query."""
    return {name: _text(value) for name, value in said(given).items()}


def _text(value: Json) -> str | Sequence[str]:
    if isinstance(value, list):
        return [str(one) for one in cast("list[object]", value)]
    return str(value).lower() if isinstance(value, bool) else str(value)
