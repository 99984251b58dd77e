"""Rerankers: a cross-encoder from a folder (extra ``rerank``), or one that a server offers (extra ``openai``)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from typing import cast

import numpy as np

from evolore.domain.chat import ChatFailure
from evolore.domain.model_server import ModelServer
from evolore.errors import InvalidValue
from evolore.models.onnx_pairs import OnnxPairs
from evolore.models.openai_connection import OpenAIConnection, check_key
from evolore.models.openai_messages import HALVES
from evolore.ports import Reranked, RerankFailure

_LABELS = 2


class OnnxReranker:
    """Judges with a cross-encoder in ONNX form: ``model.onnx``, or ``onnx/model.onnx``, beside its ``tokenizer.json``.

    Such a model reads question and text together, and returns one logit, as those trained on MS MARCO and the BGE rerankers
    do; of a model that returns two, the second less the first counts. The model loads on the first call. Calls from
    several threads take turns.

    Args:
        folder: Where the files lie; nothing is downloaded.
        max_tokens: How much of question and text together the model reads, in its tokens, at least 8; of the longer of
            the two the end is left out.
        batch: How many texts are judged at a time, at least 1.
        threads: How many threads a call may take; 0 for what the runtime chooses.

    Raises:
        MissingExtra: What runs the model is not installed.
        InvalidSetting: The folder does not hold both files.
        InvalidValue: A number is out of range.
    """

    def __init__(
        self, folder: str | PathLike[str], *, max_tokens: int = 512, batch: int = 16, threads: int = 0
    ) -> None:
        self._pairs = OnnxPairs(folder, setting="reranker", max_tokens=max_tokens, batch=batch, threads=threads)

    @property
    def name(self) -> str:
        """The folder's name: such a file states no version of itself."""
        return self._pairs.name

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return each text's logit, in their order; or say that the model returns something else.

        Raises:
            InvalidSetting: A file of the model cannot be read.
        """
        columns = self._pairs.logits([(question, text) for text in texts])
        if isinstance(columns, str):
            return RerankFailure(reason="not_offered", detail=columns)
        if columns.shape[1] > _LABELS:
            return RerankFailure(
                reason="not_offered", detail=f"The model returns {columns.shape[1]} numbers a pair, not one."
            )
        if not len(columns):
            return columns.reshape(0)
        return columns[:, -1] - columns[:, 0] if columns.shape[1] == _LABELS else columns[:, 0]


_MOST_REPLY_BYTES = 4_000_000
"""Some servers send the texts back, even if asked not to."""


class HttpReranker:
    """Judges with a cross-encoder that a server offers: Jina, Cohere, vLLM, llama.cpp, and gateways before them.

    One judgement is one call, and made once: somebody waits, and recall keeps its own order where there is none. Threads may
    share it.

    Args:
        server: Where it is: ``/rerank`` is put behind its address.
        key: The key; None for a server that wants none.

    Raises:
        InvalidValue: The settings name no model or no address, or the key has signs that no key has.
    """

    def __init__(self, server: ModelServer, *, key: str | None = None) -> None:
        if not (server.model and server.base_url):
            raise InvalidValue(
                "rerank.model and rerank.base_url are needed both: name the model and its server's address."
            )
        check_key(key)
        self._server, self._key = server, key

    def __repr__(self) -> str:
        """Show the model and its address, and no key."""
        return f"HttpReranker({self._server.model!r}, base_url={self._server.base_url!r})"

    @property
    def name(self) -> str:
        """The model's name as its server knows it; asking calls nothing."""
        return self._server.model

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return each text's relevance as the server scores it, in their order, or say why there is none."""
        if not texts:
            return np.empty(0, dtype=np.float32)
        body = {
            "model": self._server.model,
            "query": question.translate(HALVES),
            "documents": [text.translate(HALVES) for text in texts],
            "top_n": len(texts),
        }
        with OpenAIConnection(self._server, key=self._key, most_reply_bytes=_MOST_REPLY_BYTES) as connection:
            answer = connection.answered("/rerank", body, [question, *texts])
        if isinstance(answer, ChatFailure):
            return RerankFailure(reason=answer.kind.value, detail=answer.detail)
        return read_scores(answer, texts=len(texts))


def read_scores(body: bytes, *, texts: int) -> Reranked:
    """Read the scores from what a rerank endpoint answered, in the order of their ``index``."""
    try:
        listed = cast("dict[str, list[dict[str, object]]]", json.loads(body))["results"]
        found = {cast("int", one["index"]): float(cast("float", one["relevance_score"])) for one in listed}
    except (ValueError, TypeError, KeyError, RecursionError):
        return RerankFailure(reason="failed", detail=f"The answer of {len(body)} bytes is no list of scores.")
    if len(listed) != texts or set(found) != set(range(texts)):
        return RerankFailure(reason="failed", detail=f"{texts} texts got scores for {len(found)} of them.")
    with np.errstate(over="ignore"):  # recall refuses what is not finite, from any source
        return np.array([found[index] for index in range(texts)], dtype=np.float64).astype(np.float32)
