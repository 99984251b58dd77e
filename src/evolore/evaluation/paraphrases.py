"""Questions asked once more in other words, by rule: as people do who ask again, and without any label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ENGLISH_WORDS: Mapping[str, str] = {
    "start": "begin",
    "started": "began",
    "buy": "purchase",
    "bought": "purchased",
    "kids": "children",
    "mom": "mother",
    "dad": "father",
    "recently": "lately",
    "big": "large",
    "many": "a lot of",
    "favorite": "preferred",
    "like": "enjoy",
    "likes": "enjoys",
    "get": "receive",
    "got": "received",
    "help": "support",
    "helped": "supported",
    "trip": "journey",
    "job": "work",
    "kind": "sort",
    "type": "sort",
    "really": "truly",
    "happy": "glad",
    "scared": "afraid",
    "show": "display",
}
_ENGLISH_FRAMES = ("Could you tell me: {}", "I was wondering, {}", "Do you still know: {}", "One more time, {}")
_JAPANESE_FRAMES = ("教えてください。{}", "もう一度聞きますが、{}", "覚えていますか。{}")
_CHINESE_FRAMES = ("请问，{}", "我想再问一下，{}", "你还记得吗，{}")
_CJK_WORDS: Mapping[Language, Mapping[str, str]] = {
    Language.JA: {"どこ": "どの場所", "いつ": "何時ごろ", "誰": "どなた", "何": "なに", "なぜ": "どうして"},
    Language.ZH: {"哪里": "什么地方", "什么时候": "何时", "谁": "哪位", "为什么": "为何", "喜欢": "爱", "非常": "很"},
}
_WORD = re.compile(r"[A-Za-z]+")
_LINES = re.compile(r"\n+")
_KINDS = 4


def paraphrase(text: str, number: int) -> str:
    """Ask a question in other words.

    Four ways, by ``number``: in a frame ("Could you tell me: …"); with other words for common ones, in a frame; in
    small letters without its mark at the end, in a frame; of several lines the last first, of a single one its second
    half first, as it is said when the matter comes to mind before the question.

    Args:
        text: A question, of one line or more.
        number: Which way, any number.

    Returns:
        Other than ``text``.

    >>> paraphrase("When did Ana buy the house?", 1)
    'I was wondering, When did Ana purchase the house?'
    >>> paraphrase("When did Ana buy the house?", 3)
    'buy the house? When did Ana'
    """
    language = detect_language(text)
    kind = number % _KINDS
    if kind == _KINDS - 1 and (turned := _turned(text, language)) != text:
        return turned
    said = _in_other_words(text, language) if kind == 1 else text
    if kind == _KINDS // 2:
        said = said.lower().rstrip("?？。.!！ ")
    frames = _frames(language)
    return frames[number % len(frames)].format(said)


def _frames(language: Language) -> Sequence[str]:
    if language is Language.JA:
        return _JAPANESE_FRAMES
    return _CHINESE_FRAMES if language is Language.ZH else _ENGLISH_FRAMES


def _in_other_words(text: str, language: Language) -> str:
    for word, other in _CJK_WORDS.get(language, {}).items():
        text = text.replace(word, other)
    return _WORD.sub(lambda found: _ENGLISH_WORDS.get(found[0], found[0]), text)


def _turned(text: str, language: Language) -> str:
    """Put the last line first, or the second half of a single line."""
    lines = _LINES.split(text)
    if len(lines) > 1:
        return "\n".join((lines[-1], *lines[:-1]))
    if language in _CJK_WORDS:
        middle = len(text) // 2
        return text[middle:] + text[:middle]
    words = text.split()
    middle = len(words) // 2
    return " ".join((*words[middle:], *words[:middle]))
