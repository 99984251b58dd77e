"""Numbers in English and other text in Latin letters."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from evolore.text.protected.amounts import MINUS, MONEY_BEFORE, Amount, and_half, unit_of
from evolore.text.protected.numerals import (
    PLAIN_NUMBER,
    SCALE_WORDS,
    WORDED_NUMBER,
    read_digits,
    read_ordinal,
    read_words,
)
from evolore.text.protected.units import unit_at

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIGITS = re.compile(
    rf"{MONEY_BEFORE}{MINUS}(?<![\d.])(?<![A-Za-z](?=\d))(?P<digits>{PLAIN_NUMBER})(?:(?P<scale>{SCALE_WORDS})|(?P<ordinal>(?:st|nd|rd|th)(?![A-Za-z])))?"
)
_WORDED = re.compile(
    rf"(?<![A-Za-z-])(?:(?P<quarters>(?:a |three[ -]|one )?quarters?) of an hour|(?P<and_half>(?:{WORDED_NUMBER}) and a half)(?= [a-z])|(?P<article>an?|one)|(?P<words>{WORDED_NUMBER})|(?P<half>half an?|half)|(?P<nth>third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)|(?P<times>once|twice|thrice)|(?P<fortnight>fortnights?))(?![A-Za-z])",
    re.IGNORECASE,
)
_BELOW = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_PARTS = re.compile(
    rf"(?<![A-Za-z])(?P<above>an?|one|two|three|four|five|seven|nine)[ -](?P<below>{'|'.join(_BELOW)})s?(?! of an hour)(?![A-Za-z])(?= of|[.,;)]|$| the| to)"
    r"|(?<![\d/.])(?P<top>\d{1,2})/(?P<bottom>\d{1,2})(?= (?:of|cup|teaspoon|tablespoon|pint|inch|mile)(?:s|es)?(?![A-Za-z]))",
    re.IGNORECASE,
)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_UNCOUNTED = frozenset(("ml*1000", "mg*1000", "A", "t", "V", "s"))
"""Units of one letter: "a g" counts nothing."""


def latin_amounts(text: str) -> Iterator[Amount]:
    """Give the numbers in digits and in words, in their order."""
    parts = list(_parts(text))
    yield from parts
    for one in parts:
        text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
    yield from sorted([*_digits(text), *_words(text)], key=lambda one: one.start)


def _parts(text: str) -> Iterator[Amount]:
    """Give fractions: "two thirds", "a quarter", "3/4"."""
    for match in _PARTS.finditer(text):
        if match["above"]:
            words = match["above"].casefold()
            above = Decimal(1) if words in {"a", "an"} else read_words(words)
            below = Decimal(_BELOW[match["below"].casefold()])
        else:
            above, below = Decimal(match["top"]), Decimal(match["bottom"])
        if below and above < below:
            yield Amount(above / below, "part", match.start(), match.end(), match.group(), is_light=True)


def _digits(text: str) -> Iterator[Amount]:
    for match in _DIGITS.finditer(text):
        number = read_digits(match["digits"], match["scale"] or "")
        if match["ordinal"]:
            yield Amount(number, "th", match.start(), match.end(), match["digits"], is_soft=number <= 2)  # noqa: PLR2004 - "first" is soft
            continue
        unit, end = unit_of(text, match, match.end(), is_chinese=False)
        number, end = and_half(text, number, end)
        yield Amount(-number if match["minus"] else number, unit, match.start(), end, match["digits"])


def _words(text: str) -> Iterator[Amount]:
    for match in _WORDED.finditer(text):
        start, end, quote = match.start(), match.end(), match.group()
        if match["times"]:
            number = Decimal(_TIMES[quote.casefold()])
            yield Amount(number, "time", start, end, quote, is_soft=number == 1, is_light=True)
        elif match["fortnight"]:
            yield Amount(Decimal(2), "day*7", start, end, quote)
        elif match["quarters"]:
            yield Amount(
                Decimal(45 if match["quarters"].casefold().startswith("three") else 15), "s*60", start, end, quote
            )
        elif match["nth"]:
            if text[max(0, start - 6) : start].casefold().endswith(("the ", "its ", "their ")):
                yield Amount(Decimal(read_ordinal(quote) or 0), "th", start, end, quote)
        else:
            yield from _counted(text, match)


def _counted(text: str, match: re.Match[str]) -> Iterator[Amount]:
    has_gap = text[match.end() : match.end() + 1] in {" ", "-"}
    unit, stop = unit_at(text, match.end() + 1) if has_gap else ("", 0)
    end = stop if unit else match.end()
    if match["and_half"]:
        whole = match["and_half"].casefold().removesuffix(" and a half")
        yield Amount(read_words(whole) + Decimal("0.5"), unit, match.start(), end, match["and_half"])
    elif match["words"]:
        number, end = and_half(text, read_words(match["words"]), end)
        is_light = unit in {"", "time"} and number <= 12  # noqa: PLR2004 - larger ones are seldom written out
        yield Amount(number, unit, match.start(), end, match["words"], is_soft=number == 1, is_light=is_light)
    elif unit and unit not in _UNCOUNTED:
        number, end = and_half(text, Decimal("0.5") if match["half"] else Decimal(1), end)
        yield Amount(number, unit, match.start(), end, match.group(), is_soft=number == 1)
