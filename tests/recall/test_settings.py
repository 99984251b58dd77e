"""The seed's table is the default, and no weight outside its range can exist."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evolore.domain.query import Intent
from evolore.errors import InvalidValue
from evolore.recall.settings import Decay, DecaySettings, IntentSettings, RecallSettings, Superseded

SEED = {
    Intent.EMOTIONAL: (0.3, 0.6, 0.1),
    Intent.FACTUAL: (0.5, 0.2, 0.3),
    Intent.TECHNICAL: (0.3, 0.1, 0.6),
    Intent.TEMPORAL: (0.2, 0.2, 0.6),
    Intent.RELATIONAL: (0.4, 0.4, 0.2),
}


def test_the_table_of_the_seed_is_the_default() -> None:
    assert {intent: IntentSettings().weights(intent) for intent in Intent} == SEED
    changed = IntentSettings(factual=(0.6, 0.4, 0.0))
    assert changed.weights(Intent.FACTUAL) == (0.6, 0.4, 0.0)
    assert changed.weights(Intent.TEMPORAL) == SEED[Intent.TEMPORAL]


@pytest.mark.parametrize("name", list(Intent))
@pytest.mark.parametrize("weights", [(-0.1, 0.5, 0.5), (math.nan, 0.5, 0.5), (0.5, math.inf, 0.5), (0.0, 0.0, 0.0)])
def test_weights_outside_their_range_are_refused_by_name(name: Intent, weights: tuple[float, float, float]) -> None:
    values: dict[str, Any] = {name.value: weights}
    with pytest.raises(InvalidValue, match=name.value):
        IntentSettings(**values)


def test_a_number_of_calls_below_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue, match="chat_calls"):
        IntentSettings(chat_calls=-1)


@pytest.mark.parametrize("rate", [-0.1, math.nan, math.inf])
def test_a_rate_out_of_range_is_refused(rate: float) -> None:
    with pytest.raises(InvalidValue, match="rate"):
        DecaySettings(rate=rate)


def test_words_are_read_and_others_refused() -> None:
    assert DecaySettings(decay="seed").decay is Decay.SEED  # pyright: ignore[reportArgumentType] - the word is read
    assert RecallSettings(superseded="out").superseded is Superseded.OUT  # pyright: ignore[reportArgumentType] - likewise
    with pytest.raises(InvalidValue, match="decay is 'old': use 'seed' or 'rival' or 'none'"):
        DecaySettings(decay="old")  # pyright: ignore[reportArgumentType] - what is wrong
    with pytest.raises(InvalidValue, match="superseded is 'first': use 'last' or 'out'"):
        RecallSettings(superseded="first")  # pyright: ignore[reportArgumentType] - likewise


def test_nothing_need_grow_old() -> None:
    assert DecaySettings(rate=0.0).rate == 0.0
