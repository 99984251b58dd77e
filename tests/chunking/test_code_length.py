from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore import Chunker, ChunkSettings
from evolore.chunking.code_length import (
    LONGEST_EMBEDDED,
    TokenTable,
    UnitVectors,
    cohesion_costs,
    read_tokens,
    segment_costs,
)
from evolore.chunking.division import segment
from evolore.chunking.settings import SegmentationSettings
from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore.ports import EmbeddingModel, TextRole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Vectors

UNITS = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=12)


def table(units: list[list[str]]) -> TokenTable:
    return read_tokens([" ".join(unit) for unit in units], str.split)


def cost_token_by_token(tokens: list[str], vocabulary: int, alpha: float) -> float:
    """Write the tokens one by one, as the formula says."""
    seen: dict[str, int] = {}
    cost = 0.0
    for written, token in enumerate(tokens):
        cost += math.log(written + alpha * vocabulary) - math.log(seen.get(token, 0) + alpha)
        seen[token] = seen.get(token, 0) + 1
    return cost


@given(UNITS, st.sampled_from([0.1, 0.5, 2.0]), st.integers(1, 14))
def test_all_costs_at_once_equal_the_cost_written_token_by_token(
    units: list[list[str]], alpha: float, band: int
) -> None:
    vocabulary = len({token for unit in units for token in unit})
    costs = segment_costs(table(units), alpha=alpha, band=band, is_fence=np.zeros(len(units), np.bool_))
    for start in range(len(units)):
        for length in range(1, min(band, len(units) - start) + 1):
            tokens = [token for unit in units[start : start + length] for token in unit]
            assert costs[start, length - 1] == pytest.approx(cost_token_by_token(tokens, vocabulary, alpha), abs=1e-9)


@pytest.mark.parametrize("most", [2, 5, None])
def test_repeats_beyond_the_most_save_what_the_last_one_did(most: int | None) -> None:
    units = [["a", "a", "b"], ["a"], ["b", "a", "a", "a"], ["a"] * 40, ["b", "c"]]
    counted = replace(table(units), most_repeats=most)
    costs = segment_costs(counted, alpha=0.5, band=5, is_fence=np.zeros(5, np.bool_))
    for start in range(5):
        for length in range(1, 6 - start):
            tokens = [token for unit in units[start : start + length] for token in unit]
            seen: Counter[str] = Counter()
            cost = 0.0
            for written, token in enumerate(tokens):
                cost += math.log(written + 0.5 * 3) - math.log(min(seen[token], most or 99) + 0.5)
                seen[token] += 1
            assert costs[start, length - 1] == pytest.approx(cost, abs=1e-9)


def test_pairs_are_counted_alike_in_one_batch_or_many(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = replace(table([list("abcab"), list("bca"), list("aab"), list("cab")] * 5), most_repeats=None)
    fences = np.zeros(20, np.bool_)
    whole = segment_costs(counted, alpha=0.5, band=9, is_fence=fences)
    monkeypatch.setattr("evolore.chunking.code_length._BATCH_PAIRS", 7)
    np.testing.assert_allclose(segment_costs(counted, alpha=0.5, band=9, is_fence=fences), whole)


@given(UNITS, UNITS)
def test_a_stretch_behind_a_fence_is_judged_by_its_own_vocabulary(
    first: list[list[str]], second: list[list[str]]
) -> None:
    is_fence = np.zeros(len(first) + len(second), np.bool_)
    is_fence[len(first)] = True
    together = segment_costs(table(first + second), alpha=0.5, band=3, is_fence=is_fence)
    alone = segment_costs(table(second), alpha=0.5, band=3, is_fence=np.zeros(len(second), np.bool_))
    inside = np.arange(3) < (len(second) - np.arange(len(second)))[:, None]
    np.testing.assert_allclose(together[len(first) :][inside], alone[inside], atol=1e-9)


@given(UNITS, st.data())
def test_a_slice_is_the_table_of_its_units(units: list[list[str]], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(units) - 1))
    end = data.draw(st.integers(start + 1, len(units)))
    fences = np.zeros(end - start, np.bool_)
    part = segment_costs(table(units).slice(start, end), alpha=0.5, band=2, is_fence=fences)
    whole = segment_costs(table(units[start:end]), alpha=0.5, band=2, is_fence=fences)
    np.testing.assert_allclose(part, whole)


def test_a_weight_scales_the_cost() -> None:
    plain = read_tokens(["a b", "a c"], str.split)
    half = read_tokens(["a b", "a c"], str.split, weight=0.5)
    fences = np.zeros(2, np.bool_)
    whole = segment_costs(plain, alpha=0.5, band=2, is_fence=fences)
    np.testing.assert_allclose(segment_costs(half, alpha=0.5, band=2, is_fence=fences), whole / 2)


@given(UNITS, st.integers(1, 14))
def test_a_token_that_never_comes_again_counts_less(units: list[list[str]], band: int) -> None:
    fences = np.zeros(len(units), np.bool_)
    lonely = replace(table(units), once_weight=0.25)
    times = Counter(token for unit in units for token in unit)
    weights = {token: 0.25 if count == 1 else 1.0 for token, count in times.items()}
    prior = 0.5 * sum(weights.values())
    costs = segment_costs(lonely, alpha=0.5, band=band, is_fence=fences)
    for start in range(len(units)):
        for length in range(1, min(band, len(units) - start) + 1):
            tokens = [token for unit in units[start : start + length] for token in unit]
            whole, rest = divmod(sum(weights[token] for token in tokens), 1)
            written = sum(math.log(count + prior) for count in range(int(whole)))
            written += rest * math.log(whole + prior) if rest else 0.0
            saved = sum(
                weights[token] * sum(math.log(count + 0.5) for count in range(count))
                for token, count in Counter(tokens).items()
            )
            assert costs[start, length - 1] == pytest.approx(written - saved, abs=1e-9)


def test_no_units_make_an_empty_table() -> None:
    assert len(read_tokens([], str.split).counts) == 0


# No word comes twice, so that words cannot tell where the matter turns.
UNITS_COHESION = [f"Alpha{letter} is a{letter}{letter}x." for letter in "bcdf"] + [
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
    assert segment(UNITS_COHESION, embedder=Twofold(), segments=2).boundaries == (4,)
    assert segment(UNITS_COHESION, segments=2).boundaries != (4,)
    settings = SegmentationSettings(embedding_weight=0.0)
    unasked = Twofold()
    assert segment(UNITS_COHESION, settings=settings, embedder=unasked) == segment(UNITS_COHESION, settings=settings)
    assert not unasked.asked


def test_units_are_embedded_once_and_cut_to_what_a_model_can_use() -> None:
    embedder = Twofold()
    segment(UNITS_COHESION, embedder=embedder, segments=3)
    assert embedder.asked == [UNITS_COHESION]
    long = Twofold()
    texts = ["A" * 5000, "b"]
    vectors = UnitVectors(long, lambda start, end: texts[start:end])
    assert vectors.between(0, 2).shape == (2, 2)
    assert vectors.between(1, 2).tolist() == [[0.0, 1.0]]
    assert [len(text) for text in long.asked[0]] == [LONGEST_EMBEDDED, 1]


def test_a_long_run_is_embedded_block_by_block() -> None:
    embedder = Twofold()
    units = (UNITS_COHESION * 220)[:2500]
    with_vectors = segment(units, embedder=embedder)
    assert max(map(len, embedder.asked)) <= 256
    assert sum(map(len, embedder.asked)) < 2 * len(units)
    assert with_vectors.boundaries == tuple(sorted(set(with_vectors.boundaries)))


def test_the_chunker_embeds_only_when_it_is_told_to() -> None:
    text = " ".join(UNITS_COHESION * 3)
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
