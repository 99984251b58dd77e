from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue, UnreadableSource
from evolore_evaluation.measure import Run
from evolore_evaluation.segmentation import boundary_ratio, evaluate_segmentation, pk, window_diff, window_size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXTS: list[dict[str, object]] = [
    {"id": "a", "lang": "en", "sentences": ["xx"] * 10, "boundaries": [5]},
    {"id": "b", "lang": "ja", "sentences": ["あい"] * 12, "boundaries": [0, 4, 8], "headings": ["x"]},
]


class EveryFour:
    """Cuts before every fourth sentence, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, float | None, int | None]] = []

    def __call__(
        self, units: Sequence[str], *, target_characters: float | None = None, segments: int | None = None
    ) -> Sequence[int]:
        self.asked.append((len(units), target_characters, segments))
        return list(range(4, len(units), 4))


def write_set(folder: Path, lines: Sequence[object], name: str = "tiny.dev.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_figures_are_averages_over_the_texts(tmp_path: Path) -> None:
    report = evaluate_segmentation([write_set(tmp_path, TEXTS)], segmenter=EveryFour())
    (result,) = report.sets
    assert result.name == "tiny.dev"
    expected = (pk([5], [4, 8], 10) + pk([4, 8], [4, 8], 12)) / 2
    for run in ("", "_at_target", "_at_segments"):
        assert result.metrics[f"pk{run}"] == pytest.approx(expected)
        assert result.metrics[f"window_diff{run}"] >= expected
    assert result.metrics["boundary_ratio"] == pytest.approx(4 / 3)
    assert result.metrics["documents"] == 2
    assert result.metrics["megabytes_per_second"] > 0


def test_the_target_is_one_number_a_set(tmp_path: Path) -> None:
    segmenter = EveryFour()
    report = evaluate_segmentation([write_set(tmp_path, TEXTS)], segmenter=segmenter)
    target = (20 + 24) / (2 + 3)
    assert report.sets[0].metrics["target_characters"] == pytest.approx(target)
    assert segmenter.asked == [
        (10, None, None), (10, target, None), (10, None, 2),
        (12, None, None), (12, target, None), (12, None, 3),
    ]  # fmt: skip


def test_a_target_given_is_used_and_reported(tmp_path: Path) -> None:
    segmenter = EveryFour()
    report = evaluate_segmentation(
        [write_set(tmp_path, TEXTS)], segmenter=segmenter, target_characters=99, run=Run(limit=1)
    )
    assert report.sets[0].metrics["target_characters"] == 99
    assert segmenter.asked == [(10, None, None), (10, 99, None), (10, None, 2)]
    assert report.settings["target_characters"] == 99
    assert report.settings["limit"] == 1


def test_a_limit_leaves_the_target_as_it_is(tmp_path: Path) -> None:
    report = evaluate_segmentation([write_set(tmp_path, TEXTS)], segmenter=EveryFour(), run=Run(limit=1))
    assert report.sets[0].metrics["target_characters"] == pytest.approx(44 / 5)


def test_predictions_scored_again_give_the_same_figures(tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    path = write_set(tmp_path, TEXTS)
    metrics = evaluate_segmentation([path], run=Run(predictions=file)).sets[0].metrics
    lines = [cast("dict[str, list[int]]", json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(line["set"], line["id"]) for line in lines] == [("tiny.dev", "a"), ("tiny.dev", "b")]
    gold, sizes = [[5], [4, 8]], [10, 12]
    for run in ("", "_at_target", "_at_segments"):
        found = [line[f"boundaries{run}"] for line in lines]
        again = [pk(*pair) for pair in zip(gold, found, sizes, strict=True)]
        assert metrics[f"pk{run}"] == pytest.approx(sum(again) / 2)
        again = [window_diff(*pair) for pair in zip(gold, found, sizes, strict=True)]
        assert metrics[f"window_diff{run}"] == pytest.approx(sum(again) / 2)
    assert metrics["boundary_ratio"] == pytest.approx(boundary_ratio(gold, [line["boundaries"] for line in lines]))


def test_the_default_is_our_own_segmentation_and_its_settings_are_reported(tmp_path: Path) -> None:
    settings = evaluate_segmentation([write_set(tmp_path, TEXTS)]).settings
    assert settings["analyser"]
    assert cast("dict[str, float]", settings["segmentation"])["alpha"] > 0


def test_progress_is_told_after_every_text(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def progress(set_name: str, done: int, total: int, /) -> None:
        told.append((set_name, done, total))

    evaluate_segmentation([write_set(tmp_path, TEXTS)], segmenter=EveryFour(), run=Run(progress=progress))
    assert told == [("tiny.dev", 0, 2), ("tiny.dev", 1, 2), ("tiny.dev", 2, 2)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentences": []}, 'line 1: "sentences" is \\[\\]: give at least one sentence'),
        ({"sentences": "abc"}, 'line 1: "sentences" is "abc": give a list of strings'),
        ({"boundaries": [10]}, 'line 1: "boundaries" holds 10: give sentence numbers from 0 to 9'),
        ({"boundaries": [1.5]}, "give a list of whole numbers"),
        ({"id": None}, 'line 1: "id" is null'),
        ({"id": "b"}, 'line 2: "id" is "b": give an id that no other line has'),
    ],
)
def test_a_line_of_another_form_is_named(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        evaluate_segmentation([write_set(tmp_path, [TEXTS[0] | change, TEXTS[1]])], segmenter=EveryFour())


def test_options_out_of_range_are_refused(tmp_path: Path) -> None:
    path = write_set(tmp_path, TEXTS)
    for target in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InvalidValue, match="The target size is"):
            evaluate_segmentation([path], target_characters=target)
    with pytest.raises(InvalidValue, match="limit is 0"):
        evaluate_segmentation([path], run=Run(limit=0))
    with pytest.raises(InvalidValue, match="cannot be written"):
        evaluate_segmentation([path], run=Run(predictions=tmp_path / "no" / "such" / "folder"))
    with pytest.raises(UnreadableSource, match="does not exist"):
        evaluate_segmentation([tmp_path / "gone.jsonl"])


Division = tuple[frozenset[int], frozenset[int], int]


@st.composite
def divisions(draw: st.DrawFn) -> Division:
    units = draw(st.integers(1, 40))
    boundaries = st.frozensets(st.integers(1, units - 1)) if units > 1 else st.just(frozenset[int]())
    return draw(boundaries), draw(boundaries), units


def test_the_window_is_half_the_mean_segment_rounded_half_to_even_and_at_least_two() -> None:
    assert window_size([], 10) == 5
    assert window_size([5], 10) == 2
    assert window_size([3, 6], 21) == 4  # 3.5
    assert window_size([], 9) == 4  # 4.5
    assert window_size([1, 2, 3], 4) == 2


def test_pk_of_a_hand_counted_example() -> None:
    # 10 sentences, k = 2, windows (i, i+2] for i = 0..7; true boundary 5 lies in i = 3, 4; predicted 6 in i = 4, 5.
    assert pk([5], [6], 10) == pytest.approx(2 / 8)
    assert window_diff([5], [6], 10) == pytest.approx(2 / 8)


def test_window_diff_counts_what_pk_overlooks() -> None:
    # Predicted 4, 5: one boundary too many in i = 3; 4 alone also in i = 2. Pk sees the second only.
    assert pk([5], [4, 5], 10) == pytest.approx(1 / 8)
    assert window_diff([5], [4, 5], 10) == pytest.approx(2 / 8)


def test_a_text_without_a_window_scores_nothing() -> None:
    assert pk([1], [], 2) == 0
    assert window_diff([1], [], 2) == 0
    assert pk([], [], 1) == 0
    assert window_diff([], [], 0) == 0


def test_boundaries_that_are_none_are_not_counted() -> None:
    assert pk([5], [0, 5, 10, 99], 10) == 0


def test_the_ratio_is_over_the_whole_set() -> None:
    assert boundary_ratio([[1, 2], [3]], [[1], []]) == pytest.approx(1 / 3)
    assert boundary_ratio([[]], [[4, 5]]) == 2


@given(divisions())
def test_a_division_agrees_with_itself(division: Division) -> None:
    reference, _, units = division
    assert pk(reference, reference, units) == 0
    assert window_diff(reference, reference, units) == 0


@given(divisions())
def test_errors_are_shares_and_window_diff_is_the_stricter(division: Division) -> None:
    reference, predicted, units = division
    assert 0 <= pk(reference, predicted, units) <= window_diff(reference, predicted, units) <= 1


@given(divisions())
def test_reading_backwards_changes_nothing(division: Division) -> None:
    reference, predicted, units = division
    mirrored = ({units - boundary for boundary in reference}, {units - boundary for boundary in predicted})
    assert pk(*mirrored, units) == pytest.approx(pk(reference, predicted, units))
    assert window_diff(*mirrored, units) == pytest.approx(window_diff(reference, predicted, units))


@given(divisions())
def test_the_metrics_are_what_their_definitions_count(division: Division) -> None:
    reference, predicted, units = division
    size = window_size(reference, units)
    windows = [set(range(start + 1, start + size + 1)) for start in range(units - size)]
    counted = [(len(window & reference), len(window & predicted)) for window in windows]
    apart = sum((true == 0) != (found == 0) for true, found in counted)
    unlike = sum(true != found for true, found in counted)
    assert pk(reference, predicted, units) == pytest.approx(apart / max(1, len(windows)))
    assert window_diff(reference, predicted, units) == pytest.approx(unlike / max(1, len(windows)))
