"""The best of many: the same as by sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolore.recall.ranking import at_the_top

if TYPE_CHECKING:
    import numpy.typing as npt

FEW = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
VALUES = arrays(np.float32, st.integers(0, 400), elements=st.one_of(FEW, st.floats(-4, 4, width=32)))


@given(values=VALUES, count=st.integers(1, 60))
def test_the_best_are_those_that_sorting_finds(values: npt.NDArray[np.float32], count: int) -> None:
    least = np.sort(values)[-count] if count <= values.size else -np.inf
    assert at_the_top(values, count).tolist() == np.flatnonzero(values >= least).tolist()
