import pytest

from evolore.domain.answers import Intent
from evolore.errors import InvalidValue
from evolore.recall.decay_settings import DecaySettings


def test_technical_matters_grow_old_faster_than_facts_and_facts_than_feelings() -> None:
    rates = [DecaySettings().rate(one) for one in (Intent.TECHNICAL, Intent.FACTUAL, Intent.EMOTIONAL)]
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [("floor", 1.5), ("matter", -0.1), ("penalty", -1.0), ("technical", float("nan")), ("candidates", 0)],
)
def test_what_is_out_of_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(InvalidValue, match=name):
        DecaySettings(**{name: value})
