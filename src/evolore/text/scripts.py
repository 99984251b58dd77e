"""Detection of the language a text is in, by its script and, for Latin, by its commonest words."""

from __future__ import annotations

import re

from evolore.domain.language import Language
from evolore.text.word_files import lazy_pattern

_SLICE_CHARACTERS = 1000
_SLICES = 3

_KANA = lazy_pattern(r"[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = lazy_pattern(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)?")
# Alphabets and syllabaries with no rules of their own here: Greek to Thai, Hangul.
_OTHER = lazy_pattern(r"[\u0370-\u1fff\uac00-\ud7af]")

# Words that English uses all the time and that few other languages in Latin script have.
_ENGLISH_WORDS = frozenset(
    [
        *("the", "of", "and", "to", "is", "that", "for", "with", "are", "it", "this", "you", "be", "have", "not"),
        *("from", "by", "at", "which", "or", "as", "we", "they", "he", "she", "his", "her", "has", "were", "their"),
        *("but", "how", "what", "when", "where", "who", "why", "can", "will", "would", "my", "your", "i'm", "it's"),
        *("there", "if", "out", "about", "our", "been", "did", "does", "don't", "should", "could", "into", "than"),
    ]
)

_CJK_CHARACTERS_PER_LATIN_WORD = 2.0
"""How many Han or kana characters say about as much as one Latin word, so that shares can be compared."""

_KANA_SHARE_OF_JAPANESE = 0.05
"""Japanese prose is half kana; Chinese that quotes a Japanese name stays far below this share."""

_ENGLISH_WORD_SHARE = 0.08
"""English prose holds about a third of the listed words, other languages in Latin script under 5 %."""

_FEW_WORDS = 5
"""A text this short, in plain ASCII, is taken for English: it may be a query without a single common word."""


def detect_language(text: str) -> Language:
    """Judge which language most of a text is in.

    Only a bounded part of a long text is read: its beginning, middle and end.

    Returns:
        Japanese where kana are among the Han characters, Chinese for Han alone, English for Latin script with
        enough English words, else ``Language.UND``. Mixed text goes by the larger share.
    """
    sample = _sample(text)
    if sample.isascii():
        words = _LATIN_WORD.findall(sample)
        return _latin_language(words) if words else Language.UND
    kana = len(_KANA().findall(sample))
    cjk = kana + len(_HAN().findall(sample))
    words = _LATIN_WORD.findall(sample)
    others = len(_OTHER().findall(sample)) / _CJK_CHARACTERS_PER_LATIN_WORD
    cjk_words = cjk / _CJK_CHARACTERS_PER_LATIN_WORD
    if cjk_words and cjk_words >= max(len(words), others):
        return Language.JA if kana > _KANA_SHARE_OF_JAPANESE * cjk else Language.ZH
    if words and len(words) >= others:
        return _latin_language(words)
    return Language.UND


def _sample(text: str) -> str:
    if len(text) <= _SLICES * _SLICE_CHARACTERS:
        return text
    step = (len(text) - _SLICE_CHARACTERS) // (_SLICES - 1)
    return "\n".join(text[start : start + _SLICE_CHARACTERS] for start in range(0, step * _SLICES, step))


def _latin_language(words: list[str]) -> Language:
    english = sum(map(_ENGLISH_WORDS.__contains__, map(str.lower, words)))
    if english >= _ENGLISH_WORD_SHARE * len(words) and english:
        return Language.EN
    is_short = len(words) <= _FEW_WORDS and all(word.isascii() for word in words)
    return Language.EN if is_short else Language.UND
