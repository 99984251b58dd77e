"""Static embeddings from a folder of the user's own, by ``model2vec``: a vector a token, and no network to run; no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from evolore.errors import InvalidSetting, MissingExtra
from evolore.models.turns import Turns
from evolore.ports import EmbeddingModel, TextRole, Vectors

if TYPE_CHECKING:
    from model2vec import StaticModel

_FILES = (
    ("config.json", ""),
    ("config_sentence_transformers.json", ""),
    ("config_sentence_transformers.json", "0_StaticEmbedding"),
)
"""Where the description lies, and in which folder the weights and the tokenizer, as Model2Vec and sentence-transformers save."""
_WEIGHTS, _TOKENIZER = "model.safetensors", "tokenizer.json"
_TABLES = ("embeddings", "embedding.weight")
_MOST_HEADER_BYTES = 1_000_000
_EDGE_BYTES = 1 << 20


class StaticEmbedder:
    """Embeds a text as the mean of its tokens' vectors: some hundred times as fast as a network, and knows less.

    Any model that Model2Vec saved, such as the potion models. It is read on the first call. Queries and passages are embedded
    alike. A text of which the model knows no token gets the same direction as any other such text.

    Args:
        folder: Where the files lie; nothing is downloaded.

    Raises:
        MissingExtra: ``model2vec`` is not installed.
        InvalidSetting: The folder holds no such model.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        if find_spec("model2vec") is None:
            raise MissingExtra('The embedder "model2vec" needs an extra: run pip install "evolore[model2vec]".')
        self._folder = Path(folder)
        self._model = _described(self._folder)
        self._turns = Turns()
        self._loaded: StaticModel | None = None

    def __reduce__(self) -> tuple[type[StaticEmbedder], tuple[Path]]:
        """Be read again by the process that it is handed to."""
        return StaticEmbedder, (self._folder,)

    @property
    def model(self) -> EmbeddingModel:
        """The folder's name, a digest of its files, and the dimension; asking reads the edges of the files."""
        return self._model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:  # noqa: ARG002 - both roles are embedded alike
        """Return unit vectors of shape (texts, dimension), float32, in the order of the texts."""
        if not texts:
            return np.empty((0, self._model.dimension), dtype=np.float32)
        with self._turns:
            found = self._load().encode(
                [text.encode("utf-8", "replace").decode() for text in texts], use_multiprocessing=False
            )
        vectors = np.asarray(found, dtype=np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[norms[:, 0] == 0.0, 0] = 1.0
        return (vectors / np.where(norms == 0.0, 1.0, norms)).astype(np.float32)

    def _load(self) -> StaticModel:
        if self._loaded is None:
            from model2vec import StaticModel  # noqa: PLC0415 - an extra, and slow to import

            try:
                self._loaded = StaticModel.from_pretrained(self._folder)
            except Exception as error:  # the library raises nothing narrower
                raise InvalidSetting(f"The model in {str(self._folder)!r} cannot be read: {error}.") from error
        return self._loaded


def _described(folder: Path) -> EmbeddingModel:
    """Name the model of a folder by what its files hold."""
    for config, inner in _FILES:
        files = (folder / config, folder / inner / _TOKENIZER, folder / inner / _WEIGHTS)
        if all(one.is_file() for one in files):
            dimension = _dimension(files[-1])
            digest = blake2b(digest_size=6)
            for one in files:
                digest.update(_edges(one))
            return EmbeddingModel(
                id=f"model2vec/{folder.resolve().name}-{digest.hexdigest()}/{dimension}", dimension=dimension
            )
    raise InvalidSetting(
        f"model2vec is {str(folder)!r}, which does not hold {_WEIGHTS}, {_TOKENIZER} and config.json: name the folder of a "
        "model that Model2Vec saved; nothing is downloaded."
    )


def _edges(file: Path) -> bytes:
    """Return a file's size, beginning and end: what distinguishes two models without reading all of both."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        first = opened.read(_EDGE_BYTES)
        opened.seek(max(0, size - _EDGE_BYTES))
        return size.to_bytes(8, "little") + first + opened.read(_EDGE_BYTES)


def _dimension(weights: Path) -> int:
    """Read how long the vectors are from the header of a safetensors file: its length in 8 bytes, then JSON."""
    with weights.open("rb") as opened:
        header = opened.read(min(int.from_bytes(opened.read(8), "little"), _MOST_HEADER_BYTES))
    try:
        tensors = cast("Mapping[str, Mapping[str, Sequence[int]]]", json.loads(header))
        (_, dimension) = next(tensors[name]["shape"] for name in _TABLES if name in tensors)
    except (ValueError, TypeError, KeyError, StopIteration) as error:
        raise InvalidSetting(
            f"{str(weights)!r} holds no table of vectors: name a model that Model2Vec saved."
        ) from error
    return dimension
