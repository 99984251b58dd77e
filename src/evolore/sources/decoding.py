"""Turn the bytes of a file into text, in any encoding, or say why they are not text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_letters
from typing import Final, NamedTuple

from evolore.domain.tables import read_tables
from evolore.errors import UnreadableSource

_LATIN_LETTERS: Final = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŠšŽžŒœŸ")
_LATIN: Final = _LATIN_LETTERS | frozenset("“”‘’–—…«»\u00a0€£§©®™°·•¿¡ªº²³´±×÷½¼¾µ")
_LONGEST_WESTERN_RUN: Final = 2

# Every East Asian encoding has these, so they speak for none.
_NEUTRAL: Final = re.compile(
    r"[\s!-~、。「」『』・（）！？：；，～〜—―…《》〈〉【】〔〕“”‘’％＆／\u3000０-９Ａ-Ｚａ-ｚ①-⑳○●◎△▲□■◇◆※→←↑↓]+"
)
_KANA: Final = re.compile(r"[ぁ-ゖァ-ヺー々ゝゞ]")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")

_EAST_ASIAN: Final[Mapping[str, Sequence[str]]] = {
    "cp932": ("japanese",),
    "euc_jp": ("japanese",),
    "gb18030": ("simplified",),
    "cp950": ("simplified", "traditional"),
}
"""The encodings that familiar characters show, and the languages of these."""
_WESTERN: Final = "cp1252"
TRIED_ENCODINGS: Final = ("utf-8", "iso2022_jp", *_EAST_ASIAN, _WESTERN)
"""Every encoding that is recognised without being declared."""

_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_WITHIN_WORD: Final = re.compile(r"[A-Za-z][^\x00-\x7f](?![^\x00-\x7f])")  # where cp1252 has an apostrophe
_SAMPLE_BYTES: Final = 65_536
# Measured on pieces of 4 to 2,000 characters: right readings score .6 and more, wrong ones about .1.
_LEAST_SHARE: Final = 0.4
_LEAST_MARGIN: Final = 0.15
_LEAST_EAST_ASIAN_HITS: Final = 3
_LEAST_WESTERN_SHARE: Final = 0.8  # what is as it should be is nearly all there is
_MOST_WESTERN_PER_LETTER: Final = 0.5  # accents and quotes are few among plain letters


@cache
def _familiar(encoding: str) -> frozenset[str]:
    characters = read_tables("evolore.sources", "familiar.toml")["characters"]
    return frozenset("".join(str(characters[language]) for language in _EAST_ASIAN[encoding]))


def _share_of_familiar(text: str, encoding: str) -> tuple[float, int]:
    """Return which share of the significant characters is familiar, 0–1, and how many are.

    Kana speak for Japanese, and against Chinese.
    """
    telling = _NEUTRAL.sub("", text)
    hits = sum(map(_familiar(encoding).__contains__, telling))
    if "japanese" in _EAST_ASIAN[encoding]:
        hits += len(_KANA.findall(telling))
    return hits / max(len(telling), 1), hits


def _share_of_western(text: str) -> tuple[float, int]:
    """Return the share of non-ASCII characters that occur as western writing has them, 0–1, and their number.

    Accented letters and signs occur alone or in pairs; misread East Asian text has long runs of both.
    """
    runs: list[str] = _NOT_ASCII.findall(text)
    hits = sum(len(run) for run in runs if len(run) <= _LONGEST_WESTERN_RUN and _LATIN.issuperset(run))
    return hits / max(sum(map(len, runs)), 1), hits


class _Decoding(NamedTuple):
    share: float
    encoding: str
    is_enough: bool


def guess_encodings(data: bytes) -> list[str]:
    """List the encodings these bytes may be in: one when it is clear, none when no reading is language.

    A reading too short to win, such as one familiar character, still keeps another from winning.

    >>> guess_encodings("会議は水曜日です。".encode("euc_jp"))
    ['euc_jp']
    """
    first = _BEYOND_ASCII.search(data)
    start = first.start() if first else 0  # before it all is ASCII, so any cut is safe
    sample = data[start : start + _SAMPLE_BYTES]
    whole = start + _SAMPLE_BYTES >= len(data)
    before = data[max(0, start - _SAMPLE_BYTES) : start]
    east_asian = _read_as_east_asian(sample, whole=whole, after=before[-1:].decode("ascii"))
    readings = sorted([*east_asian, *_read_as_western(before + sample)], key=lambda reading: -reading.share)
    rivals = [reading for reading in readings if reading.share > readings[0].share - _LEAST_MARGIN]
    is_short = len(rivals) == 1 and not rivals[0].is_enough
    return [] if is_short else [reading.encoding for reading in rivals]


def _read_as_east_asian(sample: bytes, *, whole: bool, after: str) -> Iterator[_Decoding]:
    for encoding in _EAST_ASIAN:
        text = _read(sample, encoding, whole=whole)
        share, hits = _share_of_familiar(text, encoding)
        is_enough = hits >= _LEAST_EAST_ASIAN_HITS
        if share >= _LEAST_SHARE and (is_enough or not _WITHIN_WORD.search(after + text)):
            yield _Decoding(share, encoding, is_enough)


def _read_as_western(sample: bytes) -> Iterator[_Decoding]:
    text = _read(sample, _WESTERN, whole=True)
    share, hits = _share_of_western(text)
    letters = len(sample) - len(sample.translate(None, ascii_letters.encode()))
    is_plausible = hits <= _MOST_WESTERN_PER_LETTER * letters and not _CONTROL.search(text)
    if share >= _LEAST_WESTERN_SHARE and is_plausible:
        yield _Decoding(share, _WESTERN, is_enough=True)


def _read(sample: bytes, encoding: str, *, whole: bool) -> str:
    """Decode a sample, whose last character may be cut unless it is the whole; '' where the encoding does not fit."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, final=whole)
    except UnicodeDecodeError:
        return ""


_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_JIS_ESCAPE: Final = re.compile(rb"\x1b\$[@B]")
_JIS_PIECE: Final = re.compile(rb"\x1b(\$[@B]|\([BJHI])")
_JIS_PAIR: Final = re.compile(rb"[\x21-\x7e]{2}")
_MOST_LOST_OF_JIS: Final = 0.05  # mails hold a few characters outside; bytes that are no Japanese hardly any inside
_SEVEN_BIT: Final = frozenset({"utf-7", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312", "hz"})
"""Encodings that look like ASCII, so that only a declaration shows them."""
_SUPERSETS: Final = {
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("big5", "big5hkscs"), "cp950"),
    **dict.fromkeys(("iso8859-1", "ascii"), "cp1252"),
    **dict.fromkeys(("iso8859-11", "tis-620"), "cp874"),
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""What HTML authors write, by Python's name, and the superset that browsers read it as (WHATWG Encoding Standard)."""
_DECLARED_WITHIN: Final = 4096
_DECLARATIONS: Final = (
    re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE),
    re.compile(rb"\A\s*<\?xml[^>]+encoding\s*=\s*[\"']([\w.:-]+)"),
)
_CONTROLS: Final = [chr(code) for code in (*range(9), *range(14, 27), *range(28, 32), 127)]
_MOST_CONTROLS_SHARE: Final = 0.01
_MOST_CONTROLS_ANYWAY: Final = 3  # in a short text one slip is already several per cent
_REAL_PER_BROKEN: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A text and what it was decoded from."""

    text: str  #: Every character of it, newlines as they were, without a byte order mark.
    encoding: str  #: The codec that read it, by Python's name.


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding a page states in its first 4,096 bytes, in its own words.

    >>> declared_encoding(b'<html><head><meta charset="Shift_JIS">')
    'Shift_JIS'
    """
    head = data[:_DECLARED_WITHIN]
    found = next((match for pattern in _DECLARATIONS if (match := pattern.search(head))), None)
    return found[1].decode("ascii", "replace") if found else None


def decode(data: bytes, *, name: str, declared: str | None = None) -> Decoded:
    r"""Decode a file's bytes.

    Args:
        data: All of it.
        name: What messages call it, ready to print.
        declared: The encoding the file itself names, in its own words; believed where UTF-8 does not fit.

    Returns:
        Its text, which has more than whitespace and no NUL.

    Raises:
        UnreadableSource: It is empty, binary, damaged, or in an unknown encoding.

    >>> decode("価格は百円です。".encode("cp932"), name="prices.txt").encoding
    'cp932'
    """
    if not data:
        raise UnreadableSource(f"{name} is empty: write something into it, or leave it out.")
    _refuse_known_binary(data, name=name)
    decoded = _decode_marked(data, name=name) or _decode_unmarked(data, name=name, declared=declared)
    _refuse_controls(decoded.text, name=name)
    if not decoded.text.strip():
        raise UnreadableSource(f"{name} is empty but for whitespace: write something into it, or leave it out.")
    return decoded


def decode_leniently(data: bytes, *, declared: str | None = None) -> str:
    r"""Decode a part of a document: what no encoding has becomes U+FFFD, so that the rest is not lost.

    >>> decode_leniently(b"\x93Tea\x94", declared="iso-8859-1")
    '“Tea”'
    """
    try:
        return decode(data, name="a part", declared=declared).text
    except UnreadableSource:
        return data.decode(_codec(declared) or "utf-8", "replace")


def _codec(declared: str | None) -> str:
    """Return Python's name of an encoding that a file states, '' for none that it knows."""
    try:
        found = codecs.lookup((declared or "").lower().removeprefix("x-"))
    except (LookupError, ValueError):
        return ""
    return _SUPERSETS.get(found.name, found.name) if _try(b"", found.name) else ""


def _refuse_known_binary(data: bytes, *, name: str) -> None:
    binary = name_of_binary(data)
    if binary == "an archive":
        raise UnreadableSource(f"{name} is an archive, which is never opened: unpack it, and add the folder.")
    if binary:
        raise UnreadableSource(f"{name} looks like {binary}, not text: convert it to Markdown, text or HTML first.")


def mark_of(data: bytes) -> bytes:
    """Return the byte order mark that a file begins with; nothing where it has none."""
    return next((mark for mark, _ in _MARKS if data.startswith(mark)), b"")


def _decode_marked(data: bytes, *, name: str) -> Decoded | None:
    mark, encoding = next((pair for pair in _MARKS if data.startswith(pair[0])), (b"", ""))
    if mark and (damage := _damage(data[len(mark) :], encoding)):
        raise UnreadableSource(
            f"{name} begins with the mark of {encoding.upper()} but is damaged at {damage}: save it again as UTF-8."
        )
    return _try(data[len(mark) :], encoding) if mark else None


def _decode_unmarked(data: bytes, *, name: str, declared: str | None) -> Decoded:
    decoded = _decode_jis(data) or (_try(data, declared) if declared and declared.lower() in _SEVEN_BIT else None)
    if decoded is not None:
        return decoded
    if b"\x00" in data:
        return Decoded(text=data.decode("latin-1"), encoding="latin-1")  # is refused for what it holds
    codec = _codec(declared)
    return _try(data, "utf-8") or (_try(data, codec) if codec else None) or _decode_by_guess(data, name=name)


def _decode_jis(data: bytes) -> Decoded | None:
    """Decode ISO-2022-JP, also with the signs of Windows or a damaged character in it; None where it is none."""
    if not _JIS_ESCAPE.search(data):
        return None
    head, *pieces = _JIS_PIECE.split(data)
    texts = [_decode_jis_piece(escape, piece) for escape, piece in zip(pieces[::2], pieces[1::2], strict=True)]
    text = head.decode("utf-8", "replace") + "".join(texts)
    is_japanese = text.count("\ufffd") <= max(1, _MOST_LOST_OF_JIS * len(text))
    return _try(data, "iso2022_jp") or (Decoded(text=text, encoding="iso2022_jp") if is_japanese else None)


def _decode_jis_piece(escape: bytes, piece: bytes) -> str:
    if escape.startswith(b"$"):
        return _JIS_PAIR.sub(lambda pair: _as_shift_jis(*pair[0]), piece).decode("cp932", "replace")
    if escape == b"(I":
        return bytes(one | 0x80 if one > 0x20 else one for one in piece).decode("cp932", "replace")  # noqa: PLR2004 - a blank
    return piece.decode("utf-8", "replace")


def _as_shift_jis(first: int, second: int) -> bytes:
    """Write a character of JIS X 0208 as Windows has it, which knows more rows."""
    row, is_odd = divmod(first - 0x21, 2)
    lead = row + (0x81 if row < 0x1F else 0xC1)  # noqa: PLR2004 - half-width kana lie between
    return bytes((lead, second + (0x7E if is_odd else 0x20 if second >= 0x60 else 0x1F)))  # noqa: PLR2004 - DEL is left out


def _decode_by_guess(data: bytes, *, name: str) -> Decoded:
    damage = _damage(data, "utf-8")
    if _is_damaged_utf_8(data):
        raise UnreadableSource(f"{name} is UTF-8 but for {damage}: correct that place.")
    encodings = guess_encodings(data)
    if len(encodings) != 1:
        reads = f"could be {' as well as '.join(encodings)}" if encodings else "reads as language in no other encoding"
        raise UnreadableSource(
            f"{name} is not UTF-8 ({damage}) and {reads} (tried: {', '.join(TRIED_ENCODINGS)}): convert it to UTF-8."
        )
    decoded = _try(data, encodings[0])
    if decoded is None:
        raise UnreadableSource(
            f"{name} reads as {encodings[0]} but is damaged at {_damage(data, encodings[0])}: correct that place and "
            "convert the file to UTF-8."
        )
    return decoded


def _damage(data: bytes, encoding: str) -> str:
    """Return where bytes are not of an encoding, in words; '' where they are."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return f"byte 0x{data[error.start]:02X} at byte offset {error.start} (line {line})"
    return ""


def _is_damaged_utf_8(data: bytes) -> bool:
    lenient = data.decode("utf-8", "replace")
    broken = lenient.count("\ufffd")
    real = sum(character > "\u07ff" for character in lenient) - broken  # three bytes and more: no accident
    return real >= _REAL_PER_BROKEN * broken


def _try(data: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(text=data.decode(encoding), encoding=encoding)
    except (LookupError, ValueError):
        return None


def _refuse_controls(text: str, *, name: str) -> None:
    controls = sum(map(text.count, _CONTROLS))
    if controls > max(_MOST_CONTROLS_ANYWAY, len(text) * _MOST_CONTROLS_SHARE):
        raise UnreadableSource(
            f"{name} looks like binary data, not text ({controls} control characters in {len(text)}): "
            "convert it to Markdown, text or HTML first."
        )
    if (nul := text.find("\x00")) >= 0:
        raise UnreadableSource(
            f"{name} has a NUL character at offset {nul} (line {text.count(chr(10), 0, nul) + 1}), which no text has: "
            "remove it, or find out what damaged the file."
        )


_ZIP: Final = b"PK\x03\x04"
_LOW_BYTE: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOW_BYTE_WITHIN: Final = 512

# An article is part of each name, so that a message reads "looks like a PDF".
_MARKUP: Final = {b"%PDF-": "a PDF", b"{\\rtf": "an RTF document"}
_SIGNATURES: Final = {
    **dict.fromkeys((b"PK\x05\x06", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00"), "an archive"),
    **dict.fromkeys((b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd"), "an archive"),
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"\x00\x00\x01\x00"), "an image"),
    **dict.fromkeys((b"OggS", b"fLaC", b"ID3", b"RIFF", b"\x1aE\xdf\xa3"), "a recording"),
    **dict.fromkeys((b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\x00asm"), "a program"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Microsoft Office document",
    b"SQLite format 3\x00": "an SQLite database",
}

# In an archive of Office's kind the names of its members are in clear; the first few name its purpose.
_ZIP_MEMBERS: Final = (
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"application/epub+zip", "an EPUB book"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
)
_ZIP_NAMES_WITHIN: Final = 8192


def name_of_binary(data: bytes) -> str | None:
    """Name what a binary file is, with its article; None when its first bytes are unknown.

    >>> name_of_binary(b"%PDF-1.7 ...")
    'a PDF'
    >>> name_of_binary(b"Plain words.") is None
    True
    """
    if data.startswith(_ZIP):
        return _name_of_zip(data[:_ZIP_NAMES_WITHIN])
    if data[4:8] == b"ftyp":
        return "a recording"
    # A text may begin with the letters "ID3" or "PAR1"; a binary file also has bytes below them.
    signatures = _SIGNATURES | _MARKUP if _LOW_BYTE.search(data, 0, _LOW_BYTE_WITHIN) else _MARKUP
    return next((name for signature, name in signatures.items() if data.startswith(signature)), None)


def _name_of_zip(data: bytes) -> str:
    return next((name for member, name in _ZIP_MEMBERS if member in data), "an archive")
