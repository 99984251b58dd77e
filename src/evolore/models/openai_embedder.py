"""Embedding models behind OpenAI-compatible addresses: OpenAI, Ollama, vLLM, llama.cpp, TEI; the extra ``openai``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Semaphore
from typing import cast

import numpy as np

from evolore.domain.chat import ChatFailure, ChatFailureKind, RetryRule
from evolore.domain.model_server import EmbeddingServer
from evolore.errors import EmbedderBroken, InvalidValue, ServerUnreachable
from evolore.models.openai_connection import OPENAI, OpenAIConnection, check_key
from evolore.models.openai_messages import HALVES
from evolore.models.turns import Turns
from evolore.ports import EmbeddingModel, Pacer, TextRole, Vectors
from evolore.text.vectors import Float64s

_MOST_CHARACTERS_A_CALL = 100_000
"""OpenAI takes 300,000 tokens a call, and a character of Chinese may be two or three."""
_REPLY_BYTES = 1_000_000
_NUMBER_BYTES = 32
"""The longest answer that is read: so many bytes for each number, and a million."""
_LONGEST_VECTOR = 16_384
_PROBE = "dimension"
_TOO_MUCH = frozenset({413, 422})
"""So a server refuses more texts than it takes in a call."""


class OpenAIEmbedder:
    """Embeds by a server's ``/embeddings``.

    Texts are cut into batches, of which some are under way at once. A call that fails for the server's sake, as when it is too
    busy, is made again after a wait; one that it refuses as too large is halved. Every answer is checked: a vector for each text, put in order by its ``index``, all of
    the model's dimension, all numbers finite. They are made of unit length here. Threads may share it, and so may forked
    processes: each call of ``embed`` has connections of its own.

    Args:
        server: Where it is and what it is sent.
        key: The key; None for a server that wants none.
        pacer: Waits between tries; None for one try.

    Raises:
        InvalidValue: The settings name no model, or the key has signs that no key has.
    """

    def __init__(self, server: EmbeddingServer, *, key: str | None = None, pacer: Pacer | None = None) -> None:
        if not server.model:
            raise InvalidValue("embedding.model is empty: name the embedding model as its server knows it.")
        check_key(key)
        self._server, self._key, self._pacer = server, key, pacer
        self._retries = RetryRule(tries=server.tries)
        self._batch = server.batch
        self._slots = Semaphore(server.concurrency)
        self._turns = Turns()
        self._model: EmbeddingModel | None = self._of(server.dimension) if server.dimension else None

    def __repr__(self) -> str:
        """Show the model and its address, and no key."""
        return f"OpenAIEmbedder({self._server.model!r}, base_url={self._server.base_url!r})"

    def __reduce__(self) -> tuple[partial[OpenAIEmbedder], tuple[()]]:
        """Be made again, with the key, by the process that it is handed to."""
        return partial(OpenAIEmbedder, self._server, key=self._key, pacer=self._pacer), ()

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; where the settings state no dimension, the server is called once to see it.

        Raises:
            ServerUnreachable: There is no answer.
            EmbedderBroken: The server refuses, or its answer is of another form.
        """
        with self._turns:
            if self._model is None:
                with self._connected(1) as connection:
                    (vector,) = self._answered(connection, [f"{self._server.passage_prefix}{_PROBE}"])
                self._model = self._of(len(vector))
            return self._model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Return unit vectors of shape (texts, dimension), float32, in the order of the texts.

        Raises:
            ServerUnreachable: There is no answer in time, or the server fails by itself, however often it is tried.
            EmbedderBroken: The server refuses, or its vectors are too few, of another dimension, or hold what is no
                number.
        """
        dimension = self.model.dimension
        if not texts:
            return np.empty((0, dimension), dtype=np.float32)
        batches = list(self._batches([self._sent(text, role) for text in texts]))
        with self._connected(max(map(len, batches))) as connection:
            ask = partial(self._answered, connection, dimension=dimension)
            if len(batches) == 1:
                return ask(batches[0])
            with ThreadPoolExecutor(min(len(batches), self._server.concurrency)) as pool:
                return np.concatenate(list(pool.map(ask, batches)))

    def _of(self, dimension: int) -> EmbeddingModel:
        return EmbeddingModel(id=self._server.model_id(dimension), dimension=dimension)

    def _sent(self, text: str, role: TextRole) -> str:
        prefix = self._server.query_prefix if role is TextRole.QUERY else self._server.passage_prefix
        return f"{prefix}{text[: self._server.most_characters]}".translate(HALVES)

    def _batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """Cut texts where a call holds enough of them, or of their characters."""
        start, characters = 0, 0
        for place, text in enumerate(texts):
            is_full = place - start >= self._batch or characters + len(text) > _MOST_CHARACTERS_A_CALL
            if is_full and place > start:
                yield texts[start:place]
                start, characters = place, 0
            characters += len(text)
        yield texts[start:]

    def _connected(self, texts: int) -> OpenAIConnection:
        numbers = texts * (self._server.dimension or _LONGEST_VECTOR)
        return OpenAIConnection(self._server, key=self._key, most_reply_bytes=_REPLY_BYTES + numbers * _NUMBER_BYTES)

    def _answered(self, connection: OpenAIConnection, texts: Sequence[str], *, dimension: int | None = None) -> Vectors:
        body: dict[str, object] = {"model": self._server.model, "input": list(texts), "encoding_format": "float"}
        if self._server.sends_dimension:
            body["dimensions"] = self._server.dimension
        answer = self._tried(connection, body, texts)
        if answer is None:
            self._batch = middle = len(texts) // 2
            halves = (
                self._answered(connection, half, dimension=dimension) for half in (texts[:middle], texts[middle:])
            )
            return np.concatenate([*halves])
        try:
            return read_vectors(answer, texts=len(texts), dimension=dimension)
        except EmbedderBroken as error:
            raise EmbedderBroken(f"{self._where()} {error}") from None

    def _tried(self, connection: OpenAIConnection, body: dict[str, object], texts: Sequence[str]) -> bytes | None:
        """Ask until there is an answer, as often and after such waits as the settings say; None for too many texts."""
        tried = 0
        while True:
            with self._slots:
                answer = connection.answered("/embeddings", body, texts)
            if not isinstance(answer, ChatFailure):
                return answer
            if answer.status in _TOO_MUCH and len(texts) > 1:
                return None
            tried += 1
            if self._pacer is None or not self._retries.is_worth_it(answer, tried):
                raise self._error(answer, tried)
            self._pacer.wait(self._retries.wait_seconds(tried, answer.retry_after_seconds or 0.0, self._pacer.jitter()))

    def _error(self, failure: ChatFailure, tried: int) -> EmbedderBroken | ServerUnreachable:
        if failure.kind is ChatFailureKind.TIMED_OUT or failure.retry_after_seconds is not None:
            often = f" It was asked {tried} times." if tried > 1 else ""
            return ServerUnreachable(
                f"{self._where()} did not answer: {failure.detail.rstrip('.')}.{often} Check that it runs at the address "
                "in embedding.base_url, and try again; what was embedded before is kept."
            )
        return EmbedderBroken(
            f"{self._where()} refused: {failure.detail.rstrip('.')}. Correct the settings under embedding: model, base_url, "
            "api_key_env, and for texts that are too long for it most_characters."
        )

    def _where(self) -> str:
        return f"The embedding model {self._server.model!r} at {self._server.base_url or OPENAI}"


def read_vectors(body: bytes, *, texts: int, dimension: int | None) -> Vectors:
    """Read the vectors from what an embeddings endpoint answered, in the order of their ``index``.

    Returns:
        Unit vectors, float32, of shape (texts, dimension).

    Raises:
        EmbedderBroken: It is of another form; the message goes on after the model's name.
    """
    found = _rows(body)
    if sorted(found) != list(range(texts)):
        raise EmbedderBroken(
            f"returned vectors with the indexes {_shortly(sorted(found))} for {texts} texts: each wants one, numbered from 0."
        )
    rows = [found[index] for index in range(texts)]
    lengths = {len(row) for row in rows}
    wanted = {dimension or len(rows[0])}
    if lengths != wanted or 0 in lengths:
        raise EmbedderBroken(
            f"returned vectors of {_shortly(sorted(lengths))} numbers, not {next(iter(wanted))}: set embedding.dimension to "
            "what the model returns, and change the store by `evolore store reembed`."
        )
    vectors = np.stack(rows)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(norms).all() and norms.all()):
        raise EmbedderBroken(
            "returned a vector that is all zeros or holds what is no number: see what its server logs."
        )
    return (vectors / norms).astype(np.float32)


def _rows(body: bytes) -> dict[int, Float64s]:
    """Return each vector by its index."""
    try:
        listed = cast("dict[str, list[dict[str, object]]]", json.loads(body))["data"]
        rows = [(one["index"], np.array(one["embedding"], dtype=np.float64)) for one in listed]
    except (ValueError, TypeError, KeyError, RecursionError):
        rows = []
    found = {index: row for index, row in rows if isinstance(index, int) and row.ndim == 1}
    if not rows or len(found) < len(rows):
        raise EmbedderBroken(
            f"answered {len(body)} bytes that are not a list of vectors with an index each: check embedding.base_url."
        )
    return found


def _shortly(numbers: Sequence[int]) -> str:
    few = 8
    return ", ".join(map(str, numbers[:few])) + (", …" if len(numbers) > few else "")
