"""Find what a shipped embedder's cosines mean: ``python benchmarks/fit_calibration.py use e5 use+e5``.

Writes ``src/evolore/models/calibration/MODEL.npz``: for each language the calibration an empty store begins with. It comes
from the repository's own sentences: statements about one matter or several, from ``tests/data/rivals`` and the visible
half of ``tests/data/staleness``. They are single sentences, and a calibration speaks of chunks, whose vectors say more: the
curve is steepened by what single sentences lose. Run it when an embedder changes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.episodes.calibration import SENTENCE_OFFSET_SHARE, SENTENCE_SLOPE_SHARE, Calibration, Sample, fit, thinned
from evolore.flows.embedding import embed
from evolore.models.embedders import embedder_named, file_name
from evolore.ports import TextRole
from evolore_evaluation.records import read_records
from evolore_evaluation.staleness import STALENESS_SETS

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports import Embedder

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
FOLDER = ROOT / "src" / "evolore" / "models" / "calibration"
LANGUAGES = (Language.EN, Language.JA, Language.ZH)
KEEPS_MATTER = {"update", "no_change", "dropped"}
"""Kinds of rivals whose newer account is of the same matter as the older."""


def main(names: list[str]) -> None:
    """Fit and write one file a model."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        embedder = embedder_named(name)
        kept: dict[str, npt.NDArray[np.floating]] = {}
        for language in LANGUAGES:
            found = fit_language(embedder, language)
            print(f"{name} {language}: {found.texts} texts, slope {found.slope:.2f}, offset {found.offset:.2f}")
            arrays = found.to_arrays()
            arrays["centre"] = found.centre.astype(np.float16)
            arrays["copies"] = found.copies.astype(np.float32)
            kept |= {f"{language}_{part}": array for part, array in arrays.items()}
        path = FOLDER / file_name(embedder.model)
        np.savez(path, allow_pickle=False, **kept)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


def fit_language(embedder: Embedder, language: Language) -> Calibration:
    """Find the calibration of a language."""
    matters = matters_of(language)
    texts = list(matters)
    numbers = {matter: number for number, matter in enumerate(dict.fromkeys(matters.values()))}
    sections = np.array([numbers[matter] for matter in matters.values()], dtype=np.int64)
    vectors = embed(embedder, texts, role=TextRole.PASSAGE)
    copies = embed(embedder, [thinned(text) for text in texts], role=TextRole.PASSAGE)
    sample = Sample(vectors=vectors, matters=sections, documents=sections, copies=copies)
    found = fit(sample, before=Calibration.unknown(embedder.model.dimension))
    return Calibration(
        centre=found.centre,
        slope=found.slope / SENTENCE_SLOPE_SHARE,
        offset=found.offset / SENTENCE_OFFSET_SHARE,
        copies=found.copies,
        texts=found.texts,
    )


def matters_of(language: Language) -> dict[str, str]:
    """Give a language's statements, each with the name of its matter."""
    found: dict[str, str] = {}
    for path in sorted((DATA / "staleness").glob("*.jsonl")):
        for case in STALENESS_SETS.read(path):
            if case.language == language.value and not case.is_blind:
                matter = case.worse | {case.better}
                found |= {statement.text: case.query.text for key, statement in case.items if key in matter}
    for record in read_records(DATA / "rivals" / "accounts.jsonl"):
        if record.text("lang") == language.value:
            found[record.text("older")] = record.text("query")
            if record.text("kind") in KEEPS_MATTER:
                found[record.text("newer")] = record.text("query")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
