"""Amounts: numbers with the unit they are counted in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD_UNITS = (
    r"km/h|km|kg|mg|cm|mm|ml|mph|kwh|kw|mw|gb|mb|tb|ghz|mhz|hz|ha|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|foot|inches|"
    r"acres?|hectares?|kilograms?|grams?|tons?|tonnes?|pounds?|lit(?:er|re)s?|gallons?|degrees?|percent|dollars?|euros?|yen|"
    r"yuan|million|billion|trillion|thousand|seats?|students?|people|inhabitants|episodes?"
)
_SIGN_UNITS = r"%|℃|°C|°F|キロメートル|センチメートル|ミリメートル|メートル|キログラム|グラム|トン|リットル|円|人|千米|公里|厘米|毫米|平方公里|米|公斤|千克|吨|元|美元|万人|亿元|万元|户|名"
_AMOUNT = re.compile(
    rf"(?<![A-Za-z0-9.,])(?:[$€£¥] ?)?([0-9][0-9,]*(?:\.[0-9]+)?)(?: ?({_SIGN_UNITS})|[ -]?({_WORD_UNITS})\b)",
    re.IGNORECASE,
)


def quantities(text: str) -> Iterator[str]:
    """Give numbers with their units, one spelling for each: ``850 feet``.

    >>> list(quantities("It is 1,850 feet long, spans 12% and 3 of 4, built in 1996."))
    ['1850 feet', '12 %']
    """
    for match in _AMOUNT.finditer(text):
        number = match[1].replace(",", "")
        yield f"{number} {match[2] or match[3]}"
