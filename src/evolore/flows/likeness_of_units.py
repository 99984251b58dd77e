"""How alike in meaning a question and what may be quoted are; each text is embedded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.flows.asked import question_vector
from evolore.flows.calibrations import Scales
from evolore.flows.embedding import embed
from evolore.ports import TextRole
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.flows.context import Context
    from evolore.ports import Vectors

_BATCH = 64
UNKNOWN_LIKENESS = 0.2
"""What stands for likeness by an embedder that nobody calibrated: words decide then."""


class UnitLikeness:
    """Compares questions and sentences with units, on the scale that holds in a namespace.

    Args:
        context: Where.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        model = context.embedder.model
        with context.store.read(context.namespace) as reader:
            self._scales = Scales(context.calibrations, model, reader.calibrations(model.id))
        self._known: dict[str, Vectors] = {}
        self._asked: dict[str, Vectors] = {}
        self._knows_meaning = True

    @property
    def knows_meaning(self) -> bool:
        """Whether all that was told so far was told by a calibrated embedder."""
        return self._knows_meaning

    def of_question(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Give how alike a question and each text are, 0–1, shape (texts,)."""
        if question not in self._asked:
            self._asked[question] = question_vector(self._context, question)
        return self._alike(self._asked[question], texts)

    def of_sentence(self, sentence: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Give how alike a sentence and each text are, 0–1, shape (texts,)."""
        return self._alike(self._vectors([sentence])[0], texts)

    def _alike(self, vector: Vectors, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        if not texts:
            return np.zeros(0)
        scale = self._scales.of(_language(texts))
        if not scale.texts:
            self._knows_meaning = False
            return np.full(len(texts), UNKNOWN_LIKENESS)
        return np.clip(scale.cosines(vector[np.newaxis], self._vectors(texts))[0], 0.0, 1.0)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            found = embed(self._context.embedder, batch, role=TextRole.PASSAGE)
            self._known |= dict(zip(batch, found, strict=True))
        return np.stack([self._known[text] for text in texts])


def _language(texts: Sequence[str]) -> Language:
    return detect_language("\n".join(texts))
