"""Chat models behind OpenAI-compatible addresses: the extra ``openai``."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from threading import Semaphore
from typing import TYPE_CHECKING, TypeVar

from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatModelInfo
from evolore.errors import InvalidValue, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.chat_settings import ChatSettings
    from evolore.domain.chats import ChatOutcome, ChatRequest, LogProbsOutcome
    from evolore.models.openai_calls import OpenAICalls

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
        from evolore.models.openai_calls import OpenAICalls  # noqa: PLC0415 - an extra, and it takes a second

        with OpenAICalls(self._settings, key=self._key) as calls:
            ask = call(calls)
            if len(asked) == 1:
                return [self._in_turn(ask, asked[0])]
            with ThreadPoolExecutor(min(len(asked), self._settings.concurrency)) as pool:
                return list(pool.map(partial(self._in_turn, ask), asked))

    def _in_turn(self, ask: Callable[[Asked], Outcome], one: Asked) -> Outcome:
        with self._slots:
            return ask(one)
