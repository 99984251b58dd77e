"""Where a sentence must not be cut although a full stop stands there."""

from __future__ import annotations

import re

# Closing brackets, the second half of CRLF, marks, joiners and variation selectors never begin a sentence.
_NEVER_FIRST = re.compile(
    r"[\n」』）】〕〉》”’)\]}、，,;；\u0300-\u036f\u200d\u3099\u309a\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
)
_ENDS_QUOTED = re.compile(r"[」』）”’]\s?\Z")
_JAPANESE_PARTICLE = re.compile(
    r"(?:と(?!ころ|にかく|りあえ|ても)|って|など|という|の(?!ち)|を|が|に(?!も)|で(?!も|は|す)|は(?!い)|も(?!し|ち|う))"
)
_CHINESE_SPEECH = re.compile(r"[^。！？，\s]{0,6}(?:说|說|问|問|道|喊|叫|答|回答|笑道|写道)[^。！？]{0,12}[。！？，：]")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(（\[])(?:[Vv]er|[Nn]os?|[Ff]igs?|[Ee]qs?|[Vv]ol|[Pp]p?|[Cc]h|[Ss]ec|[Aa]pprox|ca|vs|[Cc]f|[Aa]rt)\.\s*\Z"
)
# The segmenter takes the number in "(score + 1)" for that of a list; code such as "props.ref" for two sentences.
_NO_END = re.compile(r"[\w+*/=<&|-]\s*\Z")
_NAME_START = re.compile(r"[A-Za-z0-9_$/]")

_OPENING = "「『（【〔〈《“"
_CLOSING = "」』）】〕〉》”"


def belongs_to(before: str, after: str) -> bool:
    """Tell whether what follows a possible end of a sentence still belongs to the sentence before it.

    Args:
        before: The end of the sentence so far, white space included.
        after: The beginning of what follows it.
    """
    if not after or _NEVER_FIRST.match(after) or _NO_END.search(before):
        return True
    if after[0].isascii():
        return _continues_name_or_number(before, after)
    return bool(_ENDS_QUOTED.search(before) and (_JAPANESE_PARTICLE.match(after) or _CHINESE_SPEECH.match(after)))


def _continues_name_or_number(before: str, after: str) -> bool:
    if before[-1] == "." and _NAME_START.match(after):
        return True
    return after[0] in "#0123456789" and bool(_ABBREVIATION.search(before))


def open_brackets(before: str, after: str) -> bool:
    """Tell whether a CJK bracket or quote is open at the cut and closed soon after it."""
    if before.isascii():
        return False
    opened = sum(map(before.count, _OPENING)) - sum(map(before.count, _CLOSING))
    return opened > 0 and any(closing in after for closing in _CLOSING)
