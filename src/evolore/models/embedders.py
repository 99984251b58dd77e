"""The embedders by name, shared by a process, and what was found beforehand for those that ship."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from importlib.resources import as_file, files
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.models.turns import Turns
from evolore.ports import Embedder, EmbeddingModel, TextRole, Vectors
from evolore.text.vectors import Float32s


def embedder_named(given: Embedder | str) -> Embedder:
    """Return the embedder of a name that needs no settings, one for all who ask, or the one that is given itself.

    >>> embedder_named("use").model.dimension
    512
    """
    match given:
        case "use":
            from evolore.models.use import UseEmbedder  # noqa: PLC0415 - only the one that is asked for is imported

            return shared(UseEmbedder)
        case "e5":
            from evolore.models.e5 import E5Embedder  # noqa: PLC0415 - likewise

            return shared(E5Embedder)
        case "use+e5":
            return shared(JoinedEmbedder, embedder_named("use"), embedder_named("e5"), share=0.4)
        case str():
            raise InvalidValue(
                f"embedder is {given!r}: choose 'use', 'e5', 'use+e5', 'openai', 'model2vec', or an embedder of your own."
            )
        case _:
            return given


class JoinedEmbedder:
    """Two embedders that ship, side by side: a cosine is the mean of theirs, each without what all its vectors have in common.

    So that neither speaks louder than the other, the centre of each is taken out: then the cosines of statements have a standard
    deviation of 0.08 with the default embedder and of 0.09 with E5, where they had 0.08 and 0.04. They err on other texts,
    so that both find more together than either. It takes the time of both.

    Args:
        first: One embedder.
        second: Another.
        share: What the first counts for, above 0 and below 1. For ``use+e5`` it is 0.4: of 0.2 to 0.7 it found most of
            ``tests/data/paraphrases``, visible half (first of 40: 83 %; with 0.3 and 0.5 82 %), and on MADial no less than E5.
    """

    def __init__(self, first: Embedder, second: Embedder, *, share: float) -> None:
        self._parts = tuple(
            (one, _centre(one.model), part**0.5) for one, part in ((first, share), (second, 1.0 - share))
        )
        one, other = first.model, second.model
        self._model = EmbeddingModel(
            id=f"joined-{share}/{one.id.rpartition('/')[2]}+{other.id.rpartition('/')[2]}",
            dimension=one.dimension + other.dimension,
        )

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing heavy."""
        return self._model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Return unit vectors of shape (texts, both dimensions), float32, in the order of the texts."""
        found: list[Vectors] = []
        for embedder, centre, weight in self._parts:
            vectors = embedder.embed(texts, role=role) - centre
            vectors *= weight / np.linalg.norm(vectors, axis=1, keepdims=True)
            found.append(vectors)
        return np.concatenate(found, axis=1)


def _centre(model: EmbeddingModel) -> Float32s:
    """Return the mean of the centres that ship for a model's languages, shape (dimension,); 0 for one of which none does."""
    centres = [arrays["centre"] for arrays in shipped_calibration(model).values()]
    return np.asarray(np.mean(centres or [0.0], axis=0), dtype=np.float32)


P = ParamSpec("P")
Model = TypeVar("Model")


_turns = Turns()
_known: WeakValueDictionary[tuple[object, Hashable], Any] = WeakValueDictionary()
_last: dict[object, object] = {}


def shared(make: Callable[P, Model], *args: P.args, **kwargs: P.kwargs) -> Model:
    """Return the model that was made so before, or make it: the same settings return the same model.

    A model lives as long as somebody holds it, and the last one of each kind as long as the process, so that memories
    which are opened one after the other do not load it again. It has to be safe to use from several threads.

    >>> class Model: ...
    >>> shared(Model) is shared(Model)
    True

    Args:
        make: What makes it, usually its class.
        *args: Its settings; they can be hashed.
        **kwargs: Its named settings; they can be hashed too.
    """
    settings = (args, tuple(sorted(kwargs.items())))
    with _turns:
        model = _known.get((make, settings))
        if model is None:
            model = make(*args, **kwargs)
            _known[make, settings] = model
        _last[make] = model
        return model


def shipped_matter(model: EmbeddingModel) -> Mapping[str, Float32s]:
    """Read what ``benchmarks/fit_matter.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: the centre of its texts, shape (dimension,). And what ``benchmarks/fit_succession.py`` found of newer
        accounts, as ``Succession.from_arrays`` takes it.
    """
    return {name: array.astype(np.float32) for name, array in _shipped("matter", model).items()}


def shipped_calibration(model: EmbeddingModel) -> Mapping[Language, Mapping[str, npt.NDArray[np.floating]]]:
    """Read what ``benchmarks/fit_calibration.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: the arrays that ``Calibration.from_arrays`` takes.
    """
    found: dict[Language, dict[str, npt.NDArray[np.floating]]] = {}
    for name, array in _shipped("calibration", model).items():
        language, _, part = name.partition("_")
        found.setdefault(Language(language), {})[part] = array
    return found


def shipped_arousal(model: EmbeddingModel) -> Mapping[Language, Float32s]:
    """Read what ``benchmarks/fit_arousal.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: an ``ArousalSpace``.
    """
    return {Language(name): array for name, array in _shipped("arousal", model).items() if name in set(Language)}


def shipped_intents(model: EmbeddingModel) -> Mapping[Language, Float32s]:
    """Read what ``benchmarks/fit_intents.py`` found for a model: nothing for one that does not ship with Evolore.

    Returns:
        By language: the prototypes' centre, then the direction of each intent, shape (1 + intents, dimension).
    """
    shipped = _shipped("intents", model)
    return {Language(name): array.astype(np.float32) for name, array in shipped.items() if name in set(Language)}


def _shipped(kind: str, model: EmbeddingModel) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of a kind that ship for a model; none for others."""
    resource = files("evolore.models") / kind / file_name(model)
    if not resource.is_file():
        return {}
    with as_file(resource) as path, np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def file_name(model: EmbeddingModel) -> str:
    """Name the file of a model.

    >>> from evolore.ports import EmbeddingModel
    >>> file_name(EmbeddingModel(id="maker/model-1", dimension=8))
    'maker--model-1.npz'
    """
    return f"{model.id.replace('/', '--')}.npz"
