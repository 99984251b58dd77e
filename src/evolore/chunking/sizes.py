"""How long a stretch of a text is: in characters, bytes or tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import numpy as np

from evolore.chunking.settings import SizeUnit
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports.tokens import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """The sizes of the stretches of one text.

    Args:
        before: The size of the text before each character and of all of it, rising; shape (characters + 1,). None
            where every character counts one.
    """

    before: npt.NDArray[np.int64] | None = None

    def between(self, start: int, end: int) -> int:
        """Give the size of the stretch of text from ``start`` to ``end``."""
        return end - start if self.before is None else int(self.before[end] - self.before[start])

    def steps(self, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Give the sizes between neighbouring edges, shape (edges - 1,)."""
        places: npt.NDArray[np.int64] = edges if self.before is None else self.before[edges]
        return np.diff(places)

    def reach(self, start: int, size: int) -> int:
        """Give the farthest end of a stretch from ``start`` that is at most ``size`` long; one character at least."""
        if self.before is None:
            return start + max(1, size)
        end = int(np.searchsorted(self.before, int(self.before[start]) + size, side="right")) - 1
        return max(start + 1, end)


CHARACTERS = Sizes()


def measure(text: str, unit: SizeUnit, tokenizer: Tokenizer | None) -> Sizes:
    """Measure a text.

    Args:
        text: Any text.
        unit: What sizes are counted in.
        tokenizer: What cuts it into tokens; needed for them alone.

    Raises:
        InvalidValue: Tokens are to be counted, and there is no tokenizer.
    """
    steps: npt.NDArray[np.int64]
    match unit:
        case SizeUnit.CHARACTERS:
            return CHARACTERS
        case SizeUnit.BYTES:
            points: npt.NDArray[np.uint32] = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            steps = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)  # noqa: PLR2004 - UTF-8
        case SizeUnit.TOKENS:
            if tokenizer is None:
                raise InvalidValue(
                    'size_unit is "tokens", and there is nothing to count them with: give Chunker a tokenizer, such '
                    'as TokenizerFile("tokenizer.json"), or set tokenizer to such a file.'
                )
            starts = np.asarray(tokenizer.token_starts(text), np.int64)
            steps = np.bincount(starts, minlength=len(text))[: len(text)].astype(np.int64)
        case _:
            assert_never(unit)
    return Sizes(np.concatenate([[0], np.cumsum(steps)]))
