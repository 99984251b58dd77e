"""Names: what a text speaks of, by rule, so that texts which share a name are linked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.names.cjk import han_names, kana_names, quoted_titles
from evolore.text.names.latin import latin_names, latin_words
from evolore.text.names.spelling import TITLE_MARK, fold_name, name_of_title, unfolded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

NAMES_VERSION = "1"
"""Changes whenever ``find_names`` gives other names for some text; what was stored with another version is made anew."""

_SHORTEST = 2
_LONGEST = 80


def quantities(text: str) -> Iterator[str]:
    """Give numbers with their units, one spelling for each: ``850 feet``.

    >>> list(quantities("It is 1,850 feet long, spans 12% and 3 of 4, built in 1996."))
    ['1850 feet', '12 %']
    """
    for match in _AMOUNT.finditer(text):
        number = match[1].replace(",", "")
        yield f"{number} {match[2] or match[3]}"


def find_names(text: str, *, language: Language, title: str | None = None) -> tuple[str, ...]:
    """Give the names in a text: people, places, works, organisations, terms and amounts.

    English: runs of capitalised words with the small words inside them, acronyms, works in quotation marks. Japanese
    and Chinese: what stands in 「」『』《》, katakana words, compounds of Han characters between particles, words in
    Latin letters. All: numbers with their units; bare years and numbers are no names. Nothing is known of the world:
    a rule may take a term for a name, and links by what only one text holds lead nowhere.

    Args:
        text: Any text.
        language: What it is written in.
        title: What its document is called; a qualifier in parentheses at its end is left out.

    Returns:
        Each once, in NFKC and case-folded; none shorter than 2 or longer than 80 characters. The title's comes first,
        behind ``TITLE_MARK``; the others as they appear.

    >>> find_names("Ann met Kurt Cobain's band in the city of Aberdeen.", language=Language.EN, title="Nirvana (band)")
    ('=nirvana', 'kurt cobain', 'aberdeen')
    >>> find_names("織田信長は『信長公記』で知られる。", language=Language.JA)
    ('信長公記', '織田信長')
    """
    own = name_of_title(title) if title else ""
    found = dict.fromkeys(map(fold_name, _spelled(unfolded(text), language)))
    found.pop(own, None)
    names = tuple(name for name in found if _SHORTEST <= len(name) <= _LONGEST)
    return (TITLE_MARK + own, *names) if own else names


def _spelled(text: str, language: Language) -> Iterable[str]:
    """Give names as they are spelled in a text in NFKC."""
    is_unspaced = language in {Language.JA, Language.ZH}
    if not text.isascii():
        yield from quoted_titles(text)
        yield from kana_names(text)
        yield from han_names(text, language=language)
    yield from latin_words(text) if is_unspaced else latin_names(text)
    yield from quantities(text)
