"""One HTTP call of an OpenAI-compatible server, and what became of it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import httpx2
import openai

from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatRole
from evolore.models.bounded_body import BodyTooLarge, bound
from evolore.models.key_blanking import without_key
from evolore.models.openai_bodies import chat_body, echo_body
from evolore.models.openai_replies import read_completion, read_echo, read_refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from evolore.domain.chat_settings import ChatSettings
    from evolore.domain.chats import ChatOutcome, ChatRequest, LogProbsOutcome

OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"
_ECHO = re.compile(r"\becho\b")


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
        hook = partial(bound, most_bytes=settings.most_reply_bytes, most_seconds=seconds)
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

    def echoed(self, text: str) -> LogProbsOutcome:
        """Give how likely a text is; raises nothing the server or the network cause."""
        body = echo_body(text, self._settings)
        answer = self._answered("/completions", body, [text])
        if not isinstance(answer, ChatFailure):
            return read_echo(answer, str(body["prompt"]))
        if _ECHO.search(answer.detail):  # as llama.cpp says it
            answer = replace(answer, kind=ChatFailureKind.NOT_OFFERED, retry_after_seconds=None)
        return self._without_key(answer)

    def _without_key(self, failure: ChatFailure) -> ChatFailure:
        """Give a failure whose words hold nothing of the key: some servers quote it."""
        return replace(failure, detail=without_key(failure.detail, self._key))

    def _answered(self, path: str, body: Mapping[str, object], asked: Sequence[str]) -> bytes | ChatFailure:
        """Give the body of the answer, or what went wrong: words of ours, or of the server where they quote nothing."""
        try:
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
