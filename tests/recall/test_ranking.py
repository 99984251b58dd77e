"""Ranking: an order whose every score is explained, and does not hang on what else is remembered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolore.recall.evidence import Evidence, TermScores
from evolore.recall.ranking import (
    GROUP_SHARE,
    NEIGHBOUR_SHARE,
    QUESTION_COST,
    SHARPNESS,
    SPEAKER_BONUS,
    SUBJECT_BONUS,
    WINDOW_SHARE,
    MeaningWeights,
    Ranking,
    Term,
    rank,
)

if TYPE_CHECKING:
    import numpy.typing as npt

DEFAULTS = MeaningWeights()
RANKING = "evolore.recall.ranking"
OF_EVIDENCE = {
    *(Term.LEXICAL, Term.LEXICAL_CONTEXT, Term.LEXICAL_GROUP, Term.DENSE, Term.DENSE_CONTEXT),
    *(Term.SPEAKER, Term.SUBJECT, Term.REPLY),
}
WORDS = (Term.LEXICAL, Term.LEXICAL_CONTEXT, Term.LEXICAL_GROUP)
COSINES = st.sampled_from([-0.25, 0.0, 0.125, 0.25, 0.5, 0.75])
SCORES = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.5, 4.0])
RARITY = 4.5
"""What no score of a word reaches."""

NO_CONTEXT: dict[str, Any] = {"NEIGHBOUR_SHARE": 0.0, "GROUP_SHARE": 0.0, "DENSE_NEIGHBOUR_SHARE": 0.0}


def rows_of(scores: npt.NDArray[np.float32], *, rarity: float) -> TermScores:
    """Keep what is above 0 of an array of shape (terms, items)."""
    terms, items = np.nonzero(scores)
    sizes = np.bincount(terms, minlength=scores.shape[0])
    return TermScores(
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        items=items.astype(np.int32),
        scores=scores[terms, items],
        attainable=rarity * max(scores.shape[0], 1),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Evidence that can still be changed."""

    scores: npt.NDArray[np.float32]
    sessions: tuple[int, ...]
    similarity: npt.NDArray[np.float32]
    named: npt.NDArray[np.bool_]
    asks: npt.NDArray[np.bool_]
    rarity: float = RARITY
    short: npt.NDArray[np.float32] | None = None

    def evidence(self) -> Evidence:
        groups = np.repeat(np.arange(len(self.sessions), dtype=np.int32), self.sessions)
        neighbours = np.full((groups.size, 4), -1, dtype=np.int32)
        for column, step in enumerate((-2, -1, 1, 2)):
            for item in range(groups.size):
                if 0 <= item + step < groups.size and groups[item] == groups[item + step]:
                    neighbours[item, column] = item + step
        return Evidence(
            terms=rows_of(self.scores, rarity=self.rarity),
            similarity=self.similarity,
            neighbours=neighbours,
            groups=groups,
            is_by_named_speaker=self.named,
            is_question=self.asks,
            names_subject=~self.named,
            short=self.short,
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
        asks=draw(arrays(np.bool_, count)),
    )


def make_world(
    scores: list[list[float]],
    *,
    sessions: tuple[int, ...] | None = None,
    similarity: list[float] | None = None,
    named: tuple[int, ...] = (),
    asking: tuple[int, ...] = (),
) -> World:
    dense = np.array(scores, dtype=np.float32)
    count = dense.shape[1]
    return World(
        scores=dense,
        sessions=sessions or (1,) * count,
        similarity=np.array(similarity or [0.0] * count, dtype=np.float32),
        named=np.array([item in named for item in range(count)], dtype=np.bool_),
        asks=np.array([item in asking for item in range(count)], dtype=np.bool_),
    )


def _with_stranger(world: World, similarity: float) -> World:
    """Add an item that stands alone and holds none of the words."""
    return replace(
        world,
        scores=np.pad(world.scores, ((0, 0), (0, 1))),
        sessions=(*world.sessions, 1),
        similarity=np.append(world.similarity, np.float32(similarity)),
        named=np.append(world.named, np.False_),
        asks=np.append(world.asks, np.False_),
    )


def _sum_of(ranking: Ranking, *terms: Term) -> npt.NDArray[np.float32]:
    return np.sum([ranking.terms[term] for term in terms], axis=0)


@given(world=worlds())
def test_the_terms_of_an_item_sum_to_its_score(world: World) -> None:
    ranking = rank(world.evidence(), weights=DEFAULTS)
    assert list(ranking.terms) == [term for term in Term if term in OF_EVIDENCE]
    total = sum((values.astype(np.float64) for values in ranking.terms.values()), np.zeros(ranking.score.size))
    assert np.allclose(total, ranking.score, rtol=1e-5, atol=1e-5)
    assert np.isfinite(ranking.score).all()


@given(world=worlds())
def test_every_item_stands_once_best_first_and_ties_by_number(world: World) -> None:
    ranking = rank(world.evidence(), weights=DEFAULTS)
    expected = sorted(range(ranking.score.size), key=lambda item: (-ranking.score[item], item))
    assert ranking.order.tolist() == expected


@given(world=worlds(), limit=st.integers(1, 25))
def test_a_limit_gives_the_beginning_of_the_whole_order(world: World, limit: int) -> None:
    whole = rank(world.evidence(), weights=DEFAULTS)
    some = rank(world.evidence(), weights=DEFAULTS, limit=limit)
    assert some.order.tolist() == whole.order.tolist()[:limit]
    assert np.array_equal(some.score, whole.score)


@given(world=worlds(), factor=st.sampled_from([0.25, 2.0, 8.0]))
@example(
    world=make_world([[1.0] * 4], sessions=(2, 2), similarity=[-0.25] * 4, named=(1, 2, 3), asking=(0, 1, 2)),
    factor=0.25,
)
def test_words_count_by_their_share_of_what_is_attainable_in_any_unit(world: World, factor: float) -> None:
    scaled = replace(world, scores=world.scores * np.float32(factor), rarity=world.rarity * factor)
    plain = rank(world.evidence(), weights=DEFAULTS)
    assert np.allclose(rank(scaled.evidence(), weights=DEFAULTS).score, plain.score, atol=1e-5)


@given(world=worlds(), sharpness=st.sampled_from([1.0, 1.25, 3.0]))
def test_without_context_words_count_for_the_share_they_hold_to_the_power_of_the_sharpness(
    world: World, sharpness: float
) -> None:
    with patch.multiple(RANKING, **NO_CONTEXT, SHARPNESS=sharpness):
        ranking = rank(world.evidence(), weights=DEFAULTS)
    share = world.scores.sum(axis=0) / (RARITY * max(len(world.scores), 1))
    assert np.allclose(ranking.terms[Term.LEXICAL], share**sharpness, atol=1e-5)
    assert not ranking.terms[Term.LEXICAL_CONTEXT].any()
    assert not ranking.terms[Term.LEXICAL_GROUP].any()


@given(world=worlds())
def test_words_count_for_something_between_nothing_and_all_of_them_here_and_all_around(world: World) -> None:
    words = _sum_of(rank(world.evidence(), weights=DEFAULTS), *WORDS)
    summed = 1.0 + 4 * NEIGHBOUR_SHARE
    most = WINDOW_SHARE + (1.0 - WINDOW_SHARE) * summed + GROUP_SHARE
    assert (words >= -1e-6).all()
    assert (words <= most**SHARPNESS).all()


@given(world=worlds())
def test_an_item_alone_scores_between_what_it_can_lose_and_what_it_can_gain(world: World) -> None:
    alone = replace(world, sessions=(1,) * world.similarity.size)
    ranking = rank(alone.evidence(), weights=DEFAULTS)
    bonus = SPEAKER_BONUS + SUBJECT_BONUS * 0.5 * ranking.dense_weight
    assert (ranking.score <= 1.0 + ranking.dense_weight + bonus).all()
    assert (ranking.score >= -ranking.dense_weight - QUESTION_COST).all()


@given(world=worlds(), score=st.sampled_from([0.5, 4.0]), data=st.data())
def test_holding_more_of_the_words_never_counts_for_less(world: World, score: float, data: st.DataObject) -> None:
    terms, count = world.scores.shape
    if not terms or not count:
        return
    more = world.scores.copy()
    term, item = data.draw(st.integers(0, terms - 1)), data.draw(st.integers(0, count - 1))
    more[term, item] = np.maximum(more[term, item], np.float32(score))
    before = rank(world.evidence(), weights=DEFAULTS).score
    assert (rank(replace(world, scores=more).evidence(), weights=DEFAULTS).score >= before - 1e-5).all()


@given(world=worlds(), similarity=COSINES)
def test_an_unrelated_item_changes_neither_the_scores_nor_the_order_of_the_others(
    world: World, similarity: float
) -> None:
    more = _with_stranger(world, similarity)
    with patch.multiple(RANKING, DENSE_NEIGHBOUR_SHARE=0.0):
        plain, other = (rank(one.evidence(), weights=DEFAULTS) for one in (world, more))
    count = world.similarity.size
    assert np.array_equal(other.score[:count], plain.score)
    assert [item for item in other.order.tolist() if item < count] == plain.order.tolist()


@given(world=worlds())
def test_an_item_as_near_in_meaning_as_is_usual_does_not_change_what_neighbours_lend(world: World) -> None:
    more = _with_stranger(world, float(world.similarity.mean()) if world.similarity.size else 0.0)
    other = rank(more.evidence(), weights=DEFAULTS)
    assert np.allclose(other.score[:-1], rank(world.evidence(), weights=DEFAULTS).score, atol=1e-5)


@given(world=worlds(), shift=st.sampled_from([-0.25, 0.125, 0.5]))
def test_meaning_counts_by_the_plain_cosine(world: World, shift: float) -> None:
    silent = replace(world, asks=world.asks & False)  # for a reply gains of a score and not of a part of it
    shifted = replace(silent, similarity=silent.similarity + np.float32(shift))
    plain, other = (rank(one.evidence(), weights=DEFAULTS) for one in (silent, shifted))
    assert np.allclose(plain.terms[Term.DENSE], plain.dense_weight * silent.similarity, atol=1e-6)
    assert np.allclose(other.score - plain.score, plain.dense_weight * shift, atol=1e-5)


@given(world=worlds(), factor=st.sampled_from([0.25, 0.5]))
def test_what_neighbours_say_of_the_meaning_counts_in_proportion_to_shortness(world: World, factor: float) -> None:
    short = np.ones(world.similarity.size, dtype=np.float32)
    whole = rank(replace(world, short=short).evidence(), weights=DEFAULTS)
    less = rank(replace(world, short=short * np.float32(factor)).evidence(), weights=DEFAULTS)
    assert np.allclose(rank(world.evidence(), weights=DEFAULTS).score, whole.score, atol=1e-6)
    assert np.allclose(less.terms[Term.DENSE_CONTEXT], factor * whole.terms[Term.DENSE_CONTEXT], atol=1e-5)
    lent, lent_less = _sum_of(whole, *WORDS), _sum_of(less, *WORDS)
    assert (lent_less <= lent + 1e-6).all()


@given(world=worlds())
def test_without_words_meaning_alone_decides(world: World) -> None:
    silent = replace(
        world,
        scores=np.zeros((0, world.similarity.size), dtype=np.float32),
        named=world.named & False,
        asks=world.asks & False,
    )
    with patch.multiple(RANKING, DENSE_NEIGHBOUR_SHARE=0.0):
        ranking = rank(silent.evidence(), weights=DEFAULTS)
    assert ranking.order.tolist() == np.argsort(-world.similarity, kind="stable").tolist()


@given(world=worlds())
def test_items_alone_rank_by_words_as_they_would_without_context(world: World) -> None:
    alone = replace(world, sessions=(1,) * world.similarity.size, named=world.named & False, asks=world.asks & False)
    ranking = rank(alone.evidence(), weights=MeaningWeights(dense=0.0))
    assert ranking.order.tolist() == np.argsort(-world.scores.sum(axis=0), kind="stable").tolist()
    assert not ranking.terms[Term.LEXICAL_CONTEXT].round(5).any()
    assert not ranking.terms[Term.DENSE_CONTEXT].any()


def test_nothing_remembered_gives_an_empty_order() -> None:
    ranking = rank(make_world([[], []]).evidence(), weights=DEFAULTS, limit=5)
    assert ranking.order.size == ranking.score.size == 0


@pytest.mark.parametrize("similarity", [0.0, 0.7])
@pytest.mark.parametrize("score", [0.0, 2.0])
def test_a_single_item_is_first(score: float, similarity: float) -> None:
    ranking = rank(make_world([[score]], similarity=[similarity]).evidence(), weights=DEFAULTS, limit=5)
    assert ranking.order.tolist() == [0]


def test_items_that_are_all_alike_keep_their_order() -> None:
    ranking = rank(make_world([[1.0] * 6], similarity=[0.3] * 6).evidence(), weights=DEFAULTS, limit=3)
    assert ranking.order.tolist() == [0, 1, 2]
    assert np.ptp(ranking.score) == 0.0


def test_a_turn_between_turns_that_hold_the_words_rises() -> None:
    scores = [[0.0, 3.0, 0.0, 3.0, 0.0, 0.0, 0.0]]
    world = make_world(scores, sessions=(5, 2))
    ranking = rank(world.evidence(), weights=DEFAULTS)
    assert ranking.order.tolist()[:3] == [1, 3, 2]
    assert ranking.terms[Term.LEXICAL][2] == 0.0
    assert ranking.terms[Term.LEXICAL_CONTEXT][2] > 0.0
    short = np.array([1.0, 1.0, 0.25, 1.0, 1.0, 1.0, 1.0], dtype=np.float32)
    long = rank(replace(world, short=short).evidence(), weights=DEFAULTS)
    assert 0.0 < long.terms[Term.LEXICAL_CONTEXT][2] < ranking.terms[Term.LEXICAL_CONTEXT][2]


def test_a_session_that_holds_the_words_lifts_all_its_items() -> None:
    scores = [[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    ranking = rank(make_world(scores, sessions=(4, 4)).evidence(), weights=DEFAULTS)
    assert ranking.order.tolist()[:4] == [0, 1, 2, 3]
    assert ranking.terms[Term.LEXICAL_GROUP][3] > 0.0 == ranking.terms[Term.LEXICAL_GROUP][4]


def test_a_session_says_nothing_more_of_words_that_the_item_holds_itself() -> None:
    ranking = rank(make_world([[3.0, 0.0], [0.0, 3.0], [2.0, 2.0]], sessions=(2,)).evidence(), weights=DEFAULTS)
    alone = rank(make_world([[3.0], [0.0], [2.0]]).evidence(), weights=DEFAULTS)
    assert alone.terms[Term.LEXICAL_GROUP].tolist() == [0.0]
    group, own = ranking.terms[Term.LEXICAL_GROUP], ranking.terms[Term.LEXICAL]
    assert group / own == pytest.approx(GROUP_SHARE * 3.0 / 5.0)


def test_the_named_speaker_decides_between_equals() -> None:
    ranking = rank(make_world([[1.0, 1.0, 0.0]], named=(1,)).evidence(), weights=DEFAULTS)
    assert ranking.order.tolist() == [1, 0, 2]
    assert ranking.terms[Term.SPEAKER].tolist() == pytest.approx([0.0, SPEAKER_BONUS, 0.0])


def test_meaning_wins_where_the_words_are_scattered() -> None:
    scattered = (4.0 * np.eye(8)).tolist()
    met = [[4.0] + [0.0] * 7] * 8
    similarity = [0.0] * 7 + [0.5]
    assert rank(make_world(scattered, similarity=similarity).evidence(), weights=DEFAULTS).order[0] == 7
    assert rank(make_world(met, similarity=similarity).evidence(), weights=DEFAULTS).order[0] == 0
