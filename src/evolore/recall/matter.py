"""How likely two texts are about the same matter, told from their vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.recall.succession import Succession
from evolore.text.vectors import Vectors, centred

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LARGEST_EXPONENT = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatterSpace:
    """Where a model puts texts of each language, and how near two about the same matter lie.

    Raw cosines mean another thing in every model and language: unrelated texts reach 0.2 in one, 0.8 in another.
    Around the centre of their language they mean about the same.

    Args:
        centres: The mean vector of texts of a language, shape (dimension,); for others, the candidates' own mean.
        slope: How fast the probability rises with the centred cosine.
        offset: What is added to that, so that ``P = 1 / (1 + e^-(slope · cosine + offset))``.
        succession: Whether a newer account takes an older one's place.
    """

    centres: Mapping[Language, Vectors] = field(default_factory=dict[Language, Vectors])
    slope: float = 20.0
    offset: float = -4.0
    succession: Succession = field(default_factory=Succession)

    def centred(self, vectors: Vectors, languages: Sequence[Language]) -> Vectors:
        """Move vectors so that their languages' centres lie at the origin, and make them of unit length again.

        Args:
            vectors: Unit vectors, shape (n, dimension).
            languages: Of each, in the same order.
        """
        if not len(vectors):
            return np.asarray(vectors, dtype=np.float32)
        own_mean = vectors.mean(axis=0)
        centres = {language: self.centres.get(language, own_mean) for language in set(languages)}
        return centred(vectors, np.stack([centres[language] for language in languages]))

    def probabilities(self, cosines: Vectors) -> Vectors:
        """Give the probability of the same matter for centred cosines, in their shape; rounded to 1e-4."""
        exponent = np.clip(self.slope * cosines + self.offset, -_LARGEST_EXPONENT, _LARGEST_EXPONENT)
        return np.asarray(np.round(1.0 / (1.0 + np.exp(-exponent)), 4), dtype=np.float32)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Vectors]) -> MatterSpace:
        """Read what was fitted: a centre by a language's name, and slope and offset under ``curve``.

        >>> MatterSpace.from_arrays({}).slope == MatterSpace().slope
        True
        """
        centres = {language: arrays[language.value] for language in Language if language.value in arrays}
        if "curve" not in arrays:
            return cls(centres=centres, succession=Succession.from_arrays(arrays))
        slope, offset = arrays["curve"].tolist()
        return cls(centres=centres, slope=slope, offset=offset, succession=Succession.from_arrays(arrays))
