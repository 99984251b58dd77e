"""What ships of the vectors of a language."""

from __future__ import annotations

from evolore.models.shipped import shipped_matter
from evolore.models.use import UseEmbedder
from evolore.ports import EmbeddingModel
from evolore.recall.rival_marks import MARKS


def test_the_default_embedder_has_a_centre_for_each_language_and_a_rising_curve() -> None:
    model = UseEmbedder().model
    found = shipped_matter(model)
    assert {name: array.shape for name, array in found.items()} == {
        "curve": (2,),
        "en": (model.dimension,),
        "ja": (model.dimension,),
        "zh": (model.dimension,),
        "marks": (len(MARKS),),
        "newer": (model.dimension,),
        "change": (model.dimension,),
        "constant": (1,),
    }
    assert found["curve"][0] > 0.0 > found["curve"][1]


def test_nothing_ships_for_other_models() -> None:
    assert shipped_matter(EmbeddingModel(id="mine", dimension=8)) == {}
