"""Sentences with offsets; the pieces, joined, are the text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import sentencex

from evolore.domain.knowledge import Span
from evolore.domain.language import Language
from evolore.text.scripts import detect_language
from evolore.text.sentence_ends import settle, unseen_ends
from evolore.text.sentence_joins import belongs_to, open_brackets

if TYPE_CHECKING:
    from collections.abc import Iterator

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
# The segmenter takes whatever begins with a number in brackets for one item of a list, however many sentences it has.
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
stand alone."""

_FEWEST_ITEMS = 8
"""With so many dashes, bars or bullets in it, what is too long for a sentence is an enumeration: its items stand alone."""

_LONGEST_WRAPPED_LINE = 140
"""Nobody wraps lines at more than this many characters; a longer line is a paragraph of its own."""


def sentence_spans(text: str, *, language: Language | None = None) -> tuple[Span, ...]:
    """Cut a text into sentences without losing a character.

    A line break ends a sentence unless the line looks wrapped at the width of a page. White space belongs to the
    sentence before it; at the very beginning, to the first. Time grows in proportion to the text, whatever it holds.

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
    spoken = language or detect_language(text)
    starts = sentence_starts(text, spoken)
    return tuple(Span(start, end) for start, end in pairwise([*starts, len(text)]))


def sentence_starts(text: str, language: Language) -> list[int]:
    """Give the offset where each sentence of a non-empty text starts, ascending; the first is 0.

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
        last = start + len(content.rstrip())
        starts.extend(_cuts_within(readable, first, last, rules))
    return starts


def _paragraphs(text: str, language: Language) -> Iterator[tuple[int, int]]:
    """Join lines that are wrapped; give what cannot be part of a longer sentence, as start and end."""
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
    """Tell whether a sentence may run on from one line into the next."""
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
    """Give where sentences start inside a paragraph, its own start left out."""
    begun = start
    for candidate in _candidate_cuts(text, start, end, rules):
        cut = settle(text, begun, candidate, end)
        if begun < cut < end and _may_cut(text, begun, cut, end):
            yield from _part_starts(text, begun, cut)
            yield cut
            begun = cut
    yield from _part_starts(text, begun, end)


def _part_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Give where the lines, or the items, of what is too long for a sentence start, the first left out."""
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
