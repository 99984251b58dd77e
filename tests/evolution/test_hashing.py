from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolore.evolution.hashing import hashed_share


@given(st.lists(st.text(), max_size=4))
def test_a_share_is_from_0_to_below_1_and_always_the_same(parts: list[str]) -> None:
    assert 0.0 <= hashed_share(*parts) < 1.0
    assert hashed_share(*parts) == hashed_share(*parts)


def test_it_is_this_number_for_ever() -> None:
    """Who was assigned by an older version stays where they are."""
    assert hashed_share("evolore.canary", "candidate", "mika") == 0.16835647680851706


def test_where_one_part_ends_matters() -> None:
    assert hashed_share("ab", "c") != hashed_share("a", "bc")


def test_shares_are_spread_evenly() -> None:
    shares = [hashed_share("x", str(at)) for at in range(5000)]
    tenths = [sum(at / 10 <= share < (at + 1) / 10 for share in shares) for at in range(10)]
    assert all(420 < count < 580 for count in tenths)
