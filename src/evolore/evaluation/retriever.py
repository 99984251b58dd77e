"""The names of what may find chunks while they are measured."""

from __future__ import annotations

from enum import StrEnum


class Retriever(StrEnum):
    """What finds the chunks of a question."""

    BM25 = "bm25"
    EMBEDDER = "embedder"
