"""What ships of the vectors of a language."""

from __future__ import annotations

from evolore.models.embedders import shipped_matter
from evolore.models.use import UseEmbedder
from evolore.ports import EmbeddingModel
from evolore.recall.succession import MARKS


def test_the_default_embedder_has_a_centre_for_each_language() -> None:
    model = UseEmbedder().model
    found = shipped_matter(model)
    assert {name: array.shape for name, array in found.items()} == {
        "en": (model.dimension,),
        "ja": (model.dimension,),
        "zh": (model.dimension,),
        "marks": (len(MARKS),),
        "newer": (model.dimension,),
        "change": (model.dimension,),
        "constant": (1,),
    }
    assert all(0.1 < float((found[language] ** 2).sum()) ** 0.5 < 1.0 for language in ("en", "ja", "zh"))


def test_nothing_ships_for_other_models() -> None:
    assert shipped_matter(EmbeddingModel(id="mine", dimension=8)) == {}
