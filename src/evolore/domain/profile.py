"""A profile: what holds now of a person or a thing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evolore.domain.episode import Episode
from evolore.domain.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """One thing that is known by its key.

    Args:
        attribute: What of the subject.
        value: What holds, as it stands in the statement.
        since: From when, where known.
        episode_id: The statement that says so.
        is_in_conflict: Whether another says otherwise, and nobody decided yet.
    """

    attribute: str
    value: str
    since: datetime | None
    episode_id: str
    is_in_conflict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Result):
    """What holds now of a person or a thing, within a budget.

    Args:
        subject: Whom or what it is about; None for whoever spoke without a name.
        as_of: The moment it holds at; None for now.
        facts: What is known by keys, by attribute, the newest value first.
        statements: What is said of it, those with facts first, then the surest and newest; what no longer holds is left out.
        text: The statements with their dates, for a prompt; empty where nothing is known.
        tokens: What ``text`` takes, estimated.
    """

    subject: str | None
    as_of: datetime | None
    facts: tuple[ProfileFact, ...]
    statements: tuple[Episode, ...]
    text: str
    tokens: int
