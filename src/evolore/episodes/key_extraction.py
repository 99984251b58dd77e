"""Keys by a chat model: it proposes what statements state, and code keeps of that what the statements bear out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.episode import EpisodeState
from evolore.domain.fact import SPEAKER, FactKind, FactOrigin, StatedFact
from evolore.domain.language import Language
from evolore.episodes.shared_sentences import folded
from evolore.episodes.stated_facts import fact_of, is_told_of
from evolore.text.fences import Data, Prompt, ReplyForm
from evolore.text.tokens import analyse


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


PROMPT_VERSION = 1
"""Raised with every change of the words that are asked: a new file, and what was asked before is asked again."""

MOST_AT_ONCE = 24
"""So many statements are shown in one call."""

LONGEST_SHOWN = 600
"""Characters of one statement; of a longer one no fact is read."""

_MOST_FACTS = 3
_MOST_KNOWN = 60
_TOKENS_PER_STATEMENT = 90
_TOKENS_AROUND = 64
_NAMES = {Language.JA: "Japanese", Language.ZH: "Chinese"}
_WORD = re.compile(r"[^\W_]+(?: [^\W_]+){0,3}")


class FactReply(ReplyForm):
    """What a reply says of one fact."""

    number: Annotated[int, Field(ge=1)]
    subject: Annotated[str, Field(min_length=1, max_length=80)]
    attribute: Annotated[str, Field(min_length=1, max_length=40)]
    value: Annotated[str, Field(min_length=1, max_length=120)]
    is_over: bool = False


class FactsReply(ReplyForm):
    """What a reply must be."""

    facts: list[FactReply]


_PROMPT = Prompt(version=PROMPT_VERSION, purpose="remember.extract_keys", marks="statements", form=FactsReply)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStatement:
    """A statement as it is shown to the model."""

    text: str
    language: Language
    speaker: str | None = None


def extract_prompt(
    instructions: str, statements: Sequence[ShownStatement], known: Sequence[tuple[str, str]]
) -> ChatRequest:
    """Ask what statements state.

    Args:
        instructions: The words of the prompt. What the statements say never becomes part of them.
        statements: At least one, at most ``MOST_AT_ONCE``; numbered from 1.
        known: Keys that exist, the most used first; the first 60 are shown.
    """
    shown: list[Data] = [
        {
            "number": number,
            "language": _NAMES.get(one.language, "English"),
            "text": one.text,
            **({} if one.speaker is None else {"speaker": one.speaker}),
        }
        for number, one in enumerate(statements, 1)
        if len(one.text) <= LONGEST_SHOWN
    ]
    keys: list[Data] = [list(key) for key in known[:_MOST_KNOWN]]
    return _PROMPT.request(
        instructions,
        {"known": keys, "statements": shown},
        most_tokens=_TOKENS_PER_STATEMENT * len(statements) + _TOKENS_AROUND,
    )


def read_keys(
    reply: str, statements: Sequence[ShownStatement], known: Iterable[tuple[str, str]]
) -> tuple[tuple[StatedFact, ...], ...]:
    """Return for each statement the facts of a reply that it supports; nothing from a reply of another form.

    The value is in the statement, in a sentence of plain fact; the subject is the speaker, where that sentence is
    about the speaker, or is there too. A key that is spelled almost like a known one becomes that.
    """
    said = FactsReply.read(reply)
    if said is None:
        return ((),) * len(statements)
    keys = {_spelled(key): key for key in known}
    found: dict[int, list[StatedFact]] = {}
    for one in said.facts:
        if one.number <= len(statements):
            found.setdefault(one.number, []).extend(_borne_out(one, statements[one.number - 1], keys))
    return tuple(tuple(found.get(number, ())[:_MOST_FACTS]) for number in range(1, len(statements) + 1))


def _borne_out(
    said: FactReply, statement: ShownStatement, keys: Mapping[tuple[str, str], tuple[str, str]]
) -> Iterable[StatedFact]:
    value = said.value.strip()
    is_of_speaker = said.subject.strip().casefold() == SPEAKER
    subject = SPEAKER if is_of_speaker else " ".join(said.subject.casefold().split())
    attribute = " ".join(said.attribute.casefold().replace("_", " ").split())
    if not value or not _WORD.fullmatch(attribute) or len(statement.text) > LONGEST_SHOWN:
        return ()
    if not is_told_of(statement.text, value, statement.language, subject=None if is_of_speaker else said.subject):
        return ()
    key = keys.get(_spelled((subject, attribute)), (subject, attribute))
    kind = FactKind.ENDS if said.is_over else FactKind.IS
    return (fact_of(key, value, text=statement.text, language=statement.language, kind=kind, origin=FactOrigin.CHAT),)


def _spelled(key: tuple[str, str]) -> tuple[str, str]:
    """Return a key in one spelling: the stems of its words, in their order."""
    subject, attribute = (" ".join(sorted(analyse(part))) or part for part in key)
    return subject, attribute
