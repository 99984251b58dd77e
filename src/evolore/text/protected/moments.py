"""Dates, weekdays and times of day, in one spelling each, and which of two are one."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.text.protected.numerals import read_han, read_words
from evolore.text.protected.spans import Found, SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.text.protected.spans import ProtectedSpan

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
_MONTH = r"(?P<name>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)(?:(?<=[a-z]{3})(?<!May)\.(?= ?\d))?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d|:\d)"
_TO_DAY = r"(?: ?(?:-|to|~|through|until) ?(?P<to>\d{1,2})(?:st|nd|rd|th)?(?![\d:]))?"
_WORD_START, _WORD_END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_NUMERAL = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
_YEAR = r"(?:\d{4}|[〇零一二三四五六七八九]{4})"
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE if "name" in pattern else 0)
    for pattern in (
        r"(?<![\d.])(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?![\d])",
        rf"(?:(?P<era>明治|大正|昭和|平成|令和)(?P<eray>{_NUMERAL}|元)|(?P<year>(?<!\d){_YEAR}) ?)年 ?(?P<month>{_NUMERAL}) ?月 ?(?P<day>{_NUMERAL}) ?[日号](?: ?(?:[-~]|から|到|至) ?(?P<to>{_NUMERAL}) ?[日号])?",
        rf"(?:(?P<era>明治|大正|昭和|平成|令和)(?P<eray>{_NUMERAL}|元)|(?P<year>(?<!\d){_YEAR}) ?)年 ?(?P<month>{_NUMERAL}) ?月(?!間)",
        rf"(?:(?<![\d年])|(?<=[同次翌当今来本毎每明去]年))(?P<month>{_NUMERAL}) ?月 ?(?P<day>{_NUMERAL}) ?[日号](?: ?(?:[-~]|から|到|至) ?(?P<to>{_NUMERAL}) ?[日号])?",
        rf"(?:(?P<era>明治|大正|昭和|平成|令和)(?P<eray>{_NUMERAL}|元)|(?P<year>(?<!\d)(?:(?:1[5-9]|20|21)\d\d|[一二][〇零一二三四五六七八九]{{3}})) ?)年(?!間|后|後|前|以内)",
        r"(?:(?<![\d年ヶかカ个個])|(?<=[同次翌当今来本毎每明去]年))(?P<month>(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])) ?月(?![間曜光一])(?:份|末|初|中旬|上旬|下旬)?",
        rf"{_WORD_START}{_MONTH} {_DAY}{_TO_DAY}(?:,? (?P<year>\d{{4}})(?!\d))?",
        rf"{_WORD_START}{_DAY}(?: of)? {_MONTH}(?:,? (?P<year>\d{{4}})(?!\d))?{_WORD_END}",
        rf"{_WORD_START}{_MONTH},?(?: of)? (?P<year>\d{{4}})(?!\d)",
        r"(?<![\d/.])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})(?![\d/])",
        r"(?<![\d/.-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d-])",
        rf"(?:(?<=[Ii]n )|(?<=[Bb]y )|(?<=[Uu]ntil )|(?<=[Ss]ince )|(?<=end of )|(?<=of )|(?<=[Ee]arly )|(?<=[Ll]ate )|(?<=[Ee]ach )|(?<=[Ee]very )){_MONTH}{_WORD_END}",
        rf"(?:(?<=[Ff]rom )|(?<=[Bb]etween )|(?<=[Tt]o )|(?<=and )|(?<=through )|(?<=or )|(?<=, )|(?<=[Ll]ast )|(?<=[Nn]ext )|(?<=-)|(?<=[Mm]id-)){_MONTH}{_WORD_END}",
        rf"{_WORD_START}(?P<name>January|February|April|June|July|August|September|October|November|December){_WORD_END}",
        r"(?:(?<=[Ii]n )|(?<=[Ss]ince )|(?<=[Uu]ntil )|(?<=[Bb]y )|(?<=[Yy]ear )|(?<=of )|(?<=early )|(?<=late )|(?<=[Mm]id-)|(?<=[Ii]n about )|(?<=FY)|(?<=FY ))(?P<year>(?:1[5-9]|20)\d\d)(?![\d-]|,\d)",
    )
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEKDAY = re.compile(
    r"(?<![A-Za-z])(?P<english>Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:days?|(?=[-/,. )~]))(?![A-Za-z])"
    r"|(?P<japanese>[月火水木金土日])曜日?|(?:周|星期|礼拜|禮拜)(?P<chinese>[一二三四五六日天])(?![年期边围])"
    r"|(?:(?<=[(（])|(?<=\| )|(?<=\|))(?P<short>[月火水木金土日])(?=[)）]| ?\|)|(?P<listed>[月火水木金土日])(?=(?:・[月火水木金土日])+(?![\u4e00-\u9fff]))|(?<=[月火水木金土日]・)(?P<last>[月火水木金土日])(?![\u4e00-\u9fff])"
)
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
        rf"(?<![A-Za-z0-9])(?:(?P<past>half|(?:a )?quarter|(?:(?<=at )|(?<=by )|(?<=until )|(?<=from )|(?<=till )|(?<=about ))(?:five|ten|twenty(?:-five)?|\d{{1,2}}(?= minutes)))(?: minutes)? )(?P<side>past|after|to|before) (?P<spoken>\d{{1,2}}|{_SPOKEN})(?! ?[:%\d])(?![A-Za-z])(?: o'clock)?(?:{_PART}|{_LATIN_MARK})?",
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
_QUARTER_WORDS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def find_dates(text: str) -> Iterator[Found]:
    """Give dates as far as they are told: year, month, day, each or none; of a range, both ends."""
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            values = [value for value in _date_values(match) if value]
            taken += [match.span()] * bool(values)
            yield from (Found(SpanKind.DATE, value, match.start(), match.end()) for value in values)
    yield from _weekdays(text)
    for match in _QUARTER.finditer(text):
        number = match["one"] or match["two"]
        value = _QUARTER_WORDS[match["word"].casefold()] if match["word"] else read_han(number)
        yield Found(SpanKind.DATE, f"Q{value}", match.start(), match.end())


def _date_values(match: re.Match[str]) -> Iterator[str]:
    parts = match.groupdict()
    year = _number(parts.get("year"))
    if parts.get("era"):
        year = _ERAS[parts["era"]] + (1 if parts["eray"] == "元" else _number(parts["eray"]))
    month = _MONTH_NUMBERS[parts["name"][:3].casefold()] if parts.get("name") else _number(parts.get("month"))
    day, last = _number(parts.get("day")), _number(parts.get("to"))
    if (parts.get("name") or "") in {"may", "march"} and not year:
        return
    if month <= 12 and day <= 31:  # noqa: PLR2004 - the calendar's
        yield _written(year, month, day)
        yield _written(year, month, last) if last else ""


def _number(text: str | None) -> int:
    return int(read_han(text) or 0) if text else 0


def _written(year: int, month: int, day: int) -> str:
    return "-".join(str(part) if part else "?" for part in (year, month, day))


def _weekdays(text: str) -> Iterator[Found]:
    for match in _WEEKDAY.finditer(text):
        if match["english"]:
            number = next(
                index for index, day in enumerate(_WEEKDAYS) if day.startswith(match["english"][:3].casefold())
            )
        elif match["chinese"]:
            number = "一二三四五六日天末".index(match["chinese"])
            number = 6 if number == 7 else number  # noqa: PLR2004 - 日 and 天 are one day
        else:
            number = "月火水木金土日".index(next(filter(None, match.group("japanese", "short", "listed", "last"))))
        yield Found(SpanKind.DATE, f"weekday {number + 1}", match.start(), match.end())


def find_times(text: str) -> Iterator[Found]:
    """Give times of day by the clock of 24 hours; one end of a range lends the other its half of the day."""
    plain = _A_BIT.sub(lambda match: " " * len(match.group()), text)
    read = [one for pattern in _TIMES for match in pattern.finditer(plain) if (one := _read(match))]
    read.sort(key=lambda one: (one.start, one.start - one.end))
    apart: list[_Clock] = []
    for one in read:
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    for index, one in enumerate(apart):
        half = one.half or _lent(apart, index, plain) or _nearby(one, plain)
        value = _clock(one.hour, one.minute, half)
        if value:
            yield Found(SpanKind.TIME, value, one.start, one.end)


@dataclass(frozen=True, slots=True)
class _Clock:
    """A time as it is read: the half of the day is "a", "p", "n" of a night, "d" about noon, or not told."""

    hour: int
    minute: int
    half: str
    start: int
    end: int
    is_spoken: bool


def _read(match: re.Match[str]) -> _Clock | None:
    parts = match.groupdict()
    if parts.get("noon") or parts.get("word"):
        is_noon = (parts.get("noon") or "").casefold() in {"noon", "midday"} or parts.get("word") == "正午"
        return _Clock(12 if is_noon else 0, 0, "-", match.start(), match.end(), is_spoken=False)
    spoken = parts.get("spoken")
    hour = _spoken_hour(spoken) if spoken else _number(parts.get("hour"))
    minute = 30 if parts.get("thirty") else 15 if parts.get("quarter") else _number(parts.get("minute"))
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
    minutes = {"half": 30, "quarter": 15}.get(words) or (int(words) if words.isdecimal() else int(read_words(words)))
    return ((hour - 1) % 12 or 12, 60 - minutes) if is_before else (hour, minutes)


def _lent(times: list[_Clock], index: int, text: str) -> str:
    """Give the half of the day that the other end of a range tells."""
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
    """Give the half of the day that is told beside a time in words: "on Thursday evening at half past seven"."""
    if not one.is_spoken:
        return ""
    before = list(_DAY_PARTS.finditer(text[max(0, one.start - _NEAR) : one.start]))
    return before[-1].lastgroup or "" if before else ""


def _spoken_hour(word: str) -> int:
    return int(word) if word.isdecimal() else int(read_words(word))


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


def read_date(span: ProtectedSpan) -> tuple[int, int, int] | None:
    """Read the parts of a date; None for a weekday or a quarter."""
    parts = span.value.split("-")
    return tuple(0 if part == "?" else int(part) for part in parts) if len(parts) == 3 else None  # type: ignore[return-value]  # noqa: PLR2004


def minutes_of(span: ProtectedSpan) -> int:
    """Give the minutes of a time since midnight."""
    hour, _, minute = span.value.partition(":")
    return 60 * int(hour) + int(minute)


def is_one_time(one: ProtectedSpan, other: ProtectedSpan) -> bool:
    """Tell whether two times are one; where one alone tells the half of the day, noon may lie between them."""
    hour, _, minute = one.value.partition(":")
    theirs, _, rest = other.value.partition(":")
    is_half_told = _tells_half(one) != _tells_half(other)
    apart, first = abs(int(hour) - int(theirs)), min(int(hour), int(theirs))
    is_same = apart in {0, 2 * _HALF_DAY} or (apart == _HALF_DAY and is_half_told and first <= _HALF_DAY)
    return rest == minute and is_same


def _tells_half(span: ProtectedSpan) -> bool:
    """Tell whether a time says which half of the day it is in: by a word, or by an hour after noon in digits."""
    is_late = int(span.value.partition(":")[0]) > _HALF_DAY and ":" in span.quote
    return is_late or _MARKED.search(span.quote) is not None


def is_compatible(one: Sequence[int], other: Sequence[int]) -> bool:
    """Tell whether two dates may be one, as far as both are told."""
    both = [(first, second) for first, second in zip(one, other, strict=True) if first and second]
    return bool(both) and all(first == second for first, second in both)


def weekdays_of(date: tuple[int, int, int]) -> tuple[int, ...]:
    """Give the weekday of a date and that of the day after; none where the year is not told."""
    try:
        number = dt.date(*date).isoweekday()
    except ValueError:
        return ()
    return number, number % 7 + 1
