"""What each question teaches: a row of lessons each, which a later one replaces."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from evolore.ports import Lessons
from evolore.store.columns import Column
from evolore.store.ragged import places_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

NOBODY = -1
_SPARE = 1024
_NAME_BYTES = 250
"""About what an id of 26 characters takes as a key and as a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """An arrow from a question to an episode, and who taught it.

    Args:
        target_id: The episode.
        weight: 0-1.
        is_rated: Whether it rests on a rating.
        principal: Who taught it; None for nobody in particular.
        taught_at: Since when, by what was recorded, seconds since 1970 UTC.
        taught_until: Until when: what others said later ended it. Infinite while it holds.
    """

    target_id: str
    weight: float
    is_rated: bool
    principal: str | None
    taught_at: float
    taught_until: float = inf


Taught: TypeAlias = "tuple[Lesson, ...]"


class LessonTable:
    """The lessons of questions that are numbered from 0 without gaps, in columns.

    What replaces a row is written behind all others; once more than half of what is written is replaced, the rest is
    copied together.
    """

    def __init__(self) -> None:
        self._begins = Column(np.int64)
        self._lengths = Column(np.int64)
        self._targets = Column(np.int32)
        self._weights = Column(np.float32)
        self._is_rated = Column(np.bool_)
        self._principals = Column(np.int32)
        self._taught_at = Column(np.float64)
        self._taught_until = Column(np.float64)
        self._last_change = -inf
        self._has_ended = False
        self._names: list[str] = []
        self._codes: dict[str, int] = {}
        self._who: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._begins)

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        columns = (self._begins, self._lengths, *self._values)
        return sum(one.bytes_held for one in columns) + _NAME_BYTES * (len(self._names) + len(self._who))

    @property
    def _values(self) -> tuple[Column[Any], ...]:
        return (
            self._targets,
            self._weights,
            self._is_rated,
            self._principals,
            self._taught_at,
            self._taught_until,
        )

    def append(self, taught: Sequence[Taught]) -> None:
        """Add questions behind the others."""
        lengths = np.array([len(row) for row in taught], dtype=np.int64)
        self._begins.append(len(self._targets) + np.cumsum(lengths) - lengths)
        self._lengths.append(lengths)
        self._write([lesson for row in taught for lesson in row])

    def replace(self, number: int, row: Taught) -> None:
        """Let a question teach something else."""
        self._begins.rows[number], self._lengths.rows[number] = len(self._targets), len(row)
        self._write(row)
        self._tidy()

    def move_last(self, number: int) -> None:
        """Let the last question take the place of another, which goes."""
        self._begins.move_last(number)
        self._lengths.move_last(number)
        self._tidy()

    def of(self, numbers: npt.NDArray[np.int32], *, as_of: float | None = None) -> Lessons:
        """Give what some questions taught at a moment, or teach now, one behind the other."""
        lengths = self._lengths.rows[numbers]
        places = places_in(self._begins.rows[numbers], lengths)
        rows = np.repeat(np.arange(numbers.size, dtype=np.int32), lengths)
        if not self._all_hold(as_of):
            holds = self._hold(places, as_of)
            places, rows = places[holds], rows[holds]
        return Lessons(
            rows=rows,
            target_ids=self._named(self._targets.rows[places]),
            weights=self._weights.rows[places],
            is_rated=self._is_rated.rows[places],
            principals=self._principals.rows[places],
            taught_at=self._taught_at.rows[places],
        )

    def teaching(self, as_of: float | None = None) -> npt.NDArray[np.bool_] | None:
        """Tell which questions taught anything at a moment, or do now; None for all."""
        if self._all_hold(as_of):
            return None
        lengths = self._lengths.rows
        places = places_in(self._begins.rows, lengths)
        whose = np.repeat(np.arange(lengths.size, dtype=np.int32), lengths)
        found = np.zeros(lengths.size, dtype=np.bool_)
        found[whose[self._hold(places, as_of)]] = True
        return found

    def _all_hold(self, as_of: float | None) -> bool:
        return not self._has_ended and (as_of is None or as_of >= self._last_change)

    def _hold(self, places: npt.NDArray[np.int64], as_of: float | None) -> npt.NDArray[np.bool_]:
        until = self._taught_until.rows[places]
        if as_of is None or as_of >= self._last_change:
            return np.isinf(until)
        return (self._taught_at.rows[places] <= as_of) & (as_of < until)

    def _write(self, lessons: Sequence[Lesson]) -> None:
        self._targets.append(np.array([self._code(one.target_id) for one in lessons], dtype=np.int32))
        self._weights.append(np.array([one.weight for one in lessons], dtype=np.float32))
        self._is_rated.append(np.array([one.is_rated for one in lessons], dtype=np.bool_))
        self._principals.append(np.array([self._number(one.principal) for one in lessons], dtype=np.int32))
        begins = np.array([one.taught_at for one in lessons], dtype=np.float64)
        ends = np.array([one.taught_until for one in lessons], dtype=np.float64)
        self._taught_at.append(begins)
        self._taught_until.append(ends)
        ended = ends[np.isfinite(ends)]
        self._last_change = max(self._last_change, begins.max(initial=-inf), ended.max(initial=-inf))
        self._has_ended = self._has_ended or bool(ended.size)

    def _named(self, codes: npt.NDArray[np.int32]) -> list[str]:
        places: list[int] = codes.tolist()
        return [self._names[place] for place in places]

    def _code(self, name: str) -> int:
        code = self._codes.setdefault(name, len(self._names))
        if code == len(self._names):
            self._names.append(name)
        return code

    def _number(self, principal: str | None) -> int:
        return NOBODY if principal is None else self._who.setdefault(principal, len(self._who))

    def _tidy(self) -> None:
        """Copy what still counts together, once most does not; names that no lesson has are forgotten."""
        lengths = self._lengths.rows
        count = int(lengths.sum())
        if len(self._targets) <= 2 * count + _SPARE:
            return
        places = places_in(self._begins.rows, lengths)
        for column in self._values:
            column.keep(places)
        self._begins.rows[:] = np.cumsum(lengths) - lengths
        names = self._named(self._targets.rows)
        self._names, self._codes = [], {}
        self._targets.rows[:] = [self._code(name) for name in names]
