from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.models.offline import HashingEmbedder
from evolore.ports import TextRole
from evolore_evaluation.halves import RememberingEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Vectors


class Counting(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__(8)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.asked.extend(texts)
        return super().embed(texts, role=role)


def test_each_text_is_embedded_once_and_in_its_place() -> None:
    counting = Counting()
    remembering = RememberingEmbedder(counting)
    first = remembering.embed(["a", "b", "a"], role=TextRole.PASSAGE)
    second = remembering.embed(["c", "a"], role=TextRole.PASSAGE)
    assert counting.asked == ["a", "b", "c"]
    np.testing.assert_array_equal(first, HashingEmbedder(8).embed(["a", "b", "a"], role=TextRole.PASSAGE))
    np.testing.assert_array_equal(second[1], first[0])
    assert remembering.embed([], role=TextRole.PASSAGE).shape == (0, 8)
    assert remembering.model == counting.model


def test_no_more_is_remembered_than_allowed() -> None:
    counting = Counting()
    remembering = RememberingEmbedder(counting, most=2)
    for text in ("a", "b", "c", "c", "a"):
        remembering.embed([text], role=TextRole.PASSAGE)
    assert counting.asked == ["a", "b", "c", "a"]
