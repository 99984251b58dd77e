"""What a question is after: by its words and, where the model's prototypes shipped, its vector; or by a chat model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.flows.embedding import embed
from evolore.ports import TextRole
from evolore.recall.intent import IntentSpace, classify_intent, fit_intents, prototype_texts, rules_language
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.flows.chat_intent import ChatIntents
    from evolore.ports import Embedder, EmbeddingModel
    from evolore.recall.intent import IntentGuess


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidIntent:
    """What a question is after, and who says so.

    Args:
        guess: What it is after.
        is_by_chat_model: Whether the chat model said it, and not the rules.
        reason: Why the chat model, where there is one to ask, did not say it.
    """

    guess: IntentGuess
    is_by_chat_model: bool = False
    reason: str = ""


def no_intents(model: EmbeddingModel) -> Mapping[Language, npt.NDArray[np.float32]]:  # noqa: ARG001 - stands in for one that looks
    """Say of every model that nobody looked where it puts the intents."""
    return {}


class IntentSpaces:
    """The intents' places among the vectors of models, each read when the first question is asked by it.

    Args:
        shipped: Gives those found beforehand for a model, by language, as ``IntentSpace.to_array`` gives them. Of a
            model without any, words alone decide: embedding some 280 prototypes would cost a recall more than its
            answer.
    """

    def __init__(
        self, shipped: Callable[[EmbeddingModel], Mapping[Language, npt.NDArray[np.float32]]] = no_intents
    ) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, Mapping[Language, IntentSpace]] = {}

    def of(self, model: EmbeddingModel, language: Language) -> IntentSpace | None:
        """Give the places of the intents in a language; None where none shipped."""
        if model not in self._known:
            shipped = self._shipped(model)
            self._known[model] = {name: IntentSpace.from_array(array) for name, array in shipped.items()}
        return self._known[model].get(language)


def fit_space(embedder: Embedder, language: Language) -> IntentSpace:
    """Embed the prototypes of a language, and find where a model puts the intents: what ships is made with it.

    Raises:
        EmbedderBroken: The vectors have another shape, hold what is no number, or are not of unit length.
    """
    texts, intents = prototype_texts(language)
    return fit_intents(embed(embedder, texts, role=TextRole.QUERY), intents)


def guess_intent(
    text: str, vector: npt.NDArray[np.float32], *, model: EmbeddingModel, spaces: IntentSpaces
) -> IntentGuess:
    """Say what a question is after.

    Args:
        text: The question.
        vector: It as a unit vector, shape (dimension,).
        model: What made the vector.
        spaces: Where models put the intents.
    """
    language = rules_language(text, detect_language(text))
    return classify_intent(text, vector, space=spaces.of(model, language), language=language)


def say_intent(
    text: str,
    vector: npt.NDArray[np.float32],
    *,
    model: EmbeddingModel,
    spaces: IntentSpaces,
    chat: ChatIntents | None,
) -> SaidIntent:
    """Say what a question is after: as a chat model says, or by the rules where there is none or it does not.

    Args:
        text: The question.
        vector: It as a unit vector, shape (dimension,).
        model: What made the vector.
        spaces: Where models put the intents.
        chat: What asks the chat model; None for nobody. Call it while no index is held, because it may take long.
    """
    said = "" if chat is None else chat.of(text)
    if isinstance(said, str):
        return SaidIntent(guess=guess_intent(text, vector, model=model, spaces=spaces), reason=said)
    return SaidIntent(guess=said, is_by_chat_model=True)
