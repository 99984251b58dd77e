"""Turn the bytes of a file into text, or say why they are none.

In order: byte order marks, ISO-2022-JP by its escapes, strict UTF-8, what the file declares (HTML), and last the
legacy encodings of Japanese, Chinese and western files, by which reading looks like language. A guess that is not
clear is refused: text in the wrong characters would be stored, embedded and never found.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

from evolore.errors import UnreadableSource
from evolore.sources.guessing import GUESSED_ENCODINGS, guess_encodings, guess_utf_16
from evolore.sources.signatures import name_of_binary

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ISO_2022_JP: Final = ("iso2022_jp", "iso2022_jp_3", "iso2022_jp_ext")
_ISO_2022_JP_ESCAPE: Final = re.compile(rb"\x1b\$(?:[@B]|\([@-DOPQ])")
TRIED_ENCODINGS: Final = ("utf-8", "iso2022_jp", *GUESSED_ENCODINGS)
"""Every encoding that is recognised without being declared."""

# What HTML authors write, and the superset that browsers read it as (WHATWG Encoding Standard).
_DECLARED: Final = {
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis", "sjis", "ms_kanji", "windows-31j", "cp932"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "x-gbk", "gb_2312-80", "cp936"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5", "cn-big5", "cp950"), "cp950"),
    **dict.fromkeys(("euc-jp", "x-euc-jp", "eucjp"), "euc_jp"),
    **dict.fromkeys(("iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252", "cp1252"), "cp1252"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "cp949"), "cp949"),
    **{f"windows-125{digit}": f"cp125{digit}" for digit in range(9) if digit != 2},  # noqa: PLR2004 - 1252 is given above
    **{f"iso-8859-{number}": f"iso8859_{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)},
    "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
}
_DECLARED_WITHIN: Final = 4096
_DECLARATIONS: Final = (
    re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE),
    re.compile(rb"\A\s*<\?xml[^>]+encoding\s*=\s*[\"']([\w.:-]+)"),
)
_CONTROLS: Final = "".join(chr(code) for code in (*range(1, 9), *range(14, 27), *range(28, 32), 127))
_MOST_CONTROLS_SHARE: Final = 0.01
_MOST_CONTROLS_ANYWAY: Final = 3  # in a short text one slip is already several per cent
_REAL_PER_BROKEN: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A text and what it was decoded from.

    Args:
        text: Every character of it, newlines as they were, without a byte order mark.
        encoding: The codec that read it, by Python's name.
    """

    text: str
    encoding: str


def declared_encoding(data: bytes) -> str | None:
    """Give the encoding a page states in its first 4,096 bytes, in its own words.

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
        UnreadableSource: It is empty, binary, damaged, or in no encoding that can be told.

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


def _refuse_known_binary(data: bytes, *, name: str) -> None:
    binary = name_of_binary(data)
    if binary is not None:
        raise UnreadableSource(f"{name} looks like {binary}, not text: convert it to Markdown, text or HTML first.")


def _decode_marked(data: bytes, *, name: str) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return Decoded(text=data[len(mark) :].decode(encoding), encoding=encoding)
            except UnicodeDecodeError as error:
                raise UnreadableSource(
                    f"{name} begins with the mark of {encoding.upper()} but is damaged at byte offset "
                    f"{error.start + len(mark)}: save it again as UTF-8."
                ) from error
    return None


def _decode_unmarked(data: bytes, *, name: str, declared: str | None) -> Decoded:
    if b"\x00" in data:
        return _decode_with_nul(data, name=name)
    if _ISO_2022_JP_ESCAPE.search(data) and data.isascii():
        for encoding in _ISO_2022_JP:
            decoded = _try(data, encoding)
            if decoded is not None:
                return decoded
    utf_8 = _try(data, "utf-8")
    if utf_8 is None:
        stated = _DECLARED.get((declared or "").lower())
        return (stated and _try(data, stated)) or _decode_by_guess(data, name=name)
    # UTF-16 of Japanese without a single Latin letter may be ASCII throughout, but for control characters.
    utf_16 = guess_utf_16(data) if _count_controls(utf_8.text) else None
    return Decoded(text=data.decode(utf_16), encoding=utf_16) if utf_16 else utf_8


def _decode_with_nul(data: bytes, *, name: str) -> Decoded:
    utf_16 = guess_utf_16(data)
    if utf_16:
        return Decoded(text=data.decode(utf_16), encoding=utf_16)
    controls = len(data) - len(data.translate(None, b"\x00" + _CONTROLS.encode()))
    if _is_too_many(controls, length=len(data)):
        raise UnreadableSource(f"{name} looks like binary data, not text: convert it to Markdown, text or HTML first.")
    offset = data.index(b"\x00")
    raise UnreadableSource(
        f"{name} has a NUL byte at byte offset {offset} (line {_line_of(data, offset)}), which no text has: "
        "remove it, or find out what damaged the file."
    )


def _decode_by_guess(data: bytes, *, name: str) -> Decoded:
    broken_at = _first_broken(data)
    _refuse_damaged_utf_8(data, name=name, broken_at=broken_at)
    match guess_encodings(data):
        case []:
            raise UnreadableSource(
                f"{name} is not UTF-8 (byte 0x{data[broken_at]:02X} at byte offset {broken_at}) and reads as language "
                f"in none of {', '.join(TRIED_ENCODINGS[1:])}: convert it to UTF-8."
            )
        case [encoding]:
            return _decode_as_guessed(data, encoding, name=name)
        case [*encodings]:
            raise UnreadableSource(
                f"{name} is not UTF-8 (byte 0x{data[broken_at]:02X} at byte offset {broken_at}) and could be "
                f"{' as well as '.join(encodings)} (tried: {', '.join(TRIED_ENCODINGS)}): convert it to UTF-8."
            )


def _first_broken(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def _decode_as_guessed(data: bytes, encoding: str, *, name: str) -> Decoded:
    try:
        return Decoded(text=data.decode(encoding), encoding=encoding)
    except UnicodeDecodeError as error:
        raise UnreadableSource(
            f"{name} reads as {encoding} but is damaged at byte offset {error.start} "
            f"(line {_line_of(data, error.start)}): correct that place and convert the file to UTF-8."
        ) from error


def _refuse_damaged_utf_8(data: bytes, *, name: str, broken_at: int) -> None:
    lenient = data.decode("utf-8", "replace")
    broken = lenient.count("\ufffd")
    real = sum(character > "\u07ff" for character in lenient) - broken  # three bytes and more: no accident
    if real >= _REAL_PER_BROKEN * broken:
        raise UnreadableSource(
            f"{name} is UTF-8 but for byte 0x{data[broken_at]:02X} at byte offset {broken_at} "
            f"(line {_line_of(data, broken_at)}): correct that place."
        )


def _try(data: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(text=data.decode(encoding), encoding=encoding)
    except UnicodeDecodeError:
        return None


def _refuse_controls(text: str, *, name: str) -> None:
    nul = text.find("\x00")
    if nul >= 0:
        raise UnreadableSource(
            f"{name} has a NUL character at offset {nul}, which no text has: remove it, or find out what damaged it."
        )
    controls = _count_controls(text)
    if _is_too_many(controls, length=len(text)):
        raise UnreadableSource(
            f"{name} looks like binary data, not text ({controls} control characters in {len(text)}): "
            "convert it to Markdown, text or HTML first."
        )


def _count_controls(text: str) -> int:
    return sum(text.count(control) for control in _CONTROLS)


def _is_too_many(controls: int, *, length: int) -> bool:
    return controls > max(_MOST_CONTROLS_ANYWAY, length * _MOST_CONTROLS_SHARE)


def _line_of(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
