from __future__ import annotations

import codecs
import gzip
import io
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import UnreadableSource
from evolore.sources.decoding import TRIED_ENCODINGS, declared_encoding, decode, name_of_binary

JAPANESE = (
    "会議は水曜日です。",
    "東京都千代田区の駅前",
    "テスト結果",
    "請求書は毎月二十五日までに経理部へ届けてください。",
    "出張の申請は三日前までに上長の承認を受けること。\r\n宿泊費は一泊一万二千円を上限とする。\r\n",
)
SIMPLIFIED = (
    "会议在星期三举行。",
    "退货政策：七天内可以无理由退货，运费由买家承担。",
    "仓库每天早上八点开门，入库前请先核对订单号。\n货架按区域编号。\n",
)
TRADITIONAL = (
    "會議在星期三舉行。",
    "我們的倉庫在台北，星期一到星期五都有人值班。",
    "請在三天內把訂單資料傳給業務部門。\r\n",
)
WESTERN = (
    "It’s a naïve café.",
    "Größe: 5 € – bitte vorher prüfen",
    "La réunion a été reportée à jeudi, à côté de l’accueil.\r\n",
    "¿Dónde está el almacén? Está detrás de la fábrica.",
)
LEGACY = [
    *(("cp932", text) for text in JAPANESE),
    *(("euc_jp", text) for text in JAPANESE),
    *(("iso2022_jp", text) for text in JAPANESE),
    *(("gb18030", text) for text in SIMPLIFIED),
    *(("gbk", text) for text in SIMPLIFIED),
    *(("cp950", text) for text in TRADITIONAL),
    *(("cp1252", text) for text in WESTERN),
]
EVERY_SCRIPT = (*JAPANESE, *SIMPLIFIED, *TRADITIONAL, *WESTERN)
KOREAN = "회의는 매주 수요일 오후 두 시에 시작합니다. 참석할 수 없는 사람은 미리 알려 주십시오."
RUSSIAN = "Совещание проходит каждую среду в два часа дня. Кто не может прийти, пусть предупредит заранее."

READABLE = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), min_size=1).filter(
    str.strip
)


@pytest.mark.parametrize(("encoding", "text"), LEGACY)
def test_a_legacy_file_is_read_in_its_own_characters(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), name="file").text == text


@pytest.mark.parametrize("text", EVERY_SCRIPT)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_refused_and_never_misread(encoding: str, text: str) -> None:
    with pytest.raises(UnreadableSource, match=r"binary data|NUL character|convert it to UTF-8"):
        decode((f"{text}\n" * 3).encode(encoding), name="file")


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@pytest.mark.parametrize("text", EVERY_SCRIPT)
def test_a_byte_order_mark_decides_and_is_no_text(mark: bytes, encoding: str, text: str) -> None:
    decoded = decode(mark + text.encode(encoding), name="file")
    assert (decoded.text, decoded.encoding) == (text, encoding)


@given(READABLE)
def test_utf_8_comes_back_as_it_was(text: str) -> None:
    decoded = decode(text.encode(), name="file")
    assert (decoded.text, decoded.encoding) == (text, "utf-8")


@given(READABLE, st.sampled_from([(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]))
def test_marked_utf_16_comes_back_as_it_was(text: str, form: tuple[bytes, str]) -> None:
    mark, encoding = form
    assert decode(mark + text.encode(encoding), name="file").text == text


@given(st.binary())
def test_any_bytes_become_text_or_one_kind_of_error(data: bytes) -> None:
    try:
        decoded = decode(data, name="file")
    except UnreadableSource as error:
        assert str(error).startswith("file ")  # noqa: PT017 - both ends are right
    else:
        assert decoded.text.strip()
        assert "\x00" not in decoded.text


@given(
    st.text(st.sampled_from("会議の資料は机上に置く。テスト結果を送付する駅"), min_size=1),
    st.sampled_from(["cp932", "euc_jp"]),
)
def test_japanese_of_any_length_is_right_or_refused(text: str, encoding: str) -> None:
    try:
        decoded = decode(text.encode(encoding), name="file")
    except UnreadableSource:
        return
    assert decoded.text == text


def pieces(language: str, *, length: int) -> list[str]:
    folder = Path(__file__).parents[2] / "demo" / "documents" / language
    if not folder.is_dir():
        pytest.skip("the demo's documents are not part of this archive")
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.iterdir()))
    cut = [text[start : start + length] for start in range(0, len(text), length)]
    return [piece for piece in cut if sum(character > "\x7f" for character in piece) >= 3]  # one is no evidence


@pytest.mark.parametrize(
    ("language", "encoding"),
    [("ja", "cp932"), ("ja", "euc_jp"), ("zh", "gb18030")],
)
def test_short_pieces_of_real_documents_are_seldom_refused_and_never_misread(language: str, encoding: str) -> None:
    wanted = pieces(language, length=24)
    right = 0
    for text in wanted:
        try:
            assert decode(text.encode(encoding), name="file").text == text
        except UnreadableSource:
            continue
        right += 1
    assert right >= 0.9 * len(wanted)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "utf-16"])
def test_newlines_stay_as_they_are(newline: str, encoding: str) -> None:
    text = newline.join(["議事録です。", "出席者は田中と佐藤。", "", "次回は水曜日。"]) + newline
    assert decode(text.encode(encoding), name="file").text == text


def test_the_first_telling_byte_may_lie_far_behind() -> None:
    text = "plain line\n" * 50_000 + "会議は水曜日です。\n"
    assert decode(text.encode("cp932"), name="file").text == text


def test_a_long_legacy_file_is_read_whole() -> None:
    text = "請求書は毎月二十五日までに経理部へ届けてください。\n" * 20_000
    assert decode(text.encode("euc_jp"), name="file").text == text


@pytest.mark.parametrize("word", ["we’ll", "don’t", "it’s", "I’m", "they’re", "you’ve", "she’d"])
def test_an_apostrophe_is_not_taken_for_half_a_character(word: str) -> None:
    text = f"Say when {word} ready."
    assert decode(text.encode("cp1252"), name="file").text == text


def test_one_character_keeps_another_reading_from_winning() -> None:
    with pytest.raises(UnreadableSource, match=r"could be cp\d+ as well as cp\d+"):
        decode(b"<p>made of " + "品番".encode("cp932") + b"</p>", name="file")


def test_a_declaration_settles_what_the_bytes_leave_open() -> None:
    data = "東".encode("euc_jp")
    with pytest.raises(UnreadableSource):
        decode(data, name="file")
    assert decode(data, name="file", declared="EUC-JP").text == "東"


@pytest.mark.parametrize(
    ("declared", "encoding"), [("Windows-1251", "cp1251"), ("koi8-r", "koi8_r"), ("ISO-8859-5", "iso8859_5")]
)
def test_a_declared_encoding_beyond_the_guessed_ones_is_believed(declared: str, encoding: str) -> None:
    assert decode(RUSSIAN.encode(encoding), name="file", declared=declared).text == RUSSIAN


def test_a_declaration_the_bytes_belie_is_not_believed() -> None:
    assert decode("会議は水曜日です。".encode(), name="file", declared="Shift_JIS").text == "会議は水曜日です。"
    assert decode("会議は水曜日です。".encode("cp932"), name="file", declared="EUC-JP").encoding == "cp932"
    assert decode(b"plain", name="file", declared="rot13").text == "plain"


@pytest.mark.parametrize(
    ("head", "declared"),
    [
        (b'<meta charset="shift_jis">', "shift_jis"),
        (b"<META CHARSET=euc-jp>", "euc-jp"),
        (b"<meta http-equiv='Content-Type' content='text/html; charset=GB2312'>", "GB2312"),
        (b'<?xml version="1.0" encoding="Big5"?><html>', "Big5"),
        (b"<p>charset=nothing</p>", None),
    ],
)
def test_a_page_may_state_its_encoding_in_several_ways(head: bytes, declared: str | None) -> None:
    assert declared_encoding(head) == declared


@pytest.mark.parametrize("data", [KOREAN.encode("euc_kr"), RUSSIAN.encode("cp1251"), RUSSIAN.encode("koi8_r")])
def test_an_encoding_nobody_named_is_refused_rather_than_misread(data: bytes) -> None:
    with pytest.raises(UnreadableSource, match="convert it to UTF-8") as caught:
        decode(data, name="'letter.txt'")
    for encoding in TRIED_ENCODINGS:
        if encoding != "utf-8":
            assert encoding in str(caught.value)
    assert "'letter.txt' is not UTF-8 (byte 0x" in str(caught.value)


def test_two_readings_that_are_equally_good_are_named() -> None:
    data = ("会議は水曜日" * 3).encode("euc_jp") + "的是不了在有人我他这中来".encode("gb18030")
    with pytest.raises(UnreadableSource, match=r"could be \w+ as well as \w+ .*: convert it to UTF-8"):
        decode(data, name="file")


def test_one_broken_byte_in_utf_8_is_located_and_not_read_as_something_else() -> None:
    data = "一行目です。\n二行目".encode() + b"\xff" + "です。\n".encode()
    with pytest.raises(UnreadableSource, match=r"UTF-8 but for byte 0xFF at byte offset 28 \(line 2\)"):
        decode(data, name="file")


def test_a_legacy_file_damaged_far_behind_is_located() -> None:
    data = "会議は水曜日です。\n".encode("cp932") * 10_000 + b"\x82\xff\n"
    with pytest.raises(
        UnreadableSource, match=r"reads as cp932 but is damaged at byte 0x82 at byte offset 190000 \(line 10001\)"
    ):
        decode(data, name="file")


def test_a_damaged_marked_file_is_refused() -> None:
    with pytest.raises(UnreadableSource, match=r"mark of UTF-16-LE but is damaged at byte 0x00 at byte offset 2"):
        decode(codecs.BOM_UTF16_LE + b"a\x00\x00\xd8b\x00", name="file")


def test_lone_surrogates_are_refused() -> None:
    with pytest.raises(UnreadableSource, match="byte offset 5"):
        decode(b"text \xed\xa0\x80 text", name="file")


@pytest.mark.parametrize("data", [b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, b" \n\t\r\n", "\u3000\u00a0\n".encode()])
def test_an_empty_file_is_called_empty(data: bytes) -> None:
    with pytest.raises(UnreadableSource, match="is empty"):
        decode(data, name="file")


def test_a_nul_byte_in_text_is_refused_with_its_place() -> None:
    data = b"first line\nsecond" + b"\x00" + b"half\n" + b"more text\n" * 30
    with pytest.raises(UnreadableSource, match=r"NUL character at offset 17 \(line 2\)"):
        decode(data, name="file")
    assert decode(data.replace(b"\x00", b""), name="file").text.startswith("first line")


def test_a_nul_byte_in_a_short_text_is_not_called_binary() -> None:
    with pytest.raises(UnreadableSource, match=r"NUL character at offset 5 \(line 1\)"):
        decode(b"hello\x00world", name="file")


def test_a_nul_character_in_marked_utf_16_is_refused_with_its_place() -> None:
    with pytest.raises(UnreadableSource, match="NUL character at offset 2"):
        decode("ab\x00cd".encode("utf-16"), name="file")


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 4, b"\x00" * 1000, b"\x01\x02\x03\x04text", b"\x00\x01\x02\x03" * 100]
)
def test_bytes_that_are_no_text_are_called_binary(data: bytes) -> None:
    with pytest.raises(UnreadableSource, match="looks like binary data"):
        decode(data, name="file")


def test_a_stray_control_character_is_no_reason_to_refuse() -> None:
    text = "page one\f\n\x1b[1mbold\x1b[0m\n" + "a line of the log\n" * 20 + "\x07\n"
    assert decode(text.encode(), name="file").text == text


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
        (zip_of("notes.txt"), "an archive"),
        (zip_of(), "an archive"),
        (zip_of("[Content_Types].xml", "word/document.xml"), "a Word document"),
        (zip_of("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook"),
        (zip_of("[Content_Types].xml", "ppt/presentation.xml"), "a PowerPoint presentation"),
        (gzip.compress(b"words", mtime=0), "an archive"),
        (png(), "an image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "an image"),
        (b"GIF89a\x01\x00\x01\x00", "an image"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "a recording"),
        (b"\x00\x00\x00\x18ftypmp42\x00", "a recording"),
        (b"MZ\x90\x00\x03\x00\x00\x00", "a program"),
        (b"\x7fELF\x02\x01\x01\x00", "a program"),
        (b"ID3\x04\x00\x00\x00\x00", "a recording"),
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
