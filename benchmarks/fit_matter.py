"""Find where a shipped embedder's texts lie: ``python benchmarks/fit_matter.py use e5``.

Writes ``src/evolore/models/matter/MODEL.npz``: for each language the centre of texts of everyday life, and the curve from
a centred cosine to the probability that two texts are about the same matter. Both come from the repository's own texts:
the centre from ``tests/data/arousal``, the curve from the visible half of ``tests/data/staleness``, by a logistic
regression in which pairs about one matter and pairs about two weigh the same. Run it when an embedder changes.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.episodes import fitting
from evolore.evaluation.records import read_records
from evolore.evaluation.staleness_sets import read_staleness_cases
from evolore.flows.embedding import embed
from evolore.models.named import embedder_named
from evolore.models.shipped import file_name
from evolore.ports import TextRole
from evolore.recall.matter import MatterSpace

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.evaluation.staleness_sets import StalenessCase
    from evolore.ports import Embedder


ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
FOLDER = ROOT / "src" / "evolore" / "models" / "matter"
LANGUAGES = (Language.EN, Language.JA, Language.ZH)


def main(names: list[str]) -> None:
    """Fit and write one file a model."""
    cases = [case for case in read_staleness_cases(DATA / "staleness" / "cases.jsonl") if not case.is_blind]
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        embedder = embedder_named(name)
        centres = {language: fit_centre(embedder, language) for language in LANGUAGES}
        curve = fit_curve(embedder, cases, MatterSpace(centres=centres))
        path = FOLDER / file_name(embedder.model)
        en, ja, zh = (centres[language].astype(np.float16) for language in LANGUAGES)
        np.savez(path, curve=curve, en=en, ja=ja, zh=zh)
        print(f"{path.name}: {path.stat().st_size:,} bytes; slope {curve[0]:.2f}, offset {curve[1]:.2f}")


def fit_centre(embedder: Embedder, language: Language) -> npt.NDArray[np.float32]:
    """Give the mean vector of a language's texts, shape (dimension,)."""
    texts = [record.text("text") for record in read_records(DATA / "arousal" / f"{language.value}.jsonl")]
    return np.asarray(embed(embedder, texts, role=TextRole.PASSAGE).mean(axis=0), dtype=np.float32)


def fit_curve(embedder: Embedder, cases: list[StalenessCase], space: MatterSpace) -> npt.NDArray[np.float64]:
    """Give slope and offset of the probability of one matter, shape (2,)."""
    cosines: list[float] = []
    labels: list[bool] = []
    for case in cases:
        matter = case.worse | {case.better}
        texts = [statement.text for _, statement in case.items]
        vectors = space.centred(embed(embedder, texts, role=TextRole.PASSAGE), [Language(case.language)] * len(texts))
        for (one, left), (other, right) in combinations(zip(case.items, vectors, strict=True), 2):
            if {one[0], other[0]} & matter:
                cosines.append(float(left @ right))
                labels.append(one[0] in matter and other[0] in matter)
    return np.array(fitting.fit_curve(np.array(cosines), np.array(labels)))


if __name__ == "__main__":
    main(sys.argv[1:])
