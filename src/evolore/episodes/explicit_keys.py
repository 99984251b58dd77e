"""Explicit keys: of the statements about one subject and attribute, the latest holds. Time alone decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from evolore.domain.episode import EpisodeState
from evolore.episodes.shared_sentences import folded


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedStatement:
    """A statement about a key."""

    id: str  #: Its episode.
    text: str  #: What it says.
    at: datetime  #: From when it holds: its ``valid_from``, else when it was said, else when it was recorded.
    #: Whether that is known. If not, it was said when it was recorded, and of several that were recorded at once the
    #: one with the higher id was said later.
    is_dated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedState:
    """What a statement about a key is now."""

    id: str  #: Its episode.
    state: EpisodeState  #: Active, superseded, or in conflict with another of the same moment.
    valid_from: datetime  #: From when it holds.
    valid_to: datetime | None = None  #: Until when, exclusive; None while nothing later was said.
    superseded_by: str | None = None  #: The episode that took its place, of several the one with the lowest id.


def states_of_key(statements: Iterable[KeyedStatement]) -> tuple[KeyedState, ...]:
    """Order a key's statements by time: each holds until the next begins; the last holds.

    Statements of one moment that do not say the same are in conflict, and stay so until a later one or a person
    decides. Laws: the order they are given in changes nothing; all but those of the last moment are superseded.

    Returns:
        One for each, by time, then id.
    """
    ordered = sorted(statements, key=lambda one: (*_moment(one), one.id))
    moments = [tuple(group) for _, group in groupby(ordered, key=_moment)]
    states: list[KeyedState] = []
    for number, group in enumerate(moments):
        following = moments[number + 1] if number + 1 < len(moments) else ()
        states += (_state(one, group, following) for one in group)
    return tuple(states)


def _moment(one: KeyedStatement) -> tuple[datetime, str]:
    return one.at, "" if one.is_dated else one.id


def _state(
    one: KeyedStatement, together: tuple[KeyedStatement, ...], following: tuple[KeyedStatement, ...]
) -> KeyedState:
    if following:
        return KeyedState(
            id=one.id,
            state=EpisodeState.SUPERSEDED,
            valid_from=one.at,
            valid_to=following[0].at,
            superseded_by=following[0].id,
        )
    is_alone = len({folded(other.text) for other in together}) == 1
    state = EpisodeState.ACTIVE if is_alone else EpisodeState.CONFLICT_PENDING
    return KeyedState(id=one.id, state=state, valid_from=one.at)
