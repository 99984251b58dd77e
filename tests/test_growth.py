from __future__ import annotations

import pytest

from growth import assert_in_proportion


def test_what_grows_with_the_length_passes() -> None:
    assert_in_proportion(lambda size: sum(range(size)), 500_000)


def test_what_grows_with_the_square_fails() -> None:
    with pytest.raises(AssertionError, match="more than 8 times as long"):
        assert_in_proportion(lambda size: [sum(range(size)) for _ in range(size)], 2_000)
