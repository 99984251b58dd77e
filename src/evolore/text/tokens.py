"""Tokens: one analyser for what is indexed and what is asked, what each of a question weighs, and how many there are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from operator import add

import numpy as np
from Stemmer import Stemmer

from evolore.domain.language import Language
from evolore.text.vectors import Float32s
from evolore.text.word_files import lazy_pattern, read_words

ANALYSER_VERSION = "1"
"""Changes whenever ``analyse`` returns other tokens for some text; an index built with another version is rebuilt."""

HAN = r"\u3005-\u3007\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = r"\u1100-\u11ff\uac00-\ud7af"
# Scripts written without spaces (Thai to Khmer, kana, Han), and Hangul, whose words carry endings: pairs of characters.
# The middle dot is left out: it separates the words of a foreign name.
_UNSPACED = rf"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u309a\u309d-\u309f{_KATAKANA}{HAN}{_HANGUL}"
# Python's \w leaves out vowel signs and other marks: without them, words of Indic scripts fall apart.
_MARKS = (
    r"\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0955-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0b82\u0bbe-\u0bcd"
)
_LETTER = rf"[^\W_{_UNSPACED}]"
_PIECE = lazy_pattern(rf"[{_UNSPACED}]+|{_LETTER}(?:{_LETTER}|[{_MARKS}])*(?:['’]{_LETTER}+)*")
_IS_UNSPACED = lazy_pattern(rf"[{_UNSPACED}]")
_ASCII_PIECE = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
_WHOLE_IN_RUN = lazy_pattern(rf"[{HAN}]|[{_KATAKANA}]{{3,}}")

_CONTENT_PIECE = lazy_pattern(
    rf"[^\W\d_{_UNSPACED}](?:[^\W\d_{_UNSPACED}]|['’{_MARKS}])+|[{_KATAKANA}]{{2,}}|[{HAN}]+|[{_HANGUL}]+"
)
_ASCII_CONTENT_PIECE = re.compile(r"[a-z][a-z']+")
_RUN = re.compile(r"\w+")

_LONGEST_STEMMED = 64
"""Longer strings of letters are no English words but keys and encodings; stemming them would only cost time."""

_STEMMER = Stemmer("english", 0)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return word if len(word) > _LONGEST_STEMMED else _STEMMER.stemWord(word.replace("’", "'"))


@cache
def _query_stop_tokens() -> frozenset[str]:
    """Return what questions ask with; matched after stemming, and only where something else is left to ask for."""
    english, japanese, chinese = (
        read_words("evolore.text", "stop_words", language).words("asking")
        for language in (Language.EN, Language.JA, Language.ZH)
    )
    return frozenset([*map(_stem, english), *japanese, *chinese])


@cache
def function_words() -> frozenset[str]:
    """Return the English words that any topic uses: counting them would hide where the topic changes."""
    return frozenset(read_words("evolore.text", "stop_words", Language.EN).words("function"))


def analyse(text: str) -> list[str]:
    """Split a text into the tokens an index holds.

    The text is brought to NFKC and case-folded. Words are stemmed by the English snowball rules, which leave most
    words of other languages alone; digits are kept. A run of Han, kana, Hangul or another script that is not split by
    spaces yields its overlapping pairs of characters, each of its Han characters, and each stretch of three or more
    katakana whole; a run of one character yields that character.

    Returns:
        The tokens, repetitions included; those of one run are adjacent.

    >>> analyse("Deployed 3 servers")
    ['deploy', '3', 'server']
    >>> analyse("京都のサーバー")
    ['京都', '都の', 'のサ', 'サー', 'ーバ', 'バー', '京', '都', 'サーバー']
    """
    folded = fold(text)
    if folded.isascii():
        return list(map(_stem, _ASCII_PIECE.findall(folded)))
    tokens: list[str] = []
    is_unspaced, whole_in_run = _IS_UNSPACED(), _WHOLE_IN_RUN()
    for piece in _PIECE().findall(folded):
        if not is_unspaced.match(piece):
            tokens.append(_stem(piece))
        elif len(piece) == 1:
            tokens.append(piece)
        else:
            tokens.extend(map(add, piece, piece[1:]))
            tokens.extend(whole_in_run.findall(piece))
    return tokens


def query_tokens(text: str) -> list[str]:
    """Return the tokens a question is asked with.

    Returns:
        The tokens of ``analyse``, each once, in order, without those that only shape a question; all of them where
        nothing else is left.

    >>> query_tokens("Where is the office?")
    ['offic']
    >>> query_tokens("Who was it?")
    ['who', 'was', 'it']
    """
    tokens, stop = list(dict.fromkeys(analyse(text))), _query_stop_tokens()
    return [token for token in tokens if token not in stop] or tokens


def content_tokens(text: str) -> list[str]:
    """Return the tokens that carry a topic: stems and pairs of characters, without function words and numbers.

    Hiragana is left out, because in Japanese it writes endings and particles; katakana writes whole words.

    Returns:
        The tokens in text order, repetitions included.

    >>> content_tokens("The 3 servers were deployed in Osaka.")
    ['server', 'deploy', 'osaka']
    >>> content_tokens("東京のサーバーが")
    ['東京', 'サーバー']
    """
    folded = fold(text)
    if folded.isascii():
        return list(filter(None, map(_content_stem, _ASCII_CONTENT_PIECE.findall(folded))))
    tokens: list[str] = []
    for piece in _CONTENT_PIECE().findall(folded):
        first = piece[0]  # Han or Hangul, rather than katakana or a letter of a word?
        if not ((first >= "\u3005" and not "\u30a0" < first < "\u3100") or "\u1100" <= first <= "\u11ff"):
            tokens.append(_content_stem(piece))
        elif len(piece) == 1:
            tokens.append(piece)
        else:
            tokens.extend(map(add, piece, piece[1:]))
    return list(filter(None, tokens))


def shared_spans(text: str, question: str) -> tuple[tuple[int, int], ...]:
    """Find the words of a text that a question asks with, in any form or width.

    Returns:
        Where each begins and ends in the text, in its order; those that touch are one.

    >>> shared_spans("Deployed on ３ servers.", "which 3 servers did we deploy?")
    ((0, 8), (12, 13), (14, 21))
    >>> shared_spans("自家用車を使う。", "車で行く")
    ((3, 4),)
    """
    asked = query_tokens(question)
    content = frozenset(content_tokens(question))
    wanted = frozenset(token for token in asked if token in content or token.isdecimal())
    found: list[tuple[int, int]] = []
    pieces = (_ASCII_PIECE if text.isascii() else _PIECE()).finditer(text)
    for start, end in chain.from_iterable(_shared_in(piece, wanted) for piece in pieces):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _shared_in(piece: re.Match[str], wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Find what is wanted in a word, or in a run of a script without spaces; a run whose width is folded counts whole."""
    folded = fold(piece[0])
    if folded.isascii() or not _IS_UNSPACED().match(folded):
        if _stem(folded) in wanted:
            yield piece.span()
    elif len(folded) != len(piece[0]):
        if not wanted.isdisjoint(analyse(folded)):
            yield piece.span()
    else:
        for run in _CONTENT_PIECE().finditer(folded):
            yield from _shared_in_run(run[0], wanted, start=piece.start() + run.start())


def _shared_in_run(run: str, wanted: frozenset[str], *, start: int) -> Iterator[tuple[int, int]]:
    if run in wanted:
        yield start, start + len(run)
    for place in range(len(run)):
        for shared in (run[place : place + 2], run[place]):
            if shared in wanted:
                yield start + place, start + place + len(shared)


def character_pairs(text: str) -> list[str]:
    """Return every pair of neighbouring letters or digits of a text in a script without spaces.

    Pairs of hiragana, of mixed scripts and across word ends are among them: a coarse second view of what a Japanese
    or Chinese text is about, beside its content tokens.

    Returns:
        The pairs in text order; none where no character belongs to a script without spaces.

    >>> character_pairs("家へ。行く")
    ['家へ', '行く']
    """
    if text.isascii() or not _IS_UNSPACED().search(text):
        return []
    pairs: list[str] = []
    for run in _RUN.findall(fold(text)):
        pairs.extend(map(add, run, run[1:]))
    return pairs


def fold(text: str) -> str:
    """Return a text in NFKC and case-folded."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=1 << 16)
def _content_stem(word: str) -> str:
    """Stem a word, or return the empty string for one that says nothing about the topic."""
    bare = word.strip("'’")
    return "" if len(bare) < 2 or bare in function_words() else _stem(bare)  # noqa: PLR2004 - one letter is no word


_HIRAGANA = r"\u3041-\u309f"


_OTHER_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\uac00-\ud7af"

_WEIGHTS = (
    (lazy_pattern(rf"[{HAN}]"), 0.25),
    (lazy_pattern(rf"[{_KATAKANA}]{{3,}}"), 0.67),
    (lazy_pattern(rf"[{_KATAKANA}]{{2}}"), 0.17),
    (lazy_pattern(rf"[{_HIRAGANA}]{{1,2}}"), 0.1),
    (lazy_pattern(rf".?[{_HIRAGANA}].?"), 0.17),
    (lazy_pattern(rf"[{HAN}{_KATAKANA}{_OTHER_UNSPACED}]{{1,2}}"), 0.33),
)
"""Chosen on Japanese and Chinese questions; a third to a half more or less of any changes recall by some 0.1 points."""


def token_weights(tokens: Sequence[str]) -> Float32s:
    """Return how much of a word each token is: 1 for one of letters or digits, less for pairs and single characters.

    Returns:
        Above 0 and at most 1, in their order, shape (tokens,).

    >>> token_weights(["untag", "正式", "式", "の正", "グループ"]).round(2).tolist()
    [1.0, 0.33000001311302185, 0.25, 0.17000000178813934, 0.6700000166893005]
    """
    return np.array([_weight(token) for token in tokens], dtype=np.float32)


@lru_cache(maxsize=1 << 14)
def _weight(token: str) -> float:
    if token.isascii():
        return 1.0
    return next((weight for pattern, weight in _WEIGHTS if pattern().fullmatch(token)), 1.0)


_CJK = r"\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
# One alternative a kind of piece: a word or the rest of a long one, digits, a CJK character, letters of other
# scripts, line breaks, and every other sign.
_ESTIMATE_PIECE = re.compile(rf"[A-Za-z\u00c0-\u024f]{{1,7}}|[0-9]{{1,3}}|[{_CJK}]|[^\W_{_CJK}]{{1,2}}|\n+|[^\w\s]|_")


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens by its script: rather too many than too few.

    A word of Latin letters counts one, and one more for every seven letters; up to three digits count one, a character
    of Chinese, Japanese or Korean one, two letters of another script one, a sign one, a run of line breaks one.
    Spaces belong to the word behind them.

    >>> estimate_tokens("The office moved to Osaka.")
    6
    >>> estimate_tokens("会議は三時から。")
    8
    """
    return sum(1 for _ in _ESTIMATE_PIECE.finditer(text))


_DIGITS = re.compile(r"\d")


def text_signature(text: str, *, without_numbers: bool = False) -> frozenset[str]:
    """Return the tokens of a text, each once; those that hold digits left out where wished.

    >>> sorted(text_signature("Wait 30 seconds.", without_numbers=True))
    ['second', 'wait']
    """
    return frozenset(token for token in analyse(text) if not (without_numbers and _DIGITS.search(token)))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much two signatures have in common, 0-1: Jaccard's measure; 1 where both are empty.

    >>> likeness(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    return len(one & other) / len(one | other) if one or other else 1.0
