"""Checks of values, each with a message that names a valid value."""

from __future__ import annotations

import math
import re
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from enum import StrEnum
from typing import TypeVar

from evolore.errors import InvalidValue

Word = TypeVar("Word", bound=StrEnum)
MAX_NAME_CHARACTERS = 500
MAX_COUNT = 1_000_000
_SHOWN = 60
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def check_share(**values: float | None) -> None:
    """Refuse a number outside [0, 1], each under its name; None passes.

    Raises:
        InvalidValue: One is outside, or not a number.
    """
    for name, value in values.items():
        if value is not None and not (isinstance(value, (int, float)) and 0.0 <= value <= 1.0):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may pass anything
            raise InvalidValue(f"{name} is {value}: use a number from 0 to 1.")


def check_least(least: float, **values: float | None) -> None:
    """Check numbers that may not be lower.

    Raises:
        InvalidValue: One is lower, or not finite.
    """
    for name, value in values.items():
        if value is not None and not (math.isfinite(value) and value >= least):
            finite = "" if math.isfinite(value) else "a finite number of "
            raise InvalidValue(f"{name} is {value}: use {finite}at least {least:g}.")


def check_above_zero(**values: float | None) -> None:
    """Check numbers that must be above 0.

    Raises:
        InvalidValue: One is not, or is not finite.
    """
    for name, value in values.items():
        if value is not None and not (math.isfinite(value) and value > 0):
            raise InvalidValue(f"{name} is {value}: use a number above 0.")


def check_time(**values: datetime | None) -> None:
    """Refuse a time without a zone, each under its name; None passes.

    Raises:
        InvalidValue: One has no zone.
    """
    for name, value in values.items():
        if value is None:
            continue
        if not isinstance(value, datetime):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
            raise InvalidValue(f"{name} is {value!r}: use a datetime with a zone.")
        if value.utcoffset() is None:
            shown = value.isoformat()
            raise InvalidValue(f"{name} is {shown}: use a time with a zone, such as {shown}+00:00.")
        if MINYEAR < value.year < MAXYEAR:
            continue
        try:
            value.astimezone(UTC)
        except OverflowError as error:
            shown = value.isoformat()
            raise InvalidValue(f"{name} is {shown}: use a time whose UTC lies between the years 1 and 9999.") from error


def check_text(value: str, name: str) -> None:
    """Refuse a text that is blank, or that no store can hold and return unchanged.

    Raises:
        InvalidValue: It is blank, or holds a NUL character or half of a surrogate pair.
    """
    if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise InvalidValue(f"{name} is {value!r}: use a text.")
    if not value.strip():
        raise InvalidValue(f"{name} is blank: use at least one visible character.")
    found = _UNSTORABLE.search(value)
    if found:
        what = "a NUL character" if found.group() == "\0" else f"half of a surrogate pair, U+{ord(found.group()):04X},"
        raise InvalidValue(
            f"{name} has {what} at character {found.start():,}: remove it, or decode the text again from its bytes."
        )


def check_name(value: str | None, name: str, *, most: int = MAX_NAME_CHARACTERS) -> None:
    """Refuse a name that is blank, over ``most`` characters or unstorable; None passes.

    Raises:
        InvalidValue: It is one of these.
    """
    if value is None:
        return
    if isinstance(value, str) and len(value) > most:  # pyright: ignore[reportUnnecessaryIsInstance] - what is no text is told by check_text
        raise InvalidValue(f"{name} {value[:_SHOWN]!r}… has {len(value)} characters: use at most {most}.")
    check_text(value, name)


def check_count(value: int, name: str) -> None:
    """Refuse what is not a whole number from 1 to a million.

    Raises:
        InvalidValue: It is outside, or not a whole number.
    """
    is_whole = isinstance(value, int) and not isinstance(value, bool)  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped, and True is an int
    if not (is_whole and 1 <= value <= MAX_COUNT):
        raise InvalidValue(f"{name} is {value!r}: use a whole number from 1 to {MAX_COUNT:,}.")


def checked_word(words: type[Word], given: str, name: str) -> Word:
    """Return the member of a closed set that a word names.

    Raises:
        InvalidValue: It names none.
    """
    try:
        return words(given)
    except ValueError as error:
        choice = " or ".join(repr(word.value) for word in words)
        raise InvalidValue(f"{name} is {given!r}: use {choice}.") from error
