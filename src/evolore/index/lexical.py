"""The lexical index: which items of a namespace hold which tokens, and what that is worth (BM25)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_above_zero, check_least, check_share
from evolore.errors import InvalidValue
from evolore.index.arrays import Arrays, packed, starts_of, unpacked
from evolore.text.vectors import Bools, Float32s, Int32s, Int64s

_ARRAYS = ("tokens", "starts", "items", "counts")
_WORDS_A_PIECE = 0.4
_FIRST_UNSPACED = "\u0e00"
"""From Thai on, scripts are written without spaces, or in words that carry endings."""

_USUAL = 200.0
_USUAL_SHARE = 0.01
_TOKEN_BYTES = 150
"""About what a token takes in the vocabulary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """How the number of occurrences and the length of an item count (Robertson & Zaragoza 2009)."""

    k1: float = 0.6  #: How soon further occurrences of a token stop to add, at least 0; 0 counts presence alone.
    b: float = 0.75  #: How far length is held against an item, 0–1.
    #: The length, in words, that is not held against an item, above 0. It is a number and not the mean of the store: a
    #: memory of long messages alone would take them for short, and what one question finds would change with all that
    #: is remembered.
    usual_length: float = 100.0

    def __post_init__(self) -> None:
        check_least(0, k1=self.k1)
        check_share(b=self.b)
        check_above_zero(usual_length=self.usual_length)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Among:
    """The items that statistics are taken of."""

    count: int  #: How many there are.
    #: ``k1 · (1 − b + b · l / L)`` of every item of the index, L the usual length, shape (items,).
    norms: Float32s
    is_in: Bools | None  #: Which items they are, shape (items,); None where all are.


class LexicalIndex:
    """Postings of one namespace, with BM25 statistics of its live items only.

    Items are numbered in the order they are appended. A removed item keeps its number, scores 0 and counts in no
    statistic until ``compact`` closes the gaps. Law: after any appends and removals every live item scores as in an
    index built from the live items alone.

    Postings lie in sorted segments that merge as they double, so a posting is copied O(log items) times in its life
    and a question looks into O(log items) segments. Once as many postings were asked for as there are, all are merged,
    and what each is worth, its token's rarity aside, is kept until items come or go. Memory: 12 bytes a posting, 9 an
    item, and the vocabulary. One thread uses it at a time.

    Args:
        token_lists: One list for each item, as the analyser returned it.
        bm25: The constants.

    >>> index = LexicalIndex([["red", "house"], ["blue", "house"]])
    >>> starts, items, scores, rarities = index.term_postings(["red", "house"])
    >>> starts.tolist(), items.tolist()
    ([0, 1, 3], [0, 0, 1])
    """

    def __init__(self, token_lists: Iterable[Sequence[str]] = (), *, bm25: Bm25 | None = None) -> None:
        self._bm25 = bm25 or Bm25()
        self._token_numbers: dict[str, int] = {}
        self._segments: list[Postings] = []
        self.lengths = np.zeros(0, dtype=np.float32)
        self._is_live = np.zeros(0, dtype=np.bool_)
        self._live_count = 0
        self._settle()
        self.append(token_lists)

    @property
    def count(self) -> int:
        """How many item numbers are in use, those of removed items included."""
        return self.lengths.size

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        arrays = sum(segment.bytes_held for segment in self._segments)
        worths = sum(worth.nbytes for worth in self._worths or ())
        return arrays + worths + self.lengths.nbytes + self._is_live.nbytes + _TOKEN_BYTES * len(self._token_numbers)

    def state(self) -> Arrays:
        """Return all it knows of live items, as arrays that nothing changes later; compacted before, if need be."""
        if self._live_count < self.count:
            self.compact()
        arrays: dict[str, npt.NDArray[Any]] = {"vocabulary": packed(list(self._token_numbers)), "lengths": self.lengths}
        for at, segment in enumerate(self._segments):
            arrays |= {f"{name}-{at}": getattr(segment, name) for name in _ARRAYS}
        return arrays

    @classmethod
    def restored(cls, state: Arrays) -> LexicalIndex:
        """Make one from another's ``state``; its arrays are not copied."""
        index = cls()
        index._token_numbers = {token: number for number, token in enumerate(unpacked(state["vocabulary"]))}
        count = sum(name.startswith("starts-") for name in state)
        index._segments = [Postings(**{name: state[f"{name}-{at}"] for name in _ARRAYS}) for at in range(count)]
        index.lengths = state["lengths"]
        index._is_live = np.ones(index.lengths.size, dtype=np.bool_)
        index._live_count = index.lengths.size
        return index

    def append(self, token_lists: Iterable[Sequence[str]]) -> range:
        """Add items and return their numbers.

        Costs O(tokens · log items) over the index's life, plus a copy of 9 bytes an item for each call: append in
        batches.
        """
        lists = list(token_lists)
        lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
        words = np.fromiter(map(_words, lists), dtype=np.float32, count=len(lists))
        numbers = range(self.count, self.count + len(lists))
        if lengths.any():
            vocabulary = self._token_numbers
            tokens = np.fromiter(
                (vocabulary.setdefault(token, len(vocabulary)) for token in chain.from_iterable(lists)),
                dtype=np.int64,
                count=int(lengths.sum()),
            )
            items = np.repeat(np.arange(numbers.start, numbers.stop, dtype=np.int64), lengths)
            keys, counts = np.unique(tokens << ITEM_BITS | items, return_counts=True)
            self._segments.append(Postings.of(keys, counts.astype(np.float32)))
            while len(self._segments) > 1 and self._segments[-2].items.size < 2 * self._segments[-1].items.size:
                self._segments[-2:] = [merge(self._segments[-2:])]
        self.lengths = np.concatenate((self.lengths, words))
        self._is_live = np.concatenate((self._is_live, np.ones(len(lists), dtype=np.bool_)))
        self._live_count += len(lists)
        self._settle()
        return numbers

    def remove(self, items: Iterable[int]) -> None:
        """Remove items from every score and statistic; removing one twice changes nothing.

        Costs O(items removed). Their postings and tokens stay in memory until ``compact``.

        Raises:
            InvalidValue: A number is not that of an item.
        """
        removed = np.unique(np.fromiter(items, dtype=np.int64))
        unknown = removed[(removed < 0) | (removed >= self.count)]
        if unknown.size:
            raise InvalidValue(f"{unknown[0]} is not an item of this index: use numbers from 0 to {self.count - 1}.")
        leaving = removed[self._is_live[removed]]
        self._is_live[leaving] = False
        self._live_count -= leaving.size
        self._settle()

    def compact(self) -> Int32s:
        """Drop removed items and unused tokens, and renumber the rest in the same order.

        Costs a few passes over all postings: about 0.1 s for 4 million.

        Returns:
            The old number of each item by its new one, shape (live items,).
        """
        kept = np.flatnonzero(self._is_live).astype(np.int32)
        new_numbers = np.cumsum(self._is_live, dtype=np.int64) - 1
        merged = merge(self._segments)
        stays, keys = self._is_live[merged.items], merged.keys
        keys = keys[stays]
        is_used = np.zeros(len(self._token_numbers), dtype=np.bool_)
        is_used[keys >> ITEM_BITS] = True
        new_tokens = np.cumsum(is_used, dtype=np.int64) - 1
        # Both numberings keep the order, so what was sorted stays sorted.
        keys = new_tokens[keys >> ITEM_BITS] << ITEM_BITS | new_numbers[merged.items[stays]]
        renamed = zip(self._token_numbers, is_used.tolist(), new_tokens.tolist(), strict=True)
        self._token_numbers = {token: new for token, used, new in renamed if used}
        self._segments = [Postings.of(keys, merged.counts[stays])] if keys.size else []
        self._settle()
        self.lengths = self.lengths[kept]
        self._is_live = np.ones(kept.size, dtype=np.bool_)
        return kept

    def term_postings(
        self, tokens: Sequence[str], *, among: Bools | None = None
    ) -> tuple[Int64s, Int32s, Float32s, Float32s]:
        """Return each token's score on the items that hold it, as rows one after the other.

        With N live items, n of them holding the token, c its occurrences in an item of length l, L the usual length::

            rarity(n, N) · c / (c + k1 · (1 − b + b · l / L))

        Costs O(tokens · log² tokens + postings of the tokens), and a pass over the items where some are left out.

        Args:
            tokens: As the analyser returned them; one that no item holds has an empty row, a repeated one a row each.
            among: The items to score and to count, as if there were no others, shape (items,); None for all.

        Returns:
            Where each row begins and the end of the last, shape (tokens + 1,); item numbers, rising within a row;
            scores, above 0; the rarity of each token, which its scores never reach, shape (tokens,).
        """
        stated = self._stated(among)
        rows = [self._row(token, stated) for token in tokens]
        rarities = np.array([rarity(items.size, stated.count) for items, _ in rows], dtype=np.float32)
        starts = starts_of(np.array([items.size for items, _ in rows], dtype=np.int64))
        items = np.concatenate([np.zeros(0, dtype=np.int32), *(items for items, _ in rows)])
        scores = np.concatenate([np.zeros(0, dtype=np.float32), *(scores for _, scores in rows)])
        return starts, items, scores * np.repeat(rarities, np.diff(starts)), rarities

    def _settle(self) -> None:
        """Discard what was derived from the statistics."""
        self._norms: Float32s | None = None
        self._worths: list[Float32s] | None = None
        self._postings_read = 0

    def _row(self, token: str, among: _Among) -> tuple[Int32s, Float32s]:
        number = self._token_numbers.get(token)
        rows = [] if number is None else [(at, segment.row(number)) for at, segment in enumerate(self._segments)]
        items, worths = _joined([(self._segments[at].items[row], self._worth(at, row, among)) for at, row in rows])
        if among.is_in is not None:
            is_in = among.is_in[items]
            items, worths = items[is_in], worths[is_in]
        self._postings_read += items.size
        return items, worths

    def _worth(self, at: int, row: slice, among: _Among) -> Float32s:
        """Return ``c / (c + norm)`` of a row of a segment."""
        if among.is_in is None and self._worths is not None:
            return self._worths[at][row]
        return _worths(self._segments[at].items[row], self._segments[at].counts[row], among.norms)

    def _stated(self, among: Bools | None) -> _Among:
        """Return which items count, and keep what every posting is worth where that will have paid."""
        if among is not None:
            is_in = self._is_live & among
            return self._among(int(is_in.sum()), is_in)
        if self._live_count < self.count:
            return self._among(self._live_count, self._is_live)
        if self._norms is None:
            self._norms = self._among(self._live_count, None).norms
        if self._worths is None and self._postings_read > sum(segment.items.size for segment in self._segments):
            merged = merge(self._segments)
            self._segments, self._worths = [merged], [_worths(merged.items, merged.counts, self._norms)]
        return _Among(count=self._live_count, norms=self._norms, is_in=None)

    def _among(self, count: int, is_in: Bools | None) -> _Among:
        k1, b = self._bm25.k1, self._bm25.b
        relative_length = self.lengths / self._bm25.usual_length
        return _Among(count=count, norms=(k1 * (1.0 - b + b * relative_length)).astype(np.float32), is_in=is_in)


def rarity(holding: int, count: int) -> float:
    """Return the information, in nats, that a text holds a token, where some of the items hold it.

    ``-log((n + P · p) / (N + P))``: the share of the items that hold it, drawn towards what is usual of a word in
    P = 200 texts unknown, p = 0.01 of them holding it. Over few texts a share says nothing: without them, a word that one of
    five facts holds by chance would count for as much as meaning does. Chosen on stores of 5 to 600 items
    (P from 50 to 1,000 and p from 0.002 to 0.03 move recall by less than a point).

    >>> round(rarity(1, 5), 1), round(rarity(1, 100_000), 1)
    (4.2, 10.4)
    """
    return -math.log((holding + _USUAL * _USUAL_SHARE) / (count + _USUAL))


def _words(tokens: Sequence[str]) -> float:
    """Return how many words some tokens are: of what is written without spaces, two and a half tokens make about one."""
    return len(tokens) - (1.0 - _WORDS_A_PIECE) * sum(token >= _FIRST_UNSPACED for token in tokens)


def _worths(items: Int32s, counts: Float32s, norms: Float32s) -> Float32s:
    worths = norms[items]
    worths += counts
    return np.divide(counts, worths, out=worths)


def _joined(rows: Sequence[tuple[Int32s, Float32s]]) -> tuple[Int32s, Float32s]:
    if len(rows) == 1:
        return rows[0]
    items = np.concatenate([np.zeros(0, dtype=np.int32), *(items for items, _ in rows)])
    return items, np.concatenate([np.zeros(0, dtype=np.float32), *(values for _, values in rows)])


ITEM_BITS = 32
"""How many lower bits of a key are the item's number; the others are the token's."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postings:
    """Postings of some consecutive items, row after row."""

    tokens: Int32s  #: Numbers of the tokens that occur, rising, int32, shape (tokens,).
    #: Where each token's row begins, and the end of the last, int64, shape (tokens + 1,).
    starts: Int64s
    items: Int32s  #: Item numbers, rising within a row, int32, shape (postings,).
    counts: Float32s  #: Occurrences of the token in the item, at least 1, float32, shape (postings,).

    @classmethod
    def of(cls, keys: Int64s, counts: Float32s) -> Postings:
        """Lay out postings by rising keys, ``token number << 32 | item number``."""
        numbers = (keys >> ITEM_BITS).astype(np.int32)
        begins = np.flatnonzero(np.diff(numbers, prepend=-1))
        starts = np.append(begins, keys.size).astype(np.int64)
        # The cast keeps the lower half of the key: the item.
        return cls(tokens=numbers[begins], starts=starts, items=keys.astype(np.int32), counts=counts)

    @property
    def keys(self) -> Int64s:
        """``token number << 32 | item number``, rising, shape (postings,)."""
        return np.repeat(self.tokens.astype(np.int64) << ITEM_BITS, np.diff(self.starts)) | self.items

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self.tokens.nbytes + self.starts.nbytes + self.items.nbytes + self.counts.nbytes

    def row(self, token_number: int) -> slice:
        """Find a token's postings."""
        # A number of another type would have all tokens copied to that type first.
        place = int(np.searchsorted(self.tokens, np.int32(token_number)))
        if place == self.tokens.size or self.tokens[place] != token_number:
            return slice(0, 0)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


def merge(segments: Sequence[Postings]) -> Postings:
    """Lay out several segments as one; no two of them may hold the same key."""
    if len(segments) == 1:
        return segments[0]
    keys = np.concatenate([np.zeros(0, dtype=np.int64), *(segment.keys for segment in segments)])
    counts = np.concatenate([np.zeros(0, dtype=np.float32), *(segment.counts for segment in segments)])
    # Stable sorting finds the runs that are sorted already and only merges them.
    order = np.argsort(keys, kind="stable")
    return Postings.of(keys[order], counts[order])
