"""What vectors say around a centre."""

from __future__ import annotations

import numpy as np
import pytest

from evolore.text.vectors import centred, logistic, unit


def test_what_all_vectors_share_is_taken_out_and_the_rest_has_unit_length() -> None:
    vectors = unit(np.array([[1.0, 1.0], [1.0, -1.0]]))
    moved = centred(vectors, vectors.mean(axis=0))
    assert np.linalg.norm(moved, axis=1) == pytest.approx(1.0)
    assert float(moved[0] @ moved[1]) == pytest.approx(-1.0)


def test_a_vector_that_is_the_centre_has_no_direction() -> None:
    vectors = unit(np.array([[1.0, 0.0]]))
    assert centred(vectors, vectors[0]).tolist() == [[0.0, 0.0]]


def test_each_vector_can_have_a_centre_of_its_own() -> None:
    vectors = unit(np.array([[1.0, 1.0], [1.0, 1.0]]))
    moved = centred(vectors, np.array([[0.5, 0.0], [0.0, 0.5]], dtype=np.float32))
    assert moved[0].tolist() == moved[1].tolist()[::-1]


def test_log_odds_become_probabilities_without_overflow() -> None:
    found = logistic([-1e9, -1.0, 0.0, 1.0, 1e9])
    assert found[0] < 1e-9
    assert found[4] == pytest.approx(1.0)
    assert found[1] + found[3] == pytest.approx(1.0)
