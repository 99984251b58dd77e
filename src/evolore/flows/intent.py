"""Guessing what a question is after: the prototypes are embedded once, by the model that embeds the questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.flows.embedding import embed
from evolore.ports import TextRole
from evolore.recall.intent import IntentSpace, classify_intent, fit_intents, prototype_texts, rules_language
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.ports import Embedder
    from evolore.recall.intent import IntentGuess


class IntentSpaces:
    """The intents' places among the vectors of a model, found for each language when it is first asked in.

    Args:
        shipped: Those found beforehand, by model and language, as ``IntentSpace.to_array`` gives them.
    """

    def __init__(self, shipped: Mapping[tuple[str, Language], npt.NDArray[np.float32]] | None = None) -> None:
        self._known = {key: IntentSpace.from_array(array) for key, array in (shipped or {}).items()}

    def of(self, embedder: Embedder, language: Language) -> IntentSpace:
        """Give the place of the intents; unless it shipped, some 280 questions are embedded the first time.

        Raises:
            EmbedderBroken: The vectors have another shape, hold what is no number, or are not of unit length.
        """
        key = (embedder.model.id, language)
        if key not in self._known:
            texts, intents = prototype_texts(language)
            self._known[key] = fit_intents(embed(embedder, texts, role=TextRole.QUERY), intents)
        return self._known[key]


def guess_intent(
    text: str, vector: npt.NDArray[np.float32], *, embedder: Embedder, spaces: IntentSpaces
) -> IntentGuess:
    """Say what a question is after.

    Args:
        text: The question.
        vector: It as the embedder's unit vector, shape (dimension,).
        embedder: What embedded it.
        spaces: What is known of the intents' places so far.

    Raises:
        EmbedderBroken: The prototypes' vectors are not what an embedder must give.
    """
    language = rules_language(text, detect_language(text))
    return classify_intent(text, vector, space=spaces.of(embedder, language), language=language)
