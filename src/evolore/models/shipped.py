"""What was found beforehand for the shipped embedders, because it takes some 3 to 10 s: intents, arousal, matter, cosines."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language

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
