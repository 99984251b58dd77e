"""Facts that an index knows of each item by itself: how strongly it was felt, what it is about, which days it speaks of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

import numpy as np

from evolore.domain.episode import EpisodeState
from evolore.domain.language import Language
from evolore.index.arrays import Arrays, CodedColumn, Column, Ragged, bytes_of
from evolore.ports import ItemPeriods
from evolore.text.vectors import Bools, Float32s, Intps

_STATES = {state.value: number for number, state in enumerate(EpisodeState)}
_LANGUAGES = {language.value: number for number, language in enumerate(Language)}
_UNKNOWN = 255
"""A state or language that is invalid: `doctor` reports it, and reading the episode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changing:
    """What may change of one item while it stays where it is; events report it."""

    arousal: float | None  #: As it was given, or changed since; None where it was not.
    state: str  #: Whether it holds now.
    stands_until: float  #: When it was replaced, seconds since 1970 UTC; infinite while it is current.
    valid_to: float  #: Until when what it says holds, in the same unit.

    @property
    def is_hidden(self) -> bool:
        """Whether it is not current."""
        return self.stands_until < math.inf or self.state == EpisodeState.REVOKED.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of one item."""

    arousal: float | None = None  #: As it was given, or changed since; None where it was not.
    estimate: float | None = None  #: As its words were taken; None where they were not.
    #: The calendar day it happened on, where it did, as ``date.toordinal`` counts; 0 where it is not known.
    day: int = 0
    state: str = EpisodeState.ACTIVE.value  #: Whether it holds now.
    language: str = Language.UND.value  #: What it is written in.
    is_question: bool = False  #: Whether it was said and ends by asking.
    is_passage: bool = False  #: Whether it is in a document.
    is_made: bool = False  #: Whether a merge or split made it.
    about: str | None = None  #: A name for what it is about; None for nothing in particular.
    periods: tuple[tuple[int, int], ...] = ()  #: First and last day of each period it speaks of, as ordinals.
    stands_until: float = math.inf  #: When it was replaced, seconds since 1970 UTC; infinite while it is current.
    valid_to: float = math.inf  #: Until when what it says holds, in the same unit.


class FactTable:
    """The facts of a namespace's items, in the order of the items: 44 bytes an item, and 8 a period.

    Its columns hold the fields of ``Facts``. ``given`` is the stated arousal and ``estimates`` the estimated one, NaN where
    there is none; ``states`` and ``languages`` are places in ``EpisodeState`` and ``Language``.
    """

    def __init__(self) -> None:
        self.given = Column(np.float32)
        self.estimates = Column(np.float32)
        self.days = Column(np.int32)
        self.states = Column(np.uint8)
        self.languages = Column(np.uint8)
        self.is_question = Column(np.bool_)
        self.is_passage = Column(np.bool_)
        self.is_made = Column(np.bool_)
        self.stands_until = Column(np.float64)
        self.valid_to = Column(np.float64)
        self.about = CodedColumn()
        self._periods = Ragged(np.int32, width=2)

    @property
    def arousal(self) -> Float32s:
        """What was given, or else the estimate, NaN where there is neither, shape (items,)."""
        return np.where(self.is_arousal_given, self.given.rows, self.estimates.rows)

    @property
    def is_arousal_given(self) -> Bools:
        """Whether an item's arousal is no estimate, shape (items,)."""
        return ~np.isnan(self.given.rows)

    @property
    def periods(self) -> ItemPeriods:
        """The periods each speaks of."""
        days = self._periods.values
        return ItemPeriods(starts=self._periods.starts, first=days[:, 0].copy(), last=days[:, 1].copy())

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return bytes_of(*self._columns.values(), self.about, self._periods)

    @property
    def _columns(self) -> Mapping[str, Column[Any]]:
        return {name: cast("Column[Any]", one) for name, one in vars(self).items() if isinstance(one, Column)}

    def append(self, facts: Sequence[Facts]) -> None:
        """Add items behind the others."""
        self.given.append(_floats([one.arousal for one in facts]))
        self.estimates.append(_floats([one.estimate for one in facts]))
        self.days.append(np.array([one.day for one in facts], dtype=np.int32))
        self.states.append(np.array([_STATES.get(one.state, _UNKNOWN) for one in facts], dtype=np.uint8))
        self.languages.append(np.array([_LANGUAGES.get(one.language, _UNKNOWN) for one in facts], dtype=np.uint8))
        self.is_made.append(np.array([one.is_made for one in facts], dtype=np.bool_))
        self.is_passage.append(np.array([one.is_passage for one in facts], dtype=np.bool_))
        self.is_question.append(np.array([one.is_question for one in facts], dtype=np.bool_))
        self.stands_until.append(np.array([one.stands_until for one in facts], dtype=np.float64))
        self.valid_to.append(np.array([one.valid_to for one in facts], dtype=np.float64))
        self.about.append(one.about for one in facts)
        lengths = np.array([len(one.periods) for one in facts], dtype=np.int64)
        days = np.array(list(chain.from_iterable(one.periods for one in facts)), dtype=np.int32)
        self._periods.append(lengths, days.reshape(-1, 2))

    def change(self, numbers: Sequence[int], changes: Sequence[Changing]) -> None:
        """Update what may have changed of some items."""
        places = np.array(numbers, dtype=np.intp)
        self.given.rows[places] = _floats([one.arousal for one in changes])
        self.states.rows[places] = np.array([_STATES.get(one.state, _UNKNOWN) for one in changes], dtype=np.uint8)
        self.stands_until.rows[places] = np.array([one.stands_until for one in changes], dtype=np.float64)
        self.valid_to.rows[places] = np.array([one.valid_to for one in changes], dtype=np.float64)

    def keep(self, kept: Intps) -> None:
        """Keep these items, in this order, and drop the others."""
        for column in self._columns.values():
            column.keep(kept)
        self.about.keep(kept)
        self._periods.keep(kept)

    def state(self) -> Arrays:
        """Return all it knows, as arrays that nothing changes later."""
        plain = {name: column.rows.copy() for name, column in self._columns.items()}
        lengths, days = np.diff(self._periods.starts), self._periods.values.copy()
        about = {f"about {name}": array for name, array in self.about.state().items()}
        return plain | about | {"period_lengths": lengths, "period_days": days}

    @classmethod
    def restored(cls, state: Arrays) -> FactTable:
        """Make one from another's ``state``."""
        table = cls()
        for name, column in table._columns.items():
            column.append(state[name])
        table.about = CodedColumn.restored({name: state[f"about {name}"] for name in ("numbers", "names")})
        table._periods.append(state["period_lengths"], state["period_days"].reshape(-1, 2))
        return table


def _floats(values: Sequence[float | None]) -> Float32s:
    """Write None as NaN."""
    return np.array(values, dtype=np.float32)
