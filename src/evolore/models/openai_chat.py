"""Chat models behind OpenAI-compatible addresses: the extra ``openai``."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from threading import Semaphore
from time import monotonic
from typing import TYPE_CHECKING, TypeVar, cast

import httpx2
import openai

from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatModelInfo, ChatRole
from evolore.errors import InvalidValue, MissingExtra
from evolore.models.openai_messages import (
    StreamedPieces,
    chat_body,
    echo_body,
    read_completion,
    read_echo,
    read_refusal,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from evolore.domain.chat import ChatOutcome, ChatRequest, ChatSettings, LogProbsOutcome

Asked = TypeVar("Asked", "ChatRequest", str)
Outcome = TypeVar("Outcome", "ChatOutcome", "LogProbsOutcome")


class OpenAIChat:
    """A chat model that an OpenAI-compatible server offers: OpenAI, Gemini, Anthropic, Ollama, vLLM, llama.cpp.

    A request is one HTTP call: nothing is tried again and no redirection followed. Batches are overlapped; so many calls
    are under way at once as the settings say, whoever makes them. Threads may share it, and so may forked processes:
    each batch has connections of its own.

    Args:
        settings: Where it is and how it is asked.
        key: The key; None for a server that wants none.

    Raises:
        MissingExtra: ``openai`` is not installed.
        InvalidValue: The settings name no model, or the key has signs that no key has.
    """

    def __init__(self, settings: ChatSettings, *, key: str | None = None) -> None:
        if find_spec("openai") is None:
            raise MissingExtra('A chat model needs an extra: run pip install "evolore[openai]".')
        if not settings.model:
            raise InvalidValue("model is empty: name the chat model as its server knows it.")
        if key is not None and not (key.isascii() and key.isprintable() and key and " " not in key):
            raise InvalidValue("key is no key: it is empty, or has spaces or signs that no key has.")
        self._settings = settings
        self._key = key
        self._slots = Semaphore(settings.concurrency)

    def __repr__(self) -> str:
        """Show the model and its address, and no key."""
        return f"OpenAIChat({self._settings.model!r}, base_url={self._settings.base_url!r})"

    @property
    def info(self) -> ChatModelInfo:
        """The model's name as its server knows it; asking calls nothing."""
        return ChatModelInfo(id=self._settings.model, gives_prompt_log_probs=self._settings.prompt_log_probs)

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Give each request's reply or failure, in the order of the requests."""
        return self._overlapped(requests, lambda calls: calls.completed)

    def stream(self, request: ChatRequest, tell: Callable[[str], None]) -> ChatOutcome:
        """Give a request's reply or failure, and tell its pieces as the server sends them."""
        (outcome,) = self._overlapped([request], lambda calls: partial(calls.streamed, tell=tell))
        return outcome

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Tell how likely each text is, in their order; a failure ``NOT_OFFERED`` where the settings say no."""
        if not self._settings.prompt_log_probs:
            return [ChatFailure(kind=ChatFailureKind.NOT_OFFERED) for _ in texts]
        return self._overlapped(texts, lambda calls: calls.echoed)

    def _overlapped(
        self, asked: Sequence[Asked], call: Callable[[OpenAICalls], Callable[[Asked], Outcome]]
    ) -> list[Outcome]:
        if not asked:
            return []

        with OpenAICalls(self._settings, key=self._key) as calls:
            ask = call(calls)
            if len(asked) == 1:
                return [self._in_turn(ask, asked[0])]
            with ThreadPoolExecutor(min(len(asked), self._settings.concurrency)) as pool:
                return list(pool.map(partial(self._in_turn, ask), asked))

    def _in_turn(self, ask: Callable[[Asked], Outcome], one: Asked) -> Outcome:
        with self._slots:
            return ask(one)


_MOST_REPLY_BYTES = 1_000_000
"""The longest answer of the server that is read: a hundred times the longest reply. Reading ends there, and the call has failed."""

_PIECE = 8
"""So many characters of a key in a row tell something of it."""

_BLANK = "[key]"

OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"
_EVENTS = "text/event-stream"
_ECHO = re.compile(r"\becho\b")


class BodyTooLarge(Exception):
    """Say that an answer is longer than is read."""


class BoundedBody(httpx2.SyncByteStream):
    """Hands on a body until it is too long, or takes too long as a whole.

    A time-out of the connection would not end a body of which a byte comes now and then.

    Args:
        body: What is read.
        most_bytes: How much of it.
        most_seconds: For how long, from now.
    """

    def __init__(self, body: httpx2.SyncByteStream, *, most_bytes: int, most_seconds: float) -> None:
        self._body = body
        self._most = most_bytes
        self._ends_at = monotonic() + most_seconds

    def __iter__(self) -> Iterator[bytes]:
        """Give the parts of the body.

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
        """Let go of the connection."""
        self._body.close()


def bound(response: httpx2.Response, *, most_bytes: int, most_seconds: float) -> None:
    """Bound an answer of which only the head is read.

    Raises:
        BodyTooLarge: It is compressed, which nobody asked for: its size could not be told while reading.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise BodyTooLarge("The answer is compressed.")
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = BoundedBody(response.stream, most_bytes=most_bytes, most_seconds=most_seconds)


def without_key(text: str, key: str | None) -> str:
    """Blank a key, and any piece of it of eight characters or more, in whichever case.

    >>> without_key("Bad key SK-1234-5678-90 given", "sk-1234-5678-90")
    'Bad key [key] given'
    >>> without_key("Bad key sk-1234-****", "sk-1234-5678-90")
    'Bad key [key]****'
    """
    if not key:
        return text
    size, low, wanted = min(_PIECE, len(key)), text.lower(), key.lower()
    pieces = {wanted[start : start + size] for start in range(len(wanted) - size + 1)}
    told: list[str] = []
    end = 0
    for start in range(len(low) - size + 1):
        if low[start : start + size] in pieces:
            told += [text[end:start], _BLANK] if start > end or not told else []
            end = start + size
    return "".join((*told, text[end:]))


class OpenAICalls:
    """The connections of one batch, to be used in a ``with`` block.

    Args:
        settings: Where the server is and how it is asked.
        key: The key; None for a server that wants none.
    """

    def __init__(self, settings: ChatSettings, *, key: str | None) -> None:
        self._settings = settings
        self._key = key
        seconds = settings.timeout_seconds
        hook = partial(bound, most_bytes=_MOST_REPLY_BYTES, most_seconds=seconds)
        # Event hooks, not a transport of ours: with that the proxies of the environment would not be used.
        self._http = httpx2.Client(timeout=seconds, follow_redirects=False, event_hooks={"response": [hook]})
        headers: dict[str, object] = {"Accept-Encoding": "identity"}
        if settings.base_url:  # whose account with OpenAI this is concerns no other server
            headers |= {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}
        self._client = openai.OpenAI(
            api_key=key or _NO_KEY,
            base_url=settings.base_url or OPENAI,
            max_retries=0,
            timeout=seconds,
            http_client=self._http,
            default_headers=cast("Mapping[str, str]", headers),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._http.close()

    def completed(self, request: ChatRequest) -> ChatOutcome:
        """Give what came of one request; raises nothing the server or the network cause."""
        asked = [message.text for message in request.messages if message.role is not ChatRole.SYSTEM]
        answer = self._answered("/chat/completions", chat_body(request, self._settings), asked)
        if not isinstance(answer, ChatFailure):
            answer = read_completion(answer, asked=asked, is_json=request.reply_schema is not None)
        return self._without_key(answer) if isinstance(answer, ChatFailure) else answer

    def streamed(self, request: ChatRequest, *, tell: Callable[[str], None]) -> ChatOutcome:
        """Give what came of one request, and tell the pieces of the reply; raises nothing the server or the network cause."""
        asked = [message.text for message in request.messages if message.role is not ChatRole.SYSTEM]
        body = {**chat_body(request, self._settings), "stream": True, "stream_options": {"include_usage": True}}
        answer = self._answered("/chat/completions", body, asked, take=partial(_assembled, tell=tell))
        if not isinstance(answer, ChatFailure):
            answer = read_completion(answer, asked=asked, is_json=request.reply_schema is not None)
        return self._without_key(answer) if isinstance(answer, ChatFailure) else answer

    def echoed(self, text: str) -> LogProbsOutcome:
        """Give how likely a text is; raises nothing the server or the network cause."""
        body = echo_body(text, self._settings)
        answer = self._answered("/completions", body, [text])
        if not isinstance(answer, ChatFailure):
            return read_echo(answer, str(body["prompt"]))
        if _ECHO.search(answer.detail):  # as llama.cpp says it
            answer = replace(answer, kind=ChatFailureKind.NOT_OFFERED, retry_after_seconds=None)
        return self._without_key(answer)

    def _taken(self, path: str, body: Mapping[str, object], take: Callable[[httpx2.Response], bytes]) -> bytes:
        response: httpx2.Response = self._client.post(
            path, body=body, cast_to=httpx2.Response, stream=True, stream_cls=openai.Stream[object]
        )  # pyright: ignore[reportAssignmentType] - as it came, where that is what it is cast to
        try:
            return take(response)
        finally:
            response.close()

    def _without_key(self, failure: ChatFailure) -> ChatFailure:
        """Give a failure whose words hold nothing of the key: some servers quote it."""
        return replace(failure, detail=without_key(failure.detail, self._key))

    def _answered(
        self,
        path: str,
        body: Mapping[str, object],
        asked: Sequence[str],
        *,
        take: Callable[[httpx2.Response], bytes] | None = None,
    ) -> bytes | ChatFailure:
        """Give the body of the answer, or what went wrong: words of ours, or of the server where they quote nothing.

        Args:
            path: Where it is asked.
            body: What is sent.
            asked: What a failure does not quote.
            take: Reads an answer that is sent piece by piece, and gives what one sent whole would be.
        """
        try:
            if take is not None:
                return self._taken(path, body, take)
            return self._client.post(path, body=body, cast_to=httpx2.Response).read()
        except openai.APIStatusError as error:
            return read_refusal(
                error.status_code,
                error.body,
                error.response.headers.get("retry-after"),
                asked=asked,
                key_variable=self._settings.key_variable,
            )
        except (openai.APITimeoutError, httpx2.TimeoutException):
            return ChatFailure(
                kind=ChatFailureKind.TIMED_OUT,
                detail=f"No whole answer within {self._settings.timeout_seconds:g} seconds.",
            )
        except BodyTooLarge as error:
            return ChatFailure(kind=ChatFailureKind.FAILED, detail=str(error))
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            return _broken_off(error)


def _assembled(response: httpx2.Response, *, tell: Callable[[str], None]) -> bytes:
    """Tell the pieces of an answer, and give what it would be in one; one that was sent whole is given as it is."""
    if _EVENTS not in response.headers.get("content-type", ""):
        return response.read()
    pieces = StreamedPieces()
    for line in response.iter_lines():
        if text := pieces.take(line):
            tell(text)
    return pieces.completion()


def _broken_off(error: Exception) -> ChatFailure:
    """Make a failure of a connection that was not made, or broke; without the error's words, which may hold the key."""
    cause = error.__cause__ or error
    if isinstance(cause, BodyTooLarge):
        return ChatFailure(kind=ChatFailureKind.FAILED, detail=str(cause))
    is_made = not isinstance(cause, httpx2.ConnectError)
    what = "The connection broke off" if is_made else "There was no connection to the server"
    return ChatFailure(
        kind=ChatFailureKind.FAILED,
        detail=f"{what} ({type(cause).__name__}).",
        retry_after_seconds=0.0,
        was_read=is_made,
    )
