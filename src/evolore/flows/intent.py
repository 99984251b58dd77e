"""Guessing what a question is after, by its words and, where the model's prototypes shipped, by its vector."""

from __future__ import annotations

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
    from evolore.ports import Embedder
    from evolore.recall.intent import IntentGuess


class IntentSpaces:
    """The intents' places among the vectors of one model, read when the first question is asked.

    Args:
        shipped: Gives those found beforehand, by language, as ``IntentSpace.to_array`` gives them. Of a model without
            any, words alone decide: embedding some 280 prototypes would cost a recall more than its answer.
    """

    def __init__(self, shipped: Callable[[], Mapping[Language, npt.NDArray[np.float32]]] = dict) -> None:
        self._shipped = shipped
        self._known: dict[Language, IntentSpace] | None = None

    def of(self, language: Language) -> IntentSpace | None:
        """Give the places of the intents in a language; None where none shipped."""
        if self._known is None:
            self._known = {name: IntentSpace.from_array(array) for name, array in self._shipped().items()}
        return self._known.get(language)


def fit_space(embedder: Embedder, language: Language) -> IntentSpace:
    """Embed the prototypes of a language, and find where a model puts the intents: what ships is made with it.

    Raises:
        EmbedderBroken: The vectors have another shape, hold what is no number, or are not of unit length.
    """
    texts, intents = prototype_texts(language)
    return fit_intents(embed(embedder, texts, role=TextRole.QUERY), intents)


def guess_intent(text: str, vector: npt.NDArray[np.float32], *, spaces: IntentSpaces) -> IntentGuess:
    """Say what a question is after.

    Args:
        text: The question.
        vector: It as a unit vector of the spaces' model, shape (dimension,).
        spaces: Where that model puts the intents.
    """
    language = rules_language(text, detect_language(text))
    return classify_intent(text, vector, space=spaces.of(language), language=language)
