"""A profile: what holds now of a person or a thing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evolore.domain.language import Language
from evolore.domain.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """Value of an attribute, or a whole statement, about a person or a thing."""

    attribute: str  #: What of the subject; empty for a statement as a whole.
    value: str  #: What holds, as written in the statement; without an attribute, all of it.
    since: datetime | None  #: From when, where known.
    episode_id: str  #: The statement that says so.
    language: Language  #: The language it is in.
    said_by: str | None = None  #: Who said it; None if unknown.
    is_in_conflict: bool = False  #: Whether another statement disagrees, and this is undecided.
    possibly_replaced_by: tuple[str, ...] = ()  #: Later statements that likely take its place, the newest first.
    is_partly_replaced: bool = False  #: Whether its statement was replaced, but by one that says nothing of this.


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Result):
    """Current knowledge of a person or a thing, within a budget: attributes, open conflicts, then other statements."""

    subject: str | None  #: Whom or what it is about; None for an unnamed speaker.
    as_of: datetime | None  #: The moment it holds at; None for now.
    facts: tuple[
        ProfileFact, ...
    ]  #: The attributes that hold, by name, the newest first; those of a statement together.
    #: Pairs of statements that contradict each other and wait for a decision, the older first.
    conflicts: tuple[tuple[ProfileFact, ProfileFact], ...]
    #: What else was stated, without questions: what is surest and was said most often first, of equals the newest.
    statements: tuple[ProfileFact, ...]
    text: str  #: All three parts with dates, for a prompt; empty where nothing is known. Long statements are cut.
    tokens: int  #: What ``text`` takes, estimated.
    left_out: int = 0  #: How many lines of it did not fit.
