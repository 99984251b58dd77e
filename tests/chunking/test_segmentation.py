from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.chunking.division import Run, Wish, cut
from evolore.chunking.segmentation import DEFAULT_SEGMENTATION, SegmentationSettings, segment
from evolore.errors import InvalidValue
from evolore.text.tokens import content_tokens

WORDS = ["engine", "fuel", "pump", "bread", "flour", "yeast"]
UNITS = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=7)

ENGINES = ["The engine burns fuel.", "A pump feeds fuel to the engine.", "Fuel drives the pump.", "Engines need fuel."]
BREAD = ["Bread needs flour.", "Yeast and flour make bread.", "Knead flour with yeast.", "Bread rises by yeast."]
MUSIC = ["The violin plays a melody.", "A melody needs a violin.", "Violin and cello play.", "The cello has a melody."]


def total_nats(units: list[str], boundaries: tuple[int, ...], target: float | None) -> float:
    """Cost a division as the objective is written down."""
    words = [content_tokens(unit) for unit in units]
    count = sum(map(len, words))
    vocabulary = max(1, len({word for unit in words for word in unit}))
    chosen = DEFAULT_SEGMENTATION
    price = chosen.boundary_price * math.log(max(2, count))
    if target is not None:
        price *= count * target / max(1, sum(map(len, units))) / chosen.tokens_per_price
    total = price * len(boundaries)
    for start, end in pairwise([0, *boundaries, len(units)]):
        seen: dict[str, int] = {}
        tokens = [word for unit in words[start:end] for word in unit]
        for written, word in enumerate(tokens):
            total += math.log(written + chosen.alpha * vocabulary) - math.log(seen.get(word, 0) + chosen.alpha)
            seen[word] = seen.get(word, 0) + 1
        if target is not None:
            length = max(1, sum(map(len, units[start:end])))
            total += chosen.length_weight * math.log(length / target) ** 2
    return total


@given(UNITS, st.sampled_from([None, 12.0, 40.0]))
@settings(max_examples=60)
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
    found = segment(units)
    assert found.boundaries == (4,)
    saved = total_nats(units, (), None) - total_nats(units, (4,), None)
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


def test_a_sentence_that_points_back_does_not_open_a_segment() -> None:
    settings_without = SegmentationSettings(back_reference_nats=0.0)
    settings_with = SegmentationSettings(back_reference_nats=50.0)
    units = ["燃料を燃やす。", "燃料を送る。", "しかし小麦粉を練る。", "小麦粉を焼く。"] * 3
    assert len(segment(units, settings=settings_with).boundaries) <= len(
        segment(units, settings=settings_without).boundaries
    )
    assert not any(
        units[boundary].startswith("しかし") for boundary in segment(units, settings=settings_with).boundaries
    )


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
    run = Run.read(lambda: units, lengths, DEFAULT_SEGMENTATION)
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
