"""LangChain's own tests of a retriever; they run where ``pip install langchain-tests`` was run."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from evolore import Memory, Statement
from evolore.integrations.langchain import EvoloreRetriever
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator

_standard: Any = pytest.importorskip("langchain_tests.integration_tests", reason="langchain-tests is not installed")


@pytest.fixture(scope="module")
def filled() -> Iterator[Memory]:
    with TemporaryDirectory() as folder, Memory.open(folder, embedder=HashingEmbedder()) as memory:
        memory.remember_many([Statement(text=f"Boat {number} lies in the harbour.") for number in range(8)])
        yield memory


class TestEvoloreRetriever(_standard.RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _memory(self, filled: Memory) -> None:
        self.filled = filled

    @property
    def retriever_constructor(self) -> type[EvoloreRetriever]:
        return EvoloreRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, object]:
        return {"memory": self.filled}

    @property
    def retriever_query_example(self) -> str:
        return "Which boat lies in the harbour?"
