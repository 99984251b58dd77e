"""Where the shipped embedders put arousal, found beforehand: embedding the rated sentences takes E5 some 10 s."""

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


def shipped_arousal(model: EmbeddingModel) -> Mapping[Language, npt.NDArray[np.float32]]:
    """Read what ``benchmarks/fit_arousal.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: what ``ArousalSpace.to_array`` gives.
    """
    resource = files("evolore.models") / "arousal" / file_name(model)
    if not resource.is_file():
        return {}
    with as_file(resource) as path, np.load(path, allow_pickle=False) as arrays:
        return {Language(name): arrays[name] for name in arrays.files if name in set(Language)}
