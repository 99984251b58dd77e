"""What others offer for remembering and recalling, each behind the calls of ``peer_stores.Store``."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from harness import inside
from peer_stores import HITS, IN_MEMORY, ON_DISK, facts_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.ports import Vectors
    from evolore_evaluation.retrieval_sets import Question, SetItem
    from peer_stores import Place


class Mem0:
    """mem0 without a language model, on Qdrant's local mode."""

    kept = ON_DISK

    def __init__(self, place: Place, *, has_words: bool = False) -> None:
        os.environ["MEM0_DIR"] = str(place.folder / "home")
        mem0: Any = importlib.import_module("mem0")
        unused = {"provider": "openai", "config": {"api_key": "never asked"}}
        store: dict[str, object] = {"collection_name": "bench", "path": str(place.folder / "qdrant"), "on_disk": True}
        store["embedding_model_dims"] = place.embedder.model.dimension
        self._memory = mem0.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": unused,
                "llm": unused,
                "history_db_path": str(place.folder / "history.db"),
            }
        )
        place.ends.callback(self._memory.vector_store.client.close)
        self._memory.embedding_model = self
        self._memory.vector_store._bm25_encoder = keyword_encoder(place.folder) if has_words else False  # noqa: SLF001
        self._place = place

    def embed(self, text: str, action: str | None = None) -> list[float]:
        """Give a known vector, as mem0 asks for it."""
        return (self._place.question(text) if action == "search" else self._place.vectors([text])[0]).tolist()

    def embed_batch(self, texts: Sequence[str], _action: str | None = None) -> list[list[float]]:
        """Give known vectors, as mem0 asks for them."""
        return self._place.vectors(texts).tolist()

    def take(self, items: Sequence[SetItem]) -> None:
        """Add each as a message: only so does its id stay with it."""
        for item in items:
            said = [{"role": "user", "content": text_of(item)}]
            self._memory.add(said, user_id="bench", metadata=facts_of(item), infer=False)

    def ask(self, question: Question) -> list[str]:
        """Search; no result is left out for its score."""
        text = question.query.text
        found = self._memory.search(text, filters={"user_id": "bench"}, top_k=HITS, threshold=0.0)
        return [hit["metadata"]["item"] for hit in found["results"]]


def keyword_encoder(folder: Path) -> Any:  # noqa: ANN401 - fastembed's
    """Make the encoder that mem0 makes, with stop words that need no download."""
    fastembed: Any = importlib.import_module("fastembed")
    stop_words = set(importlib.import_module("bm25s.stopwords").STOPWORDS_EN_PLUS)
    return fastembed.SparseTextEmbedding("Qdrant/bm25", specific_model_path=str(folder), stopwords=stop_words)


class Engram:
    """engram's store on disk, searched as its server does."""

    kept = ON_DISK

    def __init__(self, place: Place) -> None:
        self._make: Any = importlib.import_module("engram.backends.base").Document
        self._words: Any = importlib.import_module("engram.retrieval.sparse").BM25
        backend: Any = importlib.import_module("engram.backends.faiss_backend").FaissBackend
        self._backend = backend(path=place.folder, dimension=place.embedder.model.dimension)
        place.ends.callback(inside(self._backend, "_conn").close)
        self._place = place

    def documents(self, items: Sequence[SetItem]) -> list[Any]:
        """Make engram's documents."""
        texts = [text_of(item) for item in items]
        vectors = self._place.vectors(texts).tolist()
        return [
            self._make(id=item.id, text=text, metadata=facts_of(item), embedding=vector)
            for item, text, vector in zip(items, texts, vectors, strict=True)
        ]

    def take(self, items: Sequence[SetItem]) -> None:
        """Add them at once."""
        self._backend.add(self.documents(items))

    def ask(self, question: Question) -> list[str]:
        """Blend words into the nearest, as ``engram/server.py`` does."""
        text = question.query.text
        near: list[Any] = self._backend.query(
            embedding=self._place.question(text).tolist(), top_k=3 * HITS, min_score=-1.0
        )
        words = self._words().score_query_against_docs(text, [one.text for one in near])
        most = max(words) if max(words) > 0 else 1.0
        blended = [0.6 * one.score + 0.4 * word / most for one, word in zip(near, words, strict=True)]
        best: list[int] = np.argsort(-np.array(blended), kind="stable")[:HITS].tolist()
        return [near[at].id for at in best]


class EngramPipeline(Engram):
    """engram's pipeline over all texts, in memory."""

    kept = IN_MEMORY

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        pipeline: Any = importlib.import_module("engram.retrieval.pipeline").RetrievalPipeline
        self._pipeline = pipeline(embedder=self, use_reranker=False)
        self._held: list[Any] = []

    def encode_query(self, text: str) -> Vectors:
        """Give a known vector, as the pipeline asks for it."""
        return self._place.question(text)

    def take(self, items: Sequence[SetItem]) -> None:
        """Keep them in a list."""
        self._held += self.documents(items)

    def ask(self, question: Question) -> list[str]:
        """Search all of them."""
        asked = question.query.as_of
        day = None if asked is None else asked.date().isoformat()
        found: list[Any] = self._pipeline.search(question.query.text, self._held, top_k=HITS, question_date=day)
        return [one.id for one in found]


class LangGraph:
    """LangGraph's store in memory, with its index."""

    kept = IN_MEMORY

    def __init__(self, place: Place) -> None:
        base: Any = importlib.import_module("langgraph.store.base")
        known: type = importlib.import_module("langchain_core.embeddings").Embeddings

        class Known(known):  # pyright: ignore[reportUntypedBaseClass] - known when the package is there
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return place.vectors(texts).tolist()

            def embed_query(self, text: str) -> list[float]:
                return place.question(text).tolist()

        index = {"dims": place.embedder.model.dimension, "embed": Known(), "fields": ["text"]}
        self._put: Any = base.PutOp
        self._store: Any = importlib.import_module("langgraph.store.memory").InMemoryStore(index=index)

    def take(self, items: Sequence[SetItem]) -> None:
        """Put them in one batch; of equal texts, which one batch of its cannot hold, each further one in a later batch."""
        left: list[tuple[str, dict[str, Any]]] = [
            (item.id, {"text": text_of(item), **facts_of(item)}) for item in items
        ]
        while left:
            batch = {value["text"]: (key, value) for key, value in reversed(left)}
            self._store.batch([self._put(namespace=("bench",), key=key, value=value) for key, value in batch.values()])
            put = {key for key, _ in batch.values()}
            left = [(key, value) for key, value in left if key not in put]

    def ask(self, question: Question) -> list[str]:
        """Search by meaning."""
        return [hit.key for hit in self._store.search(("bench",), query=question.query.text, limit=HITS)]


class Bm25s:
    """bm25s, indexed anew when something came in since."""

    kept = IN_MEMORY

    def __init__(self, _place: Place) -> None:
        self._bm25s: Any = importlib.import_module("bm25s")
        self._stemmer: Any = importlib.import_module("Stemmer").Stemmer("english")
        self._items: list[SetItem] = []
        self._index: Any = None

    def _tokens(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 - bm25s' own
        return self._bm25s.tokenize(list(texts), stopwords="en", stemmer=self._stemmer, show_progress=False)

    def take(self, items: Sequence[SetItem]) -> None:
        """Keep them, and index everything again: it takes nothing in one by one."""
        self._items += items
        self._index = self._bm25s.BM25()
        self._index.index(self._tokens([text_of(one) for one in self._items]), show_progress=False)

    def ask(self, question: Question) -> list[str]:
        """Search by words."""
        tokens = self._tokens([question.query.text])
        most = min(HITS, len(self._items))
        found, scores = self._index.retrieve(tokens, k=most, show_progress=False)
        places: list[int] = found[0][scores[0] > 0].tolist()
        return [self._items[at].id for at in places]
