"""A chat model's word on contradictions: how it is asked, and what of its reply is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolore.domain.chats import ChatMessage, ChatRequest, ChatRole
from evolore.domain.language import Language
from evolore.text.fences import fenced
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.episodes import Episode
    from evolore.text.fences import Data

PROMPT_VERSION = 1
"""Raised with every change of the words that are asked: a new file, and what was asked before is asked anew."""

LONGEST_SHOWN = 4_000
"""Characters of one statement. What is longer is not asked about: nobody should judge what was cut off."""

_LONGEST_REASON = 500
_TOKENS_PER_PAIR = 220
_TOKENS_AROUND = 64
_NAMES = {Language.JA: "Japanese", Language.ZH: "Chinese"}
_LATIN = re.compile("[A-Za-z]")
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class ConflictVerdict(StrEnum):
    """What a chat model says of two statements that do not fit together."""

    NEWER_HOLDS = "newer_holds"
    OLDER_HOLDS = "older_holds"
    BOTH_HOLD = "both_hold"
    UNSURE = "unsure"


class VerdictReply(BaseModel):
    """What a reply says of one pair."""

    model_config = ConfigDict(extra="ignore", strict=True)

    pair: Annotated[int, Field(ge=1)]
    verdict: ConflictVerdict
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]


class VerdictsReply(BaseModel):
    """What a reply must be."""

    model_config = ConfigDict(extra="ignore", strict=True)

    verdicts: list[VerdictReply]


class NoVerdict(StrEnum):
    """Why a reply has no verdict on a pair that can be used."""

    UNUSABLE_REPLY = "unusable_reply"
    NO_VERDICT = "no_verdict"
    OTHER_LANGUAGE = "other_language"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A verdict that can be used.

    Args:
        verdict: Which.
        reason: The model's sentence, on one line.
    """

    verdict: ConflictVerdict
    reason: str


def is_shown_whole(older: Episode, newer: Episode) -> bool:
    """Tell whether both statements are short enough to be shown whole."""
    return max(len(older.text), len(newer.text)) <= LONGEST_SHOWN


def confirm_prompt(instructions: str, pairs: Sequence[tuple[Episode, Episode]]) -> ChatRequest:
    """Ask which of two statements hold, the older of each pair first.

    Args:
        instructions: The words of the prompt. What the statements say never becomes part of them.
        pairs: At least one; numbered from 1.
    """
    shown: Data = [
        {
            "pair": number,
            "language": _NAMES.get(newer.language, "English"),
            "earlier": _shown(older),
            "later": _shown(newer),
        }
        for number, (older, newer) in enumerate(pairs, 1)
    ]
    return ChatRequest(
        purpose="episodes.confirm",
        messages=(
            ChatMessage(role=ChatRole.SYSTEM, text=instructions),
            ChatMessage(role=ChatRole.USER, text=fenced("pairs", shown)),
        ),
        reply_schema=VerdictsReply.model_json_schema(),
        most_tokens=_TOKENS_PER_PAIR * len(pairs) + _TOKENS_AROUND,
        prompt_version=PROMPT_VERSION,
    )


def read_confirmations(reply: str, pairs: Sequence[tuple[Episode, Episode]]) -> tuple[Said | NoVerdict, ...]:
    """Give for each pair what a reply says of it, or why that cannot be used.

    A reply of another form counts for nothing as a whole. A pair that is named twice got no verdict, whatever the two
    say, and a reason in another language than the newer statement's shows that the pair was not understood.
    """
    try:
        verdicts = VerdictsReply.model_validate_json(reply).verdicts
    except ValidationError:
        return (NoVerdict.UNUSABLE_REPLY,) * len(pairs)
    said: dict[int, list[VerdictReply]] = {}
    for verdict in verdicts:
        said.setdefault(verdict.pair, []).append(verdict)
    return tuple(_read(said.get(number, []), newer.language) for number, (_, newer) in enumerate(pairs, 1))


def _read(said: Sequence[VerdictReply], language: Language) -> Said | NoVerdict:
    if len(said) != 1:
        return NoVerdict.NO_VERDICT
    reason = " ".join(_UNSHOWN.sub(" ", said[0].reason).split())
    if not _is_in(reason, language):
        return NoVerdict.OTHER_LANGUAGE
    return Said(verdict=said[0].verdict, reason=reason)


def _is_in(text: str, language: Language) -> bool:
    if language in _NAMES:
        return detect_language(text) is language
    return bool(_LATIN.search(text)) and detect_language(text) in {Language.EN, Language.UND}


def _shown(one: Episode) -> Data:
    """Give what is known of a statement; who said it and when only where somebody told."""
    facts = {
        "text": one.text,
        "said_at": one.occurred_at and one.occurred_at.isoformat(timespec="minutes"),
        "noted_at": one.recorded_at.isoformat(timespec="minutes"),
        "holds_from": one.valid_from and one.valid_from.isoformat(timespec="minutes"),
        "speaker": one.speaker,
    }
    return {name: value for name, value in facts.items() if value is not None}
