"""Protected spans: what a rewrite must keep, in any language and width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from evolore.domain.language import Language
from evolore.text.tokens import function_words
from evolore.text.values import SpanKind, Value, apart, blanked, find_values, value_of
from evolore.text.values.marks import find_limits
from evolore.text.values.spans import Spot, fold
from evolore.text.word_files import Words, any_of, read_words

__all__ = ["protected_spans"]

_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff"
_CAPITALISED = re.compile(
    r"(?<![A-Za-z0-9_./@-])(?:[A-Z][A-Za-zÀ-ÿ]*(?:'[A-Z][a-z]+)?|[a-z]+[A-Z][A-Za-z]*)(?:-[A-Z][a-z]+)*(?![A-Za-z0-9_@])"
)
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof)\. \Z")
_LETTERS = frozenset("AI")
_OPENS = re.compile(r"(?:^|[.!?:;\n|>*#\"“(\[]|\d\.|-\s)[\s\"'“*_(\[]*\Z")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}(?:[・=][ァ-ヺー]+)*")
_TITLED_JA = re.compile(
    rf"(?P<name>[{_HAN}ァ-ヺー]{{1,6}}?)(?:さん|様|氏|くん|君|ちゃん|先生|部長|課長|社長|係長|主任|店長|教授|博士|専務|常務|取締役|リーダー|マネージャー)(?![{_HAN}])"
)
_BODY_EN = re.compile(
    r"(?<![A-Za-z])(?!(?:the|a|an|our|your|their|this|that|each|every|any|same|its|his|her|whole|new|by|to|with|from) )[A-Za-z]+ (?:team|department|desk|division|unit|committee)(?![A-Za-z])",
    re.IGNORECASE,
)
_BODY_JA = re.compile(
    rf"(?<![{_HAN}])[{_HAN}]{{2,4}}(?:部|課|室|科|局|係)(?=[のがはをにへとで、。・()\s]|$)|[{_HAN}ァ-ヺー]{{2,6}}チーム"
)
_BODY_ZH = re.compile(
    r"(?:人事|财务|法务|行政|市场|销售|采购|技术|研发|运维|运营|客服|平台|安全|产品|信息|后勤|审计|质检|物流|仓储|培训|公关|会计|总务|保卫|设备|工程|数据|测试|基础设施|网络|医务|护理|教务|学生|业务|企划|战略|合规|风控|客户关系|投诉)(?:部门?|科|组|处|室|局|中心|团队)"
)
_NO_NAME_ENDS_ZH = frozenset("以从于由为在把被对将向往到自期间时方式门阀周")
"""Function words and the like that no given name ends in: 罗衡以31票 names 罗衡."""

_NO_BODY = frozenset(("全部", "一部", "内部", "外部", "会議室"))


@lru_cache(maxsize=2048)
def protected_spans(text: str, language: Language) -> tuple[Value, ...]:
    """Return what a rewrite of a text must keep: code, addresses, names, numbers with units, dates, limits and rates.

    Args:
        text: Markdown or plain text.
        language: What it is written in; Japanese and Chinese have numerals, units and names of their own.

    Returns:
        In the order of the text. A limit or rate may lie over the number it belongs to; of the rest, only the two
        readings of one date overlap.

    >>> [(span.kind.value, span.canonical) for span in protected_spans("上限は５，０００円です。", Language.JA)]
    [('limit', 'le 5000 JPY'), ('number', '5000 JPY')]
    >>> [span.canonical for span in protected_spans("It takes 30 minutes; run `sync`.", Language.EN)]
    ['1800 s', 'sync']
    """
    folded = fold(text)
    values, plain = find_values(folded, language)
    numbers = [one for one in values if one.kind is SpanKind.NUMBER]
    # A blanked stretch must not look like the beginning of a sentence: "`x` Tanaka" opens none.
    named = "".join(
        "\x1f" if one == " " and other != " " and not other.isspace() else one
        for one, other in zip(blanked(plain, numbers), folded.text, strict=True)
    )
    found = [
        *(one for one in values if not (one.is_soft and one.value == "1")),
        *find_limits(plain, language, numbers),
        *apart(_names_in(named, language)),
    ]
    return tuple(value_of(one, folded, text) for one in sorted(found, key=lambda one: (one.start, one.end)))


def _names_in(text: str, language: Language) -> Iterator[Spot]:
    """Yield names; those that may be common words are soft: they may go, but another may not replace them."""
    yield from _bodies(text, language)
    yield from _latin(text, is_foreign=language in {Language.JA, Language.ZH})
    for match in _KATAKANA.finditer(text):
        yield Spot(SpanKind.NAME, _without_length(match.group()), match.start(), match.end(), is_soft=True)
    if language is Language.JA:
        nobody = _names(Language.JA).words("nobody")
        for match in _TITLED_JA.finditer(text):
            if match["name"] not in nobody:
                yield Spot(SpanKind.NAME, _without_length(match["name"]), match.start("name"), match.end("name"))
        for pattern in (_japanese_surname(), _place(Language.JA)):
            for match in pattern.finditer(text):
                yield Spot(SpanKind.NAME, match.group(), match.start(), match.end())
    elif language is Language.ZH:
        yield from _chinese(text)


def _bodies(text: str, language: Language) -> Iterator[Spot]:
    """Yield departments and other bodies."""
    for match in {Language.JA: _BODY_JA, Language.ZH: _BODY_ZH}.get(language, _BODY_EN).finditer(text):
        value = match.group().casefold()
        if value not in _NO_BODY:
            yield Spot(SpanKind.BODY, value, match.start(), match.end())


def _latin(text: str, *, is_foreign: bool) -> Iterator[Spot]:
    no_names, known = _no_names(), _known_names()
    for match in _CAPITALISED.finditer(text):
        word = match.group().removesuffix("'s")
        folded = word.casefold()
        if folded in no_names or (word in _LETTERS and not is_foreign):
            continue
        before = text[max(0, match.start() - 12) : match.start()]
        opens = _OPENS.search(before) is not None and not _TITLE.search(before)
        is_sure = folded in known or (not opens and not is_foreign) or is_foreign
        if is_sure or opens:
            yield Spot(SpanKind.NAME, folded, match.start(), match.end(), is_soft=not is_sure)


def _chinese(text: str) -> Iterator[Spot]:
    for match in _chinese_name().finditer(text):
        group = match.lastgroup or "name"
        if group == "name" and match[group][-1] in _NO_NAME_ENDS_ZH:
            continue
        yield Spot(SpanKind.NAME, match[group], match.start(group), match.end(group))
    for match in _place(Language.ZH).finditer(text):
        yield Spot(SpanKind.NAME, match.group(), match.start(), match.end())


def _without_length(word: str) -> str:
    """Spell katakana without its final long mark: サーバー and サーバ are one word."""
    return word.rstrip("ー") or word


@cache
def _no_names() -> frozenset[str]:
    """Return English words that are capitalised but are no names."""
    return function_words() | frozenset(_names(Language.EN).words("no_names"))


@cache
def _known_names() -> frozenset[str]:
    """Return people and places in small letters that are common enough to be known by sight."""
    return frozenset(_names(Language.EN).words("known"))


@cache
def _japanese_surname() -> re.Pattern[str]:
    surnames = _names(Language.JA).words("surnames")
    return re.compile(
        rf"(?<![{_HAN}])(?:{any_of(surnames)})(?=[{_HAN}]{{0,3}}(?:[がはをにへとのも、。・()（）\s,|]|です|だ|で|より|$|さん|様|氏|まで|から|部|課|社|宛))"
    )


@cache
def _chinese_name() -> re.Pattern[str]:
    surnames = "|".join(_names(Language.ZH).pattern("surnames"))
    return re.compile(
        rf"(?:(?<=[是由给找请为与和、,。:;|(\s归向叫跟让])|(?<=联系)|(?<=负责人)|(?<=经理)|(?<=主管)|^)(?P<name>(?:{surnames})[{_HAN}]{{1,2}}?)"
        r"(?<!凌晨)(?<!时间)(?=[,。、;:)(|\s]|每|于|由|已|并|就|则|也|须|应|要|需|负责|批准|审批|确认|签字|担任|主持|和|与|或|的|在|会|将|处|同意|说|表示|提交|联系|$)"
        rf"|(?P<titled>(?:{surnames})[{_HAN}]{{0,2}}?)(?=先生|女士|老师|经理|主任|医生|教授|总监|工程师|主管|组长|部长|院长)"
        rf"|(?<![{_HAN}])(?P<small>[小老阿](?:{surnames}))(?=[,。、]|是|负责)",
        re.MULTILINE,
    )


@cache
def _place(language: Language) -> re.Pattern[str]:
    return re.compile(any_of(_names(language).words("places")))


def _names(language: Language) -> Words:
    return read_words("evolore.text", "names", language)
