"""Read an EPUB: its pages in the order of reading, each as HTML is read."""

# lxml has no other name for an element.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import unquote, urldefrag

from lxml import etree

from evolore.errors import UnreadableSource
from evolore.sources.archives import open_package
from evolore.sources.decoding import declared_encoding, decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.html import to_markdown
from evolore.sources.markdown import heading, joined, one_line

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONT_OBFUSCATION: Final = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_book(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a book; a page without a heading is given the one that the table of contents has for it.

    Raises:
        UnreadableSource: It is none, is protected, is too large unpacked, or none of its pages can be read.
    """
    package = open_package(data, name=name)
    if _is_protected(package):
        raise UnreadableSource(f"{name} is protected against copying: it cannot be read.")
    found = _package_file(package, name=name)
    opf = _xml(package, found)
    if opf is None:
        raise UnreadableSource(f"{name} states no order of reading: it is damaged, or no EPUB book.")
    folder = posixpath.dirname(found)
    items = {item.get("id", ""): item for item in opf.findall(".//{*}manifest/{*}item")}
    labels = _labels(package, items.values(), folder)
    blocks: list[str] = []
    missing: list[str] = []
    for place in _spine(opf, items, folder):
        text = _page(package, place, name=name)
        if text is None:
            missing.append(place)
            continue
        if text and not text.lstrip().startswith("#") and place in labels:
            blocks.append(heading(1, labels[place]))
        blocks.append(text)
    notes = (f"Pages that cannot be read were left out: {', '.join(missing[:20])}.",) if missing else ()
    return Converted(text=joined(blocks), title=one_line(opf.findtext(".//{*}metadata/{*}title") or ""), notes=notes)


def _is_protected(package: zipfile.ZipFile) -> bool:
    """Return whether more than fonts is encrypted."""
    if _ENCRYPTION not in package.namelist():
        return False
    stated = package.read(_ENCRYPTION)
    return stated.count(b"EncryptedData>") // 2 > sum(stated.count(one) for one in _FONT_OBFUSCATION)


def _package_file(package: zipfile.ZipFile, *, name: str) -> str:
    container = _xml(package, _CONTAINER)
    root = None if container is None else container.find(".//{*}rootfile")
    stated = None if root is None else root.get("full-path")
    found = stated or next((one for one in package.namelist() if one.endswith(".opf")), None)
    if found is None:
        raise UnreadableSource(f"{name} names no package file: it is damaged, or no EPUB book.")
    return found


def _xml(package: zipfile.ZipFile, member: str) -> etree._Element | None:
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
        return etree.fromstring(package.read(member), parser)
    except (KeyError, ValueError, etree.XMLSyntaxError):
        return None


def _spine(opf: etree._Element, items: Mapping[str, etree._Element], folder: str) -> Iterator[str]:
    """Yield the pages in the order of reading; the page that is only the table of contents is none of them."""
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


def _page(package: zipfile.ZipFile, place: str, *, name: str) -> str | None:
    """Return a page as Markdown, '' for one without text, None for one that is not there or broken."""
    try:
        data = package.read(place)
        html = decode(data, name=f"{name}, {place}", declared=declared_encoding(data)).text if data.strip() else ""
        return to_markdown(html, name=f"{name}, {place}").text if html else ""
    except UnreadableSource as error:
        return "" if "shows no text" in str(error) else None
    except (KeyError, OSError, ValueError, NotImplementedError):
        return None


def _labels(package: zipfile.ZipFile, items: Iterable[etree._Element], folder: str) -> dict[str, str]:
    """Return what the table of contents calls each page: that of EPUB 3, or else of EPUB 2."""
    labels: dict[str, str] = {}
    for item in items:
        place = _place(folder, item.get("href", ""))
        if "nav" in (item.get("properties") or "").split():
            tree, entry, label = _xml(package, place), ".//{*}a[@href]", None
        elif item.get("media-type") == "application/x-dtbncx+xml":
            tree, entry, label = _xml(package, place), ".//{*}navPoint", ".//{*}text"
        else:
            continue
        for one in () if tree is None else tree.iterfind(entry):
            content = one.find("{*}content") if label else None
            href = one.get("href", "") if content is None else content.get("src", "")
            text = "".join(one.itertext()) if label is None else one.findtext(label) or ""
            if text.strip():
                labels.setdefault(_place(posixpath.dirname(place), href), one_line(text))
    return labels
