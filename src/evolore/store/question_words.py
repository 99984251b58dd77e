"""The words of questions: a number for each word, and each word once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.store.columns import Column
from evolore.store.ragged import places_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_WORD_BYTES = 150
_SPARE = 4096


class QuestionWords:
    """The words of questions that are numbered from 0 without gaps."""

    def __init__(self) -> None:
        self._begins = Column(np.int64)
        self._lengths = Column(np.int64)
        self._values = Column(np.int32)
        self._words: list[str] = []
        self._codes: dict[str, int] = {}

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        columns = (self._begins, self._lengths, self._values)
        return sum(one.bytes_held for one in columns) + _WORD_BYTES * len(self._words)

    def append(self, word_lists: Sequence[Sequence[str]]) -> None:
        """Add questions behind the others."""
        lengths = np.array([len(words) for words in word_lists], dtype=np.int64)
        self._begins.append(len(self._values) + np.cumsum(lengths) - lengths)
        self._lengths.append(lengths)
        self._write([word for words in word_lists for word in words])

    def move_last(self, number: int) -> None:
        """Let the last question take the place of another, which goes."""
        self._begins.move_last(number)
        self._lengths.move_last(number)
        if len(self._values) > 2 * int(self._lengths.rows.sum()) + _SPARE:
            self._tidy()

    def of(self, numbers: npt.NDArray[np.int32]) -> list[frozenset[str]]:
        """Give the words of some questions."""
        begins, lengths = self._begins.rows[numbers].tolist(), self._lengths.rows[numbers].tolist()
        values = self._values.rows
        return [
            frozenset(self._named(values[begin : begin + length]))
            for begin, length in zip(begins, lengths, strict=True)
        ]

    def _named(self, codes: npt.NDArray[np.int32]) -> list[str]:
        places: list[int] = codes.tolist()
        return [self._words[place] for place in places]

    def _write(self, words: Sequence[str]) -> None:
        codes = np.empty(len(words), dtype=np.int32)
        for place, word in enumerate(words):
            code = self._codes.setdefault(word, len(self._words))
            if code == len(self._words):
                self._words.append(word)
            codes[place] = code
        self._values.append(codes)

    def _tidy(self) -> None:
        """Copy what is left together; words that no question has are forgotten."""
        lengths = self._lengths.rows
        self._values.keep(places_in(self._begins.rows, lengths))
        self._begins.rows[:] = np.cumsum(lengths) - lengths
        words = self._named(self._values.rows)
        self._words, self._codes, self._values = [], {}, Column(np.int32)
        self._write(words)
