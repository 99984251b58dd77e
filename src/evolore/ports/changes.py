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
            f"The reason is {reason!r}: give up to 40 small letters and underscores, such as 'resonance'; events hold "
            "no text."
        )


class Unset(Enum):
    """Stands for a value that is left as it is, where None is a value of its own."""

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
    """An episode that a merge or a split makes, with its keys; it is a statement like any other.

    Args:
        keys: What is indexed of it.
        members: The ids of the source statements it holds a sentence of, at least one, each once. An edge ``MEMBER``
            is made from it to each of them.
        facts: What it states.
        place_of: The statement whose place in its session it takes, where both are written at once; else ``position`` tells.
    """

    keys: ItemKeys
    members: tuple[str, ...]
    facts: tuple[StatedFact, ...] = ()
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
    """What becomes of one episode; what is not given stays as it is.

    Args:
        episode_id: Which; it may be one that the change makes.
        state: Whether it holds.
        valid_to: Until when what it says holds, exclusive; None for as long as can be seen.
        stands_until: Until when it stands for itself, exclusive, on the axis of ``as_of``; None where it stands.
        confidence: 0-1.
        merge_count: How many statements were merged into it.
    """

    episode_id: str
    state: EpisodeState | None = None
    valid_to: datetime | Unset | None = UNSET
    stands_until: datetime | Unset | None = UNSET
    confidence: float | None = None
    merge_count: int | None = None

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
    """One change of structure: all of it happens, as one event, or nothing.

    Args:
        kind: What it does.
        subject_id: The episode it is about, which is there before the change.
        reason: Why, as one word of small letters and underscores.
        made: Episodes that it makes. Their edges ``MEMBER`` follow from their members.
        fields: What becomes of episodes; one of each at the most.
        added: Edges that it adds. One that is there with another weight is replaced.
        removed: Edges that it removes, whatever weight they have; one that is not there is passed over.
    """

    kind: ChangeKind
    subject_id: str
    reason: str
    made: tuple[MadeEpisode, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    added: tuple[Edge, ...] = ()
    removed: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        check_reason(self.reason)
        named = [one.episode_id for one in self.fields]
        if len(set(named)) != len(named):
            raise InvalidValue(f"fields name an episode twice: {sorted(named)}; give one change for each.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Result):
    """What undoing did.

    Args:
        undone_ids: The events that were undone, newest first: those that depended on the one asked for, and it.
        event_ids: The events that tell of it, in the same order; undoing them does again what was undone.
    """

    undone_ids: tuple[str, ...]
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord(Result):
    """An event, as history tells it.

    Args:
        id: Its id.
        seq: Its number in the chain of events.
        kind: What was done, as one word: a ``ChangeKind``, ``undone``, ``statement_remembered`` and so on.
        recorded_at: When.
        principal: On whose behalf, where known.
        reason: Why, as one word, where it was given.
        episode_ids: The episodes it made, changed or joined, sorted; some may be forgotten.
        undone_by: The event that undid it and was not itself undone; None while it is in effect.
        undoes: The event that it undid; None where it is none of undoing.
        can_be_undone: Whether it is of a kind that can be undone.
        subject_id: The item it is about first of all; it may be forgotten.
    """

    id: str
    seq: int
    kind: str
    recorded_at: datetime
    principal: str | None
    reason: str | None
    episode_ids: tuple[str, ...]
    undone_by: str | None
    undoes: str | None
    can_be_undone: bool
    subject_id: str = ""


Parameters: TypeAlias = "Mapping[str, JsonValue]"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCalibration:
    """What similarities of a model mean in one language, as it was fitted to a namespace.

    Args:
        model_id: The embedding model.
        language: The language.
        version: Counts the fits of this model and language, from 1; the last one holds.
        parameters: What was fitted, as JSON can hold it; numbers come back exactly.
        texts: How many texts it was fitted to.
        created_at: When.
    """

    model_id: str
    language: Language
    version: int
    parameters: Parameters
    texts: int
    created_at: datetime
