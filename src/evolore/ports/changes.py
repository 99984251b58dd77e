"""Changes of a memory's structure: one change is one event, holds all it did, and can be undone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from evolore.domain.checks import check_share, check_text, check_time
from evolore.domain.episode import Edge, Episode, EpisodeState, check_about
from evolore.domain.fact import StatedFact
from evolore.domain.language import Language
from evolore.domain.result import Result
from evolore.errors import InvalidValue
from evolore.ports.records import ItemKeys, JsonValue

_REASON = re.compile("[a-z_]{1,40}")


def check_reason(reason: str) -> None:
    """Refuse a reason that could be text: events hold none.

    Raises:
        InvalidValue: It is not one word of small letters and underscores.
    """
    if not _REASON.fullmatch(reason):
        raise InvalidValue(
            f"The reason is {reason!r}: use up to 40 small letters and underscores, such as 'resonance'; events hold "
            "no text."
        )


class Unset(Enum):
    """Represents a value that is left as it is, where None is a value of its own."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


class ChangeKind(StrEnum):
    """What a change does to the structure."""

    MERGED = "merged"
    SPLIT = "split"
    SUPERSEDED = "superseded"
    LIKELY_SUPERSEDED = "likely_superseded"
    CONFLICT_FOUND = "conflict_found"
    CONFLICT_SETTLED = "conflict_settled"
    CONFIDENCE_CHANGED = "confidence_changed"
    PRUNED = "pruned"
    RESTORED = "restored"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeEpisode(Episode):
    """An episode that a merge or a split makes, with its keys; it is a statement like any other."""

    keys: ItemKeys  #: What is indexed of it.
    #: The ids of the source statements it holds a sentence of, at least one, each once. An edge ``MEMBER`` is made from
    #: it to each of them.
    members: tuple[str, ...]
    facts: tuple[StatedFact, ...] = ()  #: What it states.
    #: The statement whose place in its session it takes, where both are written at once; else ``position`` says.
    place_of: str | None = None

    def __post_init__(self) -> None:
        Episode.__post_init__(self)
        check_text(self.text, "text")
        if self.about is not None:
            check_about(self.about)
        if not self.members or len(set(self.members)) != len(self.members):
            raise InvalidValue(f"members is {self.members!r}: name at least one source statement, and each once.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """What becomes of one episode; what is not given stays as it is."""

    episode_id: str  #: Which; it may be one that the change makes.
    state: EpisodeState | None = None  #: Whether it holds.
    #: Until when what it says holds, exclusive; None for as long as can be seen.
    valid_to: datetime | Unset | None = UNSET
    #: Until when it represents itself, exclusive, on the axis of ``as_of``; None while it does.
    stands_until: datetime | Unset | None = UNSET
    confidence: float | None = None  #: 0-1.
    merge_count: int | None = None  #: How many statements were merged into it.

    def __post_init__(self) -> None:
        check_share(confidence=self.confidence)
        if self.valid_to is not UNSET:
            check_time(valid_to=self.valid_to)
        if self.stands_until is not UNSET:
            check_time(stands_until=self.stands_until)
        if self.merge_count is not None and self.merge_count < 0:
            raise InvalidValue(f"merge_count is {self.merge_count}: it counts from 0.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of structure: all of it happens, as one event, or nothing."""

    kind: ChangeKind  #: What it does.
    subject_id: str  #: The episode it is about, which is there before the change.
    reason: str  #: Why, as one word of small letters and underscores.
    made: tuple[MadeEpisode, ...] = ()  #: Episodes that it makes. Their edges ``MEMBER`` follow from their members.
    fields: tuple[FieldChange, ...] = ()  #: What becomes of episodes; one of each at most.
    added: tuple[Edge, ...] = ()  #: Edges that it adds. One that is there with another weight is replaced.
    #: Edges that it removes, of any weight; one that is not there is passed over.
    removed: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        check_reason(self.reason)
        named = [one.episode_id for one in self.fields]
        if len(set(named)) != len(named):
            raise InvalidValue(f"fields name an episode twice: {sorted(named)}; pass one change for each.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Result):
    """What undoing did."""

    #: The events that were undone, newest first: those that depended on the one asked for, and it.
    undone_ids: tuple[str, ...]
    #: The events that record it, in the same order; undoing them does again what was undone.
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord(Result):
    """An event, as history lists it."""

    id: str  #: Its id.
    seq: int  #: Its number in the chain of events.
    kind: str  #: What was done, as one word: a ``ChangeKind``, ``undone``, ``statement_remembered`` and so on.
    recorded_at: datetime  #: When.
    principal: str | None  #: On whose behalf, where known.
    reason: str | None  #: Why, as one word, where it was given.
    episode_ids: tuple[str, ...]  #: The episodes it made, changed or joined, sorted; some may be forgotten.
    undone_by: str | None  #: The event that undid it and was not itself undone; None while it is in effect.
    undoes: str | None  #: The event that it undid; None where it undid nothing.
    can_be_undone: bool  #: Whether it is of a kind that can be undone, and erased nothing.
    subject_id: str = ""  #: The item it is about first of all; it may be forgotten.


Parameters: TypeAlias = "Mapping[str, JsonValue]"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCalibration:
    """What similarities of a model mean in one language, as it was fitted to a namespace."""

    model_id: str  #: The embedding model.
    language: Language  #: The language.
    version: int  #: Counts the fits of this model and language, from 1; the last one holds.
    parameters: Parameters  #: What was fitted, as JSON can hold it; numbers come back exactly.
    texts: int  #: How many texts it was fitted to.
    created_at: datetime  #: When.
