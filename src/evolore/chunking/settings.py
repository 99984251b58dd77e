"""Settings of how documents are cut: every number of the chunker and its tiers, and the sizes these are given in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

import numpy as np

from evolore.domain.checks import check_above_zero, check_least, checked_word
from evolore.errors import InvalidValue
from evolore.text.vectors import Int64s

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports.models import Tokenizer

LARGEST_BAND = 256
"""The longest segment that can be considered, in units."""

_SMALLEST_MAX_SIZE = 20


class SizeUnit(StrEnum):
    """What the sizes of chunks are counted in."""

    CHARACTERS = "characters"
    BYTES = "bytes"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """How documents are cut. One set of values serves all languages.

    Raises:
        InvalidValue: A value outside its range.
    """

    #: The length a leaf should have, in ``size_unit``; above ``min_size``, at most ``max_size``.
    target_size: int = 400
    max_size: int = 1000  #: The length no leaf exceeds, in ``size_unit``; at least 20.
    #: Sections shorter than this are joined to their neighbours, and leaves this short are avoided, in ``size_unit``;
    #: at least 0.
    min_size: int = 120
    #: What sizes are counted in: ``characters``, ``bytes`` of UTF-8, or ``tokens`` of a tokenizer, as it cuts the whole
    #: document. The sizes that are set are for characters: set all three with it.
    size_unit: SizeUnit = SizeUnit.CHARACTERS
    #: Where the chunker is given an embedder: nats for a squared distance of 1 between the vector of a sentence and the
    #: mean of its chunk; 0 embeds nothing. Cutting then takes as long as embedding every sentence. Measured with 80
    #: (see the evaluation page).
    embedding_weight: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "size_unit", checked_word(SizeUnit, self.size_unit, "size_unit"))
        check_least(_SMALLEST_MAX_SIZE, max_size=self.max_size)
        if not 0 <= self.min_size < self.target_size <= self.max_size:
            raise InvalidValue(
                f"min_size is {self.min_size}, target_size {self.target_size}, max_size {self.max_size}: "
                "use 0 <= min_size < target_size <= max_size."
            )
        check_least(0, embedding_weight=self.embedding_weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationSettings:
    """How segments are weighed. One set of values serves all languages.

    Raises:
        InvalidValue: A value outside its range.
    """

    #: Pseudo-count of every token of the vocabulary; above 0. Small values make each new token dear.
    alpha: float = 0.5
    #: Price of a boundary as a multiple of ``log N`` nats, N the number of content tokens; at least 0. More makes fewer
    #: segments.
    boundary_price: float = 0.6
    #: With a target, the price is right for segments of this many content tokens and grows with the target: what chance
    #: repetitions save grows with the segment. In tokens, above 0.
    tokens_per_price: float = 37.0
    #: The power of the target's length by which the price grows; at least 0. Below 1, long targets get more boundaries.
    price_growth: float = 0.8
    #: Nats for being off the target length by a factor of e, growing with the square of the logarithm; at least 0.
    #: Without a target it does nothing.
    length_weight: float = 1.0
    #: Share of the code length that counts pairs of characters instead of content tokens in scripts written without
    #: spaces; 0 to below 1. It costs as much time as everything else together.
    pair_weight: float = 0.35
    #: What a content token that is only once in the text, or in a block of it, counts beside those that come again:
    #: it binds nothing together; above 0, at most 1.
    once_weight: float = 0.6
    #: What a cut costs more before a sentence that points back to the one before, as a share of the price; at least 0.
    back_reference_surcharge: float = 0.5
    #: What a cut costs less before a sentence whose content tokens are e times as frequent in the text as tokens are on
    #: average, as a share of the price: sections open by naming what all of it is about. At least 0.
    overview_discount: float = 0.25
    #: Where units have vectors: nats for a squared distance of 1 between a unit's vector and the mean of its segment;
    #: at least 0.
    embedding_weight: float = 80.0
    #: For vectors: how many units the mean of the whole text counts for beside a segment's own; above 0.
    embedding_prior: float = 20.0
    #: For vectors: a boundary's price as a multiple of ``boundary_price``, as vectors add to what each boundary gains;
    #: at least 1.
    embedding_price: float = 2.0
    longest_units: int = 150  #: The longest segment considered, in units; 1 to 256.

    def __post_init__(self) -> None:
        for name in ("alpha", "tokens_per_price", "embedding_prior"):
            check_above_zero(**{name: getattr(self, name)})
        for name in (
            "boundary_price",
            "length_weight",
            "price_growth",
            "back_reference_surcharge",
            "overview_discount",
        ):
            check_least(0, **{name: getattr(self, name)})
        check_least(0, embedding_weight=self.embedding_weight)
        check_least(1, embedding_price=self.embedding_price)
        if not 0 < self.once_weight <= 1:
            raise InvalidValue(f"once_weight is {self.once_weight}: use a weight above 0 and at most 1.")
        if not 0 <= self.pair_weight < 1:
            raise InvalidValue(f"pair_weight is {self.pair_weight}: use a share of at least 0 and below 1.")
        if not 1 <= self.longest_units <= LARGEST_BAND:
            raise InvalidValue(f"longest_units is {self.longest_units}: use 1 to {LARGEST_BAND}.")


DEFAULT_SEGMENTATION = SegmentationSettings()


_LARGEST_ORDER = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """How stretches over ``max_size`` that tier 1 finds no boundary in are cut.

    Raises:
        InvalidValue: A value outside its range.
    """

    #: How many calls of a chat model one document may cost, for rewrites and log-probabilities together; at least 0.
    #: Without a chat model none is made.
    calls_per_document: int = 8
    ngram_order: int = 4  #: The n of the n-grams of characters, 1 to 8.
    #: How far the perplexity curve looks ahead, in characters; at least 10.
    window_characters: int = 150

    def __post_init__(self) -> None:
        check_least(0, calls_per_document=self.calls_per_document)
        check_least(1, ngram_order=self.ngram_order)
        check_least(10, window_characters=self.window_characters)
        if self.ngram_order > _LARGEST_ORDER:
            raise InvalidValue(f"ngram_order is {self.ngram_order}: use 1 to {_LARGEST_ORDER}.")


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """The sizes of the stretches of one text."""

    #: The size of the text before each character and of all of it, rising; shape (characters + 1,). None where every
    #: character counts one.
    before: Int64s | None = None

    def between(self, start: int, end: int) -> int:
        """Return the size of the stretch of text from ``start`` to ``end``."""
        return end - start if self.before is None else int(self.before[end] - self.before[start])

    def steps(self, edges: Int64s) -> Int64s:
        """Return the sizes between neighbouring edges, shape (edges - 1,)."""
        places: Int64s = edges if self.before is None else self.before[edges]
        return np.diff(places)

    def reach(self, start: int, size: int) -> int:
        """Return the farthest end of a stretch from ``start`` that is at most ``size`` long; one character at least."""
        if self.before is None:
            return start + max(1, size)
        return max(start + 1, int(np.searchsorted(self.before, int(self.before[start]) + size, side="right")) - 1)


CHARACTERS = Sizes()


def measure(text: str, unit: SizeUnit, tokenizer: Tokenizer | None) -> Sizes:
    """Measure a text.

    Raises:
        InvalidValue: Tokens are to be counted, and there is no tokenizer.
    """
    steps: Int64s
    match unit:
        case SizeUnit.CHARACTERS:
            return CHARACTERS
        case SizeUnit.BYTES:
            points: npt.NDArray[np.uint32] = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            steps = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)  # noqa: PLR2004 - UTF-8
        case SizeUnit.TOKENS:
            if tokenizer is None:
                raise InvalidValue(
                    'size_unit is "tokens", and there is nothing to count them with: pass Chunker a tokenizer, such '
                    'as TokenizerFile("tokenizer.json"), or set tokenizer to such a file.'
                )
            starts = np.asarray(tokenizer.token_starts(text), np.int64)
            steps = np.bincount(starts, minlength=len(text))[: len(text)].astype(np.int64)
        case _:
            assert_never(unit)
    return Sizes(np.concatenate([[0], np.cumsum(steps)]))
