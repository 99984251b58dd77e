"""What judges anew how well texts answer a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankFailure:
    """Why there is no judgement that can be used.

    Args:
        reason: Which kind of failure, such as ``timed_out``; not blank.
        detail: What the model or its server said; never of the question or the texts.
    """

    reason: str
    detail: str = ""

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise InvalidValue("A failure's reason is blank: name its kind, such as 'timed_out'.")

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


Reranked: TypeAlias = "npt.NDArray[np.float32] | RerankFailure"
"""A score for each text, float32 of shape (texts,), higher is better; or why there is none."""


class Reranker(Protocol):
    """Judges texts beside the question they may answer: slower than an index and closer to the meaning.

    What it gives is compared within one call only: any scale will do. It may raise; recall then keeps its own order
    and says why. An error of the set-up (``SetupError``) reaches the user.
    """

    @property
    def name(self) -> str:
        """Which model in which version; asking loads nothing heavy."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Give each text's score, in their order, or say why there is none."""
        ...
