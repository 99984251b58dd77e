"""Keys: the texts that are indexed for an item, made of nothing but the item itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from evolore.domain.language import Language

ROLE_NAMES = frozenset(("user", "assistant", "system", "human", "ai", "bot", "tool"))
"""Speakers that are parts in a chat and not names; keys leave them out, because they say nothing about who it was."""

_ENGLISH_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ENGLISH_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_JAPANESE_DAYS = "月火水木金土日"
_CHINESE_DAYS = "一二三四五六日"


def lexical_key(
    text: str,
    *,
    language: Language,
    speaker: str | None = None,
    heading_path: Sequence[str] = (),
    title: str | None = None,
    occurred_at: datetime | None = None,
) -> str:
    r"""Write the text whose words are indexed for an item.

    Args:
        text: The item's own text.
        language: The language it is in; the date is written in it.
        speaker: Who said it.
        heading_path: The headings above it, outermost first.
        title: What its document is called; left out where the headings begin with it.
        occurred_at: When it happened, in the zone whose calendar day is meant.

    Returns:
        One part a line: title, headings, speaker, text, date; what is missing has no line.

    >>> from datetime import UTC, datetime
    >>> lexical_key("Moved.", language=Language.EN, speaker="Ann", occurred_at=datetime(2023, 5, 8, tzinfo=UTC))
    'Ann\nMoved.\n2023-05-08 Monday 8 May 5'
    """
    date = date_text(occurred_at, language=language) if occurred_at else ""
    return "\n".join(part for part in (*_headings(heading_path, title), _name(speaker), text, date) if part)


def dense_key(
    text: str, *, speaker: str | None = None, heading_path: Sequence[str] = (), title: str | None = None
) -> str:
    r"""Write the text that is embedded for an item.

    The date is left out: it moves every vector of a day the same way, for any text.

    Args:
        text: The item's own text.
        speaker: Who said it.
        heading_path: The headings above it, outermost first.
        title: What its document is called; left out where the headings begin with it.

    Returns:
        The title and headings, one a line, then ``speaker: text``; what is missing is left out.

    >>> dense_key("We moved.", speaker="Ann")
    'Ann: We moved.'
    >>> dense_key("Run make.", title="Handbook", heading_path=("Install",))
    'Handbook\nInstall\nRun make.'
    """
    name = _name(speaker)
    own = f"{name}: {text}" if name else text
    return "\n".join((*_headings(heading_path, title), own))


def date_text(moment: datetime, *, language: Language) -> str:
    """Write a date so that questions in English, Japanese and Chinese share words with it.

    The numbers of year, month and day are words of their own, with and without a leading zero, because questions of every
    language hold them; the names of month and weekday are those of the text's language.

    Args:
        moment: Its calendar day in its own zone is written.
        language: The language of the item's text.

    >>> from datetime import UTC, datetime
    >>> date_text(datetime(2023, 5, 8, tzinfo=UTC), language=Language.JA)
    '2023-05-08 2023年5月8日 月曜日'
    """
    iso = moment.date().isoformat()
    match language:
        case Language.JA:
            day = f"{_JAPANESE_DAYS[moment.weekday()]}曜日"
            return f"{iso} {moment.year}年{moment.month}月{moment.day}日 {day}"
        case Language.ZH:
            day = f"星期{_CHINESE_DAYS[moment.weekday()]}"
            return f"{iso} {moment.year}年{moment.month}月{moment.day}日 {day}"
        case Language.EN | Language.UND:
            month = _ENGLISH_MONTHS[moment.month - 1]
            return f"{iso} {_ENGLISH_DAYS[moment.weekday()]} {moment.day} {month} {moment.month}"
        case _:
            assert_never(language)


def _name(speaker: str | None) -> str:
    return "" if speaker is None or speaker.strip().casefold() in ROLE_NAMES else speaker.strip()


def _headings(path: Sequence[str], title: str | None) -> tuple[str, ...]:
    return tuple(path) if not title or (path and path[0] == title) else (title, *path)
