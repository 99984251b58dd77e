"""``Client`` and ``AsyncClient``: a server's memory with the verbs of ``Memory`` and ``AsyncMemory``."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import cached_property, wraps
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack, cast
from uuid import uuid4

from evolore import errors
from evolore.client.nouns import EvolutionVerbs, OutlineVerbs, QuestionVerbs, ReviewVerbs
from evolore.client.verbs import Asking, Request, Verbs, answer_request
from evolore.domain.answer import Answer
from evolore.domain.checks import check_name, check_text
from evolore.domain.query import AskOptions, Query
from evolore.domain.result import from_json
from evolore.errors import (
    AccessDenied,
    EvoloreError,
    InvalidValue,
    MissingExtra,
    NotFound,
    ServerUnreachable,
    TryAgain,
)

try:
    import httpx2
except ImportError as error:
    raise MissingExtra(
        'The client needs a package that is not installed. Type: pip install "evolore[server]"'
    ) from error

if TYPE_CHECKING:
    from evolore.memory import Memory

P = ParamSpec("P")
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
    """Where a server is, and how it is asked.

    Args:
        address: Its address, such as ``https://memory.example``.
        key: What ``evolore server key`` printed; None for a server without keys.
        namespace: The namespace; by default the key's only one, or the server's.
    """

    def __init__(self, address: str, *, key: str | None, namespace: str | None) -> None:
        check_text(address, "The server's address")
        if not address.startswith(("http://", "https://")):
            raise InvalidValue(f"{address!r} is no address: write it as https://memory.example.")
        check_name(namespace, "namespace")
        self.base = address.rstrip("/") + "/api"
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}".encode()}
        if namespace is not None:
            self._headers["Evolore-Namespace"] = namespace.encode()

    def streamed(self, wanted: Request) -> dict[str, Any]:
        """Return what the HTTP library takes for a reply that is told while it is made."""
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
    """Reads what a server tells line by line: pieces, then the answer."""

    def __init__(self) -> None:
        self._name = ""
        self._has_ended = False

    def take(self, line: str) -> Iterator[str | Answer]:
        """Yield what a line holds.

        Raises:
            EvoloreError: The server says what went wrong.
        """
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
        kind = getattr(errors, str(data.get("error", "")), None)
        detail = str(data.get("detail", "The server stopped."))
        if isinstance(kind, type) and issubclass(kind, EvoloreError):
            raise kind(detail)
        raise ServerUnreachable(detail)

    def check_end(self) -> None:
        """Refuse a stream that ended before its answer.

        Raises:
            ServerUnreachable: It did.
        """
        if not self._has_ended:
            raise ServerUnreachable("The server broke off before the answer was whole: ask again.")


def _reply_of(response: httpx2.Response) -> Any:  # noqa: ANN401 - what JSON holds
    """Return what a reply says.

    Raises:
        EvoloreError: The server says what went wrong, with the class that it was there.
    """
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
    kind = getattr(errors, str(said.get("error", "")), None)
    if isinstance(kind, type) and issubclass(kind, EvoloreError):
        raise kind(detail)
    is_server = response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
    raise _BY_STATUS.get(response.status_code, ServerUnreachable if is_server else InvalidValue)(detail)


def _unreachable(base: str, error: Exception) -> ServerUnreachable:
    return ServerUnreachable(f"No server answers at {base} ({error}): check that it runs, and try again.")


def _sent(verb: Callable[Concatenate[Verbs, P], Asking[R]]) -> Callable[Concatenate[Client, P], R]:
    """Make the form of a verb that waits."""

    @wraps(verb)
    def run(self: Client, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.run(verb(_VERBS, *args, **kwargs))

    return run


def _awaited(
    verb: Callable[Concatenate[Verbs, P], Asking[R]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]:
    """Make the form of a verb that is awaited."""

    @wraps(verb)
    async def run(self: AsyncClient, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.run(verb(_VERBS, *args, **kwargs))

    return run


_VERBS = Verbs()


class _Noun:
    """Stands for a noun of a memory."""

    def __init__(self, client: Client) -> None:
        self._client = client


class _AsyncNoun:
    """Likewise, awaited."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client


def _sent_of(verb: Callable[P, Asking[R]]) -> Callable[Concatenate[_Noun, P], R]:
    """Make the form of a noun's verb that waits."""

    @wraps(verb)
    def run(self: _Noun, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._client.run(verb(*args, **kwargs))  # pyright: ignore[reportPrivateUsage] - of this module

    return run


def _awaited_of(verb: Callable[P, Asking[R]]) -> Callable[Concatenate[_AsyncNoun, P], Coroutine[Any, Any, R]]:
    """Make the form of a noun's verb that is awaited."""

    @wraps(verb)
    async def run(self: _AsyncNoun, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._client.run(verb(*args, **kwargs))  # pyright: ignore[reportPrivateUsage] - of this module

    return run


class ClientReviewQueue(_Noun):
    """``Memory.review``, asked of a server: what there are routes for."""

    list = _sent_of(ReviewVerbs.list)
    show = _sent_of(ReviewVerbs.show)
    resolve = _sent_of(ReviewVerbs.resolve)
    reopen = _sent_of(ReviewVerbs.reopen)
    note = _sent_of(ReviewVerbs.note)
    settle = _sent_of(ReviewVerbs.settle)
    conflict = _sent_of(ReviewVerbs.conflict)
    settle_promotion = _sent_of(ReviewVerbs.settle_promotion)


class ClientEvolution(_Noun):
    """``Memory.evolution``, asked of a server: what there are routes for."""

    jobs = _sent_of(EvolutionVerbs.jobs)
    show = _sent_of(EvolutionVerbs.show)
    diff = _sent_of(EvolutionVerbs.diff)
    stats = _sent_of(EvolutionVerbs.stats)
    approve = _sent_of(EvolutionVerbs.approve)
    reject = _sent_of(EvolutionVerbs.reject)
    rollback = _sent_of(EvolutionVerbs.rollback)
    generations = _sent_of(EvolutionVerbs.generations)
    write = _sent_of(EvolutionVerbs.write)
    feedback = _sent_of(EvolutionVerbs.feedback)
    canaries = _sent_of(EvolutionVerbs.canaries)
    canary = _sent_of(EvolutionVerbs.canary)


class ClientQuestions(_Noun):
    """``Memory.questions``, asked of a server: what there are routes for."""

    record_answer = _sent_of(QuestionVerbs.record_answer)
    list = _sent_of(QuestionVerbs.list)
    show = _sent_of(QuestionVerbs.show)


class ClientOutline(_Noun):
    """``Memory.outline``, asked of a server: what there are routes for."""

    tree = _sent_of(OutlineVerbs.tree)
    versions = _sent_of(OutlineVerbs.versions)


class AsyncClientReviewQueue(_AsyncNoun):
    """``Memory.review``, awaited: what there are routes for."""

    list = _awaited_of(ReviewVerbs.list)
    show = _awaited_of(ReviewVerbs.show)
    resolve = _awaited_of(ReviewVerbs.resolve)
    reopen = _awaited_of(ReviewVerbs.reopen)
    note = _awaited_of(ReviewVerbs.note)
    settle = _awaited_of(ReviewVerbs.settle)
    conflict = _awaited_of(ReviewVerbs.conflict)
    settle_promotion = _awaited_of(ReviewVerbs.settle_promotion)


class AsyncClientEvolution(_AsyncNoun):
    """``Memory.evolution``, awaited: what there are routes for."""

    jobs = _awaited_of(EvolutionVerbs.jobs)
    show = _awaited_of(EvolutionVerbs.show)
    diff = _awaited_of(EvolutionVerbs.diff)
    stats = _awaited_of(EvolutionVerbs.stats)
    approve = _awaited_of(EvolutionVerbs.approve)
    reject = _awaited_of(EvolutionVerbs.reject)
    rollback = _awaited_of(EvolutionVerbs.rollback)
    generations = _awaited_of(EvolutionVerbs.generations)
    write = _awaited_of(EvolutionVerbs.write)
    feedback = _awaited_of(EvolutionVerbs.feedback)
    canaries = _awaited_of(EvolutionVerbs.canaries)
    canary = _awaited_of(EvolutionVerbs.canary)


class AsyncClientQuestions(_AsyncNoun):
    """``Memory.questions``, awaited: what there are routes for."""

    record_answer = _awaited_of(QuestionVerbs.record_answer)
    list = _awaited_of(QuestionVerbs.list)
    show = _awaited_of(QuestionVerbs.show)


class AsyncClientOutline(_AsyncNoun):
    """``Memory.outline``, awaited: what there are routes for."""

    tree = _awaited_of(OutlineVerbs.tree)
    versions = _awaited_of(OutlineVerbs.versions)


class Client:
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

    add = _sent(Verbs.add)
    add_text = _sent(Verbs.add_text)
    remember = _sent(Verbs.remember)
    remember_many = _sent(Verbs.remember_many)
    correct = _sent(Verbs.correct)
    recall = _sent(Verbs.recall)
    answer = _sent(Verbs.answer)
    rate = _sent(Verbs.rate)
    forget = _sent(Verbs.forget)
    export_subject = _sent(Verbs.export_subject)
    expire = _sent(Verbs.expire)
    evolve = _sent(Verbs.evolve)
    maintain = _sent(Verbs.maintain)
    show = _sent(Verbs.show)
    list = _sent(Verbs.list)
    history = _sent(Verbs.history)
    undo = _sent(Verbs.undo)
    profile = _sent(Verbs.profile)
    stats = _sent(Verbs.stats)
    namespaces = _sent(Verbs.namespaces)

    @cached_property
    def review(self) -> ClientReviewQueue:
        """What a person should look at: list, show, note, resolve, settle."""
        return ClientReviewQueue(self)

    @cached_property
    def evolution(self) -> ClientEvolution:
        """How documents improve: jobs, approval, canaries, rollback."""
        return ClientEvolution(self)

    @cached_property
    def questions(self) -> ClientQuestions:
        """What was asked, and answers produced elsewhere."""
        return ClientQuestions(self)

    @cached_property
    def outline(self) -> ClientOutline:
        """Where things stand: documents' outlines and versions."""
        return ClientOutline(self)

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
        try:
            wanted = next(asking)
            while True:
                try:
                    reply = self._reply(wanted)
                except EvoloreError as error:
                    wanted = asking.throw(error)
                else:
                    wanted = asking.send(reply)
        except StopIteration as end:
            return end.value

    def _reply(self, wanted: Request) -> Any:  # noqa: ANN401 - what JSON holds
        told = self._address.request(wanted)
        for left in reversed(range(_TRIES)):
            try:
                return _reply_of(self._http.request(**told))
            except httpx2.TransportError as error:
                if not left:
                    raise _unreachable(self._address.base, error) from error
        raise AssertionError

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """A memory that a server keeps, with the verbs of ``AsyncMemory``: the same as ``Client``'s, and awaited.

    Args:
        address: As of ``Client``, like the others.
        key: Likewise.
        namespace: Likewise.
        timeout_seconds: Likewise.
        transport: Likewise.

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

    add = _awaited(Verbs.add)
    add_text = _awaited(Verbs.add_text)
    remember = _awaited(Verbs.remember)
    remember_many = _awaited(Verbs.remember_many)
    correct = _awaited(Verbs.correct)
    recall = _awaited(Verbs.recall)
    answer = _awaited(Verbs.answer)
    rate = _awaited(Verbs.rate)
    forget = _awaited(Verbs.forget)
    export_subject = _awaited(Verbs.export_subject)
    expire = _awaited(Verbs.expire)
    evolve = _awaited(Verbs.evolve)
    maintain = _awaited(Verbs.maintain)
    show = _awaited(Verbs.show)
    list = _awaited(Verbs.list)
    history = _awaited(Verbs.history)
    undo = _awaited(Verbs.undo)
    profile = _awaited(Verbs.profile)
    stats = _awaited(Verbs.stats)
    namespaces = _awaited(Verbs.namespaces)

    @cached_property
    def review(self) -> AsyncClientReviewQueue:
        """What a person should look at: list, show, note, resolve, settle."""
        return AsyncClientReviewQueue(self)

    @cached_property
    def evolution(self) -> AsyncClientEvolution:
        """How documents improve: jobs, approval, canaries, rollback."""
        return AsyncClientEvolution(self)

    @cached_property
    def questions(self) -> AsyncClientQuestions:
        """What was asked, and answers produced elsewhere."""
        return AsyncClientQuestions(self)

    @cached_property
    def outline(self) -> AsyncClientOutline:
        """Where things stand: documents' outlines and versions."""
        return AsyncClientOutline(self)

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
        try:
            wanted = next(asking)
            while True:
                try:
                    reply = await self._reply(wanted)
                except EvoloreError as error:
                    wanted = asking.throw(error)
                else:
                    wanted = asking.send(reply)
        except StopIteration as end:
            return end.value

    async def _reply(self, wanted: Request) -> Any:  # noqa: ANN401 - what JSON holds
        told = self._address.request(wanted)
        for left in reversed(range(_TRIES)):
            try:
                return _reply_of(await self._http.request(**told))
            except httpx2.TransportError as error:
                if not left:
                    raise _unreachable(self._address.base, error) from error
        raise AssertionError

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


def connect(target: str, *, key: str | None = None, namespace: str | None = None) -> Memory | Client:
    """Open a memory: a server's where an address is given, else that of a store on this machine.

    Args:
        target: An address such as ``https://memory.example``, a store's folder such as ``team.evolore``, or
            ``postgresql://user@host/database``.
        key: What a server asks for; a folder has none.
        namespace: The namespace; by default the server's or the settings' one.

    Raises:
        InvalidValue: A key is given for a folder, or the namespace is no name.
    """
    if target.startswith(("http://", "https://")):
        return Client(target, key=key, namespace=namespace)
    if key is not None:
        raise InvalidValue(f"{target!r} is a folder, which takes no key: leave it out, or give an address.")
    from evolore.memory import Memory  # noqa: PLC0415 - who asks a server needs none

    return Memory.open(target, namespace=namespace)
