"""Limits of numbers ("at least 5") and what they are counted per ("5 per order")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, islice

from evolore.domain.language import Language
from evolore.text.tokens import analyse
from evolore.text.values.quantities import unit_at
from evolore.text.values.spans import SpanKind, Spot
from evolore.text.word_files import read_shared_words

_REACH = 34
"""How many characters before a number may hold its limit."""

_RATE_LATIN = re.compile(
    r"(?:(?<![A-Za-z])(?:per|for (?:each|every))(?![A-Za-z])|(?<=[\d%A-Za-z])/) ?(?P<noun>(?:(?:square|cubic) )?[A-Za-z]+)",
    re.IGNORECASE,
)
_ADVERB = re.compile(
    r"(?<![A-Za-z])(?P<how>hourly|daily|weekly|monthly|quarterly|yearly|annually|annual|(?:(?:every|each)(?! (?:second|other))|(?:(?<=\d )|(?<=times )|(?<=once )|(?<=twice )|(?<=ollars )|(?<=euros )|(?<=pounds )|(?<=hours )|(?<=days )|(?<=minutes )|(?<=weeks )|(?<=leave ))an?) (?P<unit>second|minute|hour|day|night|week|month|quarter|year))(?![A-Za-z])",
    re.IGNORECASE,
)
_COUNTED_A = re.compile(
    r"(?<!\d)\d[\d,.]{0,30}+(?: ?[A-Za-z%]++){0,2} (?P<rate>an? (?P<unit>second|minute|hour|day|night|week|month|quarter|year))(?![A-Za-z])",
    re.IGNORECASE,
)
_RATE_CJK = re.compile(
    r"(?:1|一)?(?P<ja>(?:平方|立方)?[ァ-ヴー]{2,12}時?|(?<!\d)[\u3005-\u3007\u4e00-\u9fff]{1,4})(?:あたり|当たり|につき|ごと)"
    r"|(?P<alternate>隔[日週周月年天])"
    r"|毎(?P<mai>[日週月年時分秒朝晩])|(?P<getu>月額|年額|日額|時給|月給|日給|週給|年俸|年間(?=[^\d]{0,3}\d))"
    r"|每(?:1|一)?(?P<zh>个?(?:人|天|日|周|月|年|次|小时|分钟|秒|单|笔|件|台|份|户|季度|页|条|晚|名|位|[一-龥]{1,2}?(?=[^一-龥]|最|至|不|限|可|需|费|的|收|为|仅|只|都|应|须|必|[一二三四五六七八九十])))"
    r"|(?P<interest>[年月日](?:利率?|率|息))|(?<![\d一二三四五六七八九十今来先翌前各毎每かヶカケヵ\u4e00-\u9fff])(?P<bare>[日週月年])(?:に|間)?(?=約?[\d〇一二三四五六七八九十百千万,.]+(?:%|パーセント|円|回|ドル|度|通|件))"
    r"|/ ?(?P<slash>日|月|年|時間|小时|分钟|分|秒|人|件|回|次|天|周|週|個|个|台|泊|晚)"
)
_ALTERNATE = re.compile(
    r"(?<![A-Za-z])(?:every|each) (?:other|second) (?P<unit>day|night|week|month|year)(?![A-Za-z])", re.IGNORECASE
)
_Limits = tuple[tuple[str, re.Pattern[str]], ...]
_FORMS = {
    "before": r"(?<![A-Za-z])(?:{0})(?: (?:a|an|the|about|approximately|total|of)){{0,2}}\s*\Z",
    "behind": r"(?:{0})",
    "before_han": r"(?:{0})[\s::约約で为はの]*\Z",
    "behind_han": r"[\s(]?(?:の|を|間|间|之|及|或|及其)?(?:{0})",
}


def find_limits(text: str, language: Language, found: Iterable[Spot]) -> Iterator[Spot]:
    """Return the limits beside numbers; the value is which limit, and of which number."""
    kind = "_han" if language in {Language.JA, Language.ZH} else ""
    behind, before = limits("behind" + kind), limits("before" + kind)
    for number in (one for one in found if not one.is_soft):
        window = max(0, number.start - _REACH)
        said = chain(
            ((name, pattern.match(text, number.end)) for name, pattern in behind),
            ((name, pattern.search(text, window, number.start)) for name, pattern in before),
        )
        for name, match in islice(((name, match) for name, match in said if match), 1):
            start, end = min(match.start(), number.start), max(match.end(), number.end)
            yield Spot(SpanKind.LIMIT, f"{name} {number.value}", start, end)


@cache
def limits(side: str) -> _Limits:
    """Return what limits a number, each with its name: what comes before or after it, in Latin letters or not."""
    named = (line.split(" ; ") for line in read_shared_words("evolore.text", "units", "limits").lines(side))
    return tuple((name, re.compile(_FORMS[side].format(pattern), re.IGNORECASE)) for name, pattern in named)


def find_rates(text: str, language: Language) -> Iterator[Spot]:
    """Return what things are counted per: "per order", "monthly", 1件あたり, 每人."""
    words = read_shared_words("evolore.text", "units", "rates")
    if language in {Language.JA, Language.ZH}:
        nouns = words.named("han")
        for match in _RATE_CJK.finditer(text):
            noun = match["interest"][0] if match["interest"] else next(group for group in match.groups() if group)
            yield Spot(SpanKind.RATE, nouns.get(noun, noun.removeprefix("个")), match.start(), match.end())
        return
    nouns = words.named("latin")
    for match in _RATE_LATIN.finditer(text):
        noun = match["noun"].casefold()
        if noun not in words.words("none") and (match.group()[0] != "/" or unit_at(noun, 0)[0]):
            yield Spot(SpanKind.RATE, _latin_noun(noun, nouns), match.start(), match.end())
    for match in _COUNTED_A.finditer(text):
        yield Spot(SpanKind.RATE, match["unit"].casefold(), match.start("rate"), match.end("rate"))
    for match in _ALTERNATE.finditer(text):
        yield Spot(SpanKind.RATE, f"other {match['unit'].casefold()}", match.start(), match.end())
    for match in _ADVERB.finditer(text):
        noun = (match["unit"] or match["how"]).casefold()
        yield Spot(SpanKind.RATE, nouns.get(noun, noun), match.start(), match.end())


def _latin_noun(noun: str, nouns: Mapping[str, str]) -> str:
    whole = nouns.get(noun, noun.removesuffix("s"))
    return whole if " " in whole or whole in nouns.values() else analyse(noun)[0]
