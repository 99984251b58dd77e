"""Open the zip files that documents of Office and books are, before anything is unpacked from them."""

# lxml has no other name for an element.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Final

from lxml import etree

from evolore.errors import UnreadableSource

_MOST_MEMBERS: Final = 20_000
_MOST_BYTES: Final = 500_000_000
_COMPOUND_FILE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def part_of(package: zipfile.ZipFile, member: str, *, is_vital: bool = True) -> etree._Element:
    """Parse a member of a package; a missing one becomes an empty element, and a broken one raises only where it is vital."""
    data = package.read(member) if member in package.namelist() else b""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=not is_vital)
    root = etree.fromstring(data, parser) if data else None
    return etree.Element("none") if root is None else root


def open_package(data: bytes, *, name: str) -> zipfile.ZipFile:
    """Open a zip file whose members, unpacked, are within bounds; a member never unpacks to more than it states."""
    if data.startswith(_COMPOUND_FILE):
        raise UnreadableSource(
            f"{name} is protected by a password, or in the format of Office before 2007: save it without, as .docx, .xlsx "
            "or .pptx."
        )
    try:
        package = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise UnreadableSource(
            f"{name} is damaged or no file of the kind its ending says ({error}): save it again where it was made."
        ) from error
    members = package.infolist()
    size = sum(member.file_size for member in members)
    if len(members) > _MOST_MEMBERS or size > _MOST_BYTES:
        raise UnreadableSource(
            f"{name} holds {len(members):,} files of {size:,} bytes when unpacked, more than any document needs "
            f"({_MOST_MEMBERS:,}; {_MOST_BYTES:,}): leave it out."
        )
    if any(member.flag_bits & 1 for member in members):
        raise UnreadableSource(f"{name} is protected by a password: save it without.")
    return package
