"""Exact vectors: however they are held and whatever was dropped, the cosine is the cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.index.arrays import Column
from evolore.index.vectors import ExactVectors, half_products

if TYPE_CHECKING:
    import numpy.typing as npt

DIMENSION = 8


def rows_of(count: int, seed: int = 0) -> npt.NDArray[np.float16]:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


STEPS = st.lists(st.tuples(st.sampled_from(["append", "keep"]), st.integers(0, 12)), max_size=8)


@given(steps=STEPS, half_above=st.sampled_from([0, 5, 100]))
def test_any_history_compares_as_the_rows_do(steps: list[tuple[str, int]], half_above: int) -> None:
    vectors, expected = ExactVectors(DIMENSION, half_above=half_above), rows_of(0)
    for seed, (verb, number) in enumerate(steps):
        if verb == "append":
            vectors.append(rows_of(number, seed))
            expected = np.concatenate((expected, rows_of(number, seed)))
        else:
            kept = np.flatnonzero(np.arange(len(expected)) % 13 != number)
            vectors.keep(kept)
            expected = expected[kept]
    question = rows_of(1, 99)[0].astype(np.float32)
    assert len(vectors) == len(expected)
    assert np.array_equal(vectors.half_rows(), expected)
    cosines = expected.astype(np.float32) @ question
    assert np.allclose(vectors.similarities(question), cosines, atol=1e-5)
    some = np.flatnonzero(np.arange(len(expected)) % 3 == 1).astype(np.int32)
    assert np.allclose(vectors.similarities_of(question, some), cosines[some], atol=1e-5)
    assert np.array_equal(vectors.rows_of(some), expected[some].astype(np.float32))


def test_many_take_half_the_memory_of_few() -> None:
    few, many = ExactVectors(DIMENSION, half_above=1000), ExactVectors(DIMENSION, half_above=0)
    for vectors in (few, many):
        vectors.append(rows_of(500))
    assert many.bytes_held * 2 == few.bytes_held


def test_rows_handed_out_do_not_change_when_others_come_and_go() -> None:
    vectors = ExactVectors(DIMENSION, half_above=0)
    vectors.append(rows_of(5))
    rows = vectors.half_rows()
    vectors.append(rows_of(500, 1))
    vectors.keep(np.arange(3, 400))
    vectors.append(rows_of(2, 2))
    assert np.array_equal(rows, rows_of(5))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_products_are_those_of_the_halves(count: int) -> None:
    question = rows_of(1, 7)[0].astype(np.float32)
    assert np.allclose(half_products(rows_of(count), question), rows_of(count).astype(np.float32) @ question, atol=1e-5)


def test_a_column_grows_by_less_than_half() -> None:
    column = Column(np.int32)
    for number in range(1000):
        column.append(np.array([number], dtype=np.int32))
    assert column.rows.tolist() == list(range(1000))
    assert column.bytes_held <= 1000 * 4 * 1.5
