"""The seed's cost as terms: the same order, and nothing falls below what was not weighed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.cost import seed_cost, weigh_by_cost

ROWS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 4), st.integers(0, 60)), min_size=1, max_size=12)


@given(ROWS, st.sampled_from([(0.3, 0.6, 0.1), (0.5, 0.2, 0.3), (0.3, 0.1, 0.6)]))
def test_scores_fall_as_the_cost_rises(rows: list[tuple[int, int, int]], weights: tuple[float, float, float]) -> None:
    scores, felt, ages = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    arousal = felt / 4
    terms = weigh_by_cost(scores.astype(np.float32), arousal=arousal.astype(np.float32), age_days=ages, weights=weights)
    assert all((term >= 0).all() for term in terms)
    unit = float(np.ptp(scores)) or 1.0
    cost = seed_cost(1 - (scores - scores.min()) / unit, arousal, ages, weights=weights).total
    score = scores + terms[0] + terms[1]
    assert np.ptp(score * weights[0] / unit + cost) < 1e-5


def test_no_candidates_have_no_terms() -> None:
    none = np.zeros(0, dtype=np.float32)
    assert [term.size for term in weigh_by_cost(none, arousal=none, age_days=np.zeros(0), weights=(1, 1, 1))] == [0, 0]
