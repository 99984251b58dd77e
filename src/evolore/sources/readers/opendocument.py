"""Read texts of OpenOffice and LibreOffice: their XML becomes HTML, and that Markdown."""

# lxml has no other name for an element.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import Counter
from typing import Final

from lxml import etree

from evolore.errors import UnreadableSource
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.archives import open_package, part_of
from evolore.sources.readers.html import to_markdown

_TAGS: Final = {
    **{name: name for name in ("table", "ruby", "a")},
    **dict.fromkeys(("list-item", "list-header"), "li"),
    **dict.fromkeys(("section", "text-box"), "div"),
    **dict.fromkeys(("span", "note-body", "ruby-base"), "span"),
    "table-row": "tr",
    "table-cell": "td",
    "line-break": "br",
    "ruby-text": "rt",
}
_LEFT_OUT: Final = {
    **dict.fromkeys(("covered-table-cell", "table-of-content", "forms", "sequence-decls", "note-citation"), ""),
    "annotation": "comments",
    "tracked-changes": "changes",
    "image": "pictures",
    "object": "objects",
}
"""What is not shown in its place, and what notes call it; '' for what is no loss."""
_ATTRIBUTES: Final = {"number-columns-spanned": "colspan", "number-rows-spanned": "rowspan", "href": "href"}
_TITLES: Final = {"Title": "1", "Subtitle": "2"}
_DEEPEST: Final = 6


def read_odt(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read headings, lists, tables and notes; pictures, comments and deleted text are left out."""
    package = open_package(data, name=name)
    members = set(package.namelist())
    if "content.xml" not in members:
        raise UnreadableSource(f"{name} is no OpenDocument text: it is damaged, or something else.")
    if "META-INF/manifest.xml" in members and b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise UnreadableSource(f"{name} is protected by a password: save it without.")
    content, styles, about = (part_of(package, part) for part in ("content.xml", "styles.xml", "meta.xml"))
    left_out = _write_as_html(content, styles)
    edges = [one for tag in ("header", "footer") for one in styles.iterfind(f".//{{*}}{tag}")]
    left_out["headers and footers"] += any("".join(one.itertext()).strip() for one in edges)
    body = content.find(".//{*}body")
    html = etree.tostring(content if body is None else body, method="html").decode()
    told = ", ".join(f"{what} ({count})" for what, count in sorted(left_out.items()) if what and count)
    return Converted(
        text=to_markdown(html, name=name).text,
        title=about.findtext(".//{*}title") or "",
        notes=(f"Not read: {told}.",) if told else (),
        date=about.findtext(".//{*}date") or about.findtext(".//{*}creation-date") or "",
    )


def _write_as_html(content: etree._Element, named: etree._Element) -> Counter[str]:
    """Write the names of HTML over the elements of a text, and count what is left out, by kind."""
    titles = {_value(one, "name"): _value(one, "parent-style-name") for one in content.iterfind(".//{*}style")}
    numbered = {
        (_value(style, "name"), _value(level, "level"))
        for style in (*content.iterfind(".//{*}list-style"), *named.iterfind(".//{*}list-style"))
        for level in style.iterfind("{*}list-level-style-number")
    }
    hidden = _hidden_styles(named, content)
    left_out: Counter[str] = Counter()
    for one in list(content.iter("{*}*")):
        local, style = etree.QName(one).localname, _value(one, "style-name")
        what = "hidden text" if _is_hidden(one, hidden) else _LEFT_OUT.get(local)
        if what is not None or local.endswith("-source"):
            left_out[what or ""] += 1
            _write(one, "", "span")
        elif local == "note-body":
            _write(one, f" ({' '.join(''.join(one.itertext()).split())})", "span")
        elif local in {"s", "tab"}:
            one.text = " "
        elif local == "list":
            above = list(one.iterancestors("ul", "ol"))
            style = style or (above[-1].get("style", "") if above else "")
            one.tag = "ol" if (style, str(len(above) + 1)) in numbered else "ul"
            one.set("style", style)
        elif local in {"p", "h"}:
            level = _value(one, "outline-level") or "1" if local == "h" else _TITLES.get(titles.get(style, "") or style)
            one.tag = f"h{min(int(level), _DEEPEST)}" if level else "p"
        else:
            one.tag = _TAGS.get(local, one.tag)
            _set_attributes(one)
    return left_out


def _hidden_styles(*parts: etree._Element) -> frozenset[str]:
    """Return the names of the styles whose text is not shown, or whose parent's is not."""
    hidden: set[str] = set()
    for style in (one for part in parts for one in part.iterfind(".//{*}style")):
        shown = [_value(one, "display") for one in style.iterfind("{*}text-properties")]
        if "none" in shown or ("true" not in shown and _value(style, "parent-style-name") in hidden):
            hidden.add(_value(style, "name"))
    return frozenset(hidden)


def _is_hidden(one: etree._Element, styles: frozenset[str]) -> bool:
    """Return whether an element of the text, a paragraph of it or a section, is hidden."""
    local = etree.QName(one).localname
    marks = (
        one.iterfind("{*}hidden-paragraph")
        if local in {"p", "h"}
        else [one]
        if local in {"hidden-text", "section"}
        else ()
    )
    is_text = local in {"p", "h", "span", "section"}
    return any(_value(each, "is-hidden") == "true" for each in marks) or (
        is_text and (_value(one, "display") == "none" or _value(one, "style-name") in styles)
    )


def _set_attributes(one: etree._Element) -> None:
    for name, html in _ATTRIBUTES.items():
        if value := _value(one, name):
            one.set(html, value)


def _write(one: etree._Element, text: str, tag: str) -> None:
    """Write a text over what an element holds, not over what follows it."""
    one.text, one.tag = text, tag
    del one[:]


def _value(one: etree._Element, name: str) -> str:
    return next((value for key, value in one.items() if etree.QName(key).localname == name), "")
