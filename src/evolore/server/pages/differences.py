"""Two texts side by side: what changes in each line, by words or characters, with values and denials marked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from evolore.domain.language import Language
from evolore.text.protected import protected_spans
from evolore.text.protected.polarity import denials
from evolore.text.values import SpanKind

_AROUND = 3
"""So many lines that stay are shown around what changes."""
_MOST_PARTS = 1_500
"""A line of more words or characters is compared as a whole: comparing costs their square."""
_MOST_LINES = 3_000
"""Of more lines those that are frequent do not lead the comparison, for the same reason."""
_LONGEST_MARKED = 5_000
_LIKE = 0.35
"""Lines that share less are not compared: marks in all of both would say nothing."""
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_BY_CHARACTER = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|\s+|[^\w\s]"
)
_QUIET = {SpanKind.NAME, SpanKind.BODY}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePiece:
    """A stretch of a line."""

    text: str  #: What it says.
    is_changed: bool = False  #: Whether the other text says something else.
    mark: str = ""  #: ``value`` or ``denial``; empty for neither.


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of both texts."""

    old: tuple[LinePiece, ...] = ()  #: The line before; none where it is new.
    new: tuple[LinePiece, ...] = ()  #: The line after; none where it is gone.
    old_number: int | None = None  #: Its number, from 1; None where there is no such line.
    new_number: int | None = None  #: The same of the line after.
    skipped: int = 0  #: How many lines that stay are left out here; then there is nothing else.

    @property
    def is_changed(self) -> bool:
        """Whether the line is not the same in both."""
        return not self.skipped and (
            self.old_number is None or self.new_number is None or any(one.is_changed for one in (*self.old, *self.new))
        )


def rows_of(before: str, after: str, language: Language) -> tuple[Row, ...]:
    """Return two texts side by side, what stays shortened to a few lines around what changes.

    English is compared by words, Japanese and Chinese by characters.
    """
    old, new = before.splitlines(), after.splitlines()
    return tuple(_shortened(list(_aligned(old, new, language))))


def is_changed(rows: Iterable[Row]) -> bool:
    """Return whether anything changes."""
    return any(row.is_changed for row in rows)


def _aligned(old: Sequence[str], new: Sequence[str], language: Language) -> Iterator[Row]:
    matcher = SequenceMatcher(None, old, new, autojunk=max(len(old), len(new)) > _MOST_LINES)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            for place in range(i_end - i):
                pieces = _pieces(new[j + place], (), language)
                yield Row(old=pieces, new=pieces, old_number=i + place + 1, new_number=j + place + 1)
        else:
            yield from _replaced(old[i:i_end], new[j:j_end], (i, j), language)


def _replaced(old: Sequence[str], new: Sequence[str], at: tuple[int, int], language: Language) -> Iterator[Row]:
    i = j = 0
    for one, other in _pairs(old, new):
        yield from (_gone(old[k], at[0] + k + 1, language) for k in range(i, one))
        yield from (_added(new[k], at[1] + k + 1, language) for k in range(j, other))
        yield _both(old[one], new[other], (at[0] + one + 1, at[1] + other + 1), language)
        i, j = one + 1, other + 1
    yield from (_gone(old[k], at[0] + k + 1, language) for k in range(i, len(old)))
    yield from (_added(new[k], at[1] + k + 1, language) for k in range(j, len(new)))


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield which lines are one line that was changed: each with the first behind the last pair that is like it."""
    begin = 0
    for i, line in enumerate(old):
        for j in range(begin, min(len(new), begin + 8)):
            if line.strip() and new[j].strip() and SequenceMatcher(None, line, new[j]).quick_ratio() >= _LIKE:
                yield i, j
                begin = j + 1
                break


def _gone(line: str, number: int, language: Language) -> Row:
    return Row(old=_pieces(line, ((0, len(line)),), language), old_number=number)


def _added(line: str, number: int, language: Language) -> Row:
    return Row(new=_pieces(line, ((0, len(line)),), language), new_number=number)


def _both(old: str, new: str, numbers: tuple[int, int], language: Language) -> Row:
    removed, added = _changed(old, new, language)
    return Row(
        old=_pieces(old, removed, language),
        new=_pieces(new, added, language),
        old_number=numbers[0],
        new_number=numbers[1],
    )


_Stretches = tuple[tuple[int, int], ...]


def _changed(old: str, new: str, language: Language) -> tuple[_Stretches, _Stretches]:
    """Return what changes between two lines, in characters of each."""
    form = _BY_CHARACTER if language in {Language.JA, Language.ZH} else _WORDS
    parts, others = form.findall(old), form.findall(new)
    if max(len(parts), len(others)) > _MOST_PARTS:
        return ((0, len(old)),), ((0, len(new)),)
    at, other_at = _places(parts), _places(others)
    found = [one for one in SequenceMatcher(None, parts, others, autojunk=False).get_opcodes() if one[0] != "equal"]
    return (
        tuple((at[i], at[i_end]) for _, i, i_end, _, _ in found if i < i_end),
        tuple((other_at[j], other_at[j_end]) for _, _, _, j, j_end in found if j < j_end),
    )


def _places(parts: Sequence[str]) -> list[int]:
    places = [0]
    for part in parts:
        places.append(places[-1] + len(part))
    return places


def _pieces(line: str, changed: _Stretches, language: Language) -> tuple[LinePiece, ...]:
    """Cut a line where a change or a mark begins or ends."""
    marks = list(_marks(line, language)) if len(line) <= _LONGEST_MARKED else []
    edges = sorted(
        {0, len(line), *(edge for one in changed for edge in one), *(edge for one in marks for edge in one[:2])}
    )
    return tuple(
        LinePiece(
            text=line[start:end],
            is_changed=any(a <= start and end <= b for a, b in changed),
            mark=next((mark for a, b, mark in marks if a <= start and end <= b), ""),
        )
        for start, end in itertools.pairwise(edges)
    )


def _marks(line: str, language: Language) -> Iterator[tuple[int, int, str]]:
    begin, folded = 0, line.casefold()
    for word in denials(line, language):
        place = folded.find(word.casefold(), begin)
        if place >= 0 and len(folded) == len(line):
            begin = place + len(word)
            yield place, begin, "denial"
    for one in protected_spans(line, language):
        if one.kind not in _QUIET:
            yield one.span.start, one.span.end, "value"


def _shortened(rows: list[Row]) -> Iterator[Row]:
    near = [False] * len(rows)
    for place, row in enumerate(rows):
        if row.is_changed:
            for around in range(max(0, place - _AROUND), min(len(rows), place + _AROUND + 1)):
                near[around] = True
    skipped = 0
    for row, is_near in zip(rows, near, strict=True):
        if is_near:
            if skipped:
                yield Row(skipped=skipped)
            skipped = 0
            yield row
        else:
            skipped += 1
    if skipped:
        yield Row(skipped=skipped)
