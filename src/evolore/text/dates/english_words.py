"""English words of the calendar, and the pieces of patterns made of them."""

from __future__ import annotations

import re

from evolore.text.dates.calendars import Part

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
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    *("twentieth", "twenty-first"),
)
PARTS = {
    "early": Part.EARLY, "mid": Part.MIDDLE, "late": Part.LATE, "beginning of": Part.OPENING, "start of": Part.OPENING,
    "middle of": Part.MIDDLE, "end of": Part.CLOSE, "first half of": Part.FIRST_HALF, "second half of": Part.SECOND_HALF,
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
CENTURY = (
    rf"(?:(?P<number>\d\d?)(?:st|nd|rd|th)|(?P<word>{'|'.join(ORDINALS)}))[\s-]+(?:century|centuries)(?!\w)(?!\s+bc)"
)
PART = rf"(?P<part>{'|'.join(PARTS)})(?:[\s-]+(?:in\s+)?(?:the\s+)?)"
COUNT = r"\d{1,3}|a\s+couple\s+of|a\s+few|couple\s+of|an?|few|several|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
UNIT = "day|week|month|year"
YEAR = r"(?P<year>[12]\d{3})(?!\d)"
STEP = r"(?P<step>last|past|previous|this|next|coming)"

BEFORE_MONTH = re.compile(
    r"(?<!\w)(?:in|during|since|until|till|by|from|to|through|for|before|after|of|around|and|between|-|–)\s*$",
    re.IGNORECASE,
)
"""What stands before the name of a month that has neither day nor year."""
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
"""What stands before a number that tells things apart, and is no year."""
COUNTED = re.compile(r"\s+(?!(?:was|is|has|as|its|his|this|thus|across|sales|does|onwards|towards)\b)[a-z]+s\b")
"""What follows a number that counts things, and is no year."""


def month_number(word: str) -> int:
    """Give the number of a month from its name or a beginning of it."""
    return _STEMS.index(word[:3].lower()) + 1


def count_word(words: str) -> str:
    """Give the one of several words that says how many: "a couple of" is "couple"."""
    kept = words.lower().removeprefix("a ").removesuffix(" of").strip()
    return kept.split()[-1]


def stands_before(pattern: re.Pattern[str], match: re.Match[str]) -> bool:
    """Tell whether a match stands behind one of a pattern's words."""
    return pattern.search(match.string, max(0, match.start() - _LONGEST_CUE), match.start()) is not None
