"""What values refuse, each with a message that says what to give instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from datetime import datetime

MAX_NAME_CHARACTERS = 500
_SHOWN = 60
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def check_share(value: float | None, name: str) -> None:
    """Refuse a number outside [0, 1]; None passes.

    Raises:
        InvalidValue: It is outside, or not a number.
    """
    if value is not None and not 0.0 <= value <= 1.0:
        raise InvalidValue(f"{name} is {value}: give a number from 0 to 1.")


def check_time(value: datetime | None, name: str) -> None:
    """Refuse a time without a zone; None passes.

    Raises:
        InvalidValue: It has no zone.
    """
    if value is not None and value.tzinfo is None:
        shown = value.isoformat()
        raise InvalidValue(f"{name} is {shown}: give a time with a zone, such as {shown}+00:00.")


def check_text(value: str, name: str) -> None:
    """Refuse a text that is blank, or that no store can hold and give back unchanged.

    Raises:
        InvalidValue: It is blank, or holds a NUL character or half of a surrogate pair.
    """
    if not value.strip():
        raise InvalidValue(f"{name} is blank: give at least one visible character.")
    found = _UNSTORABLE.search(value)
    if found:
        what = "a NUL character" if found.group() == "\0" else f"half of a surrogate pair, U+{ord(found.group()):04X},"
        raise InvalidValue(
            f"{name} has {what} at character {found.start():,}: remove it, or decode the text again from its bytes."
        )


def check_name(value: str | None, name: str) -> None:
    """Refuse a name that is blank, over 500 characters or unstorable; None passes.

    Raises:
        InvalidValue: It is one of these.
    """
    if value is None:
        return
    if len(value) > MAX_NAME_CHARACTERS:
        raise InvalidValue(
            f"{name} {value[:_SHOWN]!r}… has {len(value)} characters: give at most {MAX_NAME_CHARACTERS}."
        )
    check_text(value, name)
