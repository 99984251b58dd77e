"""The rules for English."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from evolore.text.dates import english_readers as read
from evolore.text.dates.english_words import (
    CENTURY,
    COUNT,
    DECADE,
    HOLIDAY,
    MONTH,
    PART,
    SEASON,
    STEP,
    UNIT,
    WEEKDAY,
    YEAR,
)
from evolore.text.dates.grammar import Bound, Grammar, rule, union
from evolore.text.dates.shared import numeric_rules

if TYPE_CHECKING:
    from evolore.text.dates.grammar import Rule

_TH = r"(?:st|nd|rd|th)?"
_TO = rf"(?:\s?(?:-|–|—|to|until|through|and)\s?(?P<to>\d\d?){_TH}(?!\d))?"
_COUNTED = r"[\d%€£°]|[.,:]\d|-\d|\s?(?:b\.?c|people|km|kg|m\b|dollars|euros|yen|percent|seconds|minutes|hours|words|characters|pixels|calories|steps|rows|lines|bytes|ms\b|px\b|[kmgt]i?b\b)|\s*[×x]\s*\d"


def _rules() -> tuple[Rule, ...]:
    return (
        *numeric_rules(),
        rule(
            rf"(?P<day>\d\d?){_TH}{_TO}\s+(?:day\s+)?(?:of\s+)?{MONTH}(?:\s?,?\s+(?:of\s+)?{YEAR})?",
            read.days_of_month,
            lacks_year=True,
        ),
        rule(
            rf"{MONTH}\s+(?:the\s+)?(?P<day>\d\d?){_TH}(?![\d:]){_TO}(?:\s?,?\s+{YEAR})?",
            read.days_of_month,
            lacks_year=True,
        ),
        rule(rf"(?:{PART})?{MONTH}\s?,?\s+(?:of\s+)?{YEAR}", read.month_of_year),
        rule(rf"(?:{PART})?(?:the\s+)?{DECADE}", read.decade),
        rule(rf"(?:{PART})?(?:the\s+)?{CENTURY}", read.century),
        rule(rf"{SEASON}(?:\s+of)?,?\s+{YEAR}", read.season),
        rule(
            r"(?:Q(?P<q>[1-4])|(?P<word>first|second|third|fourth)\s+(?P<kind>quarter|half))(?:\s+of|,)?\s+"
            rf"{YEAR}",
            read.quarter,
        ),
        rule(
            rf"(?:{STEP}\s+)?(?P<holiday>{HOLIDAY})(?!\w)(?:\s?,?\s+(?:of\s+)?{YEAR})?",
            read.holiday,
            lacks_year=True,
        ),
        rule(rf"(?P<name>{'|'.join(read.NAMED_DAYS)})(?!\w)", read.named_day),
        rule(r"the\s+(?P<unit>week|month|year)\s+(?P<side>before\s+last|after\s+next)(?!\w)", read.second_unit),
        rule(rf"(?:{PART})?{STEP}\s+(?P<unit>week|weekend|month|year)(?!\w)", read.stepped_unit),
        rule(r"the\s+weekend(?!\w)", read.lone_weekend),
        rule(rf"{STEP}\s+(?P<weekday>{WEEKDAY})(?!\w)", read.stepped_weekday),
        rule(rf"{STEP}\s+{SEASON}(?!\w)", read.stepped_season),
        rule(rf"{STEP}\s+{MONTH}", read.stepped_month),
        rule(rf"(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?\s+(?:ago|earlier)(?!\w)", read.count_ago),
        rule(rf"(?P<count>{COUNT})\s+{SEASON}s\s+ago(?!\w)", read.seasons_ago),
        rule(rf"in\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?(?!\w|['’])", read.count_hence),
        rule(rf"(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?\s+from\s+now(?!\w)", read.count_hence),
        rule(
            rf"(?P<step>last|past|previous|next|coming)\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?(?!\w)",
            read.past_count,
        ),
        rule(r"the\s+other\s+day(?!\w)", read.other_day),
        rule(r"(?<!most\s)(?<!more\s)(?:recently|lately|nowadays|these\s+days)(?!\w)", read.recently, is_vague=True),
        rule(rf"(?:{PART})?{MONTH}(?!['’])", read.bare_month, lacks_year=True),
        rule(rf"(?P<weekday>{WEEKDAY})(?!\w)", read.bare_weekday),
        rule(rf"{SEASON}(?P<year>(?!))?(?!\w)", read.bare_season, lacks_year=True),
        rule(rf"(?:{PART})?{YEAR}(?!{_COUNTED})", read.year_alone),
    )


# Most words begin no date: looking at two letters first makes reading twice as fast.
_BEGINS = (
    "[0-9'’Qq]|[Aa](?:[punPUN]|\\s)|[Bb][eoEO]|[Cc][hoHO]|[Dd][eE]|[Ee][alnigALNIG]|[Ff][aeiorAEIOR]|[Hh][aA]|[Ii][nN]\\s|[Jj][auAU]|"
    "[Ll][aA][stST]|[Mm][aioAIO]|[Nn][eioEIO]|[Oo][cnCN]|[Pp][arAR]|[Rr][eE][cC]|[Ss][aeipuAEIPUtT]|[Tt](?:[hH](?:[eE][sS\\s]|[^eEaA])|[euwEUWoO][^\\s])|"
    "[Vv][aA]|[Ww][ieIE]|[Yy][eE]"
)


@cache
def grammar() -> Grammar:
    """Make the rules of English; on first use, since patterns take some milliseconds to compile."""
    rules = _rules()
    return Grammar(
        rules=rules,
        any_rule=union(rules, at=rf"(?<![A-Za-z0-9_.,/$£€¥#-])(?-i:(?={_BEGINS}))"),
        joins=re.compile(r"\s?(?:-|–|—|~)\s?|,?\s+(?:to|until|till|through|up\s+to)\s+(?:the\s+)?", re.IGNORECASE),
        pairs=re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE),
        pair_before=re.compile(r"between\s+(?:the\s+)?$", re.IGNORECASE),
        pair_after=re.compile(r"(?!)"),
        bounds=(
            (Bound.SINCE, re.compile(r"(?<!\w)(?:ever\s+)?since\s+(?:the\s+)?$", re.IGNORECASE), re.compile(r"\s+onwards?(?!\w)", re.IGNORECASE)),
            (Bound.UNTIL, re.compile(r"(?<!\w)(?:until|till|(?<!i\s)(?<!we\s)(?<!you\s)up\s+to|by|(?<!me\s)(?<!us\s)through)\s+(?:the\s+)?$", re.IGNORECASE), None),
            (Bound.BEFORE, re.compile(r"(?<!\w)(?:before|prior\s+to|earlier\s+than)\s+(?:the\s+)?$", re.IGNORECASE), None),
            (Bound.AFTER, re.compile(r"(?<!\w)(?:after|later\s+than|following)\s+(?:the\s+)?$", re.IGNORECASE), None),
            (Bound.AROUND, re.compile(r"(?<!\w)(?:around|about|circa|c\.)\s+(?:the\s+)?$", re.IGNORECASE), None),
        ),
    )  # fmt: skip
