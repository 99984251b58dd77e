"""Finding calibrations in a user's own texts."""

from __future__ import annotations

import numpy as np
import pytest

from evolore.episodes.calibration import ENOUGH_TEXTS, Calibration, Sample, fit, fit_curve, is_due, thinned
from evolore.errors import InvalidValue
from evolore.text.vectors import unit

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
