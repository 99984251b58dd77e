"""Finders of what is written for machines: code, addresses, paths, identifiers, versions."""

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

FENCE = re.compile(
    r"^[ ]{0,3}(?P<mark>`{3,}+|~{3,}+)[^\n`]*+\n(?P<inside>.*?)(?:^[ ]{0,3}(?P=mark)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_INDENTED = re.compile(r"(?:\A|(?<=\n)[ \t]*\n)(?P<inside>(?:(?: {4}|\t)[^\n]*\S[^\n]*(?:\n|\Z))+)")
_INLINE = re.compile(r"(?<!`)(?P<mark>`{1,2})(?!`)(?P<inside>[^\n]+?)(?<!`)(?P=mark)(?!`)")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_URL = re.compile(
    r"(?:https?|ftps?|ssh|s3|gs|wss?|git|mailto):(?://)?[^\s<>\"'`{}|\\^\[\]、。，；！？「」『』（）\u3040-\u30ff\u4e00-\u9fff]+|(?<![A-Za-z0-9@.])www\.[A-Za-z0-9-]+\.[^\s<>\"'`、。，\u3040-\u30ff\u4e00-\u9fff]+"
)
_TARGET = re.compile(r"\]\((?P<target><[^>\n]+>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+[\"'][^\n]*?[\"'])?\)")
_EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_ENDINGS = (
    "md|txt|pdf|docx?|xlsx?|pptx?|csv|tsv|json|jsonl|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|js|ts|py|rb|go|rs|java|kt|c|h|cpp|sh|bat|ps1|"
    "sql|db|sqlite|log|lock|zip|gz|tar|tgz|exe|dmg|deb|rpm|apk|jar|whl|png|jpe?g|gif|svg|webp|mp[34]|wav|pem|key|crt|evolore|bak|tf|gradle|proto"
)
_PATH = re.compile(
    r"(?<![A-Za-z0-9:/.~@])(?:~|\.{1,2})?/[A-Za-z0-9_.{}<>:*-]+(?:/[A-Za-z0-9_.{}<>:*-]+)*/?|[A-Za-z]:\\[^\s\"'<>|、。，]+"
    rf"|(?<![A-Za-z0-9_./-])(?:[A-Za-z0-9_-]+/)*\.?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:{_ENDINGS})(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_./-])(?=[0-9_./-]*[a-z])[a-z0-9_-]+(?:/[a-z0-9_.-]+){2,}"
)
_VERSION = re.compile(
    r"(?<![A-Za-z0-9.])v\d+(?:\.\d+)*(?:-?(?:alpha|beta|rc|a|b)[.-]?\d+)?(?![A-Za-z0-9])"
    r"|(?<![A-Za-z\d.,])(?!\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d|\.\d))\d+(?:\.\d+){2,}(?:-?(?:alpha|beta|rc|a|b)[.-]?\d+)?(?![A-Za-z0-9])"
    r"|(?:(?<=[Vv]ersion )|(?<=[Vv]er\. )|(?<=[Vv]er\.)|(?<=バージョン)|(?<=バージョン )|(?<=版本)|(?<=版本 )|(?<=版本号))\d+(?:\.\d+)*(?![A-Za-z0-9])"
)
_PHONE = re.compile(
    r"(?<![A-Za-z0-9.+-])\+?\d{1,4}[- ]\d{2,4}[- ]\d{3,4}(?:[- ]\d{2,4})?(?![A-Za-z0-9-])|(?<![A-Za-z0-9.+-])\+?0\d{1,3}-\d{3,8}(?![\d-])|\(\d{2,5}\) ?\d{1,4}-\d{4}"
)
_IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9_-])--[A-Za-z][A-Za-z0-9-]*|(?<![A-Za-z0-9_])\$\{?[A-Za-z_][A-Za-z0-9_]*\}?"
    r"|(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+"
    r"|(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_.]{0,120}+\(\)"
    r"|(?<![A-Za-z0-9_-])(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*\d)[A-Z0-9]+(?:-[A-Z0-9]+)+(?![A-Za-z0-9_-])"
    r"|(?<![A-Za-z0-9_#-])#?[A-Z]{1,6}\d+[A-Z0-9]*(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_-])[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*[A-Z0-9](?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_])[a-z]+(?:[A-Z][a-z0-9]*)+(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_])[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_])[A-Za-z]++\d++[A-Za-z]++\d[A-Za-z0-9]*+(?!_)"  # of a serial number or digest, and no "1h30m" or "4x4x2"
    r"|(?<![A-Za-z0-9_.,])(?!(?:[0-9]++[A-Za-z]{1,3}+){2,9}(?![A-Za-z0-9])|[0-9]++(?>(?:x[0-9]++)+)(?![A-Za-z0-9]))[0-9]++[A-Za-z]++[0-9]++[A-Za-z]++[0-9][A-Za-z0-9]*+(?!_)"
    r"|(?<![A-Za-z0-9_-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![A-Za-z0-9_-])"
    r"|(?<![A-Za-z0-9_])#\d+(?![A-Za-z0-9_])|(?<![A-Za-z0-9_.])[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_]*){1,}(?![A-Za-z0-9_/@])"
)
_KEY = re.compile(r"[<〈]?(?:Ctrl|Cmd|Command|Alt|Shift|Option|Win)\+[A-Za-z0-9+]+")


_ZONES = {
    "日本時間|日本标准时间": "JST",
    "協定世界時|世界标准时间|协调世界时": "UTC",
    "北京时间|北京時間|中国标准时间": "CST",
}


def find_code(text: str) -> Iterator[Spot]:
    """Yield the listings and the code between backticks; their contents are compared as written."""
    for match in _INDENTED.finditer(text):
        if not _LIST_ITEM.match(match["inside"]):
            yield Spot(SpanKind.CODE, match["inside"].strip(), match.start("inside"), match.end("inside"))
    ends = 0
    for match in FENCE.finditer(text):
        yield Spot(SpanKind.CODE, match["inside"].strip("\n").rstrip(), match.start(), match.end())
        yield from (one for one in _inline(text, ends, match.start()))
        ends = match.end()
    yield from _inline(text, ends, len(text))


def _inline(text: str, start: int, end: int) -> Iterator[Spot]:
    for match in _INLINE.finditer(text, start, end):
        yield Spot(SpanKind.CODE, match["inside"].strip(), match.start(), match.end())


def find_addresses(text: str) -> Iterator[Spot]:
    """Yield URLs, the targets of links, and e-mail addresses."""
    for match in _TARGET.finditer(text):
        target = match["target"].strip("<>")
        if target:
            kind = SpanKind.URL if ":" in target or target.startswith("#") else SpanKind.PATH
            yield Spot(kind, target, match.start("target"), match.end("target"))
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?*_~)(")
        if url.count("(") > url.count(")") and text[match.start() + len(url) : match.start() + len(url) + 1] == ")":
            url += ")"
        yield Spot(SpanKind.URL, url, match.start(), match.start() + len(url))
    for match in _EMAIL.finditer(text):
        yield Spot(SpanKind.EMAIL, match.group().casefold(), match.start(), match.end())


def find_paths(text: str) -> Iterator[Spot]:
    """Yield the names of files and paths."""
    for match in _PATH.finditer(text):
        path = match.group().rstrip(".:")
        if len(path) > 1:
            yield Spot(SpanKind.PATH, path, match.start(), match.start() + len(path))


def find_versions(text: str) -> Iterator[Spot]:
    """Yield versions, without the v before them."""
    for match in _VERSION.finditer(text):
        yield Spot(SpanKind.VERSION, match.group().lstrip("v"), match.start(), match.end())


def _is_unit(text: str, match: re.Match[str]) -> bool:
    """Return whether it is the unit of the number before it: "1.8 kW"."""
    before = text[max(0, match.start() - 2) : match.start()]
    return before.rstrip()[-1:].isdigit() and unit_at(match.group(), 0)[1] == len(match.group())


def find_identifiers(text: str) -> Iterator[Spot]:
    """Yield names of variables, options, commands and keys, codes of things, acronyms, and telephone numbers."""
    for match in _PHONE.finditer(text):
        yield Spot(SpanKind.IDENTIFIER, re.sub(r"[^\d+]", "", match.group()), match.start(), match.end())
    for zone, code in _ZONES.items():
        for match in re.finditer(zone, text):
            yield Spot(SpanKind.IDENTIFIER, code, match.start(), match.end())
    words = read_shared_words("evolore.text", "units", "marks").words("no_identifiers")
    for pattern in (_KEY, _IDENTIFIER):
        for match in pattern.finditer(text):
            if match.group() not in words and not _is_unit(text, match):
                yield Spot(SpanKind.IDENTIFIER, match.group(), match.start(), match.end())


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
