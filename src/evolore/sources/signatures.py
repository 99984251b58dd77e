"""Name files that are no text, by the bytes they begin with."""

from __future__ import annotations

import re
from typing import Final

_ZIP: Final = b"PK\x03\x04"
_RIFF: Final = b"RIFF"
_LOW_BYTE: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOW_BYTE_WITHIN: Final = 512

# An article is part of each name, so that a message reads "looks like a PDF".
_MARKUP: Final = ((b"%PDF-", "a PDF"), (b"{\\rtf", "an RTF document"))
_SIGNATURES: Final = (
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"ID3", "an MP3 recording"),
    (b"\x1aE\xdf\xa3", "a Matroska or WebM video"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program (ELF)"),
    (b"\xca\xfe\xba\xbe", "a compiled Java class"),
    (b"\x00asm", "a WebAssembly module"),
    (b"PAR1", "a Parquet table"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)

# In an archive of Office's kind the names of its members stand in clear; the first few name its purpose.
_ZIP_MEMBERS: Final = (
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"application/epub+zip", "an EPUB book"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
    (b"META-INF/MANIFEST.MF", "a Java archive"),
)
_ZIP_NAMES_WITHIN: Final = 8192


def name_of_binary(data: bytes) -> str | None:
    """Name what a binary file is, with its article; None when its first bytes tell nothing.

    >>> name_of_binary(b"%PDF-1.7 ...")
    'a PDF'
    >>> name_of_binary(b"Plain words.") is None
    True
    """
    if data.startswith(_ZIP):
        return _name_of_zip(data[:_ZIP_NAMES_WITHIN])
    if data.startswith(_RIFF):
        return {b"WEBP": "a WebP image", b"WAVE": "a WAV recording", b"AVI ": "an AVI video"}.get(data[8:12])
    if data[4:8] == b"ftyp":
        return "a video or image of the MP4 family"
    if data.startswith(b"BM") and b"\x00" in data[6:10]:
        return "a bitmap image"
    if data.startswith(b"MZ") and b"\x00" in data[:64]:
        return "a program (Windows)"
    # A text may begin with the letters "ID3" or "PAR1"; a binary file also has bytes below them.
    signatures = _SIGNATURES + _MARKUP if _LOW_BYTE.search(data, 0, _LOW_BYTE_WITHIN) else _MARKUP
    return next((name for signature, name in signatures if data.startswith(signature)), None)


def _name_of_zip(data: bytes) -> str:
    return next((name for member, name in _ZIP_MEMBERS if member in data), "a zip archive")
