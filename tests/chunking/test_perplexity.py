from __future__ import annotations

import math

import numpy as np
import pytest

from evolore.chunking.perplexity import Curve, gaps_of, log_prob_curve, ngram_curve
from evolore.chunking.requests import LogProbs
from evolore.chunking.settings import TierSettings
from evolore.errors import InvalidValue

BOATS = "so we went to the harbour and looked at the boats and the water, "
BREAD = "flour yeast salt knead bake oven crust crumb dough rise proof, "
RUN_ON = BOATS * 14 + BREAD * 14


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_the_steepest_rise_is_where_the_subject_changes(order: int) -> None:
    settings = TierSettings(ngram_order=order)
    curve = ngram_curve(RUN_ON, 0, len(RUN_ON), settings)
    (place, rise), *_ = sorted(curve.split(0, len(RUN_ON), most=1000, least=100), key=lambda cut: -cut[1])
    assert abs(place - len(BOATS * 14)) < 30
    assert rise > 0.05


def test_a_text_that_repeats_itself_has_no_rise() -> None:
    text = "word " * 900
    assert ngram_curve(text, 0, len(text), TierSettings()).split(0, len(text), most=1000, least=100) == []


def test_log_probabilities_give_the_curve_where_there_are_some() -> None:
    middle = len(BOATS * 14)
    tokens = tuple((place, -8.0 if middle <= place < middle + 150 else -0.5) for place in range(0, len(RUN_ON), 2))
    curve = log_prob_curve(RUN_ON, 0, len(RUN_ON), [LogProbs(tokens=tokens)], TierSettings())
    assert curve is not None
    (cut, *_) = curve.split(0, len(RUN_ON), most=1000, least=100)
    assert abs(cut[0] - middle) < 30


@pytest.mark.parametrize(
    "tokens",
    [
        (),
        ((0, math.nan),),
        ((0, 0.5),),
        ((0, -math.inf),),
        ((5, -1.0), (4, -1.0)),
        ((-1, -1.0),),
        ((10_000, -1.0),),
        ((900, -1.0),),
    ],
)
def test_log_probabilities_that_make_no_sense_give_no_curve(tokens: tuple[tuple[int, float], ...]) -> None:
    assert log_prob_curve("x " * 500, 0, 1000, [LogProbs(tokens=tokens)], TierSettings()) is None


def test_pieces_are_never_shorter_than_the_least_nor_cut_when_they_fit() -> None:
    gaps = tuple(range(10, 1000, 10))
    curve = Curve(gaps=gaps, rises=np.linspace(1, 2, len(gaps)), least=0.5)
    edges = [0, *(place for place, _ in curve.split(0, 1000, most=300, least=100)), 1000]
    sizes = np.diff(edges)
    assert sizes.min() >= 100
    assert sizes.max() <= 300
    assert curve.split(0, 1000, most=1000, least=100) == []


def test_gaps_lie_between_words() -> None:
    text = "one two, a very long word あいうえおかきくけこさしすせその東京タワーであった、 five"
    assert [text[:gap][-3:] for gap in gaps_of(text, 0, len(text))] == ["ne ", "o, ", "ng ", "せその", "た、 "]
    assert gaps_of("x" * 90, 0, 90) == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ngram_order", 0),
        ("ngram_order", 9),
        ("window_characters", 9),
        ("calls_per_document", -1),
    ],
)
def test_wrong_settings_are_refused_by_name(name: str, value: float | str) -> None:
    with pytest.raises(InvalidValue, match=name):
        TierSettings(**{name: value})  # pyright: ignore[reportArgumentType] - wrong on purpose


@pytest.mark.parametrize(("text", "most"), [("a!" * 500, 1000 / 6 + 1), ("abcdef、" * 50, 49)])
def test_gaps_that_n_grams_weigh_lie_apart(text: str, most: float) -> None:
    weighed = ngram_curve(text, 0, len(text), TierSettings()).gaps
    assert most * 0.9 <= len(weighed) <= most
