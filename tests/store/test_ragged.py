"""Rows of different lengths: whatever was appended and dropped, they are the rows that are left."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolore.index.arrays import Ragged

ROWS = st.lists(st.lists(st.integers(-9, 9), max_size=4), max_size=6)


def filled(rows: list[list[int]]) -> Ragged[np.int32]:
    made = Ragged(np.int32)
    append(made, rows)
    return made


def append(made: Ragged[np.int32], rows: list[list[int]]) -> None:
    values = np.array([value for row in rows for value in row], dtype=np.int32)
    made.append(np.array([len(row) for row in rows], dtype=np.int64), values)


def listed(made: Ragged[np.int32]) -> list[list[int]]:
    starts, values = made.take(np.arange(len(made)))
    assert starts.tolist() == made.starts.tolist()
    return [values[a:b].tolist() for a, b in pairwise(starts.tolist())]


@given(ROWS, ROWS, st.data())
def test_rows_are_kept_and_appended_as_lists_are(
    first: list[list[int]], then: list[list[int]], data: st.DataObject
) -> None:
    kept = [place for place in range(len(first)) if data.draw(st.booleans())]
    made = filled(first)
    assert listed(made) == first
    made.keep(np.array(kept, dtype=np.intp))
    append(made, then)
    assert listed(made) == [first[place] for place in kept] + then


@given(ROWS.filter(bool), st.data())
def test_rows_are_taken_in_the_order_asked(rows: list[list[int]], data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    starts, values = filled(rows).take(np.array(asked, dtype=np.intp))
    found = [values[a:b].tolist() for a, b in pairwise(starts.tolist())]
    assert found == [rows[place] for place in asked]
