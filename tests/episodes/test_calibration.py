"""What a cosine means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.episodes.calibration import Calibration
from evolore.errors import InvalidValue
from evolore.text.vectors import unit

COSINES = st.floats(-1.0, 1.0)


def scale(*, slope: float = 15.0, offset: float = -2.0, texts: int = 300) -> Calibration:
    return Calibration(
        centre=np.array([0.5, 0.0, 0.0], dtype=np.float32),
        slope=slope,
        offset=offset,
        copies=np.linspace(0.6, 1.0, 101),
        texts=texts,
    )


@given(COSINES, COSINES)
def test_what_lies_closer_is_at_least_as_likely_of_one_matter_and_as_much_a_copy(one: float, other: float) -> None:
    near, far = max(one, other), min(one, other)
    calibration = scale()
    assert calibration.probability(near) >= calibration.probability(far)
    assert calibration.duplicate_share(near) >= calibration.duplicate_share(far)


@given(COSINES)
def test_every_figure_stays_in_its_range(cosine: float) -> None:
    calibration = scale()
    assert 0.0 <= float(calibration.probability(cosine)) <= 1.0
    assert 0.0 <= float(calibration.duplicate_share(cosine)) <= 1.0
    assert 0.7 <= float(calibration.s_dup(cosine)) <= 1.0


def test_the_seeds_threshold_for_merging_is_the_median_copy() -> None:
    calibration = scale()
    assert float(calibration.duplicate_share(0.8)) == pytest.approx(0.5)
    assert float(calibration.s_dup(0.8)) == pytest.approx(0.85)


def test_cosines_do_not_depend_on_what_else_is_compared() -> None:
    vectors = unit(np.random.default_rng(0).normal(size=(20, 3)))
    together = scale().cosines(vectors, vectors)
    alone = scale().cosines(vectors[:1], vectors[:1])
    assert alone[0, 0] == together[0, 0]
    assert np.array_equal(together, np.round(together, 4))


def test_what_is_kept_comes_back_to_the_last_bit() -> None:
    calibration = scale(slope=1 / 3, texts=7)
    again = Calibration.from_arrays(calibration.to_arrays())
    assert (again.slope, again.offset, again.texts) == (calibration.slope, calibration.offset, 7)
    assert again.centre.tobytes() == calibration.centre.tobytes()
    assert again.copies.tobytes() == calibration.copies.tobytes()


def test_arrays_of_another_form_or_with_a_gap_are_refused() -> None:
    arrays = scale().to_arrays()
    with pytest.raises(InvalidValue, match="lacks curve: calibrate again"):
        Calibration.from_arrays({name: array for name, array in arrays.items() if name != "curve"})
    with pytest.raises(InvalidValue, match="form 99, not 1: calibrate again"):
        Calibration.from_arrays(arrays | {"form": np.array([99.0])})


def test_values_that_are_no_scale_are_refused() -> None:
    with pytest.raises(InvalidValue, match="give a slope above 0"):
        scale(slope=0.0)
    with pytest.raises(InvalidValue, match="give a slope above 0"):
        scale(offset=float("nan"))
    with pytest.raises(InvalidValue, match="texts is -1"):
        scale(texts=-1)
    with pytest.raises(InvalidValue, match="ascending"):
        Calibration(centre=np.zeros(2, dtype=np.float32), slope=1.0, offset=0.0, copies=np.array([0.9, 0.1]), texts=0)
    with pytest.raises(InvalidValue, match="one finite vector"):
        Calibration(centre=np.zeros((2, 2), dtype=np.float32), slope=1.0, offset=0.0, copies=np.ones(2), texts=0)


def test_an_embedder_nobody_calibrated_merges_only_the_same_and_finds_one_matter() -> None:
    unknown = Calibration.unknown(3)
    assert float(unknown.s_dup(0.9999)) == 0.7
    assert float(unknown.s_dup(1.0)) == 1.0
    assert float(unknown.probability(-1.0)) > 0.5
