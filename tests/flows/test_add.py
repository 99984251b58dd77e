from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.errors import StoreBusy
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


def test_a_document_forgotten_and_added_anew_meanwhile_is_not_taken_for_the_old_one(store_path: Path) -> None:
    sections = [f"## Part {number}\n\n" + f"Matter {number} has words of its own. " * 14 for number in range(4)]
    old, changed = "\n\n".join(sections), "\n\n".join([*sections[:3], "## Part 3\n\n" + "All is new here. " * 20])

    class Replacer(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            if any("All is new" in text for text in texts) and len(other.list().documents) == 1:
                (document,) = other.list().documents
                if document.id == first.id:
                    other.forget(first.id)
                    other.add_text("Something else.", source="shared.md")
            return super().embed(texts, role=role)

    with (
        Memory.open(store_path, embedder=Replacer()) as memory,
        Memory.open(store_path, embedder=HashingEmbedder()) as other,
    ):
        first = memory.add_text(old, source="shared.md", media_type=MediaType.MARKDOWN)
        last = memory.add_text(changed, source="shared.md", media_type=MediaType.MARKDOWN)
        assert last.version == 2
        assert last.id != first.id
        leaves = [node for node in memory.outline.tree(last.id).nodes if node.episode_id]
        assert "".join(memory.outline.chunk_text(last.id, node.chunk.outline) for node in leaves) == changed
        assert memory.recall("new", limit=100).searched == len(leaves)


def test_a_file_whose_name_cannot_be_kept_does_not_keep_the_others_out(
    store_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_text("Words.", encoding="utf-8")
    monkeypatch.setattr("evolore.ports.sources.MAX_SOURCE_CHARACTERS", len(str(folder / "b.md")) - 1)
    shorter = folder / "b"
    shorter.write_text("Words.", encoding="utf-8")
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        added = memory.add(folder, shorter)
    assert [Path(one.document.source).name for one in added.documents] == ["b"]
    assert [Path(failure.source).name for failure in added.failures] == ["a.md", "b.md", "c.md"]
    assert "give at most" in added.failures[0].reason
