from collections.abc import Callable

import pytest

from evolore.domain.answers import Intent
from evolore.errors import InvalidValue
from evolore.recall.decay_settings import DecaySettings


def test_technical_matters_grow_old_faster_than_facts_and_facts_than_feelings() -> None:
    rates = [DecaySettings().rate(one) for one in (Intent.TECHNICAL, Intent.FACTUAL, Intent.EMOTIONAL)]
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) == 3


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (lambda: DecaySettings(floor=1.5), "floor"),
        (lambda: DecaySettings(matter=-0.1), "matter"),
        (lambda: DecaySettings(penalty=-1.0), "penalty"),
        (lambda: DecaySettings(technical=float("nan")), "technical"),
        (lambda: DecaySettings(candidates=0), "candidates"),
    ],
)
def test_what_is_out_of_range_is_refused(wrong: Callable[[], DecaySettings], name: str) -> None:
    with pytest.raises(InvalidValue, match=name):
        wrong()
