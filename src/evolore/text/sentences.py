"""Sentences with offsets: where they end, where they must not be cut, which point back; the pieces, joined, are the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import sentencex

from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.text.scripts import detect_language
from evolore.text.word_files import read_words

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
    r"|\b(?:no|me|ok|may|art|ill|id|miss|ore|etc|arc|cal|con|dec|del|det|exp|ext|fed|fig|hr|inc|loc|mar|med|min|mo|ref|sec|dept|ltd|corp)\.\s+(?=[A-Z][a-z])|(?:^|[:—-] |[\"'])(?:No|Me|OK|Ok)\.\s+(?=[A-Z][a-z]|I\b[^.])"
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
    return cut - 1 if text[cut - 1] in "\"'“‘([「『（" and _OPENED.search(text, max(begun, cut - 2), cut) else cut


def unseen_ends(window: str, pieces: list[str]) -> dict[int, list[int]]:
    """Return, by the number of a piece the segmenter took for one sentence, where sentences end inside it."""
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
"""What comes before a quotation that somebody says; after anything else it is a word of the sentence."""
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
_INITIAL_OR_TITLE = re.compile(r"(?:(?:^|[^A-Za-z])[A-Z]|(?:^|[^A-Za-z])(?:Mrs?|Ms|Dr|Prof|St))\.\Z")
_LAST_WORD = re.compile(r"(?:^|[^A-Za-zÀ-ÿ.])([A-Za-zÀ-ÿ]{1,8})\.\Z")
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
"""How much on either side of a possible end is searched for abbreviations, particles and who speaks."""

_OPENING = re.compile("[「『（【〔〈《“〝]")
_CLOSING = re.compile("[」』）】〕〉》”〟]")
_QUOTE_ENDS = '」』）”’"》〟'


def belongs_to(text: str, begun: int, cut: int, end: int) -> bool:
    """Return whether what follows a possible end of a sentence still belongs to the sentence before it.

    Args:
        text: What the sentence is in.
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
    """Return whether all there is so far is the number of an item."""
    return cut - begun <= _LONGEST_MARKER and bool(_MARKER.match(text[begun:cut]))


def _continues_stop(content: str, after: str, *, touches: bool) -> bool:
    first = after[0]
    if first.isascii():
        if touches and _NAME_START.match(after):
            return True
        if content[-2:] == "m." and _DAY_OR_ZONE.match(after) and _HALF_DAY.search(content):
            return True
        if (first in "#0123456789" or first.islower()) and _ends_in_abbreviation(content, number=not first.islower()):
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


def _ends_in_abbreviation(content: str, *, number: bool) -> bool:
    """Return whether a stretch ends in an abbreviation that a small letter, or a number, may follow."""
    word = _LAST_WORD.search(content)
    if word is None:
        return False
    anywhere, words = _abbreviations()
    small = word[1].lower()
    return small in anywhere or (small in words and (number or word[1][0].isupper()))


@cache
def _abbreviations() -> tuple[frozenset[str], frozenset[str]]:
    words = read_words("evolore.text", "abbreviations", Language.EN)
    return frozenset(words.words("anywhere")), frozenset(words.words("words"))


def _continues_ideographic(last: str, after: str, *, touches: bool) -> bool:
    """Return whether a particle that cannot begin a sentence follows the mark."""
    if after[0].isascii():
        return not touches and after[0].islower()
    if not touches:
        return False
    return bool(_PARTICLE_AND_WORD.match(after) or (last != "。" and _QUOTING_PARTICLE.match(after)))


def _continues_quote(sentence: str, after: str, *, touches: bool) -> bool:
    """Return whether a sentence goes on behind a quotation, a title or an aside that ends with a mark."""
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
    """Return whether the Chinese quotation a stretch ends with has no speaker in it, as in 一声“到！”."""
    opening = {"”": "“", '"': '"'}.get(content[-1])
    place = content.rfind(opening, 0, -1) if opening else -1
    return place > 0 and not content[place - 1].isascii() and not _BEFORE_SAID.search(content[:place])


def open_brackets(before: str, after: str) -> bool:
    """Return whether code, or a CJK bracket or quote, is open at the cut and closed soon after it."""
    if "`" in before and before.count("`") % 2 == 1 and "`" in after:
        return True
    if before.isascii():
        return False
    opened = len(_OPENING.findall(before))
    if opened and opened > len(_CLOSING.findall(before)) and _CLOSING.search(after):
        return True
    return '"' in before and before.count('"') % 2 == 1 and '"' in after


def points_back(sentence: str) -> bool:
    """Return whether a sentence opens with a word that refers to what came before.

    >>> points_back("しかし、それは違う。"), points_back("However, it failed."), points_back("サーバーを設定する。")
    (True, True, False)
    """
    if _english().match(sentence):
        return True
    return not sentence.isascii() and _unspaced().match(sentence) is not None


@cache
def _english() -> re.Pattern[str]:
    return re.compile(rf"[\s\"'“‘`(]*(?:{_opening(Language.EN)})\b", re.IGNORECASE)


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(rf"[\s「『“‘]*(?:{_opening(Language.JA)}|{_opening(Language.ZH)}|[（(，、。])")


def _opening(language: Language) -> str:
    return read_words("evolore.text", "connectives", language).pattern("points_back")


_WINDOW_CHARACTERS = 4000
"""The segmenter's time grows with the square of what it is given when quotes abound: 100,000 characters take 3 s,
4,000 take 5 ms."""

_LONGEST_QUOTE_CHARACTERS = 400
"""A bracket that stays open for longer was probably never closed; it no longer holds a sentence together."""

_SURROGATE = re.compile("[\ud800-\udfff]")
# The segmenter counts white space as one byte, and panics inside a longer one such as the ideographic space.
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")
_END_OF_SENTENCE = re.compile(r"(?:[。！？!?．]+|\.(?=\s))[」』）】〕〉》”’)\]\"']*\s*")
_HALF_WIDTH = str.maketrans("｡｢｣､", "。「」、")
_HAS_HALF_WIDTH = re.compile("[｡｢｣､]")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_BETWEEN_ITEMS = re.compile(r"\s[–|•·][\"']?\s+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)(?:\s*(?:\r\n|\r|\n))*")
_CLOSED_LINE = re.compile(r"[.。．!！?？…:：;；」』）】〕〉》”’)\]\"'|]\s*\Z")
_BLANK_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*[\r\n]")
_INNER_MARK = re.compile(r"[，、。！？]")
_RUNS_ON = re.compile(r".{8}(?:[はがをのてにで]|から)\s*\Z")
_IDEOGRAPHIC_STOP = re.compile(r"[。！？]\s*\Z")
# The segmenter takes any text that begins with a number in brackets for one item of a list, however many sentences it has.
_ITEM_NUMBER = re.compile(r"\(\w{1,3}\)\s?")
_QUOTES = re.compile('["“”]')
_ENDS_IN_TITLE = re.compile(r" (?:Mrs?|Ms|Dr|Prof|Rev|Gen|Col|Capt|Lt|Sgt)\.[ \t]*(?:\r\n|\r|\n)\Z")
_NEW_ITEM = re.compile(r"\s*(?:\d{4}-\d\d-\d\d|\[?\d{1,2}:\d\d|[-*+•・#>|「『]|\d+[.)、]|[A-Z][\w .]{0,30}:\s)")

_SHORTEST_WRAPPED_LINE = {Language.EN: 50, Language.UND: 50, Language.JA: 25, Language.ZH: 25}
"""A shorter line without a full stop was ended by its author, not by the width of a page (in characters)."""

_SHORTEST_BEFORE_LOWER_CASE = 30
"""A line this long that is followed by a small letter is wrapped; shorter ones are a list or a poem."""

_LONGEST_SENTENCE = 800
"""What runs on for longer than this without an end is no sentence but a log or a table: its lines
are separate."""

_FEWEST_ITEMS = 8
"""With so many dashes, bars or bullets in it, what is too long for a sentence is an enumeration: its items are separate."""

_LONGEST_WRAPPED_LINE = 140
"""Wrapped lines have at most this many characters; a longer line is a paragraph of its own."""


def sentence_spans(text: str, *, language: Language | None = None) -> tuple[Span, ...]:
    """Cut a text into sentences without losing a character.

    A line break ends a sentence unless the line looks wrapped at the width of a page. White space belongs to the
    sentence before it; at the very beginning, to the first. Time grows in proportion to the text, with any content.

    Args:
        text: Any text, even with lone surrogates.
        language: Whose rules to use; judged from the text when None.

    Returns:
        Spans in text order: the first starts at 0, each next where the one before ended, the last ends with the text.
        Empty for an empty text.

    >>> text = "「行くよ。待って。」と言った。3.5円です。"
    >>> [span.of(text) for span in sentence_spans(text)]
    ['「行くよ。待って。」と言った。', '3.5円です。']
    """
    if not text:
        return ()
    starts = sentence_starts(text, language or detect_language(text))
    return tuple(Span(start, end) for start, end in pairwise([*starts, len(text)]))


def sentence_starts(text: str, language: Language) -> list[int]:
    """Return the offset where each sentence of a non-empty text starts, ascending; the first is 0.

    The same as ``sentence_spans`` for callers that need offsets by the million.
    """
    readable = text if text.isascii() else _WIDE_SPACE.sub(" ", _SURROGATE.sub("\ufffd", text))
    if _HAS_HALF_WIDTH.search(readable):
        readable = readable.translate(_HALF_WIDTH)
    rules = "en" if language is Language.UND else language.value
    starts = [0]
    for start, end in _paragraphs(readable, language):
        if start:
            starts.append(start)
        content = readable[start:end]
        first = start + len(content) - len(content.lstrip())
        starts.extend(_cuts_within(readable, first, start + len(content.rstrip()), rules))
    return starts


def _paragraphs(text: str, language: Language) -> Iterator[tuple[int, int]]:
    """Join lines that are wrapped; yield what cannot be part of a longer sentence, as start and end."""
    start = 0
    before = ""
    for match in _LINE.finditer(text):
        line = match.group()
        if before and not _is_wrapped(before, line, language):
            yield start, match.start()
            start = match.start()
        before = line
    if start < len(text):
        yield start, len(text)


def _is_wrapped(line: str, following: str, language: Language) -> bool:
    """Return whether a sentence may run on from one line into the next."""
    if line.isspace() or following.isspace():
        # Only at the beginning and the end of the text: white space there belongs to the first and the last sentence.
        return True
    if len(line) > _LONGEST_WRAPPED_LINE or _BLANK_LINE.search(line):
        return False
    if _CLOSED_LINE.search(line):
        return bool(_ENDS_IN_TITLE.search(line)) and following[:1].isupper()
    if following[:1].islower() and len(line) >= _SHORTEST_BEFORE_LOWER_CASE:
        return True
    if (_INNER_MARK.search(line) or _RUNS_ON.search(line)) and _IDEOGRAPHIC_STOP.search(following):
        return not _NEW_ITEM.match(following) and not _NEW_ITEM.match(line)
    return len(line) >= _SHORTEST_WRAPPED_LINE[language] and not _NEW_ITEM.match(following)


def _cuts_within(text: str, start: int, end: int, rules: str) -> Iterator[int]:
    """Yield where sentences start inside a paragraph, its own start left out."""
    begun = start
    for candidate in _candidate_cuts(text, start, end, rules):
        cut = settle(text, begun, candidate, end)
        if begun < cut < end and _may_cut(text, begun, cut, end):
            yield from _part_starts(text, begun, cut)
            yield cut
            begun = cut
    yield from _part_starts(text, begun, end)


def _part_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where the lines, or the items, of what is too long for a sentence start, the first left out."""
    if end - start <= _LONGEST_SENTENCE:
        return
    edges = [match.end() for match in _NEWLINE.finditer(text, start, end)]
    if not edges:
        items = [match.end() for match in _BETWEEN_ITEMS.finditer(text, start, end)]
        edges = items if len(items) >= _FEWEST_ITEMS else []
    yield from (edge for edge in edges if edge < end)


def _may_cut(text: str, begun: int, cut: int, end: int) -> bool:
    if belongs_to(text, begun, cut, end):
        return False
    if cut - begun >= _LONGEST_QUOTE_CHARACTERS:
        return True
    return not open_brackets(text[begun:cut], text[cut : min(end, cut + _LONGEST_QUOTE_CHARACTERS)])


def _candidate_cuts(text: str, start: int, end: int, rules: str) -> Iterator[int]:
    """Ask the segmenter window by window; the last piece of a window is asked again with what follows it."""
    while start < end:
        if number := _ITEM_NUMBER.match(text, start, end):
            start = number.end()
        window = text[start : min(end, start + _WINDOW_CHARACTERS)]
        lengths = _piece_lengths(window, rules)
        is_last = start + len(window) == end
        for length in lengths[:-1]:
            start += length
            yield start
        if is_last:
            return
        if len(lengths) <= 1:
            # No end of a sentence in sight: go on with the next window without cutting here.
            start += len(window)


def _piece_lengths(window: str, rules: str) -> list[int]:
    pieces = sentencex.segment(rules, window)
    if "".join(pieces) == window:
        unseen = unseen_ends(window, pieces)
        lengths: list[int] = []
        for number, piece in enumerate(pieces):
            if len(piece) > _LONGEST_SENTENCE:
                lengths += _lengths_without_quotes(piece, rules)
            elif number in unseen:
                lengths += _lengths(unseen[number], len(piece))
            else:
                lengths.append(len(piece))
        return lengths
    # The segmenter drops characters of some odd input, such as long runs of white space.
    ends = [match.end() for match in _END_OF_SENTENCE.finditer(window) if match.end() < len(window)]
    return _lengths(ends, len(window))


def _lengths_without_quotes(piece: str, rules: str) -> list[int]:
    """Ask again without the quotes, one of which was perhaps never closed, and without the number of an item."""
    number = len(match.group()) if (match := _ITEM_NUMBER.match(piece)) else 0
    lengths = list(map(len, sentencex.segment(rules, _QUOTES.sub(" ", piece[number:]))))
    if len(lengths) > 1 and sum(lengths) == len(piece) - number:
        return [number + lengths[0], *lengths[1:]]
    return _lengths(unseen_ends(piece, [piece]).get(0, []), len(piece))


def _lengths(ends: list[int], end: int) -> list[int]:
    return [after - before for before, after in pairwise([0, *ends, end])]
