"""Dates, weekdays and times of day, in one spelling each, and which of two are one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from evolore.text.dates import grammar_of
from evolore.text.dates.calendars import day_of, month_of, years_of
from evolore.text.dates.english import SEASONS, WEEKDAYS, month_number
from evolore.text.dates.grammar import Reference, find, reread
from evolore.text.numerals import ORDINALS, read_count, read_whole, read_words
from evolore.text.values.spans import SpanKind, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.text.dates.grammar import DateHit
    from evolore.text.values import Value

EITHER = "|"
"""What separates the two readings of a date such as 05/03/2026."""

_ANY_DAY, _NO_DAY = Reference(day=date(2000, 1, 1)), Reference(day=None)
_FIRST_YEAR = 1500
"""What looks like an earlier year alone is a count: 300年."""
_YEAR_CUE = re.compile(r"(?:\b(?:in|since|until|by|year|of|early|late|mid-|in about|FY)) ?$", re.IGNORECASE)
_CUE = 9
_YEARS_COUNTED = re.compile(r"間|后|後|前|以内")
_NUMERAL = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
_LONE_MONTH = re.compile(
    r"(?<![A-Za-z0-9])(?:January|February|April|June|July|August|September|October|November|December)(?![A-Za-z0-9])"
    r"|(?:(?<=[Ee]ach )|(?<=[Ee]very )|(?<=[Ll]ast )|(?<=[Nn]ext )|(?<=or )|(?<=, ))(?:Ma(?:y|r(?:ch)?)|Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?![A-Za-z0-9])"
    rf"|(?:(?<![\d年ヶかカ个個一二三四五六七八九十])|(?<=[同次翌当今来本毎每明去]年))(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九]) ?月(?: ?(?P<day>{_NUMERAL}) ?[日号]|(?![間曜光一]))"
)
_WEEKDAY = re.compile(
    r"(?<![A-Za-z])(?P<english>Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:days?|(?=[-/,. )~]))(?![A-Za-z])"
    r"|(?P<japanese>[月火水木金土日])曜日?|(?:周|星期|礼拜|禮拜)(?P<chinese>[一二三四五六日天])(?![年期边围])"
    r"|(?:(?<=[(（])|(?<=\| )|(?<=\|))(?P<short>[月火水木金土日])(?=[)）]| ?\|)|(?P<listed>[月火水木金土日])(?=(?:・[月火水木金土日])+(?![\u4e00-\u9fff]))|(?<=[月火水木金土日]・)(?P<last>[月火水木金土日])(?![\u4e00-\u9fff])"
)
_SEASON = re.compile(
    r"(?<![A-Za-z])(?:in|during|by|until|since|from|to|and|or|the|this|last|next|every|each|early|mid|late)[ -](?:the )?(?P<english>spring|summer|autumn|fall|winter)(?![A-Za-z])"
    r"|(?P<han>[春夏秋冬])(?:[天季]|(?=に|から|まで|の間|は|休み|場|先(?!生)))"
)
_SEASONS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
_SPOKEN = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"

_LATIN_MARK = r"(?: ?(?P<latin>[AaPp]\.?[Mm]\.?)(?![A-Za-z]))"
_PART = r"(?: (?:in the|at|this|every|each|on \w+) (?P<part>morning|afternoon|evening|night))"
_PARTS_OF_DAY = {
    "午前": "a", "上午": "a", "早上": "a", "凌晨": "a", "朝": "a", "清晨": "a", "早晨": "a", "清早": "a", "明け方": "a", "早": "a",
    "午後": "p", "下午": "p", "傍晚": "p", "夕方": "p", "昼": "d", "中午": "d",
    "晚上": "n", "夜间": "n", "夜里": "n", "今晚": "n", "当晚": "n", "夜中": "n", "夜晚": "n", "晚": "n", "夜": "n", "深夜": "n", "半夜": "n", "每晚": "n", "夜間": "n",
}  # fmt: skip
_HALF = rf"(?P<half>{'|'.join(sorted(_PARTS_OF_DAY, key=len, reverse=True))})?(?:の|は)? ?"
_TIMES = (
    re.compile(
        rf"(?<![A-Za-z0-9])(?:(?P<past>half|(?:a )?quarter|(?:(?<=at )|(?<=by )|(?<=until )|(?<=from )|(?<=till )|(?<=about ))(?:five|ten|twenty(?:-five)?|\d{{1,2}}(?= minutes)))(?: minutes)? )(?P<side>past|after|to|before) (?P<spoken>\d{{1,2}}|{_SPOKEN}|midnight|noon|midday)(?! ?[:%\d])(?![A-Za-z])(?: o'clock)?(?:{_PART}|{_LATIN_MARK})?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_HALF}(?<![\d.])(?<!\d:)(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::\d\d)?(?![\d:])(?:{_LATIN_MARK}|{_PART})?"
    ),
    re.compile(
        rf"(?<![\d:.A-Za-z$¥€£])(?P<hour>\d{{1,2}})(?:\.(?P<minute>[0-5]\d))? ?{_LATIN_MARK.replace(' ?', '', 1)}"
    ),
    re.compile(
        r"(?<![\d:.A-Za-z$¥€£])(?P<hour>\d{1,2})\.(?P<minute>[0-5]\d)(?= ?(?:-|to|and|until) ?\d{1,2}\.[0-5]\d ?[AaPp]\.?[Mm])"
    ),
    re.compile(
        r"(?<![\d:.A-Za-z$¥€£-])(?P<hour>\d{1,2})(?= ?(?:-|to|and|until|till) ?\d{1,2}(?:[.:][0-5]\d)? ?(?:[AaPp]\.?[Mm]\.?(?![A-Za-z])|in the (?:morning|afternoon|evening)))"
    ),
    re.compile(rf"(?<![A-Za-z0-9:.])(?P<spoken>\d{{1,2}}|{_SPOKEN})(?: o'clock)?{_PART}(?![A-Za-z])", re.IGNORECASE),
    re.compile(rf"(?<![A-Za-z0-9:.])(?P<spoken>\d{{1,2}}|{_SPOKEN}) o'clock(?![A-Za-z])", re.IGNORECASE),
    re.compile(
        rf"{_HALF}(?<![\d第分])(?P<hour>{_NUMERAL}) ?(?:時(?!間|点|期|代)|时(?!间|候|期|代|刻)|点(?!钟头|建议|以上要|数|击|多|[〇零一二三四五六七八九]+(?![十〇零一二三四五六七八九]*分)|儿|心|滴|点|评|头)钟?)(?:(?P<minute>{_NUMERAL}) ?分(?!间|間|之)|(?P<thirty>半)|(?P<quarter>一刻))?"
    ),
    re.compile(
        r"(?<![\d.,:/A-Za-z-])(?P<hour>0\d|1\d(?=\d\d (?:hours|hrs|h)(?![A-Za-z])))(?P<minute>[0-5]\d)(?![\d:/-]|[.,]\d|[年月日])"
    ),
    re.compile(r"(?<![A-Za-z])(?P<noon>noon|midday|midnight)(?![A-Za-z])|(?P<word>正午|零时|零時|午夜)"),
)
_NOON = frozenset(("noon", "midday", "正午"))
_A_BIT = re.compile(
    r"(?<![上下中凌早晚午夜])一点(?!钟|半|整|前|后|以前|以后|之前|之后|到|至|-|~|[一二三四五]?十?[一二三四五六七八九]?分)"
)
_RANGE = re.compile(r"\s?(?:から|至|到|-|~|to|and|until|till|、)\s?(?:翌日の?)?\s?")
_DAY_PARTS = re.compile(r"(?P<a>morning|a\.?m\b)|(?P<p>afternoon|evening|p\.?m\b|tonight)", re.IGNORECASE)
_NEAR = 28
_QUARTER = re.compile(
    r"(?<![A-Za-z0-9])Q(?P<one>[1-4])(?![A-Za-z0-9])|第(?P<two>[1-4一二三四])(?:四半期|季度)|(?P<word>first|second|third|fourth) quarter",
    re.IGNORECASE,
)


def find_dates(text: str, language: Language) -> Iterator[Spot]:
    """Return dates as far as they are stated: year, month and day or some of them; of a range, both ends.

    Seasons, decades and parts of several months are written as their first and last day. Of a date such as 05/03/2026,
    both readings are.
    """
    ends = 0
    for one in find(text, grammar_of(language, is_relative=False), _ANY_DAY, most=len(text)):
        spellings = tuple(_spellings(one, text))
        yield from (Spot(SpanKind.DATE, spelling, one.start, one.end) for spelling in spellings)
        yield from _lone_months(text, ends, one.start)
        ends = one.end if spellings else one.start
    yield from _lone_months(text, ends, len(text))
    yield from _weekdays(text)
    for match in _QUARTER.finditer(text):
        number = ORDINALS[match["word"].casefold()] if match["word"] else read_whole(match["one"] or match["two"])
        yield Spot(SpanKind.DATE, f"Q{number}", match.start(), match.end())


def _spellings(one: DateHit, text: str) -> Iterator[str]:
    """Write what an expression says; a part of a month or year counts as all of it."""
    period, groups = one.period, one.match.groupdict()
    is_verb = not groups.get("year") and groups.get("month") in {"may", "march"}
    if period is None or is_verb or groups.get("age"):  # 明朝 is also tomorrow morning
        return
    first, last = period.first, period.last
    if groups.get("other"):
        year, *ends = (int(groups[name]) for name in ("year", "one", "other"))
        days = {f"{year}-{month}-{day}" for month, day in (ends, ends[::-1]) if day_of(year, month, day)}
        yield from filter(None, (EITHER.join(sorted(days)),))
        return
    year = "?" if reread(one, _NO_DAY) is None else str(first.year)
    is_part = bool(groups.get("part") or (groups.get("era") and not groups.get("season")))
    if first == last:
        yield from () if year == "?" and groups.get("holiday") else (f"{year}-{first.month}-{first.day}",)
    elif groups.get("last") and groups.get("year") and years_of(first.year, last.year) == period:
        yield from (f"{one.year}-?-?" for one in (first, last))
    elif groups.get("to"):
        yield from (f"{year}-{day.month}-{day.day}" for day in (first, last))
    elif month_of(first.year, first.month) == period or (is_part and first.month == last.month):
        yield f"{year}-{first.month}-?"
    elif years_of(first.year, first.year) == period or (is_part and first.year == last.year):
        yield from (f"{year}-?-?",) if _is_year(one, text) else ()
    else:
        yield f"{first.isoformat()}/{last.isoformat()}"


def _is_year(one: DateHit, text: str) -> bool:
    """Return whether a number alone is a year: where words say so, and nothing is counted."""
    if "年" in one.match.group():
        return (
            one.period is not None and one.period.first.year >= _FIRST_YEAR and not _YEARS_COUNTED.match(text, one.end)
        )
    return (
        bool(one.match.groupdict().get("part"))
        or _YEAR_CUE.search(text[max(0, one.start - _CUE) : one.start]) is not None
    )


def _lone_months(text: str, start: int, end: int) -> Iterator[Spot]:
    """Return months and seasons without a year where a text need not be a sentence: "January sales", 翌年3月."""
    for match in _LONE_MONTH.finditer(text, start, end):
        month = read_whole(match["month"]) if match["month"] else month_number(match.group())
        yield Spot(SpanKind.DATE, f"?-{month}-{read_whole(match['day'] or '') or '?'}", match.start(), match.end())
    for match in _SEASON.finditer(text, start, end):
        number = _SEASONS[match["han"]] if match["han"] else SEASONS[match["english"].casefold()]
        yield Spot(SpanKind.DATE, f"season {number}", match.start(match.lastgroup or 0), match.end(), is_soft=True)


def _weekdays(text: str) -> Iterator[Spot]:
    for match in _WEEKDAY.finditer(text):
        if match["english"]:
            number = WEEKDAYS[match["english"][:3].casefold()]
        elif match["chinese"]:
            number = "一二三四五六日天末".index(match["chinese"])
            number = 6 if number == 7 else number  # noqa: PLR2004 - 日 and 天 are one day
        else:
            number = "月火水木金土日".index(next(filter(None, match.group("japanese", "short", "listed", "last"))))
        yield Spot(SpanKind.DATE, f"weekday {number + 1}", match.start(), match.end())


def find_times(text: str) -> Iterator[Spot]:
    """Yield times of day by the clock of 24 hours; one end of a range lends the other its half of the day."""
    plain = _A_BIT.sub(lambda match: " " * len(match.group()), text)
    read = [one for pattern in _TIMES for match in pattern.finditer(plain) if (one := _read(match))]
    read.sort(key=lambda one: (one.start, one.start - one.end))
    apart: list[_Clock] = []
    for one in read:
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    for index, one in enumerate(apart):
        value = _clock(one.hour, one.minute, one.half or _lent(apart, index, plain) or _nearby(one, plain))
        if value:
            yield Spot(SpanKind.TIME, value, one.start, one.end)


@dataclass(frozen=True, slots=True)
class _Clock:
    """A time as it is read: the half of the day is "a", "p", "n" of a night, "d" about noon, or unstated."""

    hour: int
    minute: int
    half: str
    start: int
    end: int
    is_spoken: bool


def _read(match: re.Match[str]) -> _Clock | None:
    parts = match.groupdict()
    if parts.get("noon") or parts.get("word"):
        is_noon = (parts.get("noon") or parts.get("word") or "").casefold() in _NOON
        return _Clock(12 if is_noon else 0, 0, "-", match.start(), match.end(), is_spoken=False)
    spoken = parts.get("spoken")
    hour = (read_count(spoken) or 12 * (spoken.casefold() in _NOON)) if spoken else read_whole(parts.get("hour") or "")
    minute = 30 if parts.get("thirty") else 15 if parts.get("quarter") else read_whole(parts.get("minute") or "")
    if parts.get("past"):
        hour, minute = _past(hour, parts["past"] or "", is_before=(parts["side"] or "").casefold() in {"to", "before"})
    half = {"morning": "a", "afternoon": "p", "evening": "p", "night": "n"}.get(
        (parts.get("part") or "").casefold(), ""
    )
    half = half or (parts.get("latin") or "").casefold()[:1] or _PARTS_OF_DAY.get(parts.get("half") or "", "")
    is_spoken = bool(spoken) or (
        match.group().startswith(tuple("123456789")) and "minute" in parts and ":" not in match.group()
    )
    return _Clock(hour, minute, half, match.start(), match.end(), is_spoken=is_spoken)


def _past(hour: int, words: str, *, is_before: bool) -> tuple[int, int]:
    """Read "half past six" and "ten to four"."""
    words = words.casefold().removeprefix("a ")
    minutes = {"half": 30, "quarter": 15}.get(words) or read_count(words) or int(read_words(words))
    return ((hour - 1) % 12 or 12, 60 - minutes) if is_before else (hour, minutes)


def _lent(times: list[_Clock], index: int, text: str) -> str:
    """Return the half of the day that the other end of a range states."""
    one = times[index]
    if one.hour > 12:  # noqa: PLR2004 - the clock's
        return ""
    for other in times[max(0, index - 1) : index]:
        is_later = (one.hour % 12, one.minute) >= (other.hour % 12, other.minute)
        if other.half and is_later and _RANGE.fullmatch(text[other.end : one.start]):
            return other.half
    for other in times[index + 1 : index + 2]:
        is_earlier = (one.hour % 12, one.minute) <= (other.hour % 12, other.minute)
        if other.half and is_earlier and _RANGE.fullmatch(text[one.end : other.start]):
            return other.half
    return ""


def _nearby(one: _Clock, text: str) -> str:
    """Return the half of the day that is stated beside a time in words: "on Thursday evening at half past seven"."""
    if not one.is_spoken:
        return ""
    before = list(_DAY_PARTS.finditer(text[max(0, one.start - _NEAR) : one.start]))
    return before[-1].lastgroup or "" if before else ""


def _clock(hour: int, minute: int, half: str) -> str:
    if (half == "p" and hour < 12) or (half == "n" and 6 <= hour < 12) or (half == "d" and 1 <= hour < 6):  # noqa: PLR2004 - the clock's
        hour += 12
    if half in {"a", "n"} and hour == 12:  # noqa: PLR2004 - the clock's
        hour = 0
    return f"{hour}:{minute:02}" if hour <= 30 and minute < 60 else ""  # noqa: PLR2004 - 25:30 is a way to say 1:30


_HALF_DAY = 12
_MARKED = re.compile(
    r"[ap]\.?m|noon|midnight|midday|morning|afternoon|evening|night|午|朝|夜|夕|早|晨|晚|傍", re.IGNORECASE
)


def read_dates(span: Value) -> tuple[tuple[int, int, int], ...]:
    """Read year, month and day, 0 for an unstated part, in each reading; nothing for a weekday, a quarter or a season."""
    readings = (reading.split("-") for reading in span.canonical.split(EITHER))
    return tuple(
        (_part(parts[0]), _part(parts[1]), _part(parts[2]))
        for parts in readings
        if len(parts) == 3  # noqa: PLR2004
    )


def _part(text: str) -> int:
    return 0 if text == "?" else int(text)


def minutes_of(span: Value) -> int:
    """Return the minutes of a time since midnight."""
    hour, _, minute = span.canonical.partition(":")
    return 60 * int(hour) + int(minute)


def is_one_time(one: Value, other: Value) -> bool:
    """Return whether two times are one; where one alone states the half of the day, noon may lie between them."""
    hour, _, minute = one.canonical.partition(":")
    theirs, _, rest = other.canonical.partition(":")
    is_half_told = _tells_half(one) != _tells_half(other)
    apart, first = abs(int(hour) - int(theirs)), min(int(hour), int(theirs))
    is_same = apart in {0, 2 * _HALF_DAY} or (apart == _HALF_DAY and is_half_told and first <= _HALF_DAY)
    return rest == minute and is_same


def _tells_half(span: Value) -> bool:
    """Return whether a time says which half of the day it is in: by a word, or by an hour after noon in digits."""
    is_late = int(span.canonical.partition(":")[0]) > _HALF_DAY and ":" in span.quote
    return is_late or _MARKED.search(span.quote) is not None


def is_compatible(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two dates may be one, as far as both are stated."""
    both = [(first, second) for first, second in zip(one, other, strict=True) if first and second]
    return bool(both) and all(first == second for first, second in both)


def weekdays_of(parts: tuple[int, int, int]) -> tuple[int, ...]:
    """Return the weekday of a date and that of the day after; none where the year is unstated."""
    try:
        number = date(*parts).isoweekday()
    except ValueError:
        return ()
    return number, number % 7 + 1
