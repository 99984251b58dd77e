"""Read an EPUB: its pages in the order of reading, each as HTML is read."""

# lxml has no other name for an element.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import unquote, urldefrag

from lxml import etree

from evolore.errors import UnreadableSource
from evolore.sources.decoding import declared_encoding, decode_leniently
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.archives import open_package, part_of
from evolore.sources.readers.html import to_markdown
from evolore.sources.readers.markdown import joined, one_line, some

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONT_OBFUSCATION: Final = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_EPUB_TYPE: Final = "{http://www.idpf.org/2007/ops}type"
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_book(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a book; a page without a heading is given the one that the table of contents has for it."""
    package = open_package(data, name=name)
    if _is_protected(package):
        raise UnreadableSource(f"{name} is protected against copying: it cannot be read.")
    found = _package_file(package, name=name)
    opf = part_of(package, found, is_vital=False)
    folder = posixpath.dirname(found)
    items = {item.get("id", ""): item for item in opf.findall(".//{*}manifest/{*}item")}
    labels = _labels(package, items.values(), folder)
    blocks: list[str] = []
    missing: list[str] = []
    empty: list[str] = []
    for place in _spine(opf, items, folder):
        text = _page(package, place, labels.get(place, {}), name=name)
        if text:
            blocks.append(text)
        else:
            (missing if text is None else empty).append(place)
    told = ((missing, "that cannot be read"), (empty, "without text, such as pictures,"))
    notes = tuple(f"Pages {what} were left out: {some(places)}." for places, what in told if places)
    title = one_line(opf.findtext(".//{*}metadata/{*}title") or "")
    return Converted(text=joined(blocks), title=title, notes=notes, date=_date(opf))


def _date(opf: etree._Element) -> str:
    """Return the day that a book states as that of its publication, or else of its last change."""
    stated = [*opf.iterfind(".//{*}metadata/{*}date")]
    stated += [one for one in opf.iterfind(".//{*}meta") if one.get("property", "") == "dcterms:modified"]
    return next((day for day in ("".join(one.itertext()).strip() for one in stated) if _DAY.match(day)), "")


def _is_protected(package: zipfile.ZipFile) -> bool:
    """Return whether more than fonts is encrypted."""
    if _ENCRYPTION not in package.namelist():
        return False
    stated = package.read(_ENCRYPTION)
    return stated.count(b"EncryptedData>") // 2 > sum(stated.count(one) for one in _FONT_OBFUSCATION)


def _package_file(package: zipfile.ZipFile, *, name: str) -> str:
    root = part_of(package, _CONTAINER, is_vital=False).find(".//{*}rootfile")
    stated = None if root is None else root.get("full-path")
    found = stated or next((one for one in package.namelist() if one.endswith(".opf")), None)
    if found is None:
        raise UnreadableSource(f"{name} names no package file: it is damaged, or no EPUB book.")
    return found


def _spine(opf: etree._Element, items: Mapping[str, etree._Element], folder: str) -> Iterator[str]:
    """Yield the pages in the order of reading; without the page that is only the table of contents."""
    seen: set[str] = set()
    for reference in opf.findall(".//{*}spine/{*}itemref"):
        item = items.get(reference.get("idref", ""))
        if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
            continue
        place = _place(folder, item.get("href", ""))
        if place not in seen:
            seen.add(place)
            yield place


def _place(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(href).url)))


def _page(package: zipfile.ZipFile, place: str, sections: Mapping[str, tuple[int, str]], *, name: str) -> str | None:
    """Return a page as Markdown, '' for one without text, None for one that is not there or broken."""
    try:
        data = package.read(place)
        html = decode_leniently(data, declared=declared_encoding(data))
        return to_markdown(html, name=f"{name}, {place}", sections=sections).text
    except (UnreadableSource, KeyError, OSError, ValueError, NotImplementedError):
        return None


def _labels(
    package: zipfile.ZipFile, items: Iterable[etree._Element], folder: str
) -> dict[str, dict[str, tuple[int, str]]]:
    """Return level and heading of what the table of contents names, by page and anchor: that of EPUB 3, or else of 2."""
    labels: dict[str, dict[str, tuple[int, str]]] = {}
    for item in items:
        place = _place(folder, item.get("href", ""))
        is_nav = "nav" in (item.get("properties") or "").split()
        if not is_nav and item.get("media-type") != "application/x-dtbncx+xml":
            continue
        tree = part_of(package, place, is_vital=False)
        for entry in _entries(tree, "{*}a[@href]" if is_nav else "{*}navPoint"):
            content = entry if is_nav else entry.find("{*}content")
            label = one_line("".join(entry.itertext()) if is_nav else entry.findtext(".//{*}text") or "")
            href = "" if content is None else content.get("href") or content.get("src") or ""
            depth = sum(etree.QName(one).localname in {"li", "navPoint"} for one in entry.iterancestors())
            if label:
                page = labels.setdefault(_place(posixpath.dirname(place), href), {})
                page.setdefault(unquote(urldefrag(href).fragment), (depth + (not is_nav), label))
    return labels


def _entries(tree: etree._Element, entry: str) -> Iterator[etree._Element]:
    """Yield what a table of contents lists, not what lists of pages and landmarks do."""
    navs = [one for one in tree.iterfind(".//{*}nav") if one.get(_EPUB_TYPE, "toc") == "toc"]
    return (navs[0] if navs else tree).iterfind(f".//{entry}")
