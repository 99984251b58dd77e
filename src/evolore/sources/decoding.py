"""Turn the bytes of a file into text, whatever encoding they are in, or say why they are none."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from string import ascii_letters
from typing import Final, NamedTuple

from evolore.errors import UnreadableSource

SIMPLIFIED: Final = frozenset(
    "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样"
    "道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文"
    "几定本公特做外孩相西果走将月十实向声车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受听表德少克代员许先口由死安写性马光白或"
    "住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何度山觉路带万男边风解叫任金快原吃变通师立象数四失满战远格士音轻目"
    "条呢病始达深完今提求清王化空业思切怎非找片钱语元喜离飞科言干流约各即指合反题必该论交终请医晚制球决传画保读运及则房早院量苦火布品近坐产答星精视五连司"
    "管类未且台夜青北队久越观落尽形影红百令周识步希术留市半热送兴造谈容极随演收首根讲整式取照办强石古华拿计您装似足双转诉称丽客南领节衣站黑刻统断福城故历"
    "选包紧争另建维绝树系示愿持千史谁准联妇纪基买志静阿复社算义确酒需单治卡举仅息功官待究跟室易游程号居考突皮哪费价图具脑响商细专味灵改据般破引食仍存众注"
    "笔某备习校默务土微须试怀料调广显赛查密议底列富错座参除跑仓库货退订购售服税付款京省州区县镇厂财户箱规检二六七八九零周末点钟登录网络邮购职假薪资租屋"
)
TRADITIONAL: Final = SIMPLIFIED | frozenset(
    "這個們來時為說國著過對麼後開總從無現動經長兒愛給間兩親進話與見問點幾將實聲車機氣並別書樣體電門聽員許馬寫難樂記處讓應場報關張認軍歲覺帶萬邊風師變滿戰遠"
    "輕條達業錢語離飛幹歡約題論終請醫決傳畫讀運則產視連類盡紅週識術熱興談隨講辦華計裝雙轉訴稱麗領節統斷歷驚臉選緊爭維絕樹傷願誰準聯婦紀買靜詩獨復義確單蘭舉"
    "僅鐘號費價圖剛腦響禮細專黃塊靈據眾筆備習務須試懷調廣蘇顯賽議夢錯參會發學還種頭樓無們區縣鎮廠財戶規檢貨訂購稅庫倉臺灣網絡郵職資東園務項護層極權積當廳"
)
JAPANESE: Final = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表"
    "戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公持野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午"
    "指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増"
    "係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沖裁状工建語球営空職証土与"
    "急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農"
    "州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賀訴辺造英被株頭技低毎医復仕去姿味負閣渡失移差衆個門写評課末守若脳極種美岡"
    "影命含福蔵量望松非佐核観察整段横型白深字答夜製票況音申様財港識注呼達録払旅精程席水火木曜春夏秋冬雨雪晴茶室駅社屋届紙箱荷庫客返品申請承認休暇勤給宿泊購入"
)
_LATIN_LETTERS: Final = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŠšŽžŒœŸ")
_PAIRED_SIGNS: Final = frozenset("“”‘’–—…«»\u00a0")
_LATIN_SIGNS: Final = _PAIRED_SIGNS | frozenset("€£§©®™°·•¿¡ªº²³´±×÷½¼¾µ")
_LONGEST_WESTERN_RUN: Final = 2

# Every East Asian encoding has these, so they speak for none.
_NEUTRAL: Final = re.compile(
    r"[\s!-~、。「」『』・（）！？：；，～〜—―…《》〈〉【】〔〕“”‘’％＆／\u3000０-９Ａ-Ｚａ-ｚ①-⑳○●◎△▲□■◇◆※→←↑↓]+"
)
_KANA: Final = re.compile(r"[ぁ-ゖァ-ヺー々ゝゞ]")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")

_UTF_16: Final = ("utf-16-le", "utf-16-be")
_EAST_ASIAN: Final = (
    ("cp932", JAPANESE, True),
    ("euc_jp", JAPANESE, True),
    ("gb18030", SIMPLIFIED, False),
    ("cp950", TRADITIONAL, False),
    *((encoding, JAPANESE | TRADITIONAL, True) for encoding in _UTF_16),
)
_WESTERN: Final = "cp1252"
GUESSED_ENCODINGS: Final = (*(name for name, _, _ in _EAST_ASIAN), _WESTERN)
"""The encodings that are told by their reading alone."""

_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_WITHIN_WORD: Final = re.compile(r"[A-Za-z][^\x00-\x7f](?![^\x00-\x7f])")  # where cp1252 has an apostrophe
_SAMPLE_BYTES: Final = 65_536
# Measured on pieces of 4 to 2,000 characters: right readings score .6 and more, wrong ones about .1.
_LEAST_SHARE: Final = 0.4
_LEAST_MARGIN: Final = 0.15
_LEAST_EAST_ASIAN_HITS: Final = 3
_LEAST_WESTERN_SHARE: Final = 0.8  # what stands as it should is nearly all there is
_MOST_WESTERN_PER_LETTER: Final = 0.5  # accents and quotes are few among plain letters


def share_of_familiar(text: str, familiar: frozenset[str], *, with_kana: bool) -> tuple[float, int]:
    """Return the share of telling characters that are familiar, 0–1, and their number.

    Args:
        text: A reading of some bytes.
        familiar: The common characters of the language it would be in.
        with_kana: Whether kana speak for the reading (Japanese) or against it (Chinese).

    Returns:
        The share, 0 when nothing tells, and how many familiar characters there were.
    """
    telling = _NEUTRAL.sub("", text)
    if not telling:
        return 0.0, 0
    hits = sum(character in familiar for character in telling)
    if with_kana:
        hits += len(_KANA.findall(telling))
    return hits / len(telling), hits


def share_of_western(text: str) -> tuple[float, int]:
    """Return the share of non-ASCII characters that stand as western writing has them, 0–1, and their number.

    Accented letters stand beside ASCII letters, alone or in pairs; signs stand alone, dashes and quotes in pairs too.
    Misread East Asian text has long runs of both instead.
    """
    hits = total = 0
    for run in _NOT_ASCII.finditer(text):
        total += len(run[0])
        if _stands_as_western(
            run[0], before=text[max(0, run.start() - 1) : run.start()], after=text[run.end() : run.end() + 1]
        ):
            hits += len(run[0])
    return (hits / total if total else 0.0), hits


def _stands_as_western(run: str, *, before: str, after: str) -> bool:
    if len(run) == 1:
        return run in _LATIN_LETTERS or run in _LATIN_SIGNS
    if len(run) > _LONGEST_WESTERN_RUN:
        return False
    return _PAIRED_SIGNS.issuperset(run) or (
        (_LATIN_LETTERS | _PAIRED_SIGNS).issuperset(run) and (before.isalpha() or after.isalpha())
    )


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
    start = first.start() & ~1 if first else 0  # UTF-16 counts in pairs; before it all is ASCII, so any cut is safe
    sample = data[start : start + _SAMPLE_BYTES]
    whole = start + _SAMPLE_BYTES >= len(data)
    before = data[max(0, start - _SAMPLE_BYTES) : start]
    readings = [
        *_read_as_east_asian(sample, whole=whole, after=before[-1:].decode("ascii")),
        *_read_as_western(before + sample),
    ]
    if not readings:
        return []
    best = max(readings, key=lambda reading: reading.share)
    rivals = [reading for reading in readings if reading.share > best.share - _LEAST_MARGIN]
    if len(rivals) == 1:
        return [best.encoding] if best.is_enough else []
    return [reading.encoding for reading in sorted(rivals, key=lambda reading: -reading.share)]


def guess_utf_16(data: bytes) -> str | None:
    """Return the byte order in which these bytes are UTF-16 without a mark; None when in neither.

    >>> guess_utf_16("Tea".encode("utf-16-le"))
    'utf-16-le'
    """
    shares = {encoding: _share_of_any_language(_read(data, encoding, whole=True)) for encoding in _UTF_16}
    best = max(shares, key=lambda encoding: shares[encoding])
    return best if shares[best] >= _LEAST_SHARE else None


def _share_of_any_language(text: str) -> float:
    sample = text[:_SAMPLE_BYTES]
    if not sample or "\x00" in text:
        return 0.0
    ascii_count = sum(" " <= character <= "~" or character in "\t\r\n" for character in sample)
    east_asian, _ = share_of_familiar(sample, JAPANESE | TRADITIONAL, with_kana=True)
    western, _ = share_of_western(sample)
    return (ascii_count + (len(sample) - ascii_count) * max(east_asian, western)) / len(sample)


def _read_as_east_asian(sample: bytes, *, whole: bool, after: str) -> list[_Decoding]:
    readings: list[_Decoding] = []
    for encoding, familiar, with_kana in _EAST_ASIAN:
        text = _read(sample, encoding, whole=whole)
        share, hits = share_of_familiar(text, familiar, with_kana=with_kana)
        is_enough = hits >= _LEAST_EAST_ASIAN_HITS
        if share >= _LEAST_SHARE and (is_enough or not _WITHIN_WORD.search(after + text)):
            readings.append(_Decoding(share, encoding, is_enough))
    return readings


def _read_as_western(sample: bytes) -> list[_Decoding]:
    text = _read(sample, _WESTERN, whole=True)
    share, hits = share_of_western(text)
    letters = len(sample) - len(sample.translate(None, ascii_letters.encode()))
    is_plausible = hits <= _MOST_WESTERN_PER_LETTER * letters and not _CONTROL.search(text)
    return [_Decoding(share, _WESTERN, is_enough=True)] if share >= _LEAST_WESTERN_SHARE and is_plausible else []


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
_ISO_2022_JP: Final = ("iso2022_jp", "iso2022_jp_3", "iso2022_jp_ext")
_ISO_2022_JP_ESCAPE: Final = re.compile(rb"\x1b\$(?:[@B]|\([@-DOPQ])")
_JIS_PIECE: Final = re.compile(rb"\x1b(\$[@B]|\([BJHI])")
_JIS_PAIR: Final = re.compile(rb"[\x21-\x7e]{2}")
_MOST_LOST_OF_JIS: Final = 0.05  # mails hold a few characters outside; bytes that are no Japanese hardly any inside
_SEVEN_BIT: Final = frozenset({"utf-7", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312", "hz"})
"""What is ASCII to look at, so that only its being declared tells."""
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
    **dict.fromkeys(("iso-8859-11", "tis-620"), "cp874"),
}
"""Others are called as Python calls them."""

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


def decode_leniently(data: bytes, *, declared: str | None = None) -> str:
    r"""Decode a part of a document: what no encoding has becomes U+FFFD, so that the rest is not lost.

    >>> decode_leniently(b"\x93Tea\x94", declared="iso-8859-1")
    '“Tea”'
    """
    try:
        return decode(data, name="a part", declared=declared).text
    except UnreadableSource:
        stated = (declared or "").lower()
        try:
            return data.decode(_DECLARED.get(stated, stated or "utf-8"), "replace")
        except (LookupError, ValueError):
            return data.decode("utf-8", "replace")


def _refuse_known_binary(data: bytes, *, name: str) -> None:
    binary = name_of_binary(data)
    if binary is not None and binary.endswith("archive"):
        raise UnreadableSource(f"{name} is {binary}, which is never opened: unpack it, and add the folder.")
    if binary is not None:
        raise UnreadableSource(f"{name} looks like {binary}, not text: convert it to Markdown, text or HTML first.")


def mark_of(data: bytes) -> bytes:
    """Return the byte order mark that a file begins with; nothing where it has none."""
    return next((mark for mark, _ in _MARKS if data.startswith(mark)), b"")


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
    stated = (declared or "").lower()
    decoded = _decode_jis(data) or (_try(data, stated) if stated in _SEVEN_BIT else None)
    if decoded is not None:
        return decoded
    utf_8 = _try(data, "utf-8")
    if utf_8 is None:
        return (stated and _try(data, _DECLARED.get(stated, stated))) or _decode_by_guess(data, name=name)
    # UTF-16 of Japanese without a single Latin letter may be ASCII throughout, but for control characters.
    utf_16 = guess_utf_16(data) if _count_controls(utf_8.text) else None
    return Decoded(text=data.decode(utf_16), encoding=utf_16) if utf_16 else utf_8


def _decode_jis(data: bytes) -> Decoded | None:
    """Decode ISO-2022-JP, also with the signs of Windows or a damaged character in it; None where it is none."""
    if not _ISO_2022_JP_ESCAPE.search(data):
        return None
    decoded = (_try(data, encoding) for encoding in _ISO_2022_JP if data.isascii())
    found = next(filter(None, decoded), None)
    if found is not None:
        return found
    head, *pieces = _JIS_PIECE.split(data)
    texts = [_decode_jis_piece(escape, piece) for escape, piece in zip(pieces[::2], pieces[1::2], strict=True)]
    text = head.decode("utf-8", "replace") + "".join(texts)
    is_japanese = text.count("\ufffd") <= max(1, _MOST_LOST_OF_JIS * len(text))
    return Decoded(text=text, encoding="iso2022_jp") if is_japanese else None


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
    except (LookupError, ValueError):
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
