"""Dates in English: words of the calendar, what wordings say, and the rules."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from evolore.domain.times import Period
from evolore.text.dates import calendars
from evolore.text.dates.calendars import DAYS_IN_WEEK, CalendarPart, Maker, Unit
from evolore.text.dates.grammar import DateRules, DayBound, Reference, Rule, ago, numeric_rules, past, union
from evolore.text.numerals import ORDINALS, read_count
from evolore.text.word_files import any_of

_MONTHS = (
    *("jan(?:uary|\\.)?", "feb(?:ruary|\\.)?", "mar(?:ch|\\.)?", "apr(?:il|\\.)?", "may", "june?", "july?"),
    *("aug(?:ust|\\.)?", "sept?(?:ember|\\.)?", "oct(?:ober|\\.)?", "nov(?:ember|\\.)?", "dec(?:ember|\\.)?"),
)
_LONGEST_CUE = 20
_STEMS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = {name: number for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
DECADES = {
    word: 1900 + 10 * tens
    for tens, word in enumerate(("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"), 2)
}  # fmt: skip
PARTS = {
    "early": CalendarPart.EARLY, "mid": CalendarPart.MIDDLE, "late": CalendarPart.LATE, "beginning of": CalendarPart.OPENING, "start of": CalendarPart.OPENING,
    "middle of": CalendarPart.MIDDLE, "end of": CalendarPart.CLOSE, "first half of": CalendarPart.FIRST_HALF, "second half of": CalendarPart.SECOND_HALF,
}  # fmt: skip
HOLIDAYS = {
    "christmas eve": (12, 24, 24), "christmas": (12, 25, 25), "boxing day": (12, 26, 26),
    "new year's eve": (12, 31, 31), "new year's day": (1, 1, 1), "new year's": (1, 1, 1), "new year": (1, 1, 1), "halloween": (10, 31, 31),
    "valentine's day": (2, 14, 14),
}  # fmt: skip
"""Month, first and last day; those that move are left out."""

MONTH = rf"(?P<month>{'|'.join(_MONTHS)})(?!\w)"
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)day"
SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
HOLIDAY = "|".join(HOLIDAYS).replace("'", "['’]")
DECADE = rf"(?:(?P<year>[12]\d\d0)['’]?s|['’](?P<short>\d0)s|(?<=(?:the|ate|rly|mid)[\s-])(?P<plain>[3-9]0)['’]?s|(?P<word>{'|'.join(DECADES)}))(?!\w)"
CENTURY = rf"(?:(?P<number>\d\d?)(?:st|nd|rd|th)|(?P<word>twenty-first|{any_of(ORDINALS)}))[\s-]+(?:century|centuries)(?!\w)(?!\s+bc)"
PART = rf"(?P<part>{'|'.join(PARTS)})(?:[\s-]+(?:in\s+)?(?:the\s+)?)"
COUNT = r"\d{1,3}|a\s+couple\s+of|a\s+few|couple\s+of|an?|few|several|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
UNIT = "day|week|month|year"
YEAR = r"(?P<year>[12]\d{3})(?!\d)"
STEP = r"(?P<step>last|past|previous|this|next|coming)"

BEFORE_MONTH = re.compile(
    r"(?<!\w)(?:in|during|since|until|till|by|from|to|through|for|before|after|of|around|and|between|-|–)\s*$",
    re.IGNORECASE,
)
"""What comes before the name of a month that has neither day nor year."""
BEFORE_WEEKDAY = re.compile(r"(?<!\w)(?:on|since|until|till|by|from|to|and|-|–)\s*$", re.IGNORECASE)
BEFORE_SEASON = re.compile(r"(?<!\w)(?:in|during|since|until|by|for)\s+(?:the\s+)?$", re.IGNORECASE)
BEFORE_YEAR = re.compile(
    r"(?<!\w)(?:in|since|until|till|by|during|from|to|before|after|around|about|circa|c\.|year|between|and|through)"
    r"\s+(?:the\s+)?(?:year\s+)?$",
    re.IGNORECASE,
)
NUMBERED = re.compile(
    r"(?<!\w)(?:port|rfc|iso|room|line|pid|error|code|page|flight|bus|no\.|number|version|http)\s+$", re.IGNORECASE
)
"""What comes before a number that identifies things, and is no year."""
COUNTED = re.compile(r"\s+(?!(?:was|is|has|as|its|his|this|thus|across|sales|does|onwards|towards)\b)[a-z]+s\b")
"""What follows a number that counts things, and is no year."""


def month_number(word: str) -> int:
    """Return the number of a month from its name or a beginning of it."""
    return _STEMS.index(word[:3].lower()) + 1


def stands_before(pattern: re.Pattern[str], match: re.Match[str]) -> bool:
    """Return whether a match comes right after one of a pattern's words."""
    return pattern.search(match.string, max(0, match.start() - _LONGEST_CUE), match.start()) is not None


_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
NAMED_DAYS = {
    "the day before yesterday": -2, "the day after tomorrow": 2, "yesterday": -1, "tomorrow": 1, "today": 0,
    "tonight": 0, "last night": -1, "last evening": -1, "this morning": 0, "this afternoon": 0, "this evening": 0,
}  # fmt: skip
_RECENT_DAYS = 29
_CUELESS_YEARS = range(1700, 2100)
_NINETEEN_HUNDRED = 1900
_QUARTER_MONTHS = 3
_HALF_MONTHS = 6


def days_of_month(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "8 May 2023", "May 8-10", "8th of May"."""
    month, first, last = month_number(match["month"]), int(match["day"]), int(match["to"] or match["day"])
    return _yearly(match, reference, lambda year: calendars.days_of(year, month, first, last))


def bare_month(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "May" and "mid-May"; "may" and "march" are verbs."""
    if not (match["month"][0].isupper() and (match["part"] or stands_before(BEFORE_MONTH, match))):
        return None
    month = month_number(match["month"])
    return _part(reference.nearest(lambda year: calendars.month_of(year, month)), match)


def decade(match: re.Match[str], _: Reference) -> Period | None:
    """Read "the 1990s", "the 90s", "the nineties"; "the 1800s" is a century, "the 2000s" is none."""
    if match["word"]:
        start = DECADES[match["word"].lower()]
    else:
        start = int(match["year"] or _NINETEEN_HUNDRED + int(match["short"] or match["plain"]))
    is_century = start % 100 == 0 and start <= _NINETEEN_HUNDRED and not match["part"]
    return _part(calendars.years_of(start, start + (99 if is_century else 9)), match)


def century(match: re.Match[str], _: Reference) -> Period | None:
    """Read "19th century", "the late nineteenth century"."""
    number = int(match["number"]) if match["number"] else ORDINALS.get(match["word"].lower(), 21)
    return _part(calendars.century_of(number), match)


def quarter(match: re.Match[str], _: Reference) -> Period | None:
    """Read "Q3 2021", "the second quarter of 2022", "the first half of 2022"."""
    number = int(match["q"]) if match["q"] else ORDINALS[match["word"].lower()]
    months = _HALF_MONTHS if (match["kind"] or "").lower() == "half" else _QUARTER_MONTHS
    return calendars.months_of(int(match["year"]), (number - 1) * months + 1, months)


def holiday(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "Christmas 2021", "last Halloween", "at Christmas"."""
    month, first, last = HOLIDAYS[match["holiday"].lower().replace("’", "'")]
    if match["step"] and not match["year"]:
        return reference.stepped(lambda year: calendars.days_of(year, month, first, last), _step(match))
    return _yearly(match, reference, lambda year: calendars.days_of(year, month, first, last))


def stepped_weekday(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "last Friday", the latest before today; "this" and "next Friday" go by the week."""
    if reference.day is None:
        return None
    weekday, step = WEEKDAYS[match["weekday"].lower()[:3]], _step(match)
    if step >= 0:
        return calendars.weekday_of(reference.day, step, weekday)
    return calendars.distant(reference.day, -calendars.days_behind(reference.day, weekday), Unit.DAY)


def bare_weekday(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "on Friday": the latest for a question, the nearest in a text."""
    if reference.day is None or not stands_before(BEFORE_WEEKDAY, match):
        return None
    behind = calendars.days_behind(reference.day, WEEKDAYS[match["weekday"].lower()[:3]])
    looks_back = reference.is_asked or behind <= DAYS_IN_WEEK // 2
    return calendars.distant(reference.day, -behind if looks_back else DAYS_IN_WEEK - behind, Unit.DAY)


def seasons_ago(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "two summers ago": the last but one that is over."""
    make, count = _season_maker(match, reference), read_count(match["count"].lower().removesuffix(" of").split()[-1])
    last = reference.stepped(make, -1)
    return make(last.first.year - count + 1) if last and count else None


def year_alone(match: re.Match[str], _: Reference) -> Period | None:
    """Read "in 2019"; a number with nothing before it is a year of 1700 to 2099, unless things are counted."""
    year = int(match["year"])
    if not stands_before(BEFORE_YEAR, match) and not _is_likely_year(year, match):
        return None
    return _part(calendars.years_of(year, year), match)


def _is_likely_year(year: int, match: re.Match[str]) -> bool:
    is_counted = COUNTED.match(match.string, match.end()) is not None
    return year in _CUELESS_YEARS and not is_counted and not stands_before(NUMBERED, match)


def _part(period: Period | None, match: re.Match[str]) -> Period | None:
    part = match["part"]
    return calendars.part_of(period, PARTS[part.lower()]) if period and part else period


def _yearly(match: re.Match[str], reference: Reference, make: Maker) -> Period | None:
    return make(int(match["year"])) if match["year"] else reference.nearest(make)


def _step(match: re.Match[str]) -> int:
    return _STEPS[match["step"].lower()]


def _counted(match: re.Match[str]) -> tuple[int | None, Unit]:
    """Read "a couple of weeks"; None for "a few"."""
    return read_count(match["count"].lower().removesuffix(" of").split()[-1]), Unit(match["unit"].lower())


def _season_maker(match: re.Match[str], reference: Reference) -> Maker:
    number = SEASONS[match["season"].lower()]
    return lambda year: calendars.season_of(year, number, southern=reference.southern)


def _unit_from(day: date, unit: str, step: int) -> Period | None:
    if unit == "week":
        return calendars.week_of(day, step)
    if unit == "weekend":
        return calendars.weekend_of(day, step)
    return calendars.month_from(day, step) if unit == "month" else calendars.year_from(day, step)


_TH = r"(?:st|nd|rd|th)?"
_TO = rf"(?:\s?(?:-|–|—|to|until|through|and)\s?(?P<to>\d\d?){_TH}(?!\d))?"
_COUNTED = r"[\d%€£°]|[.,:]\d|-\d|\s?(?:b\.?c|people|km|kg|m\b|dollars|euros|yen|percent|seconds|minutes|hours|words|characters|pixels|calories|steps|rows|lines|bytes|ms\b|px\b|[kmgt]i?b\b)|\s*[×x]\s*\d"


def _told_rules() -> tuple[Rule, ...]:
    return (
        *numeric_rules(),
        Rule(
            rf"(?P<day>\d\d?){_TH}{_TO}\s+(?:day\s+)?(?:of\s+)?{MONTH}(?:\s?,?\s+(?:of\s+)?{YEAR})?",
            days_of_month,
            lacks_year=True,
        ),
        Rule(
            rf"{MONTH}\s+(?:the\s+)?(?P<day>\d\d?){_TH}(?![\d:]){_TO}(?:\s?,?\s+{YEAR})?",
            days_of_month,
            lacks_year=True,
        ),
        Rule(
            rf"(?:{PART})?{MONTH}\s?,?\s+(?:of\s+)?{YEAR}",
            lambda match, _: _part(calendars.month_of(int(match["year"]), month_number(match["month"])), match),
        ),
        Rule(rf"(?:{PART})?(?:the\s+)?{DECADE}", decade),
        Rule(rf"(?:{PART})?(?:the\s+)?{CENTURY}", century),
        Rule(rf"{SEASON}(?:\s+of)?,?\s+{YEAR}", lambda match, on: _yearly(match, on, _season_maker(match, on))),
        Rule(
            r"(?:Q(?P<q>[1-4])|(?P<word>first|second|third|fourth)\s+(?P<kind>quarter|half))(?:\s+of|,)?\s+"
            rf"{YEAR}",
            quarter,
        ),
        Rule(rf"(?:{STEP}\s+)?(?P<holiday>{HOLIDAY})(?!\w)(?:\s?,?\s+(?:of\s+)?{YEAR})?", holiday, lacks_year=True),
    )


def _relative_rules() -> tuple[Rule, ...]:
    return (
        Rule(
            rf"(?P<name>{'|'.join(NAMED_DAYS)})(?!\w)",
            lambda match, on: (
                on.day and calendars.distant(on.day, NAMED_DAYS[" ".join(match["name"].lower().split())], Unit.DAY)
            ),
        ),
        Rule(
            r"the\s+(?P<unit>week|month|year)\s+(?P<side>before\s+last|after\s+next)(?!\w)",
            lambda match, on: (
                on.day and _unit_from(on.day, match["unit"].lower(), -2 if match["side"][0] in "bB" else 2)
            ),
        ),
        Rule(
            rf"(?:{PART})?{STEP}\s+(?P<unit>week|weekend|month|year)(?!\w)",
            lambda match, on: on.day and _part(_unit_from(on.day, match["unit"].lower(), _step(match)), match),
        ),
        Rule(r"the\s+weekend(?!\w)", lambda _, on: calendars.last_weekend(on.day) if on.day and on.is_asked else None),
        Rule(rf"{STEP}\s+(?P<weekday>{WEEKDAY})(?!\w)", stepped_weekday),
        Rule(rf"{STEP}\s+{SEASON}(?!\w)", lambda match, on: on.stepped(_season_maker(match, on), _step(match))),
        Rule(
            rf"{STEP}\s+{MONTH}",
            lambda match, on: on.stepped(
                lambda year: calendars.month_of(year, month_number(match["month"])), _step(match)
            ),
        ),
        Rule(
            rf"(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?\s+(?:ago|earlier)(?!\w)",
            lambda match, on: ago(on, *_counted(match), -1),
        ),
        Rule(rf"(?P<count>{COUNT})\s+{SEASON}s\s+ago(?!\w)", seasons_ago),
        Rule(
            rf"in\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?(?!\w|['’])", lambda match, on: ago(on, *_counted(match), 1)
        ),
        Rule(
            rf"(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?\s+from\s+now(?!\w)",
            lambda match, on: ago(on, *_counted(match), 1),
        ),
        Rule(
            rf"(?P<step>last|past|previous|next|coming)\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?(?!\w)",
            lambda match, on: past(on, *_counted(match), _step(match)),
        ),
        Rule(r"the\s+other\s+day(?!\w)", lambda _, on: ago(on, None, Unit.DAY, -1)),
        Rule(
            r"(?<!most\s)(?<!more\s)(?:recently|lately|nowadays|these\s+days)(?!\w)",
            lambda _, on: on.day and calendars.stretch(on.day, -_RECENT_DAYS, Unit.DAY),
            is_vague=True,
        ),
        Rule(rf"(?P<weekday>{WEEKDAY})(?!\w)", bare_weekday),
        Rule(
            rf"{SEASON}(?P<year>(?!))?(?!\w)",
            lambda match, on: (
                _yearly(match, on, _season_maker(match, on)) if stands_before(BEFORE_SEASON, match) else None
            ),
            lacks_year=True,
        ),
    )


def _lone_rules() -> tuple[Rule, ...]:
    return (
        Rule(rf"(?:{PART})?{MONTH}(?!['’])", bare_month, lacks_year=True),
        Rule(rf"(?:{PART})?{YEAR}(?!{_COUNTED})", year_alone),
    )


# Most words begin no date: looking at two letters first makes reading twice as fast.
_BEGINS = (
    "[0-9'’Qq]|[Aa](?:[punPUN]|\\s)|[Bb][eoEO]|[Cc][hoHO]|[Dd][eE]|[Ee][alnigALNIG]|[Ff][aeiorAEIOR]|[Hh][aA]|[Ii][nN]\\s|[Jj][auAU]|"
    "[Ll][aA][stST]|[Mm][aioAIO]|[Nn][eioEIO]|[Oo][cnCN]|[Pp][arAR]|[Rr][eE][cC]|[Ss][aeipuAEIPUtT]|[Tt](?:[hH](?:[eE][sS\\s]|[^eEaA])|[euwEUWoO][^\\s])|"
    "[Vv][aA]|[Ww][ieIE]|[Yy][eE]"
)


@cache
def grammar(*, is_relative: bool = True) -> DateRules:
    """Make the rules of English; on first use, since patterns take some milliseconds to compile."""
    rules = (*_told_rules(), *(_relative_rules() if is_relative else ()), *_lone_rules())
    return DateRules(
        rules=rules,
        any_rule=union(rules, at=rf"(?<![A-Za-z0-9_.,/$£€¥#-])(?-i:(?={_BEGINS}))"),
        joins=re.compile(r"\s?(?:-|–|—|~)\s?|,?\s+(?:to|until|till|through|up\s+to)\s+(?:the\s+)?", re.IGNORECASE),
        pairs=re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE),
        pair_before=re.compile(r"between\s+(?:the\s+)?$", re.IGNORECASE),
        pair_after=re.compile(r"(?!)"),
        bounds=(
            (DayBound.SINCE, re.compile(r"(?<!\w)(?:ever\s+)?since\s+(?:the\s+)?$", re.IGNORECASE), re.compile(r"\s+onwards?(?!\w)", re.IGNORECASE)),
            (DayBound.UNTIL, re.compile(r"(?<!\w)(?:until|till|(?<!i\s)(?<!we\s)(?<!you\s)up\s+to|by|(?<!me\s)(?<!us\s)through)\s+(?:the\s+)?$", re.IGNORECASE), None),
            (DayBound.BEFORE, re.compile(r"(?<!\w)(?:before|prior\s+to|earlier\s+than)\s+(?:the\s+)?$", re.IGNORECASE), None),
            (DayBound.AFTER, re.compile(r"(?<!\w)(?:after|later\s+than|following)\s+(?:the\s+)?$", re.IGNORECASE), None),
            (DayBound.AROUND, re.compile(r"(?<!\w)(?:around|about|circa|c\.)\s+(?:the\s+)?$", re.IGNORECASE), None),
        ),
    )  # fmt: skip
