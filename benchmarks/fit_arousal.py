"""Find where a shipped embedder puts arousal: ``python benchmarks/fit_arousal.py use e5``.

Writes ``src/evolore/models/arousal/MODEL.npz``: for each language what the words and the vector of a text say about how
strongly it is felt, and a digest of the rated sentences and cues. Run it when one of these or an embedder changes; a
test fails while it is due.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from evolore.flows.arousal import fit_spaces
from evolore.models.named import embedder_named
from evolore.models.shipped import file_name
from evolore.recall.arousal_fitting import rated_digest

FOLDER = Path(__file__).resolve().parents[1] / "src" / "evolore" / "models" / "arousal"


def main(names: list[str]) -> None:
    """Fit and write one file a model."""
    for name in names:
        embedder = embedder_named(name)
        en, ja, zh = (space.to_array() for space in fit_spaces(embedder).values())
        path = FOLDER / file_name(embedder.model)
        FOLDER.mkdir(exist_ok=True)
        np.savez(path, digest=np.array(rated_digest()), en=en, ja=ja, zh=zh)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
