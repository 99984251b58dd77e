"""Ranking: an order whose every score is explained, and does not hang on what else is remembered.

Fusion: how much of a question's words is held, and how much meaning counts beside them.

Replies: asking costs, answering what was asked pays.

Spreading: the vectorised sums equal the formulas read aloud.

Neighbours: links that reach too far in time are cut, on both sides, and what is long takes little of the others.

The best of many: the same as by sorting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolore.recall.evidence import Evidence, TermScores
from evolore.recall.ranking import (
    ALONE,
    GROUP_SHARE,
    NEIGHBOUR_SHARE,
    QUESTION_COST,
    SHARPNESS,
    SPEAKER_BONUS,
    WINDOW_SHARE,
    MeaningWeights,
    Ranking,
    Term,
    alone,
    at_the_top,
    best_coverage,
    dense_weight,
    kept_share,
    near_neighbours,
    rank,
    reply_term,
    shares_taken,
    shortness,
    spread_similarity,
    spread_terms,
    unanswered,
    unmatched_term,
    vagueness,
)

if TYPE_CHECKING:
    import numpy.typing as npt

DEFAULTS = MeaningWeights()
RANKING = "evolore.recall.ranking"
OF_EVIDENCE = {
    *(Term.LEXICAL, Term.LEXICAL_CONTEXT, Term.LEXICAL_GROUP, Term.DENSE, Term.DENSE_CONTEXT),
    *(Term.SPEAKER, Term.REPLY),
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
    with patch.multiple(RANKING, ENOUGH_NATS=np.inf):
        plain = rank(world.evidence(), weights=DEFAULTS)
        assert np.allclose(rank(scaled.evidence(), weights=DEFAULTS).score, plain.score, atol=1e-5)


def test_five_rare_words_of_a_long_question_are_as_good_as_all() -> None:
    def best(asked: int, held: int) -> float:
        scores = np.zeros((asked, 1), dtype=np.float32)
        scores[:held] = 5.0
        return float(rank(_told(scores), weights=DEFAULTS).terms[Term.LEXICAL][0])

    assert best(20, 5) == pytest.approx(best(5, 5)) == pytest.approx(1.0)
    assert best(5, 2) < 0.4


def test_meaning_counts_for_more_in_what_stands_alone() -> None:
    near = np.array([0.5, 0.1], dtype=np.float32)
    alone = rank(_told(np.zeros((0, 2)), near), weights=DEFAULTS)
    turns = rank(_told(np.zeros((0, 2)), near, links=True), weights=DEFAULTS)
    lead, less = (float(-np.diff(one.terms[Term.DENSE])[0]) for one in (alone, turns))
    assert lead == pytest.approx(ALONE * less)


def test_a_date_moves_half_by_itself_and_half_as_far_as_its_item_is_relevant() -> None:
    dates = {Term.DATE: np.full(2, 0.2, dtype=np.float32)}
    found = rank(_told(np.zeros((0, 2)), np.array([0.5, 0.0], dtype=np.float32)), weights=DEFAULTS, given=dates)
    gained = found.terms[Term.DATE]
    assert gained[0] == pytest.approx(0.2)
    assert 0.1 <= gained[1] < 0.2


def _told(scores: npt.NDArray[Any], near: npt.NDArray[np.float32] | None = None, *, links: bool = False) -> Evidence:
    """Make evidence of each word's worth in each item, 5 nats a word, of statements that stand alone or of two turns."""
    words, items = len(scores), int(scores.shape[1])
    rows, held = np.nonzero(scores)
    neighbours = np.full((items, 4), -1, dtype=np.int32)
    if links:
        neighbours[0, 2], neighbours[1, 1] = 1, 0
    return Evidence(
        terms=TermScores(
            starts=np.searchsorted(rows, np.arange(words + 1)).astype(np.int64),
            items=held.astype(np.int32),
            scores=scores[rows, held].astype(np.float32),
            attainable=max(5.0 * words, 1.0),
        ),
        similarity=np.zeros(items, dtype=np.float32) if near is None else near,
        neighbours=neighbours,
        groups=np.arange(items, dtype=np.int32),
        is_by_named_speaker=np.zeros(items, dtype=np.bool_),
    )


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
    most = 2 * max(ALONE * DEFAULTS.dense, ranking.dense_weight)
    assert (ranking.score <= 1.0 + most + SPEAKER_BONUS).all()
    assert (ranking.score >= -most - QUESTION_COST).all()


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
    with patch.multiple(RANKING, DENSE_NEIGHBOUR_SHARE=0.0, ALONE=0.0):  # both are read against the mean
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
    with patch.multiple(RANKING, ALONE=0.0):
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
    with patch.multiple(RANKING, DENSE_NEIGHBOUR_SHARE=0.0, ALONE=0.0):
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


SHARES = st.floats(0.0, 1.0)


def coverage_of(own: list[float], attainable: float) -> float:
    return best_coverage(np.array(own, dtype=np.float32), attainable)


def test_the_item_that_holds_most_of_the_words_is_what_counts() -> None:
    assert coverage_of([1.0, 3.0, 2.0], 4.0) == 0.75


def test_words_nobody_holds_make_what_is_held_a_smaller_share() -> None:
    assert coverage_of([3.0], 12.0) < coverage_of([3.0], 4.0)


def test_where_nothing_is_held_nothing_is_covered() -> None:
    assert coverage_of([0.0, 0.0], 4.0) == 0.0
    assert coverage_of([], 4.0) == 0.0


@given(scores=arrays(np.float32, (3, 4), elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])))
def test_coverage_is_a_share_that_further_items_never_lower(scores: npt.NDArray[np.float32]) -> None:
    own, attainable = scores.sum(axis=0), 9.5
    whole = best_coverage(own, attainable)
    assert 0.0 <= best_coverage(own[:2], attainable) <= whole <= 1.0


@pytest.mark.parametrize(("below", "vague"), [(0.2, 1.0), (0.1, 1.0), (0.05, 0.5), (0.0, 0.0), (-0.1, 0.0)])
def test_a_question_is_the_vaguer_the_less_of_its_words_is_held(below: float, vague: float) -> None:
    assert vagueness(DEFAULTS.vague_below - below, weights=DEFAULTS) == pytest.approx(vague)


@given(one=SHARES, other=SHARES)
def test_vagueness_is_a_share_that_falls_with_coverage(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert 0.0 <= vagueness(more, weights=DEFAULTS) <= vagueness(less, weights=DEFAULTS) <= 1.0


@given(coverage=SHARES)
def test_no_question_is_vague_where_none_is_to_be(coverage: float) -> None:
    assert vagueness(coverage, weights=MeaningWeights(vague_below=0.0)) == 0.0


def test_the_weight_at_known_points() -> None:
    weights = MeaningWeights(dense=0.5, vague=1.5)
    assert dense_weight(weights=weights) == 0.5
    assert dense_weight(weights=weights, vague=0.5) == pytest.approx(0.875)
    assert dense_weight(weights=weights, vague=1.0) == pytest.approx(1.25)


@given(one=SHARES, other=SHARES)
def test_meaning_counts_the_more_the_vaguer_a_question_is(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert DEFAULTS.dense <= dense_weight(weights=DEFAULTS, vague=less)
    assert dense_weight(weights=DEFAULTS, vague=less) <= dense_weight(weights=DEFAULTS, vague=more)


@given(vague=SHARES)
def test_a_vague_question_weighs_meaning_as_any_other_where_it_is_told_to(vague: float) -> None:
    assert dense_weight(weights=MeaningWeights(vague=0.0), vague=vague) == DEFAULTS.dense


TURNS = st.tuples(st.floats(-5, 5, width=32), st.booleans())


@patch.multiple("evolore.recall.ranking", QUESTION_COST=0.5, _REPLY_SHARE=0.2)  # round weights
def term(scores: list[float], questions: list[bool], *, short: list[float] | None = None) -> list[float]:
    count = len(scores)
    neighbours = np.full((count, 4), -1, dtype=np.int32)
    neighbours[1:, 1] = np.arange(count - 1)
    neighbours[:-1, 2] = np.arange(1, count)
    flags = np.array(questions, dtype=np.bool_)
    found = reply_term(
        np.array(scores, dtype=np.float32),
        neighbours,
        is_question=flags,
        short=None if short is None else np.array(short, dtype=np.float32),
    )
    return [round(float(value), 6) for value in found]


def test_the_turn_behind_one_that_asks_gains_of_its_score() -> None:
    assert term([3.0, 1.0, 1.0], [True, False, False]) == [-0.5, 0.6, 0.0]


def test_without_a_turn_that_asks_nothing_changes() -> None:
    assert term([3.0, 1.0], [False, False]) == [0.0, 0.0]


def test_a_turn_that_asks_back_gains_nothing() -> None:
    assert term([3.0, 1.0], [True, True]) == [-0.5, -0.5]


def test_a_bad_score_is_not_handed_on() -> None:
    assert term([-3.0, 1.0], [True, False]) == [-0.5, 0.0]


def test_a_long_turn_loses_less_by_asking_and_gains_less_by_answering() -> None:
    assert term([3.0, 1.0], [True, False], short=[1.0, 0.25]) == [-0.5, 0.15]
    assert term([3.0, 1.0], [True, False], short=[0.5, 1.0]) == [-0.25, 0.6]


@given(st.lists(TURNS, min_size=1, max_size=12))
def test_only_what_asks_loses(turns: list[tuple[float, bool]]) -> None:
    found = term([score for score, _ in turns], [asks for _, asks in turns])
    assert all((value < 0) == asks for value, (_, asks) in zip(found, turns, strict=True))


@given(st.lists(TURNS, min_size=1, max_size=12), st.data())
def test_the_term_is_in_proportion_to_shortness(turns: list[tuple[float, bool]], data: st.DataObject) -> None:
    scores, questions = [score for score, _ in turns], [asks for _, asks in turns]
    size = len(turns)
    short = data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=size, max_size=size))
    assert term(scores, questions, short=[1.0] * size) == term(scores, questions)
    wanted = np.array(term(scores, questions)) * short
    assert term(scores, questions, short=short) == pytest.approx(wanted, abs=1e-5)


SHARES_SPREAD = st.sampled_from([0.0, 0.25, 0.5, 1.0])
# Fractions with few bits: sums are exact, so the laws can ask for equality.
SCORES_SPREAD = st.sampled_from([0.0, 0.0, 0.25, 1.0, 1.5, 4.0])
SESSIONS = st.lists(st.integers(1, 6), max_size=4)


def rows_of_spread(scores: npt.NDArray[np.float32]) -> TermScores:
    """Keep what is above 0 of an array of shape (terms, items)."""
    terms, items = np.nonzero(scores)
    sizes = np.bincount(terms, minlength=scores.shape[0])
    return TermScores(
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        items=items.astype(np.int32),
        scores=scores[terms, items],
    )


def links_of(sessions: list[int]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    groups = np.repeat(np.arange(len(sessions), dtype=np.int32), sessions)
    places = np.arange(groups.size)[:, None] + np.array([-2, -1, 1, 2])
    inside = (places >= 0) & (places < groups.size)
    same = np.zeros_like(inside)
    same[inside] = (groups[:, None] == groups[places.clip(0, max(groups.size - 1, 0))])[inside]
    return np.where(same, places, -1).astype(np.int32), groups


@st.composite
def worlds_spread(
    draw: st.DrawFn,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    neighbours, groups = links_of(draw(SESSIONS))
    scores = draw(arrays(np.float32, (draw(st.integers(0, 4)), groups.size), elements=SCORES_SPREAD))
    return scores, neighbours, groups


@given(world=worlds_spread(), share=SHARES_SPREAD)
def test_words_spread_as_the_formulas_say(
    world: tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]], share: float
) -> None:
    scores, neighbours, groups = world
    found = spread_terms(rows_of_spread(scores), neighbours, groups=groups, neighbour_share=share)
    for item in range(groups.size):
        near = neighbours[item][neighbours[item] >= 0]
        assert found.own[item] == scores[:, item].sum()
        assert found.summed[item] == scores[:, item].sum() + share * scores[:, near].sum()
        lent = share * scores[:, near].max(axis=1, initial=0.0)
        assert found.windowed[item] == np.maximum(scores[:, item], lent).sum()
        assert found.grouped[item] == scores[:, groups == groups[item]].max(axis=1, initial=0.0).sum()


@given(world=worlds_spread(), data=st.data())
def test_each_item_takes_its_own_share_of_its_neighbours(
    world: tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]], data: st.DataObject
) -> None:
    scores, neighbours, groups = world
    shares = data.draw(arrays(np.float32, groups.size, elements=SHARES_SPREAD))
    found = spread_terms(rows_of_spread(scores), neighbours, groups=groups, neighbour_share=shares)
    lent = spread_similarity(found.own, neighbours, neighbour_share=shares)
    for item, share in enumerate(shares.tolist()):
        alike = spread_terms(rows_of_spread(scores), neighbours, groups=groups, neighbour_share=share)
        assert found.windowed[item] == alike.windowed[item]
        assert found.summed[item] == alike.summed[item]
        assert lent[item] == spread_similarity(found.own, neighbours, neighbour_share=share)[item]
    assert np.array_equal(found.own, scores.sum(axis=0))


@given(world=worlds_spread(), share=SHARES_SPREAD)
def test_context_only_adds(
    world: tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]], share: float
) -> None:
    scores, neighbours, groups = world
    found = spread_terms(rows_of_spread(scores), neighbours, groups=groups, neighbour_share=share)
    assert np.all(found.own <= found.windowed)
    assert np.all(found.windowed <= found.summed)
    assert np.all(found.own <= found.grouped)


@given(sessions=SESSIONS.filter(bool), share=SHARES_SPREAD, data=st.data())
def test_similarity_is_lent_to_the_next_on_both_sides_only(
    sessions: list[int], share: float, data: st.DataObject
) -> None:
    neighbours, groups = links_of(sessions)
    similarity = data.draw(arrays(np.float32, groups.size, elements=st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])))
    lent = spread_similarity(similarity, neighbours, neighbour_share=share)
    for item in range(groups.size):
        near = [other for other in neighbours[item, 1:3] if other >= 0]
        assert lent[item] == share * similarity[near].sum()


def test_what_another_session_says_is_not_lent() -> None:
    neighbours, groups = links_of([2, 2])
    scores = np.array([[0.0, 4.0, 0.0, 0.0]], dtype=np.float32)
    found = spread_terms(rows_of_spread(scores), neighbours, groups=groups, neighbour_share=0.5)
    assert found.summed.tolist() == found.windowed.tolist() == [2.0, 4.0, 0.0, 0.0]
    assert found.grouped.tolist() == [4.0, 4.0, 0.0, 0.0]


def test_a_window_counts_a_word_once_and_a_sum_each_time() -> None:
    neighbours, groups = links_of([3])
    scores = np.array([[4.0, 4.0, 4.0]], dtype=np.float32)
    found = spread_terms(rows_of_spread(scores), neighbours, groups=groups, neighbour_share=0.5)
    assert found.windowed.tolist() == [4.0, 4.0, 4.0]
    assert found.summed.tolist() == [8.0, 8.0, 8.0]


HOUR = 3600.0
DAY = 24 * HOUR
LENGTHS = st.lists(st.integers(0, 5000), max_size=8)


def chain(count: int) -> npt.NDArray[np.int32]:
    places = np.arange(count)[:, None] + np.array([-2, -1, 1, 2])
    return np.where((places >= 0) & (places < count), places, -1).astype(np.int32)


def gaps_of(links: npt.NDArray[np.int32], times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    padded = np.append(times, 0.0)
    return np.where(links >= 0, np.abs(padded[links] - times[:, None]), 0.0)


@given(hours=st.lists(st.integers(0, 24 * 5), max_size=8), max_gap_days=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_exactly_the_near_links_stay_and_stay_mutual(hours: list[int], max_gap_days: float) -> None:
    times = np.array(hours, dtype=np.float64) * HOUR
    links = chain(len(hours))
    near = near_neighbours(links, gaps_of(links, times), max_gap_days=max_gap_days)
    for item, column in product(range(len(hours)), range(4)):
        old, new = int(links[item, column]), int(near[item, column])
        keeps = old >= 0 and abs(hours[old] - hours[item]) <= max_gap_days * 24
        assert new == (old if keeps else -1)
        assert new == -1 or item in near[new]


def test_turns_of_one_talk_stay_linked() -> None:
    assert near_neighbours(chain(3), np.zeros((3, 4)), max_gap_days=0.0).tolist() == chain(3).tolist()


def test_notes_of_other_days_are_not_linked() -> None:
    gaps = gaps_of(chain(3), np.array([0.0, 2.0, 4.0]) * DAY)
    assert (near_neighbours(chain(3), gaps, max_gap_days=1.0) == -1).all()


def test_no_items_have_no_links() -> None:
    assert near_neighbours(chain(0), np.zeros((0, 4)), max_gap_days=1.0).shape == (0, 4)


@given(lengths=LENGTHS, short_words=st.sampled_from([1.0, 50.0, 100.0]))
def test_a_short_item_takes_all_and_a_long_one_as_much_as_if_it_were_short(
    lengths: list[int], short_words: float
) -> None:
    words = np.array(lengths, dtype=np.float32)
    short = shortness(words, short_words)
    assert short.dtype == np.float32
    assert ((short > 0.0) & (short <= 1.0)).all()
    assert (short[words <= short_words] == 1.0).all()
    # Of a longer one, what it takes and its length are in inverse proportion.
    assert (short * words)[words > short_words] == pytest.approx(short_words)


def test_an_item_without_words_is_short() -> None:
    assert shortness(np.zeros(2, dtype=np.float32), 100.0).tolist() == [1.0, 1.0]


def test_turns_take_more_than_passages_and_what_is_long_less_of_either() -> None:
    is_passage, short = np.array([False, True, False, True]), np.array([1.0, 1.0, 0.5, 0.5], dtype=np.float32)
    found = shares_taken(is_passage, short, turn=0.5, passage=0.25)
    assert np.asarray(found).tolist() == [0.5, 0.25, 0.25, 0.125]


def test_where_all_items_are_turns_one_share_serves_them_all() -> None:
    assert shares_taken(None, None, turn=0.5, passage=0.25) == 0.5
    short = np.array([1.0, 0.5], dtype=np.float32)
    assert np.asarray(shares_taken(None, short, turn=0.5, passage=0.25)).tolist() == [0.5, 0.25]
    is_passage = np.array([True, False])
    assert np.asarray(shares_taken(is_passage, None, turn=0.5, passage=0.25)).tolist() == [0.25, 0.5]


FEW = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
VALUES = arrays(np.float32, st.integers(0, 400), elements=st.one_of(FEW, st.floats(-4, 4, width=32)))


@given(values=VALUES, count=st.integers(1, 60))
def test_the_best_are_those_that_sorting_finds(values: npt.NDArray[np.float32], count: int) -> None:
    least = np.sort(values)[-count] if count <= values.size else -np.inf
    assert at_the_top(values, count).tolist() == np.flatnonzero(values >= least).tolist()


FOREIGN = st.integers(1, 40).flatmap(
    lambda count: st.tuples(
        arrays(np.float32, count, elements=st.floats(0, 1, width=32)),
        arrays(np.float32, count, elements=st.sampled_from([float("nan"), *np.linspace(-0.5, 1, 30).tolist()])),
        arrays(np.bool_, count),
    )
)


@given(FOREIGN)
def test_words_of_another_language_gain_at_most_what_words_say_of_any_item(given_: tuple[Any, Any, Any]) -> None:
    words, similarity, is_foreign = given_
    found = unmatched_term(words, similarity, is_foreign=is_foreign)
    own = ~is_foreign & ~np.isnan(similarity)
    assert not found[~is_foreign | np.isnan(similarity)].any()
    assert (found >= 0.0).all()
    assert (found + np.where(found > 0.0, words, 0.0) <= words[own].max(initial=0.0) + 1e-6).all()
    wordless = np.flatnonzero(is_foreign & ~np.isnan(similarity) & (words == 0.0))
    by_meaning = wordless[np.argsort(similarity[wordless], kind="stable")]
    assert (np.diff(found[by_meaning]) >= 0.0).all()


def test_an_item_of_another_language_gains_what_words_say_of_those_that_are_as_near() -> None:
    similarity = np.array([0.5] * 8 + [0.1] * 8 + [0.51, 0.11, 0.5], dtype=np.float32)
    words = np.array([0.8] * 8 + [0.2] * 8 + [0.0, 0.0, 0.9], dtype=np.float32)
    is_foreign = np.array([False] * 16 + [True] * 3)
    assert unmatched_term(words, similarity, is_foreign=is_foreign)[16:].tolist() == pytest.approx([0.8, 0.2, 0.0])


def test_of_few_items_in_the_language_of_the_question_little_is_known_of_others() -> None:
    similarity, words = np.array([0.5, 0.5], dtype=np.float32), np.array([0.8, 0.0], dtype=np.float32)
    found = unmatched_term(words, similarity, is_foreign=np.array([False, True]))
    assert found.tolist() == pytest.approx([0.0, 0.1])


def find_open(questions: list[bool], groups: list[int], speakers: list[int]) -> list[bool]:
    numbers = np.array(groups, dtype=np.int32)
    neighbours = np.full((numbers.size, 4), -1, dtype=np.int32)
    for place in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
        neighbours[place, 2], neighbours[place + 1, 1] = place + 1, place
    flags, names = np.array(questions, dtype=np.bool_), np.array(speakers, dtype=np.int32)
    return unanswered(flags, neighbours, groups=numbers, speakers=names).tolist()


def test_a_question_is_unanswered_where_one_person_speaks_alone() -> None:
    assert find_open([True, False, True], [0, 0, 0], [3, 3, 3]) == [True, False, True]


def test_where_two_speak_any_question_may_be_answered() -> None:
    assert find_open([True, False, True], [0, 0, 0], [3, 4, 3]) == [False, False, False]


def test_where_the_speaker_is_unknown_the_next_turn_may_reply() -> None:
    assert find_open([True, False, True, True], [0, 0, 0, 0], [-1, -1, -1, -1]) == [False, False, True, True]


def test_a_question_said_alone_is_unanswered() -> None:
    assert find_open([True, False], [0, 1], [-1, -1]) == [True, False]


def test_what_is_taken_out_of_its_session_lends_nothing_and_takes_nothing() -> None:
    links = np.array([[-1, -1, 1, 2], [-1, 0, 2, -1], [0, 1, -1, -1]], dtype=np.int32)
    groups, neighbours = alone(np.array([False, True, False]), np.array([0, 0, 0], dtype=np.int32), links)
    assert groups.tolist() == [0, 1, 0]
    assert neighbours.tolist() == [[-1, -1, -1, 2], [-1] * 4, [0, -1, -1, -1]]


def test_an_echo_of_the_question_keeps_nothing() -> None:
    kept = kept_share(np.array([True, True, False]), np.array([0.9, 0.2, 0.9], dtype=np.float32))
    assert kept[0] == 0.0
    assert 0.0 < kept[1] < 1.0
    assert kept[2] == 1.0
