"""Read texts of OpenOffice and LibreOffice: their XML becomes HTML, and that Markdown."""

# lxml has no other name for an element.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import Counter
from typing import Final

from lxml import etree

from evolore.errors import UnreadableSource
from evolore.sources.archives import open_package, part_of
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.html import to_markdown

_TAGS: Final = {
    "p": "p",
    "list": "ul",
    "list-item": "li",
    "list-header": "li",
    "table": "table",
    "table-row": "tr",
    "table-cell": "td",
    "a": "a",
    "line-break": "br",
    "section": "div",
    "text-box": "div",
    "ruby": "ruby",
    "ruby-text": "rt",
}
_LEFT_OUT: Final = {"annotation": "comments", "tracked-changes": "changes", "image": "pictures", "object": "objects"}
_NOT_SHOWN: Final = frozenset({"covered-table-cell", "table-of-content", "forms", "sequence-decls", "note-citation"})
_SPANS: Final = {"number-columns-spanned": "colspan", "number-rows-spanned": "rowspan"}
_TITLES: Final = {"Title": 1, "Subtitle": 2}
_DEEPEST: Final = 6


def read_odt(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read headings, lists, tables and notes; pictures, comments and deleted text are left out.

    Raises:
        UnreadableSource: It is none, is protected by a password, or holds no text.
    """
    package = open_package(data, name=name)
    members = set(package.namelist())
    if "content.xml" not in members:
        raise UnreadableSource(f"{name} is no OpenDocument text: it is damaged, or something else.")
    if "META-INF/manifest.xml" in members and b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise UnreadableSource(f"{name} is protected by a password: save it without.")
    content, styles, about = (part_of(package, part) for part in ("content.xml", "styles.xml", "meta.xml"))
    left_out = _write_as_html(content, styles)
    if any(
        "".join(one.itertext()).strip() for tag in ("header", "footer") for one in styles.iterfind(f".//{{*}}{tag}")
    ):
        left_out["headers and footers"] += 1
    body = content.find(".//{*}body")
    html = etree.tostring(content if body is None else body, method="html").decode()
    notes = (f"Not read: {', '.join(f'{what} ({count})' for what, count in sorted(left_out.items()))}.",)
    date = about.findtext(".//{*}date") or about.findtext(".//{*}creation-date") or ""
    return Converted(
        text=to_markdown(html, name=name).text,
        title=about.findtext(".//{*}title") or "",
        notes=notes if left_out else (),
        date=date,
    )


def _write_as_html(content: etree._Element, named: etree._Element) -> Counter[str]:
    """Write the names of HTML over the elements of a text, and count what is left out, by kind."""
    titles = {_value(one, "name"): _value(one, "parent-style-name") for one in content.iterfind(".//{*}style")}
    numbered = {
        (_value(style, "name"), _value(level, "level"))
        for style in (*content.iterfind(".//{*}list-style"), *named.iterfind(".//{*}list-style"))
        for level in style.iterfind("{*}list-level-style-number")
    }
    left_out: Counter[str] = Counter()
    for one in list(content.iter("{*}*")):
        local = etree.QName(one).localname
        if local in _LEFT_OUT or local in _NOT_SHOWN or local.endswith("-source"):
            left_out.update([_LEFT_OUT[local]] if local in _LEFT_OUT else [])
            _empty(one)
        elif local == "list":
            above = list(one.iterancestors("ul", "ol"))
            style = _value(one, "style-name") or (above[-1].get("style", "") if above else "")
            one.tag = "ol" if (style, str(len(above) + 1)) in numbered else "ul"
            one.set("style", style)
        elif local in {"p", "h"}:
            style = _value(one, "style-name")
            level = (
                int(_value(one, "outline-level") or 1)
                if local == "h"
                else _TITLES.get(titles.get(style, "") or style, 0)
            )
            one.tag = f"h{min(level, _DEEPEST)}" if level else "p"
        else:
            _rename(one, local)
    return left_out


def _rename(one: etree._Element, local: str) -> None:
    for name, html in _SPANS.items():
        if span := _value(one, name):
            one.set(html, span)
    if local == "a":
        one.set("href", _value(one, "href"))
    elif local in {"s", "tab"}:
        one.text = " "
    elif local == "note-body":
        one.text = f" ({' '.join(''.join(one.itertext()).split())})"
        del one[:]
    one.tag = _TAGS.get(local, "span" if local in {"span", "note-body", "ruby-base"} else one.tag)


def _empty(one: etree._Element) -> None:
    """Leave out what an element holds, not what stands behind it."""
    one.text = ""
    del one[:]
    one.tag = "span"


def _value(one: etree._Element, name: str) -> str:
    return next((value for key, value in one.items() if etree.QName(key).localname == name), "")
