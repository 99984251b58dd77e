"""Protocol for judging whether one text follows from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class EntailmentLabel(StrEnum):
    """What a hypothesis is to its premise; the order of the columns of ``Entailed``."""

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentFailure:
    """Why there is no judgement that can be used."""

    reason: str  #: Which kind of failure, such as ``timed_out``; not blank.
    detail: str = ""  #: What the model or its server said; never of the texts.

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise InvalidValue("A failure's reason is blank: name its kind, such as 'timed_out'.")

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


Entailed: TypeAlias = "npt.NDArray[np.float32] | EntailmentFailure"
"""Probabilities, float32 of shape (pairs, 3), columns as ``EntailmentLabel`` lists them; or why there are none."""


class Entailment(Protocol):
    """Decides for pairs of texts whether the second follows from the first, says another thing, or contradicts it."""

    @property
    def name(self) -> str:
        """Which model in which version; asking loads nothing heavy."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Entailed:
        """Return the probabilities of each pair of a premise and a hypothesis, in their order, or say why there are none."""
        ...
