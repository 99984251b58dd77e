"""Find what a question is after, by its words, its vector or a chat model; and a chat model as a reranker."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt

from evolore.chat.asking import AT_ONCE, Asker, ChatTerms
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatBudget, ChatFailure
from evolore.domain.language import Language
from evolore.ports import ChatModel, EmbeddingModel, Reranked, RerankFailure
from evolore.recall.question import (
    PROMPT_VERSION,
    IntentGuess,
    IntentSpace,
    classify_intent,
    intent_prompt,
    read_intent,
    rules_language,
)
from evolore.recall.reranking import PROMPT_VERSION as RERANKING_PROMPT_VERSION
from evolore.recall.reranking import read_order, rerank_prompt
from evolore.text.scripts import detect_language


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidIntent:
    """What a question is after, and who says so."""

    guess: IntentGuess  #: What it is after.
    is_by_chat_model: bool = False  #: Whether the chat model said it, and not the rules.
    reason: str = ""  #: Why the chat model, where there is one to ask, did not say it.


def no_intents(model: EmbeddingModel) -> Mapping[Language, npt.NDArray[np.float32]]:  # noqa: ARG001 - stands in for one that looks
    """Return an empty mapping for every model: where it puts the intents was not measured."""
    return {}


class IntentSpaces:
    """The intents' places among the vectors of models, each read when the first question is asked by it.

    Args:
        shipped: Returns those found beforehand for a model, by language, as ``IntentSpace.from_array`` reads them. Of a
            model without any, words alone decide: embedding some 280 prototypes would cost a recall more than its
            answer.
    """

    def __init__(
        self, shipped: Callable[[EmbeddingModel], Mapping[Language, npt.NDArray[np.float32]]] = no_intents
    ) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, Mapping[Language, IntentSpace]] = {}

    def of(self, model: EmbeddingModel, language: Language) -> IntentSpace | None:
        """Return the places of the intents in a language; None where none shipped."""
        if model not in self._known:
            shipped = self._shipped(model)
            self._known[model] = {name: IntentSpace.from_array(array) for name, array in shipped.items()}
        return self._known[model].get(language)


def guess_intent(
    text: str, vector: npt.NDArray[np.float32], *, model: EmbeddingModel, spaces: IntentSpaces
) -> IntentGuess:
    """Return what a question is after.

    Args:
        text: The question.
        vector: It as a unit vector, shape (dimension,).
        model: What made the vector.
        spaces: Where models put the intents.
    """
    language = rules_language(text, detect_language(text))
    return classify_intent(text, vector, space=spaces.of(model, language), language=language)


def say_intent(
    text: str, vector: npt.NDArray[np.float32], *, model: EmbeddingModel, spaces: IntentSpaces, chat: ChatIntents | None
) -> SaidIntent:
    """Return what a question is after: as a chat model says, or by the rules where there is none or it does not.

    Args:
        text: The question.
        vector: It as a unit vector, shape (dimension,).
        model: What made the vector.
        spaces: Where models put the intents.
        chat: What asks the chat model; None for none. Call it while no index is held, because it may take long.
    """
    said = "" if chat is None else chat.of(text)
    if isinstance(said, str):
        return SaidIntent(guess=guess_intent(text, vector, model=model, spaces=spaces), reason=said)
    return SaidIntent(guess=said, is_by_chat_model=True)


_PROMPT = "say_intent"
_MOST_KNOWN = 1000
_UNUSABLE = "unusable_reply: The reply names no intent, or its confidence is not from 0 to 1."


class ChatIntents:
    """Has a chat model say what questions are after, and remembers what it said.

    Threads may share it. Two that ask the same question at once may both pay for it. A failure is not remembered.

    Args:
        model: What to ask.
        calls: How many calls may be made in all; at least 0.
        terms: What else they may cost; a call is made once.
        most: How many questions are remembered at most, at least 1; the one not asked for longest goes first.

    Raises:
        InvalidValue: The number of calls is below 0.
    """

    def __init__(self, model: ChatModel, *, calls: int, terms: ChatTerms = AT_ONCE, most: int = _MOST_KNOWN) -> None:
        self._asker = Asker(model, ChatBudget(calls=calls), terms)
        self._most = most
        self._known: OrderedDict[str, IntentGuess] = OrderedDict()
        self._lock = Lock()

    def of(self, question: str) -> IntentGuess | str:
        """Return what a question is after; or why the model does not say."""
        with self._lock:
            if question in self._known:
                self._known.move_to_end(question)
                return self._known[question]
        (outcome,) = self._asker.complete([intent_prompt(prompt_words(_PROMPT, PROMPT_VERSION), question)])
        if isinstance(outcome, ChatFailure):
            return f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value
        read = read_intent(outcome.text)
        if read is None:
            return _UNUSABLE
        guess = IntentGuess(intent=read[0], confidence=read[1])
        self._remember(question, guess)
        return guess

    def _remember(self, question: str, guess: IntentGuess) -> None:
        with self._lock:
            self._known[question] = guess
            while len(self._known) > self._most:
                self._known.popitem(last=False)


_RERANK_PROMPT = "order_passages"
_UNUSABLE_ORDER = "unusable_reply"


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
        return f"{self._model.info.id}/rerank-{RERANKING_PROMPT_VERSION}"

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return each text's score by its place in the model's order; or what went wrong."""
        (outcome,) = self._asker.complete(
            [rerank_prompt(prompt_words(_RERANK_PROMPT, RERANKING_PROMPT_VERSION), question, texts)]
        )
        if isinstance(outcome, ChatFailure):
            return RerankFailure(reason=outcome.kind.value, detail=outcome.detail)
        read = read_order(outcome.text, len(texts))
        return RerankFailure(reason=_UNUSABLE_ORDER, detail=read) if isinstance(read, str) else read
