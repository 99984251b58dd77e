from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.chunking.division import UnitRun, Wish, cut, segment
from evolore.chunking.settings import DEFAULT_SEGMENTATION, SegmentationSettings
from evolore.errors import InvalidValue
from evolore.text.sentences import points_back
from evolore.text.tokens import content_tokens
from laws import tried

WORDS = ["engine", "fuel", "pump", "bread", "flour", "yeast", "however"]
UNITS = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=7)

ENGINES = ["The engine burns fuel.", "A pump feeds fuel to the engine.", "Fuel drives the pump.", "Engines need fuel."]
BREAD = ["Bread needs flour.", "Yeast and flour make bread.", "Knead flour with yeast.", "Bread rises by yeast."]
MUSIC = ["The violin plays a melody.", "A melody needs a violin.", "Violin and cello play.", "The cello has a melody."]


def boundary_nats(
    units: list[str], boundaries: tuple[int, ...], target: float | None, chosen: SegmentationSettings
) -> float:
    """Give what the boundaries of a division cost."""
    words = [content_tokens(unit) for unit in units]
    times = Counter(chain.from_iterable(words))
    price = chosen.boundary_price * math.log(max(2, times.total()))
    if target is not None:
        tokens_per_target = times.total() * target / max(1, sum(map(len, units)))
        price *= (tokens_per_target / chosen.tokens_per_price) ** chosen.price_growth
    average = sum(count * math.log(count) for count in times.values()) / max(1, times.total())
    total = 0.0
    for boundary in boundaries:
        excess = sum(math.log(times[word]) - average for word in words[boundary])
        discount = chosen.overview_discount * excess / (len(words[boundary]) + 3)
        surcharge = chosen.back_reference_surcharge * points_back(units[boundary])
        total += price * (1 + surcharge - discount)
    return total


def total_nats(
    units: list[str],
    boundaries: tuple[int, ...],
    target: float | None,
    chosen: SegmentationSettings = DEFAULT_SEGMENTATION,
) -> float:
    """Cost a division as the objective is written down."""
    words = [content_tokens(unit) for unit in units]
    times = Counter(chain.from_iterable(words))
    weights = {word: chosen.once_weight if count == 1 else 1.0 for word, count in times.items()}
    prior = chosen.alpha * sum(weights.values())
    total = boundary_nats(units, boundaries, target, chosen)
    for start, end in pairwise([0, *boundaries, len(units)]):
        seen: dict[str, int] = {}
        tokens = [word for unit in words[start:end] for word in unit]
        for word in tokens:
            total -= math.log(seen.get(word, 0) + chosen.alpha) if times[word] > 1 else 0.0
            seen[word] = seen.get(word, 0) + 1
        whole, rest = divmod(sum(weights[word] for word in tokens), 1)
        total += sum(math.log(written + prior) for written in range(int(whole)))
        total += rest * math.log(whole + prior) if rest else 0.0
        total -= math.log(chosen.alpha) * sum(weights[word] for word in tokens if times[word] == 1)
        if target is not None:
            length = max(1, sum(map(len, units[start:end])))
            total += chosen.length_weight * math.log(length / target) ** 2
    return total


@given(UNITS, st.sampled_from([None, 12.0, 40.0]))
@settings(max_examples=tried(20, long=60))
def test_no_division_is_cheaper_than_the_one_found(units: list[str], target: float | None) -> None:
    found = segment(units, target_characters=target)
    gaps = range(1, len(units))
    divisions = [chosen for size in range(len(units)) for chosen in combinations(gaps, size)]
    cheapest = min(total_nats(units, division, target) for division in divisions)
    assert total_nats(units, found.boundaries, target) == pytest.approx(cheapest, abs=1e-9)


def test_topics_are_told_apart_without_knowing_how_many() -> None:
    assert segment(ENGINES + BREAD + MUSIC).boundaries == (4, 8)


def test_a_gain_is_what_a_cut_saves_in_bits() -> None:
    units = ENGINES + BREAD
    settings_plain = SegmentationSettings(overview_discount=0.0)
    found = segment(units, settings=settings_plain)
    assert found.boundaries == (4,)
    saved = total_nats(units, (), None, settings_plain) - total_nats(units, (4,), None, settings_plain)
    assert found.gains_bits[0] == pytest.approx(saved / math.log(2))


@pytest.mark.parametrize("wished", [1, 2, 3])
def test_a_number_of_segments_can_be_asked_for(wished: int) -> None:
    found = segment(ENGINES + BREAD + MUSIC, segments=wished)
    assert len(found.boundaries) == wished - 1
    assert set(found.boundaries) <= {4, 8}


def test_more_segments_than_units_give_every_unit_its_own() -> None:
    assert segment(["a bee", "a cow"], segments=9).boundaries == (1,)


def test_a_target_sets_how_long_segments_are() -> None:
    units = [f"Sentence about matter {chr(97 + number % 20) * 3}." for number in range(60)]
    short = segment(units, target_characters=100, settings=SegmentationSettings(length_weight=20.0))
    long = segment(units, target_characters=500, settings=SegmentationSettings(length_weight=20.0))
    assert len(short.boundaries) > len(long.boundaries) > 0


def test_japanese_and_chinese_topics_are_told_apart() -> None:
    japanese = ["エンジンは燃料を燃やす。", "燃料ポンプがエンジンに燃料を送る。", "燃料でエンジンが動く。"] * 2
    japanese += ["パンは小麦粉で作る。", "小麦粉とイーストでパンを焼く。", "イーストがパンを膨らませる。"] * 2
    assert segment(japanese).boundaries == (6,)
    chinese = ["发动机燃烧燃料。", "燃料泵把燃料送到发动机。", "发动机需要燃料。"] * 2
    chinese += ["面包用面粉制作。", "酵母和面粉做面包。", "酵母让面包膨胀。"] * 2
    assert segment(chinese).boundaries == (6,)


@pytest.mark.parametrize(
    "units",
    [
        ["燃料を燃やす。", "燃料を送る。"] * 4 + ["しかし小麦粉を練る。"] + ["小麦粉を焼く。"] * 7,
        ["Engines burn fuel.", "The pump feeds fuel."] * 4 + ["But flour makes bread."] + ["Bread needs flour."] * 7,
    ],
)
def test_a_sentence_that_points_back_does_not_open_a_segment(units: list[str]) -> None:
    assert segment(units, settings=SegmentationSettings(back_reference_surcharge=0.0)).boundaries == (8,)
    assert 8 not in segment(units, settings=SegmentationSettings(back_reference_surcharge=50.0)).boundaries


def test_a_segment_opens_with_what_the_whole_text_is_about() -> None:
    units = ["Osaka has oaks.", "An oak in Osaka.", "Oaks, Osaka."] * 3 + ["A zebra."]
    units += ["Osaka has salt.", "Salt in Osaka.", "Osaka, salt."]
    assert segment(units, settings=SegmentationSettings(overview_discount=0.0)).boundaries == (9,)
    assert segment(units, settings=SegmentationSettings(overview_discount=1.0)).boundaries == (10,)


def test_the_price_grows_with_the_target() -> None:
    units = (ENGINES + BREAD + MUSIC) * 4
    chosen = SegmentationSettings(tokens_per_price=5.0, length_weight=0.0)
    counts = [
        len(segment(units, target_characters=100.0, settings=replace(chosen, price_growth=growth)).boundaries)
        for growth in (0.0, 0.8, 2.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_nothing_and_one_unit_have_no_boundaries() -> None:
    assert segment([]).boundaries == ()
    assert segment(["one"]).boundaries == ()
    assert segment([""] * 5).boundaries == ()
    assert segment([], segments=3).boundaries == ()


@pytest.mark.parametrize("target", [0.0, -1.0, float("nan")])
def test_a_target_must_be_positive(target: float) -> None:
    with pytest.raises(InvalidValue, match="target_characters is"):
        segment(["a"], target_characters=target)


def test_a_number_of_segments_must_be_positive() -> None:
    with pytest.raises(InvalidValue, match="segments is 0"):
        segment(["a"], segments=0)


def test_a_run_of_many_blocks_is_cut_like_its_parts() -> None:
    units = (ENGINES * 3 + BREAD * 3) * 130
    boundaries = segment(units, target_characters=300.0).boundaries
    assert len(units) > 3000
    assert all(before < after for before, after in pairwise(boundaries))
    assert boundaries[-1] < len(units)
    # The cuts behind the first block fall where they fall within it: every twelve units.
    assert all(boundary % 12 == 0 for boundary in boundaries)


def test_a_fence_is_cut_and_the_limit_kept() -> None:
    units = ["alpha beta."] * 10
    lengths = np.full(10, 11, np.int64)
    run = UnitRun.read(lambda: units, lengths, DEFAULT_SEGMENTATION)
    run.is_fence[5] = True
    assert 5 in cut(run, Wish()).boundaries
    limited = cut(run, Wish(target_characters=11, most_characters=22)).boundaries
    assert all(after - before <= 2 for before, after in pairwise([0, *limited, 10]))
    assert 5 in limited
    tight = cut(run, Wish(target_characters=11, most_characters=5)).boundaries
    assert tight == tuple(range(1, 10))


def test_segments_longer_than_the_band_are_weighed_from_near_the_cut() -> None:
    found = segment(ENGINES * 5 + BREAD * 5, settings=SegmentationSettings(longest_units=20))
    assert found.boundaries == (20,)
    assert found.gains_bits[0] > 0
    narrow = segment(ENGINES, settings=SegmentationSettings(longest_units=1))
    assert narrow.boundaries == (1, 2, 3)
    assert len(narrow.gains_bits) == 3
