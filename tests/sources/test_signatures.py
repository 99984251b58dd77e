from __future__ import annotations

import gzip
import io
import sqlite3
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from evolore.sources.decoding import name_of_binary

if TYPE_CHECKING:
    from pathlib import Path


def zip_of(*members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member in members:
            archive.writestr(member, "content")
    return buffer.getvalue()


def png() -> bytes:
    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(b"\0\0")) + part(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF"),
        (b"{\\rtf1\\ansi words}", "an RTF document"),
        (zip_of("notes.txt"), "a zip archive"),
        (zip_of(), "an empty zip archive"),
        (zip_of("[Content_Types].xml", "word/document.xml"), "a Word document"),
        (zip_of("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook"),
        (zip_of("[Content_Types].xml", "ppt/presentation.xml"), "a PowerPoint presentation"),
        (gzip.compress(b"words", mtime=0), "a gzip archive"),
        (png(), "a PNG image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "a JPEG image"),
        (b"GIF89a\x01\x00\x01\x00", "a GIF image"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "a WebP image"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "a WAV recording"),
        (b"\x00\x00\x00\x18ftypmp42\x00", "a video or image of the MP4 family"),
        (b"BM\x46\x00\x00\x00\x00\x00\x00\x00", "a bitmap image"),
        (b"MZ\x90\x00\x03\x00\x00\x00", "a program (Windows)"),
        (b"\x7fELF\x02\x01\x01\x00", "a program (ELF)"),
        (b"ID3\x04\x00\x00\x00\x00", "an MP3 recording"),
    ],
)
def test_a_binary_file_is_named_for_what_it_is(data: bytes, name: str) -> None:
    assert name_of_binary(data) == name


def test_a_database_is_named(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "notes.db")
    connection.execute("create table note (text)")
    connection.close()
    assert name_of_binary((tmp_path / "notes.db").read_bytes()) == "an SQLite database"


@pytest.mark.parametrize(
    "text",
    [
        "ID3 tags are read first.",
        "PAR1 is our code for Paris.",
        "BM and BMW",
        "MZ is the code of Mozambique",
        "GIF89a is old.",
        "RIFF raff",
        "PDF files",
    ],
)
def test_a_text_that_begins_like_a_binary_file_is_text(text: str) -> None:
    assert name_of_binary(text.encode()) is None
