from __future__ import annotations

import numpy as np

from evolore.flows.evolve.documents import similar_by
from evolore.models.offline import HashingEmbedder


def test_a_sentence_is_most_like_itself_and_the_matrix_has_a_row_for_each_of_the_first() -> None:
    similar = similar_by(HashingEmbedder())
    near = similar(["Owls hunt.", "Mice flee."], ["Mice flee.", "Owls hunt.", "It rains."])
    assert near.shape == (2, 3)
    assert near.argmax(axis=1).tolist() == [1, 0]
    assert np.allclose([near[0, 1], near[1, 0]], 1.0, atol=1e-5)
