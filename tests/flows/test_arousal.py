"""Every text is estimated as it is taken in, by the space of its model or by its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.language import Language
from evolore.flows.arousal import ArousalSpaces
from evolore.ports import EmbeddingModel
from evolore.recall.arousal import estimate_arousal
from evolore.recall.arousal_fitting import cues_alone
from evolore.recall.arousal_signs import SIGNS

if TYPE_CHECKING:
    import numpy.typing as npt

MODEL = EmbeddingModel(id="mine", dimension=8)
VECTOR = np.eye(8, dtype=np.float32)[0]


def test_what_shipped_is_read_once_a_model_and_when_it_is_first_asked_for() -> None:
    read: list[str] = []

    def shipped(model: EmbeddingModel) -> dict[Language, npt.NDArray[np.float32]]:
        read.append(model.id)
        return {Language.EN: np.zeros(1 + SIGNS + 8, dtype=np.float32)}

    spaces = ArousalSpaces(shipped)
    assert not read
    assert spaces.of(MODEL, Language.EN) is spaces.of(MODEL, Language.EN)
    assert spaces.of(MODEL, Language.JA) is cues_alone(Language.JA)
    assert read == ["mine"]


def test_an_estimate_is_by_the_vector_where_a_space_shipped_and_by_the_words_where_none_did() -> None:
    space = np.zeros(1 + SIGNS + 8, dtype=np.float32)
    space[1 + SIGNS] = 0.7
    shipped = ArousalSpaces(lambda _model: {Language.EN: space}).estimates(MODEL)
    assert shipped("The list.", VECTOR, language=Language.EN) == pytest.approx(0.7)
    assert shipped("The list.", -VECTOR, language=Language.UND) == 0.0
    words = ArousalSpaces(lambda _model: {}).estimates(MODEL)
    by_words = estimate_arousal("娘が死んだ。", VECTOR, space=cues_alone(Language.JA), language=Language.JA)
    assert words("娘が死んだ。", VECTOR, language=Language.JA) == by_words > 0.0
