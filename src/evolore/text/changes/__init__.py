"""Wordings that say whether something changed, stayed, was only planned or is somebody else's, in three languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """A language's regular expressions.

    Args:
        changes: Something is otherwise from now on.
        unchanged: Nothing changed.
        dropped: A plan, an offer or a proposal came to nothing.
        doubtful: It was only thought of, proposed or offered.
        others: It is about somebody or something else than the speaker and what is theirs.
        quoted: Somebody else's words are repeated.
        mentions: It is remarked on in passing: bought, seen, fetched, cleaned.
        first: A question asks for the beginning.
        before: A question asks for what was before something.
        past: A question asks for something that happened.
        present: A question asks for what is now, whatever its tense looks like.
        account: A question asks to be told of something rather than for a datum.
        datum: A question asks for a datum.
    """

    changes: str
    unchanged: str
    dropped: str
    doubtful: str
    others: str
    quoted: str
    mentions: str
    first: str
    before: str
    past: str
    present: str
    account: str
    datum: str


def of(language: Language) -> Wordings:
    """Give a language's wordings; English serves every language without its own."""
    return _tables()[language if language in {Language.JA, Language.ZH} else Language.EN]


def _tables() -> Mapping[Language, Wordings]:
    from evolore.text.changes import en, ja, zh  # noqa: PLC0415 - they need the class above

    return {Language.EN: en.WORDINGS, Language.JA: ja.WORDINGS, Language.ZH: zh.WORDINGS}
