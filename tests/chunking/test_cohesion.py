from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore import Chunker, ChunkSettings
from evolore.chunking.code_length import LONGEST_EMBEDDED, UnitVectors, cohesion_costs
from evolore.chunking.division import segment
from evolore.chunking.settings import SegmentationSettings
from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore.ports import EmbeddingModel, TextRole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Vectors

# No word comes twice, so that words cannot tell where the matter turns.
UNITS = [f"Alpha{letter} is a{letter}{letter}x." for letter in "bcdf"] + [
    f"Omega{letter} is o{letter}{letter}z." for letter in "klmnpqrs"
]


class Twofold:
    """Knows two matters, told by the first letter, and keeps what it was asked."""

    def __init__(self) -> None:
        self.model = EmbeddingModel(id="twofold", dimension=2)
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        assert role is TextRole.PASSAGE
        self.asked.append(list(texts))
        return np.array([[1.0, 0.0] if text.startswith("A") else [0.0, 1.0] for text in texts], np.float32)


@given(st.integers(1, 12), st.integers(1, 14), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 20.0]))
def test_all_costs_at_once_equal_the_formula(count: int, band: int, seed: int, prior: float) -> None:
    vectors = np.random.default_rng(seed).standard_normal((count, 3)).astype(np.float32)
    costs = cohesion_costs(vectors, band=band, weight=7.0, prior_units=prior)
    assert costs.shape == (count, band)
    centred = vectors - vectors.mean(axis=0, dtype=np.float64)
    for start in range(count):
        for units in range(1, min(band, count - start) + 1):
            total = centred[start : start + units].sum(axis=0)
            expected = -7.0 * float(total @ total) / (units + prior)
            assert costs[start, units - 1] == pytest.approx(expected, abs=1e-4)


def test_vectors_turn_where_words_cannot_tell() -> None:
    assert segment(UNITS, embedder=Twofold(), segments=2).boundaries == (4,)
    assert segment(UNITS, segments=2).boundaries != (4,)
    settings = SegmentationSettings(embedding_weight=0.0)
    unasked = Twofold()
    assert segment(UNITS, settings=settings, embedder=unasked) == segment(UNITS, settings=settings)
    assert not unasked.asked


def test_units_are_embedded_once_and_cut_to_what_a_model_can_use() -> None:
    embedder = Twofold()
    segment(UNITS, embedder=embedder, segments=3)
    assert embedder.asked == [UNITS]
    long = Twofold()
    texts = ["A" * 5000, "b"]
    vectors = UnitVectors(long, lambda start, end: texts[start:end])
    assert vectors.between(0, 2).shape == (2, 2)
    assert vectors.between(1, 2).tolist() == [[0.0, 1.0]]
    assert [len(text) for text in long.asked[0]] == [LONGEST_EMBEDDED, 1]


def test_a_long_run_is_embedded_block_by_block() -> None:
    embedder = Twofold()
    units = (UNITS * 220)[:2500]
    with_vectors = segment(units, embedder=embedder)
    assert max(map(len, embedder.asked)) <= 256
    assert sum(map(len, embedder.asked)) < 2 * len(units)
    assert with_vectors.boundaries == tuple(sorted(set(with_vectors.boundaries)))


def test_the_chunker_embeds_only_when_it_is_told_to() -> None:
    text = " ".join(UNITS * 3)
    asked = Twofold()
    tree = Chunker(ChunkSettings(embedding_weight=80.0), embedder=asked).chunk(text)
    assert asked.asked
    assert "".join(leaf.span.of(text) for leaf in tree.leaves) == text
    unasked = Twofold()
    assert Chunker(embedder=unasked).chunk(text) == Chunker().chunk(text)
    assert not unasked.asked


def test_a_weight_without_an_embedder_is_refused() -> None:
    with pytest.raises(InvalidValue, match="no embedder"):
        Chunker(ChunkSettings(embedding_weight=1.0))
    assert Chunker(ChunkSettings(embedding_weight=1.0), embedder=HashingEmbedder()).chunk("One. Two.").leaves
