"""Whether an episode is split, and into which parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.episodes.calibration import Calibration, Piece, log_odds_of
from evolore.episodes.settings import EpisodeSettings
from evolore.episodes.splitting import Portion, plan_split, split_confidence, split_vectors, weigh, weigh_in_order
from evolore.errors import InvalidValue
from evolore.text.vectors import unit
from laws import tried

DIMENSION = 16
SETTINGS = EpisodeSettings()
CALIBRATION = Calibration(
    centre=np.zeros(DIMENSION, dtype=np.float32), slope=15.0, offset=-2.5, copies=np.linspace(0.6, 1.0, 11), texts=300
)


def pieces(counts: dict[str, int], *, seed: int = 0, spread: float = 0.15) -> list[Piece]:
    """Draw pieces of topics; a topic's vectors lie around a direction of its own, and share its word."""
    chance = np.random.default_rng([seed, *map(ord, "".join(counts))])
    found: list[Piece] = []
    for topic, count in counts.items():
        middle = np.zeros(DIMENSION)
        middle[ord(topic) % DIMENSION] = 1.0
        vectors = unit(middle + spread * chance.normal(size=(count, DIMENSION)))
        found += [Piece(text=f"{topic * 5} {number}", vector=vector) for number, vector in enumerate(vectors)]
    return found


@st.composite
def any_pieces(draw: st.DrawFn, least: int) -> list[Piece]:
    words = st.sampled_from(["harbour", "kettle", "港の船", "水壶", "x"])
    texts = draw(st.lists(words, min_size=least, max_size=8))
    vectors = unit(np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=(len(texts), DIMENSION)))
    return [Piece(text=text, vector=vector) for text, vector in zip(texts, vectors, strict=True)]


def planned(
    sentences: list[Piece],
    neighbours: list[Piece],
    *,
    settings: EpisodeSettings = SETTINGS,
    calibration: Calibration = CALIBRATION,
    among: int = 0,
) -> tuple[Portion, ...]:
    return plan_split(sentences, neighbours, calibration=calibration, settings=settings, among=among).parts


def test_an_episode_of_two_matters_is_split_into_them() -> None:
    sentences, neighbours = pieces({"a": 4, "b": 4}), pieces({"a": 3, "b": 3}, seed=1)
    plan = planned(sentences, neighbours)
    assert [part.sentences for part in plan] == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert [part.neighbours for part in plan] == [(0, 1, 2), (3, 4, 5)]


def test_an_episode_of_three_matters_is_split_into_three_or_into_as_many_as_are_allowed() -> None:
    sentences, neighbours = pieces({"a": 4, "b": 4, "c": 4}), pieces({"a": 2, "b": 2, "c": 2}, seed=1)
    plan = planned(sentences, neighbours)
    assert len(plan) == 3
    two = planned(sentences, neighbours, settings=EpisodeSettings(max_splits=2))
    assert len(two) == 2


def test_an_episode_of_one_matter_stays_whole() -> None:
    sentences, neighbours = pieces({"a": 8}), pieces({"a": 6}, seed=1)
    assert len(planned(sentences, neighbours)) == 1
    assert len(weigh(sentences, neighbours, calibration=CALIBRATION, settings=SETTINGS).parts) == 1


def test_each_condition_alone_holds_a_split_back() -> None:
    sentences, neighbours = pieces({"a": 4, "b": 4}), pieces({"a": 3, "b": 3}, seed=1)
    for refusing in (
        EpisodeSettings(conflict_threshold=1.0),
        EpisodeSettings(min_connections=7),
        EpisodeSettings(auto_split_enabled=False),
    ):
        assert len(planned(sentences, neighbours, settings=refusing)) == 1
    assert len(planned(sentences, neighbours, calibration=Calibration.unknown(DIMENSION))) == 1


@pytest.mark.parametrize("each", [2, 5])
def test_a_note_of_two_matters_in_their_order_is_cut_between_them_however_short(each: int) -> None:
    sentences, neighbours = pieces({"a": each, "b": each}), pieces({"a": 3, "b": 3}, seed=1)
    found = plan_split(sentences, neighbours, calibration=CALIBRATION, settings=SETTINGS, mixed=False)
    assert [part.sentences for part in found.parts] == [tuple(range(each)), tuple(range(each, 2 * each))]
    assert [part.neighbours for part in found.parts] == [(0, 1, 2), (3, 4, 5)]
    assert found.conflict.total >= SETTINGS.conflict_threshold


def test_a_note_of_three_matters_is_cut_twice() -> None:
    sentences, neighbours = pieces({"a": 2, "b": 1, "c": 2}), pieces({"a": 3, "b": 3, "c": 3}, seed=1)
    found = plan_split(sentences, neighbours, calibration=CALIBRATION, settings=SETTINGS, mixed=False)
    assert [part.sentences for part in found.parts] == [(0, 1), (2,), (3, 4)]


def test_a_note_stays_whole_where_one_half_has_too_few_neighbours_of_its_own() -> None:
    sentences, neighbours = pieces({"a": 2, "b": 2}), pieces({"a": 5, "b": 1}, seed=1)
    found = plan_split(sentences, neighbours, calibration=CALIBRATION, settings=SETTINGS, mixed=False)
    assert len(found.parts) == 1
    assert 0.0 < found.conflict.total < SETTINGS.conflict_threshold


def test_the_nearest_of_many_say_less_than_the_nearest_of_few() -> None:
    sentences, neighbours = pieces({"a": 2, "b": 2}, spread=0.5), pieces({"a": 3, "b": 3}, seed=1, spread=0.5)
    totals: list[float] = []
    for among in (6, 100, 10_000):
        found = weigh_in_order(sentences, neighbours, calibration=CALIBRATION, settings=SETTINGS, among=among)
        assert found is not None
        totals.append(found.conflict.total)
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > totals[-1]


@settings(max_examples=tried(25, long=60), deadline=None)
@given(any_pieces(1), any_pieces(0))
def test_the_parts_together_hold_every_sentence_and_neighbour_once_and_none_is_empty(
    sentences: list[Piece], neighbours: list[Piece]
) -> None:
    weighed = weigh(sentences, neighbours, calibration=CALIBRATION, settings=SETTINGS)
    said = [place for part in weighed.parts for place in part.sentences]
    around = [place for part in weighed.parts for place in part.neighbours]
    assert sorted(said) == list(range(len(sentences)))
    assert sorted(around) == list(range(len(neighbours)))
    assert 1 <= len(weighed.parts) <= SETTINGS.max_splits
    for part in weighed.parts:
        assert part.sentences
        assert part.sentences == tuple(sorted(part.sentences))


@settings(max_examples=tried(25, long=60), deadline=None)
@given(any_pieces(1), any_pieces(2), st.randoms(use_true_random=False))
def test_the_order_of_the_neighbours_does_not_matter(
    sentences: list[Piece], neighbours: list[Piece], chance: object
) -> None:
    order = list(range(len(neighbours)))
    chance.shuffle(order)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - hypothesis' Random
    one = weigh(sentences, neighbours, calibration=CALIBRATION, settings=SETTINGS)
    other = weigh(sentences, [neighbours[at] for at in order], calibration=CALIBRATION, settings=SETTINGS)
    assert one.conflict == other.conflict
    assert [part.sentences for part in one.parts] == [part.sentences for part in other.parts]


def test_without_neighbours_there_is_one_part_and_without_sentences_an_error() -> None:
    weighed = weigh(pieces({"a": 2, "b": 2}), [], calibration=CALIBRATION, settings=SETTINGS)
    assert [part.sentences for part in weighed.parts] == [(0, 1, 2, 3)]
    with pytest.raises(InvalidValue, match="use at least one"):
        weigh([], pieces({"a": 3}), calibration=CALIBRATION, settings=SETTINGS)


def test_shared_words_and_near_vectors_both_speak_for_one_matter() -> None:
    vectors = unit(np.eye(DIMENSION)[:3])
    alike = [Piece(text="harbour boats", vector=vectors[0]), Piece(text="kettle steam", vector=vectors[1])]
    odds = log_odds_of(alike, [Piece(text="harbour boats", vector=vectors[2])], CALIBRATION)
    assert odds[0, 2] > odds[1, 2]
    closer = log_odds_of(alike, [Piece(text="other", vector=vectors[1])], CALIBRATION)
    assert closer[1, 2] > closer[0, 2]
    assert np.array_equal(odds, odds.T)
    assert np.abs(odds).max() <= 6.0


def test_a_part_lies_between_its_text_and_its_neighbours() -> None:
    sentences, neighbours = pieces({"a": 4, "b": 4}), pieces({"a": 3, "b": 3}, seed=1)
    plan = planned(sentences, neighbours)
    texts = np.stack([sentences[0].vector, sentences[4].vector])
    around = np.stack([piece.vector for piece in neighbours])
    found = split_vectors(texts, around, plan, own_share=0.7)
    centre = unit(around[:3].mean(axis=0))
    assert found[0] == pytest.approx(unit(0.7 * texts[0] + 0.3 * centre), abs=1e-6)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0)


def test_a_part_keeps_four_fifths_of_the_confidence() -> None:
    assert split_confidence(0.5, SETTINGS) == pytest.approx(0.4)
    assert split_confidence(1.0, EpisodeSettings(split_decay=1.0)) == 1.0
