"""The calibrations at hand: what ships for a model, and what was fitted to a namespace's own texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from evolore.ports import EmbeddingModel, StoredCalibration
    from evolore.ports.changes import Parameters

    Arrays = Mapping[str, npt.NDArray[np.floating]]
    Shipped = Callable[[EmbeddingModel], Mapping[Language, Arrays]]


def nothing_shipped(model: EmbeddingModel) -> Mapping[Language, Arrays]:  # noqa: ARG001 - stands in for one that looks
    """Say of every model that nobody calibrated it beforehand."""
    return {}


class Calibrations:
    """What ships for models, each read when it is first asked for.

    Args:
        shipped: Gives what was found beforehand for a model, by language, as ``Calibration.from_arrays`` takes it.
    """

    def __init__(self, shipped: Shipped = nothing_shipped) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, dict[Language, Calibration]] = {}

    def shipped(self, model: EmbeddingModel, language: Language) -> Calibration:
        """Give what holds before anything was fitted: that of the language, else of English, else an unknown one."""
        if model not in self._known:
            self._known[model] = {
                known: Calibration.from_arrays(arrays) for known, arrays in self._shipped(model).items()
            }
        known = self._known[model]
        fallback = known.get(Language.EN) or Calibration.unknown(model.dimension)
        return known.get(language, fallback)


class Scales:
    """The calibrations that hold in a namespace: what was fitted to it, and else what ships.

    Args:
        calibrations: What ships.
        model: The namespace's embedding model.
        stored: What was fitted.
    """

    def __init__(
        self, calibrations: Calibrations, model: EmbeddingModel, stored: Mapping[Language, StoredCalibration]
    ) -> None:
        self._calibrations = calibrations
        self._model = model
        self._stored = stored
        self._read: dict[Language, Calibration] = {}

    def of(self, language: Language) -> Calibration:
        """Give that of a language."""
        if language not in self._read:
            stored = self._stored.get(language)
            self._read[language] = (
                self._calibrations.shipped(self._model, language)
                if stored is None
                else Calibration.from_arrays(from_parameters(stored.parameters))
            )
        return self._read[language]


def to_parameters(calibration: Calibration) -> Parameters:
    """Give a calibration as JSON holds it: numbers come back to the last bit."""
    return {name: array.astype(np.float64).tolist() for name, array in calibration.to_arrays().items()}


def from_parameters(parameters: Parameters) -> Arrays:
    """Give a calibration's arrays as ``Calibration.from_arrays`` takes them."""
    return {name: np.array(values, dtype=np.float64) for name, values in parameters.items()}
