"""Rerankers behind an address that answers ``/rerank`` as Jina's and Cohere's do; the extra ``openai``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import numpy as np

from evolore.domain.chat import ChatFailure
from evolore.domain.model_server import ModelServer
from evolore.errors import InvalidValue
from evolore.models.openai_connection import OpenAIConnection, check_key
from evolore.models.openai_messages import HALVES
from evolore.ports import Reranked, RerankFailure

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
        self._server = server
        self._key = key

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
    """Read the scores from what a rerank endpoint answered, in the order of their ``index``.

    Args:
        body: What it answered.
        texts: How many texts it was given.
    """
    try:
        listed = cast("dict[str, list[dict[str, object]]]", json.loads(body))["results"]
        found = {cast("int", one["index"]): float(cast("float", one["relevance_score"])) for one in listed}
    except (ValueError, TypeError, KeyError, RecursionError):
        return RerankFailure(reason="failed", detail=f"The answer of {len(body)} bytes is no list of scores.")
    if len(listed) != texts or set(found) != set(range(texts)):
        return RerankFailure(reason="failed", detail=f"{texts} texts got scores for {len(found)} of them.")
    with np.errstate(over="ignore"):  # recall refuses what is not finite, from any source
        return np.array([found[index] for index in range(texts)], dtype=np.float64).astype(np.float32)
