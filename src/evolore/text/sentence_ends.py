"""Where exactly a sentence ends: what stands behind its mark and is still its own, and ends that no mark shows."""

from __future__ import annotations

import re

_FACE = "[\u2764\U0001f389\U0001f38a\U0001f440-\U0001f450\U0001f493-\U0001f49f\U0001f4aa\U0001f600-\U0001f64f\U0001f900-\U0001f93f\U0001f970-\U0001f97a]"
_PICTURE = "[\u2600-\u27bf\U0001f300-\U0001f9ff\U0001fa70-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
_FEELING = (
    r"[（(](?:[笑泣汗怒爆苦涙照]|苦笑|爆笑|[^()（）\s]{0,2}(?:\^\S?\^|´\S{1,2}[｀`])[^()（）\s]{0,2})[)）][／/ノ]?"
)
_NOTE = r"\[(?:\d[\d,\s–-]{0,12}(?:pp?\.\s?[\d–-]{1,9})?|[a-z]|(?:注|note)\s?\d{1,3}|要出典|[来來]源[请請]求|citation needed)\]|※\d{1,3}|[¹²³⁰⁴-⁹]+"
# Quotes and brackets that close, notes, pictures and feelings behind a mark.
_TAIL = re.compile(
    rf"(?:(?<=[^\s])(?:[\"'”’»)\]」』】〉》）]+(?=\s|\Z)|{_NOTE})|(?:{_PICTURE})+(?=[^、，,をがはに]|\Z)|{_FEELING})+\s*"
)
_OPENED = re.compile(r"\s[\"'“‘(\[「『（]\Z")

_ASIDE = r"\s*[（(][^()（）]{2,200}"
# The segmenter takes an ideographic full stop before a digit for a decimal point, and one before a small letter for
# the inside of a name. An aside that is a sentence of its own ends at its bracket. A face, a feeling in brackets or a
# drawn-out particle ends what was said, and so do dots behind a clause that is complete, unless it goes on behind them.
_UNSEEN_END = re.compile(
    r"[。！？](?=[0-9A-Za-z])"
    r"|(?:——|――)[”」』](?=\w)"
    rf"|^{_ASIDE}[。！？][)）]\s*(?![\W_])(?![をがはにのとでもだ的])"
    rf"|(?<=[^\s。！？])(?:{_FEELING}|\s?{_FACE}{{1,20}}+|\^_?\^|[wｗ]{{3,40}}+(?![\w.])|(?<=[^\x00-\x7f])[wｗ]{{2,40}}(?=[^\x00-\x7f])"
    r"|♪|(?<=[呀啊吧呢哦啦嘛嗯])[~～]|(?:(?<=[一-鿿]{5})|(?<=[了吗嗎吧呢]))……(?![都等又吧也就却才还呢])|…(?=\s+[A-Z][a-z]))"
    r"\s*(?=[^\s\W]|[「『“])(?![をがはにのとでもだやかなa-z])"
)
# One class of characters first: the engine runs through text with nothing of the kind in it ten times as fast.
_HINT = re.compile(
    r"[。！？”」』^wｗ笑泣汗怒爆苦涙照♪~～…）)\u2764\U0001f389-\U0001f97a](?:(?<=[。！？])[0-9A-Za-z]|(?<=[wｗ])[wｗ]|(?<=[笑泣汗怒爆苦涙照])[)）]"
    r"|(?<=[—―][”」』])|(?<=[。！？][）)])|(?<=[\^♪~～…\u2764\U0001f389-\U0001f97a]))"
)
_EYES = (" :)", " :(", " :D", " ;)", " :-", " ;-")
# Words that, written so, are not the abbreviations the segmenter takes them for ("Me." is Maine, "me." is not).
_UNSEEN_END_LATIN = re.compile(
    rf" [:;]-?[)(D]\s+(?=[A-Z])|^{_ASIDE}[.!?]\)\s+(?=[A-Z])"
    r"|\b(?:no|me|ok|may|art|ill|id|miss|ore|etc)\.\s+(?=[A-Z][a-z])|(?:^|[:—-] |[\"'])(?:No|Me|OK|Ok)\.\s+(?=[A-Z][a-z]|I\b[^.])"
)


def settle(text: str, begun: int, cut: int, end: int) -> int:
    """Move a cut to where the sentence truly ends: behind what closes it, before a quote that opens the next.

    Args:
        text: What the cut falls into.
        begun: Where the sentence begins.
        cut: A possible end, white space included.
        end: Where the text may not be read further.
    """
    if not text[cut].isalpha():
        if tail := _TAIL.match(text, cut, end):
            return tail.end()
        if text[cut].isspace():
            return end - len(text[cut:end].lstrip())
    if text[cut - 1] in "\"'“‘([「『（" and _OPENED.search(text, max(begun, cut - 2), cut):
        return cut - 1
    return cut


def unseen_ends(window: str, pieces: list[str]) -> dict[int, list[int]]:
    """Give, by the number of a piece the segmenter took for one sentence, where sentences end inside it.

    Args:
        window: The text; the pieces joined.
        pieces: What the segmenter divided it into.
    """
    may_hold_mark = not window.isascii() and bool(_HINT.search(window))
    may_hold_face = any(eyes in window for eyes in _EYES)
    found: dict[int, list[int]] = {}
    for number, piece in enumerate(pieces):
        ends: list[int] = []
        if piece.find(". ", 0, -2) >= 0 or may_hold_face or piece[0] == "(":
            ends += [match.end() for match in _UNSEEN_END_LATIN.finditer(piece)]
        if may_hold_mark and _HINT.search(piece):
            ends += [match.end() for match in _UNSEEN_END.finditer(piece)]
        if ends:
            found[number] = sorted({end for end in ends if end < len(piece)})
    return found
