"""A profile: what holds now of a person or a thing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evolore.domain.episode import Episode
from evolore.domain.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """One thing that is known by its key."""

    attribute: str  #: What of the subject.
    value: str  #: What holds, as written in the statement.
    since: datetime | None  #: From when, where known.
    episode_id: str  #: The statement that says so.
    is_in_conflict: bool = False  #: Whether another statement disagrees, and this is undecided.


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Result):
    """What holds now of a person or a thing, within a budget."""

    subject: str | None  #: Whom or what it is about; None for an unnamed speaker.
    as_of: datetime | None  #: The moment it holds at; None for now.
    facts: tuple[ProfileFact, ...]  #: What is known by keys, by attribute, the newest value first.
    #: Statements about it, those with facts first, then the surest and newest; what no longer holds is left out.
    statements: tuple[Episode, ...]
    text: str  #: The statements with their dates, for a prompt; empty where nothing is known.
    tokens: int  #: What ``text`` takes, estimated.
