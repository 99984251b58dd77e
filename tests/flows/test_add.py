from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.errors import StoreBusy
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evolore.ports import TextRole, Vectors


class Meddler(HashingEmbedder):
    """Lets another process change the document each time this one is about to write it."""

    def __init__(self, store: Path, times: int) -> None:
        super().__init__()
        self.texts: Iterator[str] = iter([f"Version {number} of the others." for number in range(times)])
        self.other = Memory.open(store, embedder=HashingEmbedder())

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        text = next(self.texts, None)
        if text is not None:
            self.other.add_text(text, source="shared.md")
        return super().embed(texts, role=role)


def test_a_document_changed_meanwhile_is_computed_anew(store_path: Path) -> None:
    meddler = Meddler(store_path, times=2)
    with Memory.open(store_path, embedder=meddler) as memory, meddler.other:
        document = memory.add_text("My own version.", source="shared.md")
        assert document.version == 3
        assert [hit.episode.text for hit in memory.recall("version").hits] == ["My own version."]


def test_a_document_that_never_stands_still_is_an_error_that_says_try_again(store_path: Path) -> None:
    meddler = Meddler(store_path, times=100)
    with Memory.open(store_path, embedder=meddler) as memory, meddler.other:
        with pytest.raises(StoreBusy, match=r"shared.md while it was added: try again"):
            memory.add_text("My own version.", source="shared.md")
        texts = [hit.episode.text for hit in meddler.other.recall("version").hits]
        assert len(texts) == 1
        assert texts[0].endswith("of the others.")
