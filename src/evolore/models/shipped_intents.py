"""Where the shipped embedders put the intents, found beforehand: embedding the prototypes takes E5 some 3 s."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from evolore.ports import EmbeddingModel


def shipped_intents(model: EmbeddingModel) -> Mapping[Language, npt.NDArray[np.float32]]:
    """Read what ``benchmarks/fit_intents.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: the prototypes' centre, then the direction of each intent, shape (1 + intents, dimension).
    """
    resource = files("evolore.models") / "intents" / file_name(model)
    if not resource.is_file():
        return {}
    with as_file(resource) as path, np.load(path, allow_pickle=False) as arrays:
        return {Language(name): arrays[name].astype(np.float32) for name in arrays.files if name in set(Language)}


def file_name(model: EmbeddingModel) -> str:
    """Name the file of a model.

    >>> from evolore.ports import EmbeddingModel
    >>> file_name(EmbeddingModel(id="maker/model-1", dimension=8))
    'maker--model-1.npz'
    """
    return f"{model.id.replace('/', '--')}.npz"
