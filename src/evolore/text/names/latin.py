"""Names in Latin letters: runs of capitalised words with the small words between them."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FUNCTION_WORDS = """
a about according across after again against all along also although among an and another any are around as at because
been before being below between both but by can could despite did do does during each early even every few finally
following for from furthermore had has have he hello her here hers hey hi him his how however i i'd i'll i'm i've if in
including initially inside instead into is it it's its itself just last later let like many may maybe me might more
moreover most much must my near nevertheless next no nor not now of off oh ok okay on once one only or other others our
over perhaps please recently several shall she should similarly since so some soon still such sure than thanks that
that's the their them then there there's therefore these they this those though through throughout thus to today together
too toward towards two under unlike until up upon us very was we well were what what's when where whereas whether which
while who whom whose why will with within without would wow yeah yes yet you your yours
three four five six seven eight nine ten first second third
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
NO_NAMES = frozenset(_FUNCTION_WORDS.split())
"""English function words, months and weekdays, in lower case: at the ends of a name they are left out."""

_CAPITAL = r"A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŘŚŞŠŢŤŪŮŰŲŹŻŽȘȚ"
_LETTER = r"A-Za-z0-9À-ÖØ-öø-ɏ"
_WORD = rf"(?:(?:[{_CAPITAL}]\.)+|(?:St|Mt|Ft|Dr|Mr|Mrs|Ms|Jr|Sr|Prof)\.|[a-z]?[{_CAPITAL}][{_LETTER}]*(?:['&/+-][{_LETTER}]+)*)"
_SMALL = r"(?:of|the|de|del|della|di|da|do|dos|du|des|van|von|der|den|la|le|el|al|bin|ibn|for|y|&)"
_RUN = re.compile(
    rf"(?<![{_LETTER}]){_WORD}(?: (?:{_SMALL} ){{0,2}}(?:{_WORD}|\d{{1,4}}(?:st|nd|rd|th)?(?![{_LETTER}.,])))*"
)
_QUOTED = re.compile(r'["“«]([^"“”«»\n]{2,60})["”»]')
_WORDS = re.compile(rf"[{_LETTER}][{_LETTER}.+#-]*(?: [{_LETTER}][{_LETTER}.+#-]*)*")
_ENDS = ".!?:;…*•|\n"
_BETWEEN = " \t\"'“‘«([-–—"

_FORMS_OF_ADDRESS = frozenset(("dr", "mr", "mrs", "ms", "prof", "sir"))


def latin_names(text: str) -> Iterator[str]:
    """Give the names in Latin letters that a text in NFKC spells with capitals.

    Function words, months and weekdays at either end of a run are left out, and so are forms of address before it. A
    lone word that opens a sentence is a name only where the text writes it with a capital elsewhere too.
    """
    opening: list[str] = []
    sure: set[str] = set()
    for match in _RUN.finditer(text):
        words = _trimmed(match.group().split(" "))
        if not words:
            continue
        name = " ".join(words)
        if len(words) == 1 and match.group() == name and name[1:].islower() and _opens_sentence(text, match.start()):
            opening.append(name)
        else:
            sure.add(name)
            yield name
    yield from (name for name in opening if name in sure)
    yield from quoted_works(text)


def quoted_works(text: str) -> Iterator[str]:
    """Give what stands in quotation marks and is spelled as a title: first and last word with a capital or a number."""
    for match in _QUOTED.finditer(text):
        words = match[1].strip(" ,.").split(" ")
        if all(word[:1].isupper() or word[:1].isdigit() for word in (words[0], words[-1])):
            yield " ".join(words)


def latin_words(text: str) -> Iterator[str]:
    """Give the runs of words in Latin letters, capitals or not: in Japanese and Chinese text they are mostly names."""
    for match in _WORDS.finditer(text):
        if not match.group().replace(" ", "").replace(".", "").replace("-", "").isdigit():
            yield match.group()


def _trimmed(words: list[str]) -> list[str]:
    """Leave out what is no name at either end; nothing where only numbers would remain."""
    leading = sum(1 for _ in takewhile(_is_no_name, words))
    rest = words[leading:]
    if len(rest) > 1 and rest[0].lower().rstrip(".") in _FORMS_OF_ADDRESS:
        rest = rest[1:]
    trailing = sum(1 for _ in takewhile(_is_no_name, reversed(rest)))
    rest = rest[: len(rest) - trailing]
    return rest if any(not word[0].isdigit() for word in rest) else []


def _is_no_name(word: str) -> bool:
    return word.lower() in NO_NAMES or word == "&"


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 8) : start].rstrip(_BETWEEN)
    return before[-1] in _ENDS if before else start <= 8  # noqa: PLR2004 - as far as was looked back
