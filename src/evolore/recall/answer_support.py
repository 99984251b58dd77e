"""Whether a passage speaks of what a sentence of an answer says: a citation that does not is dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.recall.asked_words import AskedWords
    from evolore.recall.extracting import ReadPassage

_LEAST_SUPPORT = 0.4
"""Share of words and likeness together; low, since an answer may say a thing in words of its own."""


def supports(words: AskedWords, passage: ReadPassage, alike: npt.NDArray[np.floating], *, language: Language) -> bool:
    """Tell whether a passage may be what a sentence rests on; one in another language may in any case.

    Args:
        words: The sentence's words.
        passage: What is cited.
        alike: How alike in meaning the sentence and each unit are, 0–1, shape (units,).
        language: The language of the answer.
    """
    if detect_language(passage.passage.text) is not language:
        return True
    likeness = float(alike.max()) if alike.size else 0.0
    return words.covered(passage.all_words) + likeness >= _LEAST_SUPPORT
