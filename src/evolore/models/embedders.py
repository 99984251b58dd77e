"""The embedders by name, shared by a process, and what was found beforehand for those that ship."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.models.turns import Turns

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports import Embedder, EmbeddingModel


def embedder_named(given: Embedder | str) -> Embedder:
    """Give the embedder of a name that needs no settings, one for all who ask, or the one that is given itself.

    >>> embedder_named("use").model.dimension
    512

    Raises:
        InvalidValue: No embedder has the name.
        MissingExtra: Its extra is not installed.
    """
    match given:
        case "use":
            from evolore.models.use import UseEmbedder  # noqa: PLC0415 - only the one that is asked for is imported

            return shared(UseEmbedder)
        case "e5":
            from evolore.models.e5 import E5Embedder  # noqa: PLC0415 - likewise

            return shared(E5Embedder)
        case str():
            raise InvalidValue(
                f"embedder is {given!r}: give 'use', 'e5', 'openai', 'model2vec', or an embedder of your own."
            )
        case _:
            return given


P = ParamSpec("P")
Model = TypeVar("Model")


_turns = Turns()
_known: WeakValueDictionary[tuple[object, Hashable], Any] = WeakValueDictionary()
_last: dict[object, object] = {}


def shared(make: Callable[P, Model], *args: P.args, **kwargs: P.kwargs) -> Model:
    """Give the model that was made so before, or make it: the same settings give the same model.

    A model lives as long as somebody holds it, and the last one of each kind as long as the process, so that memories
    which are opened one after the other do not load it anew. It has to be safe to use from several threads.

    >>> class Model: ...
    >>> shared(Model) is shared(Model)
    True

    Args:
        make: What makes it, usually its class.
        *args: Its settings; they can be hashed.
        **kwargs: Likewise.
    """
    settings = (args, tuple(sorted(kwargs.items())))
    with _turns:
        model = _known.get((make, settings))
        if model is None:
            model = make(*args, **kwargs)
            _known[make, settings] = model
        _last[make] = model
        return model


def shipped_matter(model: EmbeddingModel) -> Mapping[str, npt.NDArray[np.float32]]:
    """Read what ``benchmarks/fit_matter.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: the centre of its texts, shape (dimension,). And what ``benchmarks/fit_succession.py`` found of newer
        accounts, as ``Succession.from_arrays`` takes it.
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
        By language: an ``ArousalSpace``.
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
