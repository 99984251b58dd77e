"""Where a sentence must not be cut although a full stop stands there."""

from __future__ import annotations

import re

# Closing brackets, the second half of CRLF, marks, dashes, joiners and variation selectors never begin a sentence.
_NEVER_FIRST = re.compile(
    r"[\n」』）】〕〉》”〟’)\]}、，,;；–\u0300-\u036f\u200d\u3099\u309a\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|—"
)
_OPENS_QUOTED = re.compile(r"\s*[「『“‘\"]")
_JAPANESE_PARTICLE = re.compile(
    r"(?:でも(?=[「『])|と(?!ころ|にかく|りあえ|ても)|って|など|という|の(?!ち)|を|が|に(?!も)|で(?!も|は)|だ(?=[。、とそろ]|った)"
    r"|らし|か(?=[「『、])|は(?!い)|も(?!し|ち|う))"
)
# A particle before a word that is not written in kana can begin no sentence.
_PARTICLE_AND_WORD = re.compile(r"[をのがにへはも](?=[ァ-ヺ一-鿿「『A-Z])|を")
_QUOTING_PARTICLE = re.compile(
    r"と(?=[ァ-ヺ一-鿿「『]|い[うっわえ]|の|か[、はがを]|だけ|した|して|思)|って(?=[い言思])"
)
_JAPANESE_SPEECH = re.compile(r"(?:そう|こう)(?:言|い[っう]|つぶや|呟|叫|さけ|答|こた|思|告|続け)")
_BEFORE_SAID = re.compile(r"[：:，,、。！？!?\s说說问問道喊叫答想吼嚷—…]\Z")
"""What stands before a quotation that somebody says; behind anything else it is a word of the sentence."""
_CHINESE_SPEECH = re.compile(
    r"[^。！？，\s]{0,10}(?:说|說|问|問|道|喊|叫|答|想(?=[。，])|吼|嚷|低语|低語|欢呼|歡呼|感叹|感嘆)[^。！？]{0,12}[。！？，：]"
)
_CHINESE_CONTINUATION = re.compile(
    r"的|地(?!上|下|面)|和|与(?!此)|與(?!此)|及|或|等(?![一到了我你他她])|就(?!这|這|在|算|是|像)|也(?!许|許)|都|之(?![前后後])"
    r"|带|帶|[这這那][个個句种種本些]|[一几幾]?[词詞句语語](?![^\W\d_])|[一两兩二三四五六七八九十几幾]个?個?字"
)
_ENGLISH_SPEECH = re.compile(
    r"(?:[Tt]he \w+|[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)?|he|she|they|I|we) (?:\w+ly )?"
    r"(?:said|asked|cried|shouted|replied|answered|whispered|exclaimed|yelled|muttered|called|screamed|wondered)\b"
)
_ENDS_EXCLAIMED = re.compile(r"[!?][\"”’']\Z")
_ABBREVIATION = re.compile(
    r"(?:^|[^A-Za-z])(?:[Vv]er|[Pp]aras?|[Ll]it|[Ss]ubs|[Cc]l|[Nn]os?|[Ff]igs?|[Ee]qs?|[Vv]ol|[Pp]p?|[Cc]h|[Ss]ec|[Aa]pprox|[Aa]pt|[Rr]m|ca|vs|[Cc]f|[Aa]rt|[Oo]p)"
    r"\.\Z"
)
_INITIAL_OR_TITLE = re.compile(r"(?:(?:^|[^A-Za-z])[A-Z]|(?:^|[^A-Za-z])(?:Mrs?|Ms|Dr|Prof|St))\.\Z")
_HALF_DAY = re.compile(r"\b[ap]\.\s?m\.\Z")
_DAY_OR_ZONE = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|(?:Eastern|Central|Mountain|Pacific)\b|[A-Z]{2,4}T\b"
)
_MARKER = re.compile(r"\s*[（(]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.．)）]\s*\Z")
_LONGEST_MARKER = 8
_NUMBER_STOP = re.compile(r"(?:^|[^\d.])\d{1,2}\.\Z")
_LONE_STOP = re.compile(r"(?:(?:^|\s)\.|\.\.)\Z")
_ENDS_IN_NOTE_OR_FEELING = re.compile(r"(?:[.．。!?！？](?:[¹²³⁰⁴-⁹]+|※\d{1,3})|\s[:;]-?D|[wｗ]{2,})\Z")
# The segmenter takes the number in "(score + 1)" for that of a list; code such as "props.ref" for two sentences.
_NO_END = "_+*/=<&|-"
_NAME_START = re.compile(r"[A-Za-z0-9_$/]")

_JOINT_CHARACTERS = 30
"""How much on either side of a possible end is looked at for abbreviations, particles and who speaks."""

_OPENING = re.compile("[「『（【〔〈《“〝]")
_CLOSING = re.compile("[」』）】〕〉》”〟]")
_QUOTE_ENDS = '」』）”’"》〟'


def belongs_to(text: str, begun: int, cut: int, end: int) -> bool:
    """Tell whether what follows a possible end of a sentence still belongs to the sentence before it.

    Args:
        text: What the sentence stands in.
        begun: Where it begins.
        cut: Its possible end, white space included; after ``begun``.
        end: Where the paragraph ends; after ``cut``.
    """
    if not text[cut].isalpha() and _NEVER_FIRST.match(text, cut):
        return True
    after = text[cut : min(end, cut + _JOINT_CHARACTERS)]
    before = text[max(begun, cut - _JOINT_CHARACTERS) : cut]
    content = before.rstrip()
    last = content[-1:]
    if last in _QUOTE_ENDS:
        return _continues_quote(text[begun:cut], after, touches=len(content) == len(before))
    if last in ".．":
        return _is_marker(text, begun, cut) or _continues_stop(content, after, touches=len(content) == len(before))
    if last in "!?":
        return (after[0].islower() and after[0].isascii()) or bool(_QUOTING_PARTICLE.match(after))
    if last in "。！？":
        return _continues_ideographic(last, after, touches=len(content) == len(before))
    return _has_no_end(content) or _is_marker(text, begun, cut)


def _has_no_end(content: str) -> bool:
    return (content[-1:].isalnum() or content[-1:] in _NO_END) and not _ENDS_IN_NOTE_OR_FEELING.search(content)


def _is_marker(text: str, begun: int, cut: int) -> bool:
    """Tell whether all there is so far is the number of an item."""
    return cut - begun <= _LONGEST_MARKER and bool(_MARKER.match(text[begun:cut]))


def _continues_stop(content: str, after: str, *, touches: bool) -> bool:
    first = after[0]
    if first.isascii():
        if touches and _NAME_START.match(after):
            return True
        if content[-2:] == "m." and _DAY_OR_ZONE.match(after) and _HALF_DAY.search(content):
            return True
        if (first in "#0123456789" or first.islower()) and _ABBREVIATION.search(content):
            return True
        return first.islower() and bool(_NUMBER_STOP.search(content))
    if first in "０１２３４５６７８９":
        return touches
    return bool(
        _LONE_STOP.search(content)
        or _INITIAL_OR_TITLE.search(content)
        or _NUMBER_STOP.search(content)
        or (touches and (_JAPANESE_PARTICLE.match(after) or _CHINESE_CONTINUATION.match(after)))
    )


def _continues_ideographic(last: str, after: str, *, touches: bool) -> bool:
    """Tell whether a particle that cannot begin a sentence follows the mark."""
    if after[0].isascii():
        return not touches and after[0].islower()
    if not touches:
        return False
    return bool(_PARTICLE_AND_WORD.match(after) or (last != "。" and _QUOTING_PARTICLE.match(after)))


def _continues_quote(sentence: str, after: str, *, touches: bool) -> bool:
    """Tell whether a sentence goes on behind a quotation, a title or an aside that ends with a mark."""
    content = sentence.rstrip()
    if after[0].isascii():
        return bool(_ENDS_EXCLAIMED.search(content) and _OPENS_QUOTED.match(sentence) and _ENGLISH_SPEECH.match(after))
    if content[-1] == "》" or (after[0] in "（(" and touches and content[-1] in "」』"):
        return True
    if _JAPANESE_PARTICLE.match(after) or _CHINESE_CONTINUATION.match(after):
        return True
    if _OPENS_QUOTED.match(sentence):
        return bool(_CHINESE_SPEECH.match(after) or _JAPANESE_SPEECH.match(after))
    return touches and _is_word_of_sentence(content)


def _is_word_of_sentence(content: str) -> bool:
    """Tell whether the Chinese quotation a stretch ends with is said by nobody in it, as in 一声“到！”."""
    opening = {"”": "“", '"': '"'}.get(content[-1])
    place = content.rfind(opening, 0, -1) if opening else -1
    return place > 0 and not content[place - 1].isascii() and not _BEFORE_SAID.search(content[:place])


def open_brackets(before: str, after: str) -> bool:
    """Tell whether code, or a CJK bracket or quote, is open at the cut and closed soon after it."""
    if "`" in before and before.count("`") % 2 == 1 and "`" in after:
        return True
    if before.isascii():
        return False
    opened = len(_OPENING.findall(before))
    if opened and opened > len(_CLOSING.findall(before)) and _CLOSING.search(after):
        return True
    return '"' in before and before.count('"') % 2 == 1 and '"' in after
