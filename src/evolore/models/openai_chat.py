"""Chat models behind OpenAI-compatible addresses: the extra ``openai``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Semaphore
from typing import TypeVar

import httpx2

from evolore.domain.chat import (
    ChatFailure,
    ChatFailureKind,
    ChatModelInfo,
    ChatOutcome,
    ChatRequest,
    ChatRole,
    ChatSettings,
    LogProbsOutcome,
)
from evolore.errors import InvalidValue
from evolore.models.openai_connection import OpenAIConnection, check_key
from evolore.models.openai_messages import StreamedPieces, chat_body, echo_body, read_completion, read_echo

Asked = TypeVar("Asked", "ChatRequest", str)
Outcome = TypeVar("Outcome", "ChatOutcome", "LogProbsOutcome")


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

    def __init__(self, settings: ChatSettings, *, key: str | None = None) -> None:
        if not settings.model:
            raise InvalidValue("model is empty: name the chat model as its server knows it.")
        check_key(key)
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
        """Return each request's reply or failure, in the order of the requests."""
        return self._overlapped(requests, lambda calls: calls.completed)

    def stream(self, request: ChatRequest, tell: Callable[[str], None]) -> ChatOutcome:
        """Return a request's reply or failure, and pass its pieces on as the server sends them."""
        (outcome,) = self._overlapped([request], lambda calls: partial(calls.streamed, tell=tell))
        return outcome

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Return how likely each text is, in their order; a failure ``NOT_OFFERED`` where the settings say no."""
        if not self._settings.prompt_log_probs:
            return [ChatFailure(kind=ChatFailureKind.NOT_OFFERED) for _ in texts]
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

    def __init__(self, connection: OpenAIConnection, settings: ChatSettings) -> None:
        self._connection = connection
        self._settings = settings

    def completed(self, request: ChatRequest) -> ChatOutcome:
        """Return the outcome of one request; raises nothing the server or the network cause."""
        asked = [message.text for message in request.messages if message.role is not ChatRole.SYSTEM]
        answer = self._connection.answered("/chat/completions", chat_body(request, self._settings), asked)
        return answer if isinstance(answer, ChatFailure) else self._read(answer, request, asked)

    def streamed(self, request: ChatRequest, *, tell: Callable[[str], None]) -> ChatOutcome:
        """Return the outcome of one request, and pass on its pieces; raises nothing the server or the network cause."""
        asked = [message.text for message in request.messages if message.role is not ChatRole.SYSTEM]
        body = {**chat_body(request, self._settings), "stream": True, "stream_options": {"include_usage": True}}
        answer = self._connection.answered("/chat/completions", body, asked, take=partial(_assembled, tell=tell))
        return answer if isinstance(answer, ChatFailure) else self._read(answer, request, asked)

    def echoed(self, text: str) -> LogProbsOutcome:
        """Return how likely a text is; raises nothing the server or the network cause."""
        body = echo_body(text, self._settings)
        answer = self._connection.answered("/completions", body, [text])
        if not isinstance(answer, ChatFailure):
            return read_echo(answer, str(body["prompt"]))
        if _ECHO.search(answer.detail):  # as llama.cpp says it
            return replace(answer, kind=ChatFailureKind.NOT_OFFERED, retry_after_seconds=None)
        return answer

    def _read(self, answer: bytes, request: ChatRequest, asked: Sequence[str]) -> ChatOutcome:
        outcome = read_completion(answer, asked=asked, is_json=request.reply_schema is not None)
        return self._connection.without_key(outcome) if isinstance(outcome, ChatFailure) else outcome


def _assembled(response: httpx2.Response, *, tell: Callable[[str], None]) -> bytes:
    """Report the pieces of an answer, and return it in one; one that was sent whole is returned as it is."""
    if _EVENTS not in response.headers.get("content-type", ""):
        return response.read()
    pieces = StreamedPieces()
    for line in response.iter_lines():
        if text := pieces.take(line):
            tell(text)
    return pieces.completion()
