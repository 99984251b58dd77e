"""What OpenAI-compatible servers are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from evolore.domain.chat_settings import StructuredOutput, TokenLimitName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.chat_settings import ChatSettings
    from evolore.domain.chats import ChatRequest

Json: TypeAlias = "Mapping[str, object]"

_HALVES = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
"""Halves of characters, which cannot be sent; each becomes one sign, so that places stay the same."""
_NOT_STRICT = frozenset({"title", "default", "minLength", "maxLength"})
"""What strict schemas may not hold; whoever asked checks the reply by it all the same."""


def chat_body(request: ChatRequest, settings: ChatSettings) -> dict[str, object]:
    """Give what a chat endpoint is sent."""
    body: dict[str, object] = {
        "model": settings.model,
        "messages": [
            {"role": message.role.value, "content": message.text.translate(_HALVES)} for message in request.messages
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


def echo_body(text: str, settings: ChatSettings) -> dict[str, object]:
    """Give what a completions endpoint is sent for a text's log-probabilities.

    One token more is written: with none, some servers answer nothing at all.
    """
    return {
        "model": settings.model,
        "prompt": text.translate(_HALVES),
        "max_tokens": 1,
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }


def strict(schema: Json) -> dict[str, object]:
    """Give a schema in the form that servers can hold a model to: every property is required, and no other allowed.

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


def _limit_name(settings: ChatSettings) -> str:
    if settings.token_limit_name is not TokenLimitName.AUTO:
        return settings.token_limit_name.value
    return (TokenLimitName.MAX_TOKENS if settings.base_url else TokenLimitName.MAX_COMPLETION_TOKENS).value


def _form(purpose: str, schema: Json, known: StructuredOutput) -> dict[str, object]:
    """Say which form the reply is to have, as far as the server knows how to be told."""
    if known is StructuredOutput.NONE:
        return {}
    if known is StructuredOutput.JSON_OBJECT:
        return {"response_format": {"type": "json_object"}}
    named = {"name": purpose.replace(".", "_"), "schema": strict(schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}
