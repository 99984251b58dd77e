"""Ranking: an order whose every score is explained, whatever is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolore.recall.evidence import Evidence, TermScores
from evolore.recall.ranking import Term, rank
from evolore.recall.settings import RecallSettings

if TYPE_CHECKING:
    import numpy.typing as npt

DEFAULTS = RecallSettings()
OF_EVIDENCE = {
    *(Term.LEXICAL, Term.LEXICAL_CONTEXT, Term.LEXICAL_GROUP, Term.DENSE, Term.DENSE_CONTEXT),
    *(Term.SPEAKER, Term.SUBJECT, Term.REPLY),
}
COSINES = st.sampled_from([-0.25, 0.0, 0.125, 0.25, 0.5, 0.75])
SCORES = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.5, 4.0])


def rows_of(scores: npt.NDArray[np.float32]) -> TermScores:
    """Keep what is above 0 of an array of shape (terms, items)."""
    terms, items = np.nonzero(scores)
    sizes = np.bincount(terms, minlength=scores.shape[0])
    return TermScores(
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        items=items.astype(np.int32),
        scores=scores[terms, items],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Evidence whose words can still be scaled."""

    scores: npt.NDArray[np.float32]
    sessions: tuple[int, ...]
    similarity: npt.NDArray[np.float32]
    named: npt.NDArray[np.bool_]

    def evidence(self) -> Evidence:
        groups = np.repeat(np.arange(len(self.sessions), dtype=np.int32), self.sessions)
        neighbours = np.full((groups.size, 4), -1, dtype=np.int32)
        for column, step in enumerate((-2, -1, 1, 2)):
            for item in range(groups.size):
                if 0 <= item + step < groups.size and groups[item] == groups[item + step]:
                    neighbours[item, column] = item + step
        return Evidence(
            terms=rows_of(self.scores),
            similarity=self.similarity,
            neighbours=neighbours,
            groups=groups,
            is_by_named_speaker=self.named,
            is_question=self.named[::-1],
            names_subject=~self.named,
            vague=0.5,
        )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    sessions = draw(st.lists(st.integers(1, 5), max_size=4))
    count = sum(sessions)
    return World(
        scores=draw(arrays(np.float32, (draw(st.integers(0, 4)), count), elements=SCORES)),
        sessions=tuple(sessions),
        similarity=draw(arrays(np.float32, count, elements=COSINES)),
        named=draw(arrays(np.bool_, count)),
    )


def make_world(
    scores: list[list[float]],
    *,
    sessions: tuple[int, ...] | None = None,
    similarity: list[float] | None = None,
    named: tuple[int, ...] = (),
) -> World:
    dense = np.array(scores, dtype=np.float32)
    count = dense.shape[1]
    return World(
        scores=dense,
        sessions=sessions or (1,) * count,
        similarity=np.array(similarity or [0.0] * count, dtype=np.float32),
        named=np.array([item in named for item in range(count)], dtype=np.bool_),
    )


@given(world=worlds())
def test_the_terms_of_an_item_sum_to_its_score(world: World) -> None:
    ranking = rank(world.evidence(), settings=DEFAULTS)
    assert list(ranking.terms) == [term for term in Term if term in OF_EVIDENCE]
    total = sum((values.astype(np.float64) for values in ranking.terms.values()), np.zeros(ranking.score.size))
    assert np.allclose(total, ranking.score, rtol=1e-5, atol=1e-5)
    assert np.isfinite(ranking.score).all()


@given(world=worlds())
def test_every_item_stands_once_best_first_and_ties_by_number(world: World) -> None:
    ranking = rank(world.evidence(), settings=DEFAULTS)
    expected = sorted(range(ranking.score.size), key=lambda item: (-ranking.score[item], item))
    assert ranking.order.tolist() == expected


@given(world=worlds(), limit=st.integers(1, 25))
def test_a_limit_gives_the_beginning_of_the_whole_order(world: World, limit: int) -> None:
    whole = rank(world.evidence(), settings=DEFAULTS)
    some = rank(world.evidence(), settings=DEFAULTS, limit=limit)
    assert some.order.tolist() == whole.order.tolist()[:limit]
    assert np.array_equal(some.score, whole.score)


@given(world=worlds(), factor=st.sampled_from([0.25, 2.0, 8.0]))
@example(world=make_world([[1.0] * 4], sessions=(2, 2), similarity=[-0.25] * 4, named=(1, 2, 3)), factor=0.25)
def test_the_unit_of_the_words_does_not_matter(world: World, factor: float) -> None:
    scaled = replace(world, scores=world.scores * np.float32(factor))
    plain = rank(world.evidence(), settings=DEFAULTS)
    other = rank(scaled.evidence(), settings=DEFAULTS)
    # Compared with the first item's score: words that are the same everywhere are not scaled, and decide nothing.
    assert np.allclose(other.score - other.score[:1], plain.score - plain.score[:1], atol=1e-4)


@given(world=worlds(), shift=st.sampled_from([-0.25, 0.125, 0.5]))
def test_how_alike_everything_looks_to_an_embedder_does_not_matter(world: World, shift: float) -> None:
    shifted = replace(world, similarity=world.similarity + np.float32(shift))
    plain = rank(world.evidence(), settings=DEFAULTS)
    assert np.allclose(rank(shifted.evidence(), settings=DEFAULTS).score, plain.score, atol=1e-4)


@given(world=worlds())
def test_without_words_meaning_alone_decides(world: World) -> None:
    silent = replace(world, scores=np.zeros((0, world.similarity.size), dtype=np.float32), named=world.named & False)
    ranking = rank(silent.evidence(), settings=RecallSettings(dense_neighbour_share=0.0))
    assert ranking.order.tolist() == np.argsort(-world.similarity, kind="stable").tolist()


@given(world=worlds())
def test_items_alone_rank_by_words_as_they_would_without_context(world: World) -> None:
    alone = replace(world, sessions=(1,) * world.similarity.size, named=world.named & False)
    ranking = rank(alone.evidence(), settings=RecallSettings(dense_weight=0.0))
    assert ranking.order.tolist() == np.argsort(-world.scores.sum(axis=0), kind="stable").tolist()
    assert not ranking.terms[Term.LEXICAL_CONTEXT].round(5).any()
    assert not ranking.terms[Term.DENSE_CONTEXT].any()


def test_nothing_remembered_gives_an_empty_order() -> None:
    ranking = rank(make_world([[], []]).evidence(), settings=DEFAULTS, limit=5)
    assert ranking.order.size == ranking.score.size == 0


@pytest.mark.parametrize("similarity", [0.0, 0.7])
@pytest.mark.parametrize("score", [0.0, 2.0])
def test_a_single_item_is_first(score: float, similarity: float) -> None:
    ranking = rank(make_world([[score]], similarity=[similarity]).evidence(), settings=DEFAULTS, limit=5)
    assert ranking.order.tolist() == [0]


def test_items_that_are_all_alike_keep_their_order() -> None:
    ranking = rank(make_world([[1.0] * 6], similarity=[0.3] * 6).evidence(), settings=DEFAULTS, limit=3)
    assert ranking.order.tolist() == [0, 1, 2]
    assert np.ptp(ranking.score) == 0.0


def test_a_turn_between_turns_that_hold_the_words_rises() -> None:
    scores = [[0.0, 3.0, 0.0, 3.0, 0.0, 0.0, 0.0]]
    ranking = rank(make_world(scores, sessions=(5, 2)).evidence(), settings=DEFAULTS)
    assert ranking.order.tolist()[:3] == [1, 3, 2]
    assert ranking.terms[Term.LEXICAL][2] == 0.0
    assert ranking.terms[Term.LEXICAL_CONTEXT][2] > 0.0


def test_a_session_that_holds_the_words_lifts_all_its_items() -> None:
    scores = [[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    ranking = rank(make_world(scores, sessions=(4, 4)).evidence(), settings=DEFAULTS)
    assert ranking.order.tolist()[:4] == [0, 1, 2, 3]
    assert ranking.terms[Term.LEXICAL_GROUP][3] > 0.0 == ranking.terms[Term.LEXICAL_GROUP][4]


def test_the_named_speaker_decides_between_equals() -> None:
    ranking = rank(make_world([[1.0, 1.0, 0.0]], named=(1,)).evidence(), settings=DEFAULTS)
    assert ranking.order.tolist() == [1, 0, 2]
    assert ranking.terms[Term.SPEAKER].tolist() == pytest.approx([0.0, DEFAULTS.speaker_bonus, 0.0])


def test_meaning_wins_where_the_words_are_scattered() -> None:
    scattered = np.eye(8, dtype=np.float32).tolist()
    met = [[1.0] + [0.0] * 7] * 8
    similarity = [0.0] * 7 + [0.5]
    assert rank(make_world(scattered, similarity=similarity).evidence(), settings=DEFAULTS).order[0] == 7
    assert rank(make_world(met, similarity=similarity).evidence(), settings=DEFAULTS).order[0] == 0
