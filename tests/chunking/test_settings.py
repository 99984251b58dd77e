from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.chunking.settings import ChunkSettings, SegmentationSettings
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ChunkSettings(max_size=5), "max_size is 5"),
        (lambda: ChunkSettings(target_size=2000), "target_size 2000"),
        (lambda: ChunkSettings(min_size=-1), "min_size is -1"),
        (lambda: SegmentationSettings(alpha=float("inf")), "alpha is inf"),
        (lambda: SegmentationSettings(tokens_per_price=0.0), "tokens_per_price is 0.0"),
        (lambda: SegmentationSettings(boundary_price=-0.1), "boundary_price is -0.1"),
        (lambda: SegmentationSettings(length_weight=-0.1), "length_weight is -0.1"),
        (lambda: SegmentationSettings(price_growth=-0.1), "price_growth is -0.1"),
        (lambda: SegmentationSettings(once_weight=0.0), "once_weight is 0.0"),
        (lambda: SegmentationSettings(once_weight=1.1), "once_weight is 1.1"),
        (lambda: SegmentationSettings(back_reference_surcharge=-1.0), "back_reference_surcharge is -1.0"),
        (lambda: SegmentationSettings(overview_discount=-1.0), "overview_discount is -1.0"),
        (lambda: SegmentationSettings(pair_weight=1.0), "pair_weight is 1.0"),
        (lambda: SegmentationSettings(longest_units=0), "longest_units is 0"),
        (lambda: SegmentationSettings(longest_units=257), "longest_units is 257"),
    ],
)
def test_a_setting_outside_its_range_is_refused_with_its_value(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()


def test_the_defaults_are_valid() -> None:
    assert ChunkSettings().max_size == 1000
    assert SegmentationSettings().alpha == 0.5
