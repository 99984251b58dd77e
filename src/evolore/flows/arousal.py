"""Estimating how strongly texts are felt, by their words and, where the model's space shipped, by their vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evolore.flows.embedding import embed
from evolore.ports import TextRole
from evolore.recall.arousal import ArousalSpace, estimate_arousal
from evolore.recall.arousal_fitting import LANGUAGES, cues_alone, fit_arousal, named_texts, rated_texts
from evolore.recall.intent import rules_language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.flows.keys import EstimateArousal
    from evolore.ports import Embedder, EmbeddingModel, Vectors


class ArousalSpaces:
    """Where models put arousal, each read when the first text is estimated by it.

    Args:
        shipped: Gives those found beforehand for a model, by language, as ``ArousalSpace.to_array`` gives them. Of a
            model without any, words alone decide.
    """

    def __init__(self, shipped: Callable[[EmbeddingModel], Mapping[Language, npt.NDArray[np.float32]]]) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, Mapping[Language, ArousalSpace]] = {}

    def of(self, model: EmbeddingModel, language: Language) -> ArousalSpace:
        """Give what is known of a model in a language: of words alone where nothing shipped."""
        if model not in self._known:
            shipped = self._shipped(model)
            self._known[model] = {name: ArousalSpace.from_array(array) for name, array in shipped.items()}
        return self._known[model].get(language) or cues_alone(language)

    def estimates(self, model: EmbeddingModel) -> EstimateArousal:
        """Give what estimates arousal by texts and their vectors of a model."""
        return partial(self._estimate, model)

    def _estimate(
        self, model: EmbeddingModel, text: str, vector: npt.NDArray[np.float32], *, language: Language
    ) -> float:
        known = rules_language(text, language)
        return estimate_arousal(text, vector, space=self.of(model, known), language=known)


def fit_spaces(embedder: Embedder) -> dict[Language, ArousalSpace]:
    """Embed the rated sentences of all languages, and find where a model puts arousal: what ships is made with it.

    Raises:
        EmbedderBroken: The vectors have another shape, hold what is no number, or are not of unit length.
    """
    rated = {
        language: embed(embedder, [text for text, _ in rated_texts(language)], role=TextRole.PASSAGE)
        for language in LANGUAGES
    }
    return {language: fit_arousal(rated, _named(embedder, language), language) for language in LANGUAGES}


def _named(embedder: Embedder, language: Language) -> Vectors:
    contents = named_texts(language)
    vectors = embed(embedder, [text for content in contents for text in content], role=TextRole.PASSAGE)
    return vectors.reshape(len(contents), -1, vectors.shape[1])
