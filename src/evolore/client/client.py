"""``Client`` and ``AsyncClient``: a server's memory with the verbs of ``Memory`` and ``AsyncMemory``."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any, Self, TypeVar, Unpack, cast
from uuid import uuid4

from evolore import errors
from evolore.client.plain_verbs import Asking, Awaiting, Request, Waiting
from evolore.client.verbs import (
    EvolutionVerbs,
    OutlineVerbs,
    PageVerbs,
    QuestionVerbs,
    ReviewVerbs,
    Verbs,
    answer_request,
)
from evolore.domain.answer import Answer
from evolore.domain.checks import check_name, check_text
from evolore.domain.query import AskOptions, Query
from evolore.domain.result import from_json
from evolore.errors import AccessDenied, EvoloreError, InvalidValue, MissingExtra, NotFound, ServerUnreachable, TryAgain
from evolore.memory.memory import Memory

try:
    import httpx2
except ImportError as error:
    raise MissingExtra(
        'The client needs a package that is not installed. Type: pip install "evolore[server]"'
    ) from error

R = TypeVar("R")

TIMEOUT_SECONDS = 60.0
_TRIES = 2
"""A request whose reply was lost is sent once more: writes bear an ``Idempotency-Key``, so nothing is done twice."""

_WRITES = frozenset({"POST", "PUT", "DELETE"})
_NOT_KEPT = frozenset({"/recall"})
_BY_STATUS: dict[int, type[EvoloreError]] = {
    HTTPStatus.UNAUTHORIZED: AccessDenied,
    HTTPStatus.FORBIDDEN: AccessDenied,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.CONFLICT: TryAgain,
    HTTPStatus.TOO_MANY_REQUESTS: TryAgain,
}


class _Address:
    """Where a server is, and how it is asked."""

    def __init__(self, address: str, *, key: str | None, namespace: str | None) -> None:
        check_text(address, "The server's address")
        if not address.startswith(("http://", "https://")):
            raise InvalidValue(f"{address!r} is no address: write it as https://memory.example.")
        check_name(namespace, "namespace")
        self.base = address.rstrip("/").removesuffix("/api") + "/api"
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}".encode()}
        if namespace is not None:
            self._headers["Evolore-Namespace"] = namespace.encode()

    def streamed(self, wanted: Request) -> dict[str, Any]:
        """Return what the HTTP library takes for a reply that is streamed."""
        told = self.request(wanted)
        told["headers"] = {**told["headers"], "Accept": _STREAM}
        return told

    def request(self, wanted: Request) -> dict[str, Any]:
        """Return what the HTTP library takes."""
        check_name(wanted.principal, "principal")
        headers = dict(self._headers)
        headers |= {name: text.encode() for name, text in (wanted.headers or {}).items()}
        if wanted.principal is not None:
            headers["Evolore-Principal"] = wanted.principal.encode()
        if wanted.method in _WRITES and wanted.path not in _NOT_KEPT:
            headers["Idempotency-Key"] = uuid4().hex.encode()
        told: dict[str, Any] = {"method": wanted.method, "url": self.base + wanted.path, "headers": headers}
        if wanted.file is not None:
            return {**told, "files": {"file": wanted.file}, "data": wanted.form}
        return {**told, "params": wanted.params, **({} if wanted.body is None else {"json": wanted.body})}


_STREAM = "text/event-stream"


def _is_stream(response: httpx2.Response) -> bool:
    return response.status_code < HTTPStatus.BAD_REQUEST and _STREAM in response.headers.get("content-type", "")


def _as_pieces(reply: object) -> Iterator[str | Answer]:
    """Yield a whole answer as an older server sends it."""
    answer = from_json(Answer, reply)
    yield answer.text
    yield answer


class _Events:
    """Reads what a server streams line by line: pieces, then the answer."""

    def __init__(self) -> None:
        self._name = ""
        self._has_ended = False

    def take(self, line: str) -> Iterator[str | Answer]:
        """Yield what a line holds."""
        field, _, value = line.partition(": ")
        if field == "event":
            self._name = value
        elif field == "data":
            yield self._read(json.loads(value))

    def _read(self, data: dict[str, Any]) -> str | Answer:
        if self._name == "piece":
            return str(data["text"])
        self._has_ended = True
        if self._name == "answer":
            return from_json(Answer, data)
        raise (_named(data) or ServerUnreachable)(str(data.get("detail", "The server stopped.")))

    def check_end(self) -> None:
        """Refuse a stream that ended before its answer."""
        if not self._has_ended:
            raise ServerUnreachable("The server broke off before the answer was whole: ask again.")


def _reply_of(response: httpx2.Response) -> Any:  # noqa: ANN401 - what JSON holds
    """Return what a reply says, or raise the error that it names."""
    try:
        body: Any = response.json()
    except ValueError as error:
        raise ServerUnreachable(
            f"What answers at {response.url.host} with status {response.status_code} is no Evolore server: check the address."
        ) from error
    if response.status_code < HTTPStatus.BAD_REQUEST:
        return body
    said = cast("dict[str, object]", body if isinstance(body, dict) else {})
    detail = str(said.get("detail", f"The server answered with status {response.status_code}."))
    is_server = response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
    by_status = _BY_STATUS.get(response.status_code, ServerUnreachable if is_server else InvalidValue)
    raise (_named(said) or by_status)(detail)


def _named(said: Mapping[str, object]) -> type[EvoloreError] | None:
    """Return the error that a server names; None where it names none of ours."""
    kind = getattr(errors, str(said.get("error", "")), None)
    return kind if isinstance(kind, type) and issubclass(kind, EvoloreError) else None


def _unreachable(base: str, error: Exception) -> ServerUnreachable:
    return ServerUnreachable(f"No server answers at {base} ({error}): check that it runs, and try again.")


async def _replied(address: _Address, asking: Asking[R], send: Callable[..., Awaitable[httpx2.Response]]) -> R:
    """Send a verb's requests, one after the other, and return its result."""
    try:
        wanted = next(asking)
        while True:
            try:
                reply = await _reply(address, wanted, send)
            except EvoloreError as error:
                wanted = asking.throw(error)
            else:
                wanted = asking.send(reply)
    except StopIteration as end:
        return end.value


async def _reply(address: _Address, wanted: Request, send: Callable[..., Awaitable[httpx2.Response]]) -> Any:  # noqa: ANN401 - what JSON holds
    told = address.request(wanted)
    for left in reversed(range(_TRIES)):
        try:
            return _reply_of(await send(**told))
        except httpx2.TransportError as error:
            if not left:
                raise _unreachable(address.base, error) from error
    raise AssertionError


class _Noun(Waiting):
    """A noun of a memory that a client sends the verbs of."""

    def __init__(self, client: Client) -> None:
        self._send = client.run


class _AsyncNoun(Awaiting):
    """The same, awaited."""

    def __init__(self, client: AsyncClient) -> None:
        self._send = client.run


class ClientReviewQueue(_Noun, ReviewVerbs):
    """``Memory.review``, asked of a server: what there are routes for."""


class ClientEvolution(_Noun, EvolutionVerbs):
    """``Memory.evolution``, asked of a server: what there are routes for."""


class ClientQuestions(_Noun, QuestionVerbs):
    """``Memory.questions``, asked of a server: what there are routes for."""


class ClientOutline(_Noun, OutlineVerbs):
    """``Memory.outline``, asked of a server: what there are routes for."""


class ClientPages(_Noun, PageVerbs):
    """``Memory.pages``, asked of a server."""


class AsyncClientReviewQueue(_AsyncNoun, ReviewVerbs):
    """``Memory.review``, awaited: what there are routes for."""


class AsyncClientEvolution(_AsyncNoun, EvolutionVerbs):
    """``Memory.evolution``, awaited: what there are routes for."""


class AsyncClientQuestions(_AsyncNoun, QuestionVerbs):
    """``Memory.questions``, awaited: what there are routes for."""


class AsyncClientOutline(_AsyncNoun, OutlineVerbs):
    """``Memory.outline``, awaited: what there are routes for."""


class AsyncClientPages(_AsyncNoun, PageVerbs):
    """``Memory.pages``, awaited."""


class Client(Waiting, Verbs):
    """A memory that a server keeps, with the verbs of ``Memory``; threads may share it.

    Args:
        address: The server's address, such as ``https://memory.example``.
        key: What ``evolore server key`` printed; None for a server without keys.
        namespace: The namespace; by default the key's only one, or the server's.
        timeout_seconds: How long to wait for a reply.
        transport: What carries requests; by default the network.

    Raises:
        InvalidValue: It is no address, or the namespace no name.
    """

    def __init__(
        self,
        address: str,
        *,
        key: str | None = None,
        namespace: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._address = _Address(address, key=key, namespace=namespace)
        self._http = httpx2.Client(timeout=timeout_seconds, transport=transport)

    review = cached_property(ClientReviewQueue)
    """List, show, note, resolve and settle what a person should look at."""

    evolution = cached_property(ClientEvolution)
    """Propose, approve, try and roll back rewrites of documents."""

    questions = cached_property(ClientQuestions)
    """List questions, and record answers produced elsewhere."""

    outline = cached_property(ClientOutline)
    """Documents' outlines and versions."""

    pages = cached_property(ClientPages)
    """Questions that are kept answered."""

    def answer_stream(
        self, question: str | Query, *, record: bool = True, **options: Unpack[AskOptions]
    ) -> Iterator[str | Answer]:
        """Answer a question, and yield the words as they come, unchecked, as ``Memory.answer_stream`` does."""
        told = self._address.streamed(answer_request(question, record=record, options=options))
        try:
            with self._http.stream(**told) as response:
                if not _is_stream(response):
                    response.read()
                    yield from _as_pieces(_reply_of(response))
                    return
                events = _Events()
                for line in response.iter_lines():
                    yield from events.take(line)
                events.check_end()
        except httpx2.TransportError as error:
            raise _unreachable(self._address.base, error) from error

    def run(self, asking: Asking[R]) -> R:
        """Send a verb's requests, one after the other, and return its result."""

        async def at_once(**told: Any) -> httpx2.Response:  # noqa: ANN401 - as the library takes it
            return self._http.request(**told)

        try:
            _replied(self._address, asking, at_once).send(None)  # nothing in it waits, so it ends here
        except StopIteration as end:
            return end.value
        raise AssertionError

    _send = run

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(Awaiting, Verbs):
    """A memory that a server keeps, with the verbs of ``AsyncMemory``: the same as ``Client``'s, and awaited.

    Args:
        address: As of ``Client``.
        key: As of ``Client``.
        namespace: As of ``Client``.
        timeout_seconds: As of ``Client``.
        transport: As of ``Client``.

    Raises:
        InvalidValue: It is no address, or the namespace no name.
    """

    def __init__(
        self,
        address: str,
        *,
        key: str | None = None,
        namespace: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._address = _Address(address, key=key, namespace=namespace)
        self._http = httpx2.AsyncClient(timeout=timeout_seconds, transport=transport)

    review = cached_property(AsyncClientReviewQueue)
    """List, show, note, resolve and settle what a person should look at."""

    evolution = cached_property(AsyncClientEvolution)
    """Propose, approve, try and roll back rewrites of documents."""

    questions = cached_property(AsyncClientQuestions)
    """List questions, and record answers produced elsewhere."""

    outline = cached_property(AsyncClientOutline)
    """Documents' outlines and versions."""

    pages = cached_property(AsyncClientPages)
    """Questions that are kept answered."""

    async def answer_stream(
        self, question: str | Query, *, record: bool = True, **options: Unpack[AskOptions]
    ) -> AsyncIterator[str | Answer]:
        """Answer a question, and yield the words as they come, unchecked, as ``Memory.answer_stream`` does."""
        told = self._address.streamed(answer_request(question, record=record, options=options))
        try:
            async with self._http.stream(**told) as response:
                if not _is_stream(response):
                    await response.aread()
                    for piece in _as_pieces(_reply_of(response)):
                        yield piece
                    return
                events = _Events()
                async for line in response.aiter_lines():
                    for piece in events.take(line):
                        yield piece
                events.check_end()
        except httpx2.TransportError as error:
            raise _unreachable(self._address.base, error) from error

    async def run(self, asking: Asking[R]) -> R:
        """Send a verb's requests, one after the other, and return its result."""
        return await _replied(self._address, asking, self._http.request)

    _send = run

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def connect(target: str, *, key: str | None = None, namespace: str | None = None) -> Memory | Client:
    """Open a memory: a server's where an address is given, else that of a store on this machine.

    Args:
        target: An address such as ``https://memory.example``, with or without ``/api``, a store's folder such as ``team.evolore``, or
            ``postgresql://user@host/database``.
        key: What a server asks for; a folder has none.
        namespace: The namespace; by default the server's or the settings' one.

    Raises:
        InvalidValue: A key is given for a folder, or the namespace is no name.
    """
    if target.startswith(("http://", "https://")):
        return Client(target, key=key, namespace=namespace)
    if key is not None:
        raise InvalidValue(f"{target!r} is a folder, which takes no key: leave it out, or use an address.")
    return Memory.open(target, namespace=namespace)
