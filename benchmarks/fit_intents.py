"""Find where a shipped embedder puts the intents: ``python benchmarks/fit_intents.py use e5 use+e5``.

Writes ``src/evolore/models/intents/MODEL.npz``: for each language the centre of the prototypes and a direction an
intent, and a digest of the prototypes. Run it when a prototype or an embedder changes; a test fails while it is due.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from evolore.domain.language import Language
from evolore.flows.intent import fit_space
from evolore.models.embedders import embedder_named, file_name
from evolore.recall.question import prototype_digest

FOLDER = Path(__file__).resolve().parents[1] / "src" / "evolore" / "models" / "intents"
LANGUAGES = (Language.EN, Language.JA, Language.ZH)


def main(names: list[str]) -> None:
    """Fit and write one file a model."""
    for name in names:
        embedder = embedder_named(name)
        en, ja, zh = (fit_space(embedder, one).to_array().astype(np.float16) for one in LANGUAGES)
        path = FOLDER / file_name(embedder.model)
        FOLDER.mkdir(exist_ok=True)
        np.savez(path, digest=np.array(prototype_digest()), en=en, ja=ja, zh=zh)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
