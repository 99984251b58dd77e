"""Finders of what is written for machines: code, addresses, paths, identifiers, versions."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
