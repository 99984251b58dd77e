import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore_evaluation.segmentation import boundary_ratio, pk, window_diff, window_size

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
