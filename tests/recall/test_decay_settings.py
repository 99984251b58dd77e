import math

import pytest

from evolore.errors import InvalidValue
from evolore.recall.settings import DecaySettings


@pytest.mark.parametrize("rate", [-0.1, math.nan, math.inf])
def test_a_rate_out_of_range_is_refused(rate: float) -> None:
    with pytest.raises(InvalidValue, match="rate"):
        DecaySettings(rate=rate)


def test_nothing_need_grow_old() -> None:
    assert DecaySettings(rate=0.0).rate == 0.0
