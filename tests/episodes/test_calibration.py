"""What a cosine means.

Finding calibrations in a user's own texts.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.episodes.calibration import ENOUGH_TEXTS, TYPICAL, Calibration, Sample, fit, fit_curve, is_due, thinned
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
    with pytest.raises(InvalidValue, match="use a slope above 0"):
        scale(slope=0.0)
    with pytest.raises(InvalidValue, match="use a slope above 0"):
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


DIMENSION = 24


def sample(sections: int, *, each: int = 6, spread: float = 0.8, seed: int = 0, mixed: bool = False) -> Sample:
    """Draw texts of sections, all pushed to one side as real embedders push them; mixed sections say nothing."""
    chance = np.random.default_rng(seed)
    middles = np.repeat(chance.normal(size=(sections, DIMENSION)), each, axis=0)
    vectors = unit(2.0 + middles + spread * chance.normal(size=middles.shape))
    numbers = np.repeat(np.arange(sections), each)
    copies = unit(vectors + 0.02 * chance.normal(size=vectors.shape))
    matters = chance.permutation(numbers) if mixed else numbers
    return Sample(vectors=vectors, matters=matters, documents=numbers // 2, copies=copies)


def before() -> Calibration:
    return Calibration(
        centre=np.zeros(DIMENSION, dtype=np.float32), slope=9.0, offset=-3.0, copies=np.linspace(0.5, 1.0, 11), texts=50
    )


def test_a_large_corpus_is_calibrated_from_itself_alone() -> None:
    texts = sample(60)
    assert len(texts.vectors) >= ENOUGH_TEXTS
    one, other = fit(texts, before=before()), fit(texts, before=Calibration.unknown(DIMENSION))
    assert (one.slope, one.offset) == (other.slope, other.offset)
    assert one.centre == pytest.approx(texts.vectors.mean(axis=0))
    assert one.texts == 360


def test_texts_of_one_section_are_likelier_of_one_matter_than_texts_of_two_documents() -> None:
    texts = sample(60)
    found = fit(texts, before=before())
    likely = found.probability(found.cosines(texts.vectors, texts.vectors))
    same = texts.matters[:, None] == texts.matters
    apart = texts.documents[:, None] != texts.documents
    np.fill_diagonal(same, val=False)
    assert likely[same].mean() > 0.8
    assert likely[apart].mean() < 0.2


def test_the_middle_copy_lies_at_half_the_copies() -> None:
    texts = sample(60)
    found = fit(texts, before=before())
    cosines = np.diag(found.cosines(texts.vectors, texts.copies))
    assert float(found.duplicate_share(np.median(cosines))) == pytest.approx(0.5, abs=0.02)


def test_a_small_corpus_moves_what_ships_part_of_the_way() -> None:
    small, large = fit(sample(12, each=8), before=before()), fit(sample(60), before=before())
    assert min(9.0, large.slope) < small.slope < max(9.0, large.slope)
    share = 96 / ENOUGH_TEXTS
    assert small.centre == pytest.approx(share * sample(12, each=8).vectors.mean(axis=0), abs=1e-6)


def test_a_handful_of_texts_keeps_the_curve_that_ships() -> None:
    found = fit(sample(2, each=3), before=before())
    assert (found.slope, found.offset) == (9.0, -3.0)
    assert np.array_equal(found.copies, before().copies)


def test_an_embedder_nobody_calibrated_leans_on_nothing_from_its_first_texts_on() -> None:
    texts = sample(12, each=4)
    found = fit(texts, before=Calibration.unknown(DIMENSION))
    assert found.centre == pytest.approx(texts.vectors.mean(axis=0))
    other = sample(60, seed=1)  # of the same embedder: pushed to the same side
    likely = found.probability(found.cosines(other.vectors, other.vectors))
    assert likely[other.documents[:, None] != other.documents].mean() < 0.5
    share = float(found.duplicate_share(np.median(np.diag(found.cosines(texts.vectors, texts.copies)))))
    assert share == pytest.approx(0.5, abs=0.03)


def test_where_nothing_tells_matters_apart_an_unknown_embedder_gets_the_typical_curve() -> None:
    vectors = sample(60).vectors
    alone = np.arange(len(vectors))  # statements without a session: each stands for itself
    found = fit(
        Sample(vectors=vectors, matters=alone, documents=alone, copies=vectors),
        before=Calibration.unknown(DIMENSION),
    )
    assert (found.slope, found.offset) == TYPICAL


def test_no_text_changes_nothing() -> None:
    empty = np.empty((0, DIMENSION), dtype=np.float32)
    none = np.empty(0, dtype=np.int64)
    earlier = before()
    assert fit(Sample(vectors=empty, matters=none, documents=none, copies=empty), before=earlier) is earlier


def test_sections_that_say_nothing_of_matters_leave_a_curve_that_rises() -> None:
    for seed in range(5):
        assert fit(sample(60, seed=seed, mixed=True), before=before()).slope > 0.0


def test_the_same_texts_give_the_same_calibration_to_the_last_bit() -> None:
    one, other = (fit(sample(30), before=before()).to_arrays() for _ in range(2))
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_the_curve_is_refitted_when_the_corpus_has_grown_by_half() -> None:
    fitted = fit(sample(60), before=before()).texts
    assert not is_due(fitted, 539)
    assert is_due(fitted, 540)


def test_both_kinds_of_pairs_weigh_the_same_however_many_there_are() -> None:
    few, many = np.array([0.6, 0.2]), np.tile([0.3, -0.1], 500)
    cosines, same = np.concatenate([few, many]), np.arange(1002) < 2
    slope, offset = fit_curve(cosines, same)
    assert slope > 0.0
    assert -offset / slope == pytest.approx(0.25, abs=0.02)


def test_kinds_that_a_number_separates_give_a_finite_curve() -> None:
    slope, offset = fit_curve(np.array([0.9, 0.8, 0.1, 0.0]), np.array([True, True, False, False]))
    assert np.isfinite([slope, offset]).all()
    assert slope > 0.0


def test_a_thinned_text_has_lost_some_15_per_cent_and_kept_the_order() -> None:
    words = [f"word{number}" for number in range(200)]
    kept = thinned(" ".join(words)).split()
    assert len(kept) == 170
    assert kept == [word for word in words if word in set(kept)]


def test_a_word_alone_is_not_lost() -> None:
    assert thinned("Osaka") == "Osaka"
    assert thinned("") == ""


def test_counts_that_do_not_fit_are_refused() -> None:
    texts = sample(4)
    with pytest.raises(InvalidValue, match="24 vectors have 23 matters"):
        Sample(vectors=texts.vectors, matters=texts.matters[1:], documents=texts.documents, copies=texts.copies)
