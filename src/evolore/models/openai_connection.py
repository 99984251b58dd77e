"""The connection to an OpenAI-compatible server, which chats, embeddings and rerankings share: bounded, and without a word of a key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from threading import Semaphore
from time import monotonic
from typing import Self, TypeVar, cast

import httpx2

from evolore.domain import chat
from evolore.domain.model_server import ModelServer
from evolore.errors import InvalidValue, MissingExtra
from evolore.models.openai_messages import (
    StreamedPieces,
    chat_body,
    echo_body,
    read_completion,
    read_echo,
    read_refusal,
    without_key,
)

try:
    import httpx2
    import openai
except ModuleNotFoundError as missing:
    raise MissingExtra('A model behind an address needs an extra: run pip install "evolore[openai]".') from missing

from ssl import SSLContext

OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"


class BodyTooLarge(Exception):
    """Say that an answer is longer than is read."""


class BoundedBody(httpx2.SyncByteStream):
    """Hands on a body until it is too long, or takes too long as a whole.

    A time-out of the connection would not end a body of which a byte comes now and then.
    """

    def __init__(self, body: httpx2.SyncByteStream, *, most_bytes: int, most_seconds: float) -> None:
        self._body, self._most = body, most_bytes
        self._ends_at = monotonic() + most_seconds

    def __iter__(self) -> Iterator[bytes]:
        """Yield the parts of the body.

        Raises:
            BodyTooLarge: There are more bytes.
            ReadTimeout: It is not over in time.
        """
        read = 0
        for part in self._body:
            read += len(part)
            if read > self._most:
                raise BodyTooLarge(f"The answer is longer than {self._most} bytes.")
            if monotonic() > self._ends_at:
                raise httpx2.ReadTimeout("The answer is not over in time.")
            yield part

    def close(self) -> None:
        """Close the connection."""
        self._body.close()


def bound(response: httpx2.Response, *, most_bytes: int, most_seconds: float) -> None:
    """Bound an answer of which only the head is read.

    Raises:
        BodyTooLarge: It is compressed, which was not asked for: its size could not be checked while reading.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise BodyTooLarge("The answer is compressed.")
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = BoundedBody(response.stream, most_bytes=most_bytes, most_seconds=most_seconds)


def check_key(key: str | None) -> None:
    """Check what is to be sent as a key; None is no key.

    Raises:
        InvalidValue: It has signs that no key has.
    """
    if key is not None and not (key.isascii() and key.isprintable() and key and " " not in key):
        raise InvalidValue("key is no key: it is empty, or has spaces or signs that no key has.")


@cache
def _trusted() -> SSLContext:
    """Read the certificates that are trusted, once a process: that takes 40 ms, and everything else of a client 0.2."""
    return httpx2.create_ssl_context()


class OpenAIConnection:
    """The connections of one batch of calls, to be used in a ``with`` block.

    Args:
        server: Where it is and how long it may take.
        key: The key; None for a server that wants none.
        most_reply_bytes: The longest answer that is read, at least 1. Reading ends there, and the call has failed.
    """

    def __init__(self, server: ModelServer, *, key: str | None, most_reply_bytes: int) -> None:
        self._server, self._key = server, key
        seconds = server.timeout_seconds
        hook = partial(bound, most_bytes=most_reply_bytes, most_seconds=seconds)
        # Event hooks, not a transport of ours: with that the proxies of the environment would not be used.
        self._http = httpx2.Client(
            verify=_trusted(), timeout=seconds, follow_redirects=False, event_hooks={"response": [hook]}
        )
        headers: dict[str, object] = {"Accept-Encoding": "identity"}
        if server.base_url:  # whose account with OpenAI this is concerns no other server
            headers |= {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}
        self._client = openai.OpenAI(
            api_key=key or _NO_KEY,
            base_url=server.base_url or OPENAI,
            max_retries=0,
            timeout=seconds,
            http_client=self._http,
            default_headers=cast("Mapping[str, str]", headers),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def answered(
        self,
        path: str,
        body: Mapping[str, object],
        asked: Sequence[str],
        *,
        take: Callable[[httpx2.Response], bytes] | None = None,
    ) -> bytes | chat.ChatFailure:
        """Return the body of the answer, or what went wrong: words of ours, or of the server where they quote nothing.

        Args:
            path: Where it is asked.
            body: What is sent.
            asked: What a failure does not quote.
            take: Reads an answer that is sent piece by piece, and returns what one sent whole would be.
        """
        try:
            if take is not None:
                return self._taken(path, body, take)
            return self._client.post(path, body=body, cast_to=httpx2.Response).read()
        except (openai.OpenAIError, httpx2.HTTPError, BodyTooLarge) as error:
            return self.without_key(self._failure(error, asked))

    def without_key(self, failure: chat.ChatFailure) -> chat.ChatFailure:
        """Return a failure whose words hold nothing of the key: some servers quote it."""
        return replace(failure, detail=without_key(failure.detail, self._key))

    def _failure(self, error: Exception, asked: Sequence[str]) -> chat.ChatFailure:
        if isinstance(error, openai.APIStatusError):
            wait = error.response.headers.get("retry-after")
            key_variable = self._server.key_variable
            return read_refusal(error.status_code, error.body, wait, asked=asked, key_variable=key_variable)
        if isinstance(error, (openai.APITimeoutError, httpx2.TimeoutException)):
            detail = f"No whole answer within {self._server.timeout_seconds:g} seconds."
            return chat.ChatFailure(kind=chat.ChatFailureKind.TIMED_OUT, detail=detail)
        cause = error.__cause__ or error  # without its words, which may hold the key
        if isinstance(cause, BodyTooLarge):
            return chat.ChatFailure(kind=chat.ChatFailureKind.FAILED, detail=str(cause))
        is_made = not isinstance(cause, httpx2.ConnectError)
        what = "The connection broke off" if is_made else "There was no connection to the server"
        return chat.ChatFailure(
            kind=chat.ChatFailureKind.FAILED,
            detail=f"{what} ({type(cause).__name__}).",
            retry_after_seconds=0.0,
            was_read=is_made,
        )

    def _taken(self, path: str, body: Mapping[str, object], take: Callable[[httpx2.Response], bytes]) -> bytes:
        response: httpx2.Response = self._client.post(
            path, body=body, cast_to=httpx2.Response, stream=True, stream_cls=openai.Stream[object]
        )  # pyright: ignore[reportAssignmentType] - as it came, where that is what it is cast to
        try:
            return take(response)
        finally:
            response.close()


Asked = TypeVar("Asked", "chat.ChatRequest", str)
Outcome = TypeVar("Outcome", "chat.ChatOutcome", "chat.LogProbsOutcome")


class OpenAIChat:
    """A chat model that an OpenAI-compatible server offers: OpenAI, Gemini, Anthropic, Ollama, vLLM, llama.cpp.

    A request is one HTTP call: nothing is tried again and no redirection followed. Batches are overlapped; so many calls
    are under way at once as the settings say, for all callers together. Threads may share it, and so may forked processes:
    each batch has connections of its own.

    Args:
        settings: Where it is and how it is asked.
        key: The key; None for a server that wants none.

    Raises:
        InvalidValue: The settings name no model, or the key has signs that no key has.
    """

    def __init__(self, settings: chat.ChatSettings, *, key: str | None = None) -> None:
        if not settings.model:
            raise InvalidValue("model is empty: name the chat model as its server knows it.")
        check_key(key)
        self._settings, self._key = settings, key
        self._slots = Semaphore(settings.concurrency)

    def __repr__(self) -> str:
        """Show the model and its address, and no key."""
        return f"OpenAIChat({self._settings.model!r}, base_url={self._settings.base_url!r})"

    @property
    def info(self) -> chat.ChatModelInfo:
        """The model's name as its server knows it; asking calls nothing."""
        return chat.ChatModelInfo(id=self._settings.model, gives_prompt_log_probs=self._settings.prompt_log_probs)

    def complete(self, requests: Sequence[chat.ChatRequest]) -> Sequence[chat.ChatOutcome]:
        """Return each request's reply or failure, in the order of the requests."""
        return self._overlapped(requests, lambda calls: calls.completed)

    def stream(self, request: chat.ChatRequest, tell: Callable[[str], None]) -> chat.ChatOutcome:
        """Return a request's reply or failure, and pass its pieces on as the server sends them."""
        (outcome,) = self._overlapped([request], lambda calls: partial(calls.streamed, tell=tell))
        return outcome

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[chat.LogProbsOutcome]:
        """Return how likely each text is, in their order; a failure ``NOT_OFFERED`` where the settings say no."""
        if not self._settings.prompt_log_probs:
            return [chat.ChatFailure(kind=chat.ChatFailureKind.NOT_OFFERED) for _ in texts]
        return self._overlapped(texts, lambda calls: calls.echoed)

    def _overlapped(
        self, asked: Sequence[Asked], call: Callable[[OpenAICalls], Callable[[Asked], Outcome]]
    ) -> list[Outcome]:
        if not asked:
            return []

        with OpenAIConnection(self._settings, key=self._key, most_reply_bytes=_MOST_REPLY_BYTES) as connection:
            ask = call(OpenAICalls(connection, self._settings))
            if len(asked) == 1:
                return [self._in_turn(ask, asked[0])]
            with ThreadPoolExecutor(min(len(asked), self._settings.concurrency)) as pool:
                return list(pool.map(partial(self._in_turn, ask), asked))

    def _in_turn(self, ask: Callable[[Asked], Outcome], one: Asked) -> Outcome:
        with self._slots:
            return ask(one)


_MOST_REPLY_BYTES = 1_000_000
"""The longest answer of the server that is read: a hundred times the longest reply. Reading ends there, and the call has failed."""

_EVENTS = "text/event-stream"
_ECHO = re.compile(r"\becho\b")


class OpenAICalls:
    """The calls of one batch of chats."""

    def __init__(self, connection: OpenAIConnection, settings: chat.ChatSettings) -> None:
        self._connection, self._settings = connection, settings

    def completed(self, request: chat.ChatRequest) -> chat.ChatOutcome:
        """Return the outcome of one request; raises nothing the server or the network cause."""
        asked = [message.text for message in request.messages if message.role is not chat.ChatRole.SYSTEM]
        answer = self._connection.answered("/chat/completions", chat_body(request, self._settings), asked)
        return answer if isinstance(answer, chat.ChatFailure) else self._read(answer, request, asked)

    def streamed(self, request: chat.ChatRequest, *, tell: Callable[[str], None]) -> chat.ChatOutcome:
        """Return the outcome of one request, and pass on its pieces; raises nothing the server or the network cause."""
        asked = [message.text for message in request.messages if message.role is not chat.ChatRole.SYSTEM]
        body = {**chat_body(request, self._settings), "stream": True, "stream_options": {"include_usage": True}}
        answer = self._connection.answered("/chat/completions", body, asked, take=partial(_assembled, tell=tell))
        return answer if isinstance(answer, chat.ChatFailure) else self._read(answer, request, asked)

    def echoed(self, text: str) -> chat.LogProbsOutcome:
        """Return how likely a text is; raises nothing the server or the network cause."""
        body = echo_body(text, self._settings)
        answer = self._connection.answered("/completions", body, [text])
        if not isinstance(answer, chat.ChatFailure):
            return read_echo(answer, str(body["prompt"]))
        if _ECHO.search(answer.detail):  # as llama.cpp says it
            return replace(answer, kind=chat.ChatFailureKind.NOT_OFFERED, retry_after_seconds=None)
        return answer

    def _read(self, answer: bytes, request: chat.ChatRequest, asked: Sequence[str]) -> chat.ChatOutcome:
        outcome = read_completion(answer, asked=asked, is_json=request.reply_schema is not None)
        return self._connection.without_key(outcome) if isinstance(outcome, chat.ChatFailure) else outcome


def _assembled(response: httpx2.Response, *, tell: Callable[[str], None]) -> bytes:
    """Report the pieces of an answer, and return it in one; one that was sent whole is returned as it is."""
    if _EVENTS not in response.headers.get("content-type", ""):
        return response.read()
    pieces = StreamedPieces()
    for line in response.iter_lines():
        if text := pieces.take(line):
            tell(text)
    return pieces.completion()
