"""Limits of numbers ("at least 5") and what they are counted per ("5 per order")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.protected.quantities import unit_at
from evolore.text.protected.spans import Found, SpanKind
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_REACH = 34
"""How many characters before a number may hold its limit."""

_LATIN_BEFORE = (
    (
        "le",
        r"at (?:the )?most|up to|no more than|not (?:be )?more than|not (?:to )?exceed(?:ing)?|cannot exceed|never exceeds?|do(?:es)? not exceed|a maximum of|maximum(?: \w+){0,3}? (?:is|of|:)|max\.?(?: of)?|limit(?:ed)?(?: \w+){0,3}? (?:is|of|to|:)|cap(?:ped)? (?:is|of|at)|no later than|not later than|until|within|no longer than|<=|≤|upper limit(?: \w+){0,2}? (?:is|of)|as many as|as much as|capped at",
    ),
    (
        "ge",
        r"at (?:the )?least|no less than|not less than|no fewer than|not fewer than|a minimum of|minimum(?: \w+){0,3}? (?:is|of|:)|min\.?(?: of)?|no earlier than|>=|≥|lower limit(?: \w+){0,2}? (?:is|of)|starting (?:at|from)",
    ),
    (
        "gt",
        r"more than|over|above|exceed(?:s|ing|ed)?|greater than|longer than|higher than|beyond|larger than|older than|>",
    ),
    ("lt", r"less than|fewer than|under|below|shorter than|lower than|smaller than|younger than|<"),
)
_LATIN_BEHIND = (
    (
        "ge",
        r" or (?:more|above|over|higher|longer|greater|older|later|newer|up)| and (?:above|over|up)|\+(?!\d)| minimum",
    ),
    (
        "le",
        r" or (?:less|fewer|below|under|lower|shorter|younger|earlier|sooner)| and (?:below|under)| maximum| at most",
    ),
)
_CJK_BEFORE = (
    (
        "le",
        r"最大(?:で)?|上限(?:は|为|是|:)?|最長(?:で)?|最多|至多|最长|最高|不超过|不得超过|不能超过|不多于|不高于|不大于|不晚于|遅くとも|限度(?:は|额为)?|<=|≤",
    ),
    (
        "ge",
        r"最低(?:でも|限)?|少なくとも|最小(?:で)?|下限(?:は|为|是|:)?|最短(?:で)?|最少|至少|起码|不少于|不低于|不小于|不早于|>=|≥",
    ),
    ("gt", r"超过|多于|大于|高于|超出|>"),
    ("lt", r"少于|小于|低于|不到|不足|未满|<"),
)
_CJK_BEHIND = (
    ("gt", r"以上[\s(、]*(?:不含|を含ま|を除)|より(?:も)?(?:長く|大き|多)"),
    (
        "le",
        r"以下|以内|以里|之内|内(?![容部])|まで(?!に?から)|までに|を(?:超え|上回ら|こえ)(?:ない|ず|ては|てはな|ません|る(?:こと(?:は|が)でき(?:ない|ません)))|を限度|が(?:上限|限度|最大)|を上限",
    ),
    ("ge", r"以上|を下回(?:らない|ってはな)|が(?:下限|最低)|起(?![動动こきす])"),
    ("gt", r"超(?!え)|を(?:超え|上回|こえ)|より(?:多|大き|長|高)|を超過|开外|以后才|多(?=[人个天年])"),
    ("lt", r"未満|未满|より(?:少な|小さ|短|低)|を下回|足らず|に満たない|不到"),
)
_RATE_LATIN = re.compile(
    r"(?:(?<![A-Za-z])(?:per|for (?:each|every))|(?<=[\d%A-Za-z])/) ?(?P<noun>(?:(?:square|cubic) )?[A-Za-z]+)",
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
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
    "annual": "year",
}
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
_NO_RATE = frozenset(
    ["cent", "se", "or", "capita", "the", "your", "our", "other", "second", "everything", "everyone", "all"]
)
_SAME_NOUN = {
    **{
        f"隔{sign}": f"other {noun}"
        for sign, noun in zip("日天週周月年", ("day", "day", "week", "week", "month", "year"), strict=True)
    },
    "日": "day",
    "天": "day",
    "週": "week",
    "周": "week",
    "月": "month",
    "年": "year",
    "時": "hour",
    "時間": "hour",
    "小时": "hour",
    "分": "minute",
    "分钟": "minute",
    "秒": "second",
    "回": "time",
    "次": "time",
    "个人": "人",
    "个月": "month",
    "名": "人",
    "位": "人",
    "月額": "month",
    "年額": "year",
    "日額": "day",
    "時給": "hour",
    "月給": "month",
    "週間": "week",
    "日間": "day",
    "年間": "year",
    "か月": "month",
    "ヶ月": "month",
    "日給": "day",
    "週給": "week",
    "年俸": "year",
    "季度": "quarter",
    "四半期": "quarter",
    "個": "个",
}


def find_limits(text: str, language: Language, found: Sequence[Found]) -> Iterator[Found]:
    """Give the limits that stand beside numbers; the value is which limit, and of which number."""
    is_cjk = language in {Language.JA, Language.ZH}
    before = _BEFORE_CJK if is_cjk else _BEFORE_LATIN
    behind = _BEHIND_CJK if is_cjk else _BEHIND_LATIN
    numbers = [one for one in found if one.kind is SpanKind.NUMBER and not one.is_soft]
    for number in numbers:
        limit = _behind(text, number.end, behind) or _before(text, number.start, before)
        if limit:
            name, start, end = limit
            yield Found(SpanKind.LIMIT, f"{name} {number.value}", min(start, number.start), max(end, number.end))


_Patterns = tuple[tuple[str, re.Pattern[str]], ...]


def _compiled(table: tuple[tuple[str, str], ...], form: str) -> _Patterns:
    return tuple((name, re.compile(form.format(pattern), re.IGNORECASE)) for name, pattern in table)


_BEFORE_LATIN = _compiled(
    _LATIN_BEFORE, r"(?<![A-Za-z])(?:{0})(?: (?:a|an|the|about|approximately|total|of)){{0,2}}\s*\Z"
)
_BEFORE_CJK = _compiled(_CJK_BEFORE, r"(?:{0})[\s::约約で为はの]*\Z")
_BEHIND_LATIN = _compiled(_LATIN_BEHIND, r"(?:{0})")
_BEHIND_CJK = _compiled(_CJK_BEHIND, r"[\s(]?(?:の|を|間|间|之|及|或|及其)?(?:{0})")


def _behind(text: str, place: int, table: _Patterns) -> tuple[str, int, int] | None:
    for name, pattern in table:
        match = pattern.match(text, place)
        if match:
            return name, match.start(), match.end()
    return None


def _before(text: str, place: int, table: _Patterns) -> tuple[str, int, int] | None:
    window = text[max(0, place - _REACH) : place]
    for name, pattern in table:
        match = pattern.search(window)
        if match:
            return name, place - len(window) + match.start(), place
    return None


def find_rates(text: str, language: Language) -> Iterator[Found]:
    """Give what things are counted per: "per order", "monthly", 1件あたり, 每人."""
    if language in {Language.JA, Language.ZH}:
        for match in _RATE_CJK.finditer(text):
            noun = match["interest"][0] if match["interest"] else next(group for group in match.groups() if group)
            yield Found(SpanKind.RATE, _SAME_NOUN.get(noun, noun.removeprefix("个")), match.start(), match.end())
        return
    for match in _RATE_LATIN.finditer(text):
        noun = match["noun"].casefold()
        if noun not in _NO_RATE and (match.group()[0] != "/" or unit_at(noun, 0)[0]):
            yield Found(SpanKind.RATE, _latin_noun(noun), match.start(), match.end())
    for match in _COUNTED_A.finditer(text):
        yield Found(SpanKind.RATE, match["unit"].casefold(), match.start("rate"), match.end("rate"))
    for match in _ALTERNATE.finditer(text):
        yield Found(SpanKind.RATE, f"other {match['unit'].casefold()}", match.start(), match.end())
    for match in _ADVERB.finditer(text):
        noun = match["unit"] or _ADVERBS[match["how"].casefold()]
        yield Found(SpanKind.RATE, noun.casefold(), match.start(), match.end())


def _latin_noun(noun: str) -> str:
    short = {
        "s": "second",
        "sec": "second",
        "min": "minute",
        "h": "hour",
        "hr": "hour",
        "mo": "month",
        "yr": "year",
        "annum": "year",
        "d": "day",
        "wk": "week",
    }
    if noun in short:
        return short[noun]
    whole = noun.removesuffix("s")
    if " " in whole:
        return whole
    return whole if whole in set(_ADVERBS.values()) | set(short.values()) else analyse(noun)[0]
