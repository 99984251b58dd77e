import math
from collections.abc import Callable

import pytest

from evolore.errors import InvalidValue
from evolore.recall.decay_settings import DecaySettings


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (lambda: DecaySettings(rate=-0.1), "rate"),
        (lambda: DecaySettings(rate=math.nan), "rate"),
        (lambda: DecaySettings(penalty=-1.0), "penalty"),
        (lambda: DecaySettings(reach=-1.0), "reach"),
        (lambda: DecaySettings(margin=math.inf), "margin"),
        (lambda: DecaySettings(arousal_gap=1.5), "arousal_gap"),
        (lambda: DecaySettings(candidates=0), "candidates"),
    ],
)
def test_what_is_out_of_range_is_refused(wrong: Callable[[], DecaySettings], name: str) -> None:
    with pytest.raises(InvalidValue, match=name):
        wrong()


def test_the_ends_of_the_ranges_are_taken() -> None:
    settings = DecaySettings(rate=0.0, candidates=1, penalty=0.0, reach=0.0, margin=0.0, arousal_gap=1.0)
    assert (settings.rate, settings.arousal_gap) == (0.0, 1.0)
