"""Write the value of a cell as its number format shows it (ECMA-376, part 1, 18.8.31)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Final

_TOKENS: Final = re.compile(
    r'"[^"]*"|\\.|_.|\*.|\[[^\[\]]*\]|AM/PM|A/P|General|y+|m+|d+|h+|s+|.', re.IGNORECASE | re.DOTALL
)
_ELAPSED: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_DIGITS: Final = frozenset("0#?")
_OF_ANY_REGION: Final = frozenset(
    {"general", "@", "mm-dd-yy", "m/d/yy h:mm", "yyyy-mm-dd h:mm:ss", "yyyy-mm-dd hh:mm:ss"}
)
"""Dates as the reader's own system writes them, and as programs write them unasked."""
_OTHER_CALENDARS: Final = frozenset("gebaGEBA")
_MOST_DIGITS: Final = 4
_LONGEST_FORMAT: Final = 255
_BEGIN: Final = datetime(1900, 1, 1)  # noqa: DTZ001 - cells have no zone
_NAMES: Final = {"mmm": "%b", "mmmm": "%B", "mmmmm": "%b", "ddd": "%a", "dddd": "%A", "am/pm": "%p", "a/p": "%p"}


def shown(value: object, number_format: str = "General") -> str:
    """Write a value as its format shows it; where the format is not known, as a person would write it.

    >>> shown(-1250, "#,##0.00_);(#,##0.00)"), shown(0.125, "0.0%"), shown(123, "000000")
    ('(1,250.00)', '12.5%', '000123')
    """
    tokens: list[str] = _TOKENS.findall(number_format[:_LONGEST_FORMAT])
    if isinstance(value, (datetime, date, time, timedelta)):
        known = number_format.lower() not in _OF_ANY_REGION and _OTHER_CALENDARS.isdisjoint(tokens)
        return (known and _date(value, _section(tokens, 0))) or plain(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        count = tokens.count(";") + 1
        place = 1 if value < 0 and count > 1 else 2 if value == 0 and count > 2 else 0  # noqa: PLR2004 - the third is for zero
        text = _number(abs(value), _section(tokens, place))
        return plain(value) if text is None else f"-{text}" if value < 0 and place == 0 else text
    return plain(value)


def plain(value: object) -> str:
    """Write a value of a cell that has no format."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case float():
            return str(int(value)) if value.is_integer() else f"{value:.15g}"
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
        case _:
            return " ".join(str(value).split())


def _section(tokens: Sequence[str], place: int) -> list[str]:
    """Return one of the parts of a format that semicolons divide."""
    ends = [-1, *(index for index, sign in enumerate(tokens) if sign == ";"), len(tokens)]
    return list(tokens[ends[place] + 1 : ends[place + 1]])


def _literal(sign: str) -> str | None:
    """Return the text that a sign of a format shows as it is, None for one that shows a part of the value."""
    if _ELAPSED.fullmatch(sign):
        return None
    if len(sign) > 1 and sign[0] == "[":
        return sign[2:-1].partition("-")[0] * (sign[1] == "$")
    if len(sign) > 1 and sign[0] in '"\\_*':
        return sign[1:].rstrip('"') if sign[0] in '"\\' else ""
    return None if sign.lower() in {"general", "am/pm", "a/p"} or sign[0].lower() in "ymdhs0#?.,/e@" else sign


def _number(value: float, tokens: Sequence[str]) -> str | None:
    """Write a number; None where the format is of text."""
    signs = [sign.lower() for sign in tokens]
    if "@" in signs:
        return None
    if "/" in signs:
        return _fraction(value, "".join(tokens).partition("/")[2].strip())
    if "e" in signs:
        return f"{value:.{max(sum(sign in _DIGITS for sign in signs[: signs.index('e')]) - 1, 0)}E}"
    places = [index for index, sign in enumerate(signs) if sign in _DIGITS or sign == "general"] or [len(signs)]
    before, within, behind = tokens[: places[0]], tokens[places[0] : places[-1] + 1], tokens[places[-1] + 1 :]
    try:
        text = plain(value) if "general" in signs else _digits(value, within, tokens.count("%"), behind.count(","))
    except InvalidOperation:
        return None
    return f"{_literals(before)}{text}{_literals(behind)}".strip()


def _literals(tokens: Sequence[str]) -> str:
    return "".join(_literal(sign) or "" for sign in tokens)


def _digits(value: float, tokens: Sequence[str], hundreds: int, thousands: int) -> str:
    """Write the digits of a number into the places of its format."""
    inner = "".join(sign for sign in tokens if _literal(sign) is None)
    whole, _, part = inner.partition(".")
    exact = Decimal(str(value)).scaleb(2 * hundreds - 3 * thousands)
    rounded = exact.quantize(Decimal(1).scaleb(-len(part)), ROUND_HALF_UP)
    digits, _, decimals = f"{rounded:{',' * (',' in whole)}f}".partition(".")
    digits = ("" if digits == "0" else digits).rjust(whole.count("0"), "0")
    least = len(part.rstrip("#?"))
    decimals = decimals[:least] + decimals[least:].rstrip("0")
    if not inner:
        return ""
    if len(inner) < len("".join(tokens)):
        return _spread(digits, tokens)
    return f"{digits}.{decimals}" if decimals else digits


def _fraction(value: float, below: str) -> str:
    most = int(below) if below.isdecimal() else 10 ** min(len(below), _MOST_DIGITS) - 1
    whole, part = divmod(Fraction(str(value)).limit_denominator(max(most, 1)), 1)
    return " ".join(str(one) for one in (whole, part) if one) or "0"


def _spread(digits: str, tokens: Sequence[str]) -> str:
    """Put digits into places with signs between them, from the right; the first place takes all that are over."""
    said: list[str] = []
    for sign in reversed(tokens):
        said.append(digits[-1:] if sign in _DIGITS else _literal(sign) or "")
        digits = digits[:-1] if sign in _DIGITS else digits
    return digits + "".join(reversed(said))


def _date(value: date | time | timedelta, tokens: Sequence[str]) -> str:
    """Write a date, a time of day, or how long something took."""
    signs = [sign.lower() for sign in tokens]
    is_half = not {"am/pm", "a/p"}.isdisjoint(signs)
    moment = _moment(value)
    seconds = round(value.total_seconds()) if isinstance(value, timedelta) else (moment - _BEGIN).seconds
    said: list[str] = []
    before = ""
    for index, sign in enumerate(signs):
        text = _literal(tokens[index])
        if text is None and sign[0] in "[ymdhsa":
            after = next((one for one in signs[index + 1 :] if _literal(one) is None and one[0] in "ymdhs"), "")
            is_minute = sign[0] == "m" and (before == "h" or after[:1] == "s")
            before = sign.strip("[")[0]
            text = (
                f"{seconds // {'h': 3600, 'm': 60, 's': 1}[sign[1]]:0{len(sign) - 2}d}"
                if sign[0] == "["
                else _part(moment, "n" * len(sign) if is_minute else sign, is_half=is_half)
            )
        said.append(tokens[index] if text is None else text)
    return "".join(said).strip()


def _moment(value: date | time | timedelta) -> datetime:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, timedelta):
        return _BEGIN + timedelta(seconds=round(value.total_seconds()) % 86_400)
    return datetime.combine(_BEGIN, value) if isinstance(value, time) else datetime.combine(value, time())


def _part(moment: datetime, sign: str, *, is_half: bool) -> str:
    """Write one part of a date or a time; minutes are n."""
    if sign in _NAMES:
        return f"{moment:{_NAMES[sign]}}"
    hour = (moment.hour % 12 or 12) if is_half else moment.hour
    year = moment.year if sign.startswith("yyy") else moment.year % 100
    parts = {"y": year, "m": moment.month, "d": moment.day, "h": hour, "n": moment.minute, "s": moment.second}
    width = 2 if sign[0] == "y" else min(len(sign), 2)
    return f"{parts[sign[0]]:0{width}d}"
