"""Where the shipped embedders put texts of each language, and how near two about one matter lie, found beforehand."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np

from evolore.models.shipped_intents import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from evolore.ports import EmbeddingModel


def shipped_matter(model: EmbeddingModel) -> Mapping[str, npt.NDArray[np.float32]]:
    """Read what ``benchmarks/fit_matter.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: the centre of its texts, shape (dimension,). Under ``curve``: slope and offset of the probability
        that two texts with a centred cosine are about the same matter. What ``benchmarks/fit_succession.py`` found of
        newer accounts, as ``Succession.from_arrays`` takes it.
    """
    resource = files("evolore.models") / "matter" / file_name(model)
    if not resource.is_file():
        return {}
    with as_file(resource) as path, np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}
