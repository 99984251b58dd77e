"""What a cosine between two vectors of an embedder means in a language: its scale, found from texts without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.errors import InvalidValue
from evolore.text.vectors import Floats, Vectors, centred, logistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

FORM_VERSION = 1
"""Changes whenever what is kept of a calibration, or what it means, does."""

_COSINE_DIGITS = 4
_LEAST_COPIES = 2
_S_DUP_FLOOR = 0.7
_ARRAYS = ("form", "centre", "curve", "copies", "texts")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """The scale of an embedder's cosines in one language.

    Raw cosines mean another thing in every model and language: unrelated texts reach 0.2 in one, 0.8 in another.

    Args:
        centre: The mean vector of texts, shape (dimension,).
        slope: How fast the log-odds of one matter rise with the centred cosine, above 0.
        offset: The log-odds at a centred cosine of 0.
        copies: The centred cosines of texts with copies of theirs that miss 15 % of the tokens: evenly spaced
            quantiles, ascending, the least first and the largest last, at least 2.
        texts: How many texts it was fitted on, at least 0.

    Raises:
        InvalidValue: A value is out of range or of another shape.
    """

    centre: Vectors
    slope: float
    offset: float
    copies: Floats
    texts: int

    def __post_init__(self) -> None:
        if not (self.slope > 0.0 and np.isfinite([self.slope, self.offset]).all()):
            raise InvalidValue(f"slope {self.slope} and offset {self.offset} are no curve: give a slope above 0.")
        if self.centre.ndim != 1 or not np.isfinite(self.centre).all():
            raise InvalidValue(f"centre has shape {self.centre.shape}: give one finite vector.")
        if self.copies.ndim != 1 or len(self.copies) < _LEAST_COPIES or bool((np.diff(self.copies) < 0.0).any()):
            raise InvalidValue(f"copies are {self.copies}: give at least {_LEAST_COPIES} cosines in ascending order.")
        if self.texts < 0:
            raise InvalidValue(f"texts is {self.texts}: give at least 0.")

    @classmethod
    def unknown(cls, dimension: int) -> Calibration:
        """Give what stands in for an embedder nobody calibrated: nothing is a copy, and all is one matter.

        So nothing is merged but what is the same, and nothing is split.

        >>> scale = Calibration.unknown(3)
        >>> float(scale.probability(0.0)) > 0.98, float(scale.duplicate_share(0.99))
        (True, 0.0)
        """
        return cls(
            centre=np.zeros(dimension, dtype=np.float32), slope=1.0, offset=5.0, copies=np.array([1.0, 1.0]), texts=0
        )

    def centred(self, vectors: Vectors) -> Vectors:
        """Move unit vectors so that the language's centre lies at the origin, and make them of unit length again."""
        return centred(vectors, self.centre)

    def cosines(self, left: Vectors, right: Vectors) -> Floats:
        """Give the centred cosines of all vectors on the left with all on the right, rounded to 1e-4.

        Embedding a text alone or among others gives vectors that differ by some 1e-7; rounding takes that out.

        Args:
            left: Unit vectors, shape (n, dimension).
            right: Unit vectors, shape (m, dimension).

        Returns:
            Shape (n, m).
        """
        products = self.centred(left).astype(np.float64) @ self.centred(right).astype(np.float64).T
        return np.round(products, _COSINE_DIGITS)

    def log_odds(self, cosines: npt.ArrayLike) -> Floats:
        """Give the log-odds that two texts with a centred cosine are of one matter, in the shape given."""
        return self.slope * np.asarray(cosines, dtype=np.float64) + self.offset

    def probability(self, cosines: npt.ArrayLike) -> Floats:
        """Give the probability that two texts with a centred cosine are of one matter, in the shape given.

        ``P(c) = 1 / (1 + e^-(slope · c + offset))``, rounded to 1e-4.
        """
        return np.round(logistic(self.log_odds(cosines)), _COSINE_DIGITS)

    def duplicate_share(self, cosines: npt.ArrayLike) -> Floats:
        """Give the share of near copies that lie no closer than a centred cosine, in the shape given; 0–1.

        Beyond the nearest copy that was seen it is 1, and 0 before the farthest.
        """
        shares = np.linspace(0.0, 1.0, len(self.copies))
        found = np.interp(np.asarray(cosines, dtype=np.float64), self.copies, shares, left=0.0, right=1.0)
        return np.round(found, _COSINE_DIGITS)

    def s_dup(self, cosines: npt.ArrayLike) -> Floats:
        """Give the similarity on which the seed's 0.85 for merging lies: ``0.7 + 0.3 · duplicate_share``; 0.7–1."""
        return np.round(_S_DUP_FLOOR + (1.0 - _S_DUP_FLOOR) * self.duplicate_share(cosines), _COSINE_DIGITS)

    def to_arrays(self) -> dict[str, npt.NDArray[np.floating]]:
        """Give what ``from_arrays`` reads, to keep it: the same calibration, to the last bit."""
        return {
            "form": np.array([FORM_VERSION], dtype=np.float64),
            "centre": self.centre,
            "curve": np.array([self.slope, self.offset]),
            "copies": self.copies,
            "texts": np.array([self.texts], dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.floating]]) -> Calibration:
        """Read what ``to_arrays`` gave.

        Raises:
            InvalidValue: An array is missing, or was written in another form.
        """
        missing = [name for name in _ARRAYS if name not in arrays]
        if missing:
            raise InvalidValue(f"A calibration lacks {', '.join(missing)}: calibrate again.")
        if int(arrays["form"][0]) != FORM_VERSION:
            raise InvalidValue(f"A calibration has form {int(arrays['form'][0])}, not {FORM_VERSION}: calibrate again.")
        slope, offset = arrays["curve"].tolist()
        return cls(
            centre=np.asarray(arrays["centre"], dtype=np.float32),
            slope=slope,
            offset=offset,
            copies=np.asarray(arrays["copies"], dtype=np.float64),
            texts=int(arrays["texts"][0]),
        )
