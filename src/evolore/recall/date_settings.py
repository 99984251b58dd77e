"""What the ranking of recall can be told about dates."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from evolore.domain.checks import check_share
from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class DateSettings:
    """How much dates count.

    Args:
        date_weight: What an item gains whose time is the one that was asked for, in the unit of scores, at least 0.
        alone_weight: What it gains where the question names nothing but the time, in the same unit, at least 0.
        spread_cost: What each further item of a day loses then, so that the days of the time take turns, in the same unit, at
            least 0.
        dated_share: Part of it that an item gains by naming any date where a question asks when something was, 0–1.
        near_share: Part of it that is left right beside what was asked for; it fades with the distance, 0–1.
        breadth_exponent: How fast it falls where an item speaks of a longer time than was asked for: by the share that
            was asked for to this power, 0–1.
        order_weight: What the first or last of the best gains where a question asks for it, in the same unit, at
            least 0.
        southern: Whether seasons are those of the southern hemisphere.
    """

    date_weight: float = 0.25
    alone_weight: float = 2.0
    spread_cost: float = 0.05
    dated_share: float = 0.4
    near_share: float = 0.5
    breadth_exponent: float = 0.25
    order_weight: float = 0.035
    southern: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value: float = getattr(self, field.name)
            if field.name in {"date_weight", "order_weight", "alone_weight", "spread_cost"}:
                if not (math.isfinite(value) and value >= 0.0):
                    raise InvalidValue(f"{field.name} is {value}: give a finite number of at least 0.")
            elif field.name != "southern":
                check_share(value, field.name)
