"""Input of a namespace's indexes: its rows at one moment, and those that came since a place in its log."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol, TypeAlias

from evolore.index.facts import Changing, Facts
from evolore.index.items import Item
from evolore.text.vectors import Float16s


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewItems:
    """Items that enter the indexes: one behind the other, in the order of the log."""

    named: Sequence[str]  #: What this part of the log names: the episodes that entered, and those that left.
    items: Sequence[Item]  #: Where each is, and who said it when.
    facts: Sequence[Facts]  #: What else is known of each.
    names: Sequence[Sequence[str]]  #: The names each holds.
    tokens: Sequence[Sequence[str]]  #: The words each holds, as the analyser cut them.
    payload_ids: Sequence[str]  #: Whose vectors they are.
    vectors: Float16s  #: Of unit length, shape (items, dimension).


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """An arrow from a question to an episode, and who taught it."""

    target_id: str  #: The episode.
    weight: float  #: 0-1.
    is_rated: bool  #: Whether it rests on a rating.
    principal: str | None  #: Who taught it; None if unknown.
    taught_at: float  #: Since when, by what was recorded, seconds since 1970 UTC.
    taught_until: float = inf  #: Until when: what others said later ended it. Infinite while it holds.


Taught: TypeAlias = "tuple[Lesson, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedQuestion:
    """A question that was touched, and what it teaches and taught."""

    id: str  #: Which.
    asked_at: float  #: When it was asked, seconds since 1970 UTC.
    lessons: Taught  #: By episode, then by principal; none where all that it taught was taken back.


class Feed(Protocol):
    """One namespace at one moment, as the keeper of its rows reports them."""

    @property
    def ns(self) -> int:
        """The namespace's number."""
        ...

    @property
    def identity(self) -> str:
        """What distinguishes the namespace from all others, also from one that had its number before."""
        ...

    def ends(self) -> tuple[int, int]:
        """Return the last numbers of the indexes' log and of the events; 0 where there is none."""
        ...

    def last_given(self) -> int:
        """Return the last number of the log that was ever given."""
        ...

    def items(self, *, after: int) -> Generator[NewItems]:
        """Return what entered or left behind a number of the log, each episode once, in parts."""
        ...

    def changes(self, *, after: int) -> Generator[Sequence[tuple[str, Changing]]]:
        """Return the current state of episodes that events behind a number changed in place, in parts."""
        ...

    def begins(self) -> int:
        """Return from which number on the log records all that left: behind an earlier one it cannot be followed."""
        ...

    def has_left(self, *, after: int) -> bool:
        """Return whether anything left the indexes behind a number of the log."""
        ...

    def vectors(self, payload_ids: Sequence[str]) -> Float16s:
        """Return the vectors of some payloads in their order, zeros where there is none."""
        ...

    def payload_ids(self) -> Iterable[str]:
        """Return all payloads that have a vector."""
        ...

    def question_ends(self) -> tuple[int, int]:
        """Return the last number by which a question was touched, and how often questions were erased."""
        ...

    def questions(self, *, after: int) -> Generator[Sequence[TouchedQuestion]]:
        """Return the questions that were touched behind a number, in the order of their ids, in parts."""
        ...

    def question_keys(self, ids: Iterable[str]) -> Mapping[str, tuple[bytes, str]]:
        """Return vectors, as float16 in bytes, and words of those of these questions that have a vector."""
        ...
