"""What the shipped embedders' cosines mean in each language, found beforehand."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.models.shipped_intents import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from evolore.ports import EmbeddingModel


def shipped_calibration(model: EmbeddingModel) -> Mapping[Language, Mapping[str, npt.NDArray[np.floating]]]:
    """Read what ``benchmarks/fit_calibration.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: the arrays that ``Calibration.from_arrays`` takes.
    """
    resource = files("evolore.models") / "calibration" / file_name(model)
    if not resource.is_file():
        return {}
    found: dict[Language, dict[str, npt.NDArray[np.floating]]] = {}
    with as_file(resource) as path, np.load(path, allow_pickle=False) as arrays:
        for name in arrays.files:
            language, _, part = name.partition("_")
            found.setdefault(Language(language), {})[part] = arrays[name]
    return found
