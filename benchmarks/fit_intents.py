"""Find where a shipped embedder puts the intents: ``python benchmarks/fit_intents.py use e5 use+e5``.

Writes ``src/evolore/models/intents/MODEL.npz``: for each language the centre of the prototypes and a direction an
intent, and a digest of the prototypes. Run it when a prototype or an embedder changes; a test fails while it is due.
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.flows.embedding import embed
from evolore.models.embedders import embedder_named, file_name
from evolore.ports import TextRole
from evolore.recall.question import INTENTS, IntentSpace
from evolore.text.word_files import read_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.domain.query import Intent
    from evolore.ports import Embedder

FOLDER = Path(__file__).resolve().parents[1] / "src" / "evolore" / "models" / "intents"
LANGUAGES = (Language.EN, Language.JA, Language.ZH)
RIDGE = 2.0
"""How smooth the prototypes' directions are; times the mean squared distance of a prototype from their centre."""


def prototype_texts(language: Language) -> tuple[tuple[str, ...], tuple[Intent, ...]]:
    """List questions that embody an intent, and their intents."""
    words = read_words("evolore.recall", "prototypes", language)
    pairs = [(text, intent) for intent in INTENTS for text in words.parts(intent)]
    return tuple(text for text, _ in pairs), tuple(intent for _, intent in pairs)


def prototype_digest() -> str:
    """Return a fingerprint of all prototypes, to check that what was fitted to them still matches."""
    every = [prototype_texts(language) for language in LANGUAGES]
    return blake2b(repr([(texts, [str(one) for one in intents]) for texts, intents in every]).encode()).hexdigest()[:16]


def fit_intents(vectors: npt.NDArray[np.float32], intents: Sequence[Intent]) -> IntentSpace:
    """Find the directions that separate the prototypes' intents, by ridge regression on one of each intent.

    Against the nearest centre of an intent this is worth 5 points of macro-F1.

    Args:
        vectors: The prototypes as unit vectors, shape (prototypes, dimension).
        intents: What each embodies.
    """
    centre = vectors.mean(axis=0)
    around = (vectors - centre).astype(np.float64)
    likeness = around @ around.T
    ridge = RIDGE * max(float(np.trace(likeness)) / len(intents), float(np.finfo(np.float32).eps))
    wanted = np.equal.outer(np.array(intents), np.array(INTENTS)) - 1.0 / len(INTENTS)
    solved = np.asarray(np.linalg.solve(likeness + ridge * np.eye(len(intents)), wanted), dtype=np.float64)
    return IntentSpace(centre=centre, directions=np.asarray(around.T @ solved, dtype=np.float32))


def fit_space(embedder: Embedder, language: Language) -> npt.NDArray[np.float32]:
    """Embed the prototypes of a language, and find where a model puts the intents, as ``IntentSpace.from_array`` reads it."""
    texts, intents = prototype_texts(language)
    return to_array(fit_intents(embed(embedder, texts, role=TextRole.QUERY), intents))


def to_array(space: IntentSpace) -> npt.NDArray[np.float32]:
    """Return a space as one array: the centre, then a direction an intent, shape (1 + intents, dimension)."""
    return np.vstack([space.centre, space.directions.T])


def main(names: list[str]) -> None:
    """Fit and write one file a model."""
    for name in names:
        embedder = embedder_named(name)
        en, ja, zh = (fit_space(embedder, one).astype(np.float16) for one in LANGUAGES)
        path = FOLDER / file_name(embedder.model)
        FOLDER.mkdir(exist_ok=True)
        np.savez(path, digest=np.array(prototype_digest()), en=en, ja=ja, zh=zh)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
