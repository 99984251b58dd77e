"""How a chat model is asked to order passages, and what of its reply is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from evolore.domain.chats import ChatMessage, ChatRequest, ChatRole
from evolore.text.fences import fenced

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.text.fences import Data

PROMPT_VERSION = 2
"""Raised with every change of the words that are asked, ``order_passages_2.md``: figures and caches name it."""

_TOKENS_PER_ID = 6
_TOKENS_AROUND = 64


class OrderReply(BaseModel):
    """What a reply must be."""

    model_config = ConfigDict(extra="ignore", strict=True)

    order: list[int]


def rerank_prompt(instructions: str, question: str, texts: Sequence[str]) -> ChatRequest:
    """Ask for the order of texts, numbered from 1.

    Args:
        instructions: The words of the prompt. What question and texts say never becomes part of them.
        question: What is asked.
        texts: What is ordered.
    """
    passages: Data = [{"id": number, "text": text} for number, text in enumerate(texts, 1)]
    return ChatRequest(
        purpose="recall.rerank",
        messages=(
            ChatMessage(role=ChatRole.SYSTEM, text=instructions),
            ChatMessage(role=ChatRole.USER, text=fenced("passages", {"question": question, "passages": passages})),
        ),
        reply_schema=OrderReply.model_json_schema(),
        most_tokens=_TOKENS_PER_ID * len(texts) + _TOKENS_AROUND,
        prompt_version=PROMPT_VERSION,
    )


def read_order(reply: str, count: int) -> npt.NDArray[np.float32] | str:
    """Give each text's score, ``count`` for the first and 1 for the last, shape (count,); or say what is wrong.

    An order that leaves one out, names one twice or names one that is not there is refused whole: what the model made
    of the rest cannot be told.
    """
    try:
        order = OrderReply.model_validate_json(reply).order
    except ValidationError:
        return 'The reply is not of the form {"order": [...]}.'
    if unknown := [number for number in order if not 1 <= number <= count]:
        return f"The reply names {unknown[0]}, and there are {count} passages."
    if len(order) != count or len(set(order)) != count:
        return f"The reply names {len(set(order))} of {count} passages, {len(order) - len(set(order))} of them again."
    scores = np.empty(count, dtype=np.float32)
    scores[np.array(order, dtype=np.int64) - 1] = np.arange(count, 0, -1)
    return scores
