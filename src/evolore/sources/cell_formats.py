"""Write the values of cells as a spreadsheet shows them, by their number formats (ECMA-376, part 1, 18.8.31)."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final

from evolore.sources.markdown import one_line

_LITERAL: Final = re.compile(
    r'"([^"]{0,99})"|\\(.)|_.|\*.|\[\$([^\]-]{0,20})[^\]]{0,20}\]|\[(?![hms]{1,9}\])[^\]]{0,40}\]', re.IGNORECASE
)
_DATE_PART: Final = re.compile(r"\[[hms]{1,9}\]|y+|m+|d+|h+|s+(?:\.0+)?|am/pm|a/p|.", re.IGNORECASE | re.DOTALL)
_NUMBER: Final = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?(,*)|\.[#0?]+")
_FRACTION: Final = re.compile(r"([#0]{0,9}) ?(\?{1,9}|#{1,9})/(\?{1,9}|#{1,9}|\d{1,9})")
_MARK: Final = 0xE000  # a sign of nobody stands for a literal text
_GENERAL: Final = "General"
_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS: Final = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - cells have no zone


def shown(value: object, number_format: str = _GENERAL) -> str:
    """Write a cell's value as a person sees it; as it is where its format says nothing, or something unusual.

    >>> shown(0.125, "0.0%"), shown(-1250, "#,##0.00_);(#,##0.00)"), shown(123, "000000")
    ('12.5%', '(1,250.00)', '000123')
    """
    if value is None:
        return ""
    with suppress(ArithmeticError, ValueError):  # no finite number, or no day of a calendar
        match value:
            case bool():
                return str(value).upper()
            case int() | float() if number_format != _GENERAL:
                return one_line(_number(value, number_format))
            case datetime() | date() | time() | timedelta():
                return one_line(_dated(value, number_format))
            case _:
                pass
    return plain(value)


def plain(value: object) -> str:
    """Write a value without a format."""
    match value:
        case float() if value.is_integer():
            return str(int(value))
        case float():
            return f"{value:.15g}"
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ")
        case date() | time():
            return value.isoformat()
        case _:
            return one_line(str(value))


@lru_cache(maxsize=256)
def _sections(number_format: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the parts for positive, negative and no amounts, with their literal texts taken out."""
    literals: list[str] = []

    def keep(found: re.Match[str]) -> str:
        literals.append(found[1] or found[2] or found[3] or "")
        return chr(_MARK + len(literals) - 1)

    bare = _LITERAL.sub(keep, number_format)
    return tuple((part, tuple(literals)) for part in bare.split(";"))


def _filled(text: str, literals: tuple[str, ...]) -> str:
    return text.translate({_MARK + place: literal for place, literal in enumerate(literals)})


def _number(value: float, number_format: str) -> str:
    sections = _sections(number_format)
    place = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0  # noqa: PLR2004 - the third
    pattern, literals = sections[place]
    sign = "-" if value < 0 and place == 0 else ""
    amount = Decimal(repr(abs(value)) if isinstance(value, float) else abs(value)) * 100 ** pattern.count("%")
    if "E" in pattern.upper() or "@" in pattern or _GENERAL in pattern:
        return plain(value) if "E" not in pattern.upper() else _scientific(value, pattern)
    if fraction := _FRACTION.search(pattern):
        return sign + _filled(pattern.replace(fraction[0], _as_fraction(amount, fraction)), literals)
    found, *more = [*_NUMBER.finditer(pattern), None]
    if len(more) > 1:  # as in telephone numbers
        return plain(value)
    if not found:
        return _filled(pattern, literals) if pattern.strip() else plain(value)
    digits = _digits(amount / 1000 ** len(found[1] or ""), found[0])
    return sign + _filled(pattern.replace(found[0], digits, 1), literals)


def _digits(amount: Decimal, pattern: str) -> str:
    whole, _, decimals = pattern.rstrip(",").partition(".")
    rounded = amount.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    before, _, behind = f"{rounded:f}".partition(".")
    least = decimals.rfind("0") + 1
    behind = behind[:least] + behind[least:].rstrip("0")
    before = before.lstrip("0").zfill(whole.count("0"))
    if "," in whole:
        before = f"{int(before or 0):,}".rjust(len(before)) if int(before or 0) else before
    return f"{before}.{behind}" if behind else before


def _scientific(value: float, pattern: str) -> str:
    decimals = len(pattern.partition(".")[2].upper().partition("E")[0])
    return f"{value:.{decimals}E}"


def _as_fraction(amount: Decimal, found: re.Match[str]) -> str:
    most = int(found[3]) if found[3].isdigit() else 10 ** len(found[3]) - 1
    whole, rest = divmod(Fraction(amount), 1) if found[1] else (0, Fraction(amount))
    near = rest.limit_denominator(most)
    return " ".join(filter(None, (str(whole) if whole else "", str(near) if near else ""))) or "0"


def _dated(value: datetime | date | time | timedelta, number_format: str) -> str:
    if number_format in {_GENERAL, "@"}:
        return plain(value)
    pattern, literals = _sections(number_format)[0]
    if isinstance(value, timedelta):
        moment, passed = _EPOCH + value, value
    else:
        day = value if isinstance(value, date) else _EPOCH.date()
        moment = (
            value
            if isinstance(value, datetime)
            else datetime.combine(day, value if isinstance(value, time) else time())
        )
        passed = moment.replace(tzinfo=None) - _EPOCH
    parts = _DATE_PART.findall(pattern)
    is_half = any(part.lower() in {"am/pm", "a/p"} for part in parts)
    written: list[str] = []
    clock = ""
    for place, part in enumerate(parts):
        small = part.lower()
        behind = next((one.lower() for one in parts[place + 1 :] if one[0].lower() in "hs" or one[0] == "["), "")
        is_minute = small.startswith("m") and (clock.startswith(("h", "[h")) or behind.startswith("s"))
        written.append(_date_part(small, part, moment, passed, is_minute=is_minute, is_half=is_half))
        if small[0] in "hmsyd[":
            clock = "" if small[0] in "yd" else small
    return _filled("".join(written), literals)


def _date_part(  # noqa: PLR0911, C901 - a line a sign
    small: str, part: str, moment: datetime, passed: timedelta, *, is_minute: bool, is_half: bool
) -> str:
    seconds = int(passed.total_seconds())
    match small[0]:
        case "[":
            unit = {"h": 3600, "m": 60, "s": 1}[small[1]]
            return str(seconds // unit).zfill(len(small) - 2)
        case "y":
            return f"{moment.year:04}" if len(small) > 2 else f"{moment.year % 100:02}"  # noqa: PLR2004 - yy
        case "m" if is_minute:
            return str(moment.minute).zfill(min(len(small), 2))
        case "m":
            named = _MONTHS[moment.month - 1]
            return str(moment.month).zfill(len(small)) if len(small) < 3 else named[:3] if len(small) == 3 else named  # noqa: PLR2004
        case "d":
            named = _DAYS[moment.weekday()]
            return str(moment.day).zfill(len(small)) if len(small) < 3 else named[:3] if len(small) == 3 else named  # noqa: PLR2004
        case "h":
            hour = (moment.hour - 1) % 12 + 1 if is_half else moment.hour
            return str(hour).zfill(min(len(small), 2))
        case "s":
            decimals = len(small.partition(".")[2])
            return str(moment.second).zfill(min(len(small.partition(".")[0]), 2)) + (
                f".{moment.microsecond:06}"[: decimals + 1] if decimals else ""
            )
        case "a" if "/" in small:
            named = "AM" if moment.hour < 12 else "PM"  # noqa: PLR2004 - noon
            return named if small == "am/pm" else named[0]
        case _:
            return part
