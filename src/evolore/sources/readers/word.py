"""Write into a Word document what Word shows without its being written there: headings by style, numbers, equations."""

# lxml has no other name for an element.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Final, NamedTuple

from lxml import etree

from evolore.sources.readers.archives import part_of
from evolore.sources.readers.markdown import one_line, some

LABEL: Final = "\ue000{}\ue001"
"""How a paragraph's number is marked before its words, so that it can be distinguished from them."""

_MAIN: Final = re.compile(r"word/document\d*\.xml")
_EDGE: Final = re.compile(r"word/(?:header|footer)\d*\.xml")
_DRAWN: Final = re.compile(r"word/(?:charts/chart|diagrams/data)\d*\.xml")
_HEADING: Final = re.compile(r"heading ([1-9])")
_PLACE: Final = re.compile(r"%([1-9])")
_DEEPEST_HEADING, _DEEPEST_STYLE, _BODY_TEXT = 6, 20, 9
_LONGEST_NAME: Final = 80
_WRAPPERS: Final = ("fldSimple", "dir", "bdo")
"""What the converter does not know, and would leave out with all that is in it."""


def _up_to_29(ones: Sequence[str], ten: str, twenty: str) -> tuple[str, ...]:
    return (*ones, *(f"{tens}{one}" for tens in (ten, twenty) for one in ("", *ones)))


_FORMS: Final[Mapping[str, Sequence[str]]] = {
    "lowerLetter": "abcdefghijklmnopqrstuvwxyz",
    "lowerRoman": _up_to_29(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"), "x", "xx"),
    "decimalEnclosedCircle": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    "iroha": "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    **dict.fromkeys(
        ("chineseCounting", "japaneseCounting", "taiwaneseCounting", "ideographDigital"),
        _up_to_29("一二三四五六七八九", "十", "二十"),
    ),
}
"""The numbers from 1 on in Word's forms; larger ones are written in digits."""
_FORM_ENDING: Final = re.compile(r"FullWidth\Z|Chinese\Z|Thousand\Z")


def as_shown(data: bytes, package: zipfile.ZipFile) -> tuple[bytes, tuple[str, ...]]:
    """Return a document as the converter is to read it, and what is left out, in sentences."""
    main = next(filter(_MAIN.fullmatch, package.namelist()), None)
    if main is None:
        return data, ()
    document = part_of(package, main)
    hidden = _write_out(document)
    styles = {_value(one, "styleId"): one for one in part_of(package, "word/styles.xml").iterfind("{*}style")}
    numbers = _Numbers(part_of(package, "word/numbering.xml"), styles)
    for paragraph in document.iter(f"{_prefix(document)}p"):
        _show(paragraph, styles, numbers)
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as copy:
        for member in package.namelist():
            if member == main:
                copy.writestr(member, etree.tostring(document.getroottree()))
            elif member.endswith((".xml", ".rels")):
                copy.writestr(member, package.read(member))
    return stream.getvalue(), tuple(_left_out(package, hidden))


def _left_out(package: zipfile.ZipFile, hidden: int) -> Iterable[str]:
    edges = [_text(part_of(package, member)) for member in package.namelist() if _EDGE.fullmatch(member)]
    named = [f"“{one[:_LONGEST_NAME]}”" for one in dict.fromkeys(edges) if any(map(str.isalpha, one))]
    if named:
        yield f"Page headers and footers were left out: {some(named)}."
    if comments := len(part_of(package, "word/comments.xml")):
        yield f"Comments were left out: {comments:,}."
    if hidden:
        yield f"Hidden text was left out: {hidden:,} pieces."
    if drawn := sum(1 for member in package.namelist() if _DRAWN.fullmatch(member)):
        yield f"Charts and diagrams were left out: {drawn:,}."


def _write_out(document: etree._Element) -> int:
    """Write equations, readings and what is in wrappers as plain runs, drop hidden ones, and count these."""
    word = _prefix(document)
    etree.strip_tags(document, *(f"{word}{one}" for one in _WRAPPERS))
    for choice in [*document.iter("{*}Choice")]:
        if choice.getparent().find("{*}Fallback") is not None:
            choice.getparent().remove(choice)
    for equation in [*document.iter("{*}oMath")]:
        equation.getparent().replace(equation, _run(word, _text(equation)))
    for ruby in [*document.iter(f"{word}ruby")]:
        words = f"{_text(ruby.find('{*}rubyBase'))}（{_text(ruby.find('{*}rt'))}）"
        ruby.getparent().replace(ruby, *_run(word, words))
    hidden = [one for one in document.iter(f"{word}r") if _is_on(one.find("{*}rPr/{*}vanish"))]
    for one in hidden:
        one.getparent().remove(one)
    return sum(bool(_text(one)) for one in hidden)


def _prefix(element: etree._Element) -> str:
    return f"{{{etree.QName(element).namespace}}}"


def _run(word: str, text: str) -> etree._Element:
    run = etree.Element(f"{word}r")
    etree.SubElement(run, f"{word}t").text = text
    return run


def _text(element: etree._Element | None) -> str:
    return "" if element is None else one_line("".join(one.text or "" for one in element.iter("{*}t")))


def _value(element: etree._Element | None, name: str = "val") -> str:
    return "" if element is None else element.get(f"{_prefix(element)}{name}", "")


def _number(element: etree._Element | None, otherwise: int, name: str = "val") -> int:
    stated = _value(element, name)
    return int(stated) if stated.isdecimal() and len(stated) < _BODY_TEXT else otherwise


def _is_on(element: etree._Element | None) -> bool:
    return element is not None and _value(element) not in {"0", "false", "off"}


class _ParagraphStyle(NamedTuple):
    """What a style says of its paragraphs."""

    heading: int = 0  #: Level as a heading, 0 for none.
    list_id: str = ""  #: The list that numbers them, '' for none.
    level: int = 0  #: Their level in it.

    def with_own(self, properties: etree._Element | None, *, is_named: bool = False) -> _ParagraphStyle:
        """Return what holds where a paragraph or style has properties of its own."""
        if properties is None:
            return self
        outline, numbered = properties.find("{*}outlineLvl"), properties.find("{*}numPr")
        level = _number(outline, _BODY_TEXT)
        heading = self.heading if outline is None or is_named else (level + 1) % (_BODY_TEXT + 1)
        if numbered is None:
            return self._replace(heading=heading)
        list_id = _value(numbered.find("{*}numId")) or self.list_id
        return _ParagraphStyle(heading, list_id, _number(numbered.find("{*}ilvl"), self.level))


def _look(styles: Mapping[str, etree._Element], style: str, depth: int = 0) -> _ParagraphStyle:
    """Return what a style says, or else the one it is based on."""
    found = styles.get(style)
    if found is None or depth > _DEEPEST_STYLE:
        return _ParagraphStyle()
    look = _look(styles, _value(found.find("{*}basedOn")), depth + 1)
    name = _value(found.find("{*}name")).lower()
    if named := _HEADING.fullmatch(name):
        look = look._replace(heading=int(named[1]))
    elif name in {"title", "subtitle"}:
        look = look._replace(heading=int(name == "title"))
    return look.with_own(found.find("{*}pPr"), is_named=named is not None)


def _show(paragraph: etree._Element, styles: Mapping[str, etree._Element], numbers: _Numbers) -> None:
    """Write the style of a paragraph's heading, its list and its number into it."""
    properties, word = paragraph.find("{*}pPr"), _prefix(paragraph)
    if properties is None:
        return
    style = properties.find("{*}pStyle")
    look = _look(styles, _value(style)).with_own(properties)
    has_words = bool(_text(paragraph))
    label = numbers.next(look) if has_words or paragraph.find(".//{*}del") is None else ""
    if look.heading:
        style = etree.SubElement(properties, f"{word}pStyle") if style is None else style
        style.set(f"{word}val", f"Heading{min(look.heading, _DEEPEST_HEADING)}")
    elif look.list_id and properties.find("{*}numPr") is None:
        numbered = etree.SubElement(properties, f"{word}numPr")
        for name, value in (("ilvl", str(look.level)), ("numId", look.list_id)):
            etree.SubElement(numbered, f"{word}{name}").set(f"{word}val", value)
    if label and has_words:
        properties.addnext(_run(word, LABEL.format(label)))


class _List(NamedTuple):
    """A list: what it shares with others that count on, and its levels."""

    key: str
    levels: Mapping[int, etree._Element]
    starts: Mapping[int, int]  #: Where it begins to count again, by level, when it is met first.

    def start(self, level: int) -> int:
        """Return where a level begins."""
        found = self.levels.get(level)
        return 1 if found is None else _number(found.find("{*}start"), 0)


class _Numbers:
    """Count the paragraphs of all lists as Word does."""

    def __init__(self, numbering: etree._Element, styles: Mapping[str, etree._Element]) -> None:
        self._styles = styles
        self._shared = {_value(one, "abstractNumId"): one for one in numbering.iterfind("{*}abstractNum")}
        self._stated = {_value(one, "numId"): one for one in numbering.iterfind("{*}num")}
        self._lists: dict[str, _List | None] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def next(self, look: _ParagraphStyle) -> str:
        """Return what numbers the next paragraph of a list; '' for a bullet, and where there is no such list."""
        list_id, level = look.list_id, look.level
        if list_id not in self._lists:
            self._lists[list_id] = self._list(list_id)
        found = self._lists[list_id]
        if found is None or level not in found.levels:
            return ""
        counts = self._counts.setdefault(found.key, {})
        if level in found.starts and (list_id, level) not in self._begun:
            counts[level] = found.starts[level] - 1
        self._begun.add((list_id, level))
        counts[level] = counts.get(level, found.start(level) - 1) + 1
        for deeper in [one for one in counts if one > level]:
            if level < _number(found.levels[deeper].find("{*}lvlRestart"), deeper):
                del counts[deeper]
        return _label(found, level, counts)

    def _list(self, list_id: str, depth: int = 0) -> _List | None:
        stated = self._stated.get(list_id)
        key = "" if stated is None else _value(stated.find("{*}abstractNumId"))
        shared = self._shared.get(key)
        if stated is None or shared is None or depth > _DEEPEST_STYLE:
            return None
        if link := _value(shared.find("{*}numStyleLink")):
            return self._list(_look(self._styles, link).list_id, depth + 1)
        overrides = stated.findall("{*}lvlOverride")
        levels = [*shared.iterfind("{*}lvl"), *(one for each in overrides for one in each.iterfind("{*}lvl"))]
        starts = {_number(one, 0, "ilvl"): _number(one.find("{*}startOverride"), -1) for one in overrides}
        known = {level: start for level, start in starts.items() if start >= 0}
        return _List(key, {_number(one, 0, "ilvl"): one for one in levels}, known)


def _label(found: _List, level: int, counts: Mapping[int, int]) -> str:
    own = found.levels[level]
    is_legal = _is_on(own.find("{*}isLgl"))

    def shown(place: re.Match[str]) -> str:
        at = int(place[1]) - 1
        form = "decimal" if is_legal else _value(found.levels.get(at, own).find("{*}numFmt"))
        return written(counts.get(at, found.start(at)), form)

    is_bullet = _value(own.find("{*}numFmt")) == "bullet"
    return "" if is_bullet else _PLACE.sub(shown, _value(own.find("{*}lvlText"))).strip()


def written(number: int, form: str) -> str:
    """Write a number in one of Word's forms.

    >>> [written(14, form) for form in ("lowerRoman", "upperLetter", "chineseCounting", "decimalZero")]
    ['xiv', 'N', '十四', '14']
    """
    if form.startswith("upper"):
        return written(number, f"lower{form.removeprefix('upper')}").upper()
    signs = _FORMS.get(_FORM_ENDING.sub("", form), ())
    if 0 < number <= len(signs):
        return signs[number - 1]
    return "" if form == "none" else f"{number:02}" if form == "decimalZero" else str(number)
