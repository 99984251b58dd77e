"""A chat model as a reranker: one call a recall, within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.chats import ChatBudget, ChatFailure
from evolore.flows.asking import Asker
from evolore.flows.chat_terms import AT_ONCE
from evolore.flows.prompt_words import prompt_words
from evolore.ports import RerankFailure
from evolore.recall.rerank_prompt import PROMPT_VERSION, read_order, rerank_prompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.flows.chat_terms import ChatTerms
    from evolore.ports import ChatModel, Reranked

_PROMPT = "order_passages"
_UNUSABLE = "unusable_reply"


class ChatReranker:
    """Has a chat model order texts; each order is one call.

    Args:
        model: What to ask.
        calls: How many calls may be made in all; at least 0. After them every judgement is a failure.
        terms: What else they may cost; a call is made once.

    Raises:
        InvalidValue: The number of calls is below 0.
    """

    def __init__(self, model: ChatModel, *, calls: int, terms: ChatTerms = AT_ONCE) -> None:
        self._model = model
        self._asker = Asker(model, ChatBudget(calls=calls), terms)

    @property
    def name(self) -> str:
        """The model's name, and the version of what it is asked."""
        return f"{self._model.info.id}/rerank-{PROMPT_VERSION}"

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Give each text's score by its place in the model's order; or what went wrong."""
        (outcome,) = self._asker.complete([rerank_prompt(prompt_words(_PROMPT, PROMPT_VERSION), question, texts)])
        if isinstance(outcome, ChatFailure):
            return RerankFailure(reason=outcome.kind.value, detail=outcome.detail)
        read = read_order(outcome.text, len(texts))
        return RerankFailure(reason=_UNUSABLE, detail=read) if isinstance(read, str) else read
