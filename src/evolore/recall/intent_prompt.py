"""How a chat model is asked what a question is after, and what of its reply is taken."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolore.domain.answers import Intent  # noqa: TC001 - pydantic reads it
from evolore.domain.chats import ChatMessage, ChatRequest, ChatRole
from evolore.text.fences import fenced

PROMPT_VERSION = 2
"""Raised with every change of the words that are asked, ``say_intent_2.md``: figures and caches name it."""

_MOST_TOKENS = 64


class IntentReply(BaseModel):
    """What a reply must be."""

    model_config = ConfigDict(extra="ignore")

    intent: Intent
    confidence: float = Field(ge=0.0, le=1.0, strict=True)


def intent_prompt(instructions: str, question: str) -> ChatRequest:
    """Ask what a question is after.

    Args:
        instructions: The words of the prompt. What the question says never becomes part of them.
        question: What is asked.
    """
    return ChatRequest(
        purpose="recall.intent",
        messages=(
            ChatMessage(role=ChatRole.SYSTEM, text=instructions),
            ChatMessage(role=ChatRole.USER, text=fenced("question", {"question": question})),
        ),
        reply_schema=IntentReply.model_json_schema(),
        most_tokens=_MOST_TOKENS,
        prompt_version=PROMPT_VERSION,
    )


def read_intent(reply: str) -> tuple[Intent, float] | None:
    """Take the intent and its confidence from a reply; None where it is of another form or out of range."""
    try:
        said = IntentReply.model_validate_json(reply)
    except ValidationError:
        return None
    return said.intent, said.confidence
