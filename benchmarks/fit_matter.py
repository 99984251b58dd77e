"""Find where a shipped embedder's texts lie: ``python benchmarks/fit_matter.py use e5``.

Writes ``src/evolore/models/matter/MODEL.npz``: for each language the centre of texts of everyday life, those in
``tests/data/arousal``. Run it when an embedder changes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.flows.embedding import embed
from evolore.models.embedders import embedder_named, file_name
from evolore.ports import TextRole
from evolore_evaluation.records import read_records

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports import Embedder


ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
FOLDER = ROOT / "src" / "evolore" / "models" / "matter"
LANGUAGES = (Language.EN, Language.JA, Language.ZH)


def main(names: list[str]) -> None:
    """Fit and write one file a model."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        embedder = embedder_named(name)
        centres = {language: fit_centre(embedder, language) for language in LANGUAGES}
        path = FOLDER / file_name(embedder.model)
        en, ja, zh = (centres[language].astype(np.float16) for language in LANGUAGES)
        np.savez(path, en=en, ja=ja, zh=zh)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


def fit_centre(embedder: Embedder, language: Language) -> npt.NDArray[np.float32]:
    """Give the mean vector of a language's texts, shape (dimension,)."""
    texts = [record.text("text") for record in read_records(DATA / "arousal" / f"{language.value}.jsonl")]
    return np.asarray(embed(embedder, texts, role=TextRole.PASSAGE).mean(axis=0), dtype=np.float32)


if __name__ == "__main__":
    main(sys.argv[1:])
