"""Messages to and from OpenAI-compatible servers, checked, and what failures quote of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import accumulate
from typing import Annotated, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolore.domain import chat

Json: TypeAlias = "Mapping[str, object]"

HALVES = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
"""Halves of characters, which cannot be sent; each becomes one sign, so that places stay the same."""
_PIECE = 8
"""So many characters of a key in a row reveal something of it."""

_BLANK = "[key]"
_NOT_STRICT = frozenset({"title", "default", "minLength", "maxLength"})
"""What strict schemas may not hold; the caller still checks the reply by it."""


def chat_body(request: chat.ChatRequest, settings: chat.ChatSettings) -> dict[str, object]:
    """Return what a chat endpoint is sent."""
    body: dict[str, object] = {
        "model": settings.model,
        "messages": [
            {"role": message.role.value, "content": message.text.translate(HALVES)} for message in request.messages
        ],
        _limit_name(settings): request.most_tokens,
    }
    if settings.sends_temperature:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    if request.reply_schema is not None:
        body |= _form(request.purpose, request.reply_schema, settings.structured_output)
    return body


def echo_body(text: str, settings: chat.ChatSettings) -> dict[str, object]:
    """Return what a completions endpoint is sent for a text's log-probabilities.

    One token more is written: with none, some servers answer nothing at all.
    """
    return {
        "model": settings.model,
        "prompt": text.translate(HALVES),
        "max_tokens": 1,
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }


def strict(schema: Json) -> dict[str, object]:
    """Return a schema in the form that servers can hold a model to: every property is required, and no other allowed.

    >>> strict({"type": "object", "properties": {"a": {"type": "string", "default": ""}}})
    {'type': 'object', 'properties': {'a': {'type': 'string'}}, 'required': ['a'], 'additionalProperties': False}
    """
    kept = {name: _strict(value) for name, value in schema.items() if name not in _NOT_STRICT}
    for named in ("properties", "$defs"):
        if isinstance(inner := schema.get(named), dict):
            kept[named] = {name: _strict(value) for name, value in cast("Json", inner).items()}
    if schema.get("type") == "object":
        kept |= {"required": list(cast("Json", schema.get("properties", {}))), "additionalProperties": False}
    return kept


def _strict(value: object) -> object:
    if isinstance(value, dict):
        return strict(cast("Json", value))
    return [_strict(one) for one in cast("list[object]", value)] if isinstance(value, list) else value


def _limit_name(settings: chat.ChatSettings) -> str:
    if settings.token_limit_name is not chat.TokenLimitName.AUTO:
        return settings.token_limit_name.value
    return (chat.TokenLimitName.MAX_TOKENS if settings.base_url else chat.TokenLimitName.MAX_COMPLETION_TOKENS).value


def _form(purpose: str, schema: Json, known: chat.StructuredOutput) -> dict[str, object]:
    """Return which form the reply is to have, as far as the server supports it."""
    if known is chat.StructuredOutput.NONE:
        return {}
    if known is chat.StructuredOutput.JSON_OBJECT:
        return {"response_format": {"type": "json_object"}}
    named = {"name": purpose.replace(".", "_"), "schema": strict(schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


_MOST_TOKENS = 10_000_000
_LONGEST_SAID = 200
_SHARED = 12
"""So many characters in a row that are in the request too are taken for a quotation of it."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_FENCED = re.compile(r"\s*```[a-zA-Z]*\n(.*?)\n?```\s*", re.DOTALL)
_BUSY = frozenset({429, 503, 529})
_WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_SERVERS_FAULT = 500
_NOT_OFFERED = frozenset({405, 501})
_NEVER_BETTER = frozenset({"insufficient_quota", "billing_hard_limit_reached"})


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Usage(_Lenient):
    prompt_tokens: Annotated[int, Field(ge=0, le=_MOST_TOKENS)]
    completion_tokens: Annotated[int, Field(ge=0, le=_MOST_TOKENS)] = 0


class _Message(_Lenient):
    content: str | None = None
    refusal: str | None = None


class _ReplyChoice(_Lenient):
    message: _Message
    finish_reason: str | None = None


class _Completion(_Lenient):
    choices: Annotated[list[_ReplyChoice], Field(min_length=1)]
    usage: object = None


class _LogProbs(_Lenient):
    tokens: list[str]
    token_logprobs: list[float | None]
    text_offset: list[int] | None = None


class _EchoChoice(_Lenient):
    text: str = ""
    logprobs: _LogProbs | None = None


class _Echo(_Lenient):
    choices: Annotated[list[_EchoChoice], Field(min_length=1)]
    usage: object = None


class _ChunkChoice(_Lenient):
    delta: _Message = _Message()
    finish_reason: str | None = None


class _Chunk(_Lenient):
    choices: list[_ChunkChoice] = []
    usage: object = None
    error: object = None


_DATA = "data:"
_LAST = "[DONE]"


class StreamedPieces:
    """Puts an answer together that is sent piece by piece, as server-sent events."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._ended: str | None = None
        self._usage: object = None
        self._is_sound = False

    def take(self, line: str) -> str:
        """Return what a line adds to the reply's text; nothing for one that adds none."""
        data = line.removeprefix(_DATA).strip()
        if not line.startswith(_DATA) or data == _LAST:
            return ""
        try:
            chunk = _Chunk.model_validate_json(data)
        except ValidationError:
            return ""
        self._usage = chunk.usage or self._usage
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self._is_sound = chunk.error is None
        self._ended = choice.finish_reason or self._ended
        if choice.delta.refusal:
            self._refusal.append(choice.delta.refusal)
        text = choice.delta.content or ""
        self._text.append(text)
        return text

    def completion(self) -> bytes:
        """Return the answer as it would have been sent whole; one that holds nothing where it broke off."""
        if not (self._is_sound and self._ended):
            return b"{}"
        message = {"content": "".join(self._text), "refusal": "".join(self._refusal) or None}
        choice = {"message": message, "finish_reason": self._ended}
        return json.dumps({"choices": [choice], "usage": self._usage}).encode()


def read_completion(body: bytes, *, asked: Sequence[str], is_json: bool) -> chat.ChatOutcome:
    """Read the reply from what a chat endpoint answered.

    Args:
        body: What it answered.
        asked: What it was asked, which a failure does not quote.
        is_json: Whether JSON was asked for; what some models put around it is taken off.
    """
    try:
        told = _Completion.model_validate_json(body)
    except ValidationError:
        return _unreadable(body)
    usage, choice = _usage(told.usage), told.choices[0]
    if choice.message.refusal is not None or choice.finish_reason == "content_filter":
        detail = said(choice.message.refusal or "content filter", asked=asked)
        return chat.ChatFailure(kind=chat.ChatFailureKind.REFUSED, detail=detail, usage=usage)
    text = choice.message.content or ""
    return chat.ChatReply(text=_bare(text) if is_json else text, usage=usage)


def read_echo(body: bytes, text: str) -> chat.LogProbsOutcome:
    """Read the log-probabilities of a text from what a completions endpoint answered that was asked to echo it.

    A server that returns those of its own words alone does not offer them. Tokens that begin at the same character, as
    parts of one do, are added up.
    """
    try:
        told = _Echo.model_validate_json(body)
    except ValidationError:
        return _unreadable(body)
    usage, found = _usage(told.usage), told.choices[0].logprobs
    is_echo = told.choices[0].text.startswith(text)
    if found is None or not is_echo or sum(map(len, found.tokens)) < len(text):
        detail = "The server does not echo the text with its log-probabilities."
        return chat.ChatFailure(kind=chat.ChatFailureKind.NOT_OFFERED, detail=detail, usage=usage)
    offsets = found.text_offset or [0, *accumulate(map(len, found.tokens))][: len(found.tokens)]
    if not len(offsets) == len(found.tokens) == len(found.token_logprobs):
        return chat.ChatFailure(
            kind=chat.ChatFailureKind.FAILED, detail="Log-probabilities and tokens differ.", usage=usage
        )
    shares: dict[int, float] = {}
    for offset, share in zip(offsets, found.token_logprobs, strict=True):
        if share is None or not 0 <= offset < len(text):
            continue
        if not (math.isfinite(share) and share <= 0):
            return chat.ChatFailure(
                kind=chat.ChatFailureKind.FAILED, detail="A log-probability is above 0.", usage=usage
            )
        shares[offset] = shares.get(offset, 0.0) + share
    return chat.PromptLogProbs(tokens=tuple(sorted(shares.items())), usage=usage)


def read_refusal(
    status: int, body: object, retry_after: str | None, *, asked: Sequence[str], key_variable: str
) -> chat.ChatFailure:
    """Make a failure of an answer with a status that is no success.

    Args:
        status: The HTTP status.
        body: What the server said, as far as it is JSON.
        retry_after: The header of that name.
        asked: What it was asked, which a failure does not quote.
        key_variable: Where the key comes from, for the message that it was not accepted.
    """
    message, code = _error(body)
    detail = f"HTTP {status}"
    if status in {401, 403}:
        detail += f": the server did not accept the key in {key_variable}." if key_variable else ": a key is needed."
    elif words := said(message, asked=asked):
        detail += f": {words}"
    is_offered = status not in _NOT_OFFERED
    is_worth_it = is_offered and status in _WORTH_ANOTHER_TRY and code not in _NEVER_BETTER
    return chat.ChatFailure(
        kind=chat.ChatFailureKind.FAILED if is_offered else chat.ChatFailureKind.NOT_OFFERED,
        detail=detail,
        retry_after_seconds=_seconds(retry_after) if is_worth_it else None,
        was_read=status >= _SERVERS_FAULT and status not in _BUSY,
        status=status,
    )


def said(text: str, *, asked: Iterable[str]) -> str:
    """Return a server's words on one line, of bounded length; nothing where they quote what it was asked."""
    line = " ".join(_CONTROLS.sub(" ", text).split())[:_LONGEST_SAID]
    parts = {line[start : start + _SHARED] for start in range(max(1, len(line) - _SHARED + 1))} - {""}
    for one in asked:
        forms = (" ".join(one.split()), json.dumps(one), json.dumps(one, ensure_ascii=False), repr(one))
        if any(part in form for form in forms for part in parts):
            return ""
    return line


def _unreadable(body: bytes) -> chat.ChatFailure:
    detail = f"The server's answer of {len(body)} bytes is not of the form of a completion."
    return chat.ChatFailure(kind=chat.ChatFailureKind.FAILED, detail=detail)


def _usage(told: object) -> chat.ChatUsage:
    """Return what a server says it used; nothing but the call where that makes no sense."""
    try:
        used = _Usage.model_validate(told)
    except ValidationError:
        return chat.ONE_CALL
    return chat.ChatUsage(calls=1, prompt_tokens=used.prompt_tokens, reply_tokens=used.completion_tokens)


def _bare(text: str) -> str:
    """Remove the code fence that models without structured output put around JSON."""
    found = _FENCED.fullmatch(text)
    return found[1] if found else text


class _ReplyMessage(_Lenient):
    message: str = ""
    code: str | int | None = None


class _Error(_Lenient):
    error: _ReplyMessage | str = ""


def _error(body: object) -> tuple[str, str]:
    """Return message and code of an error; the SDK hands over what is under ``error``, or all there is."""
    for form in (_Error, _ReplyMessage):
        try:
            found = form.model_validate(body)
        except ValidationError:
            continue
        inner = found.error if isinstance(found, _Error) else found
        if isinstance(inner, str) and inner:
            return inner, ""
        if isinstance(inner, _ReplyMessage) and inner.message:
            return inner.message, str(inner.code or "")
    return "", ""


def _seconds(retry_after: str | None) -> float:
    """Read a Retry-After header: seconds, or a date; 0 where there is none that can be read."""
    if not retry_after:
        return 0.0
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            at = parsedate_to_datetime(retry_after)
        except ValueError:
            return 0.0
        seconds = (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if not math.isnan(seconds) else 0.0


def without_key(text: str, key: str | None) -> str:
    """Blank a key, and any piece of it of eight characters or more, in upper or lower case.

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
