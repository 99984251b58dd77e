from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evolore.domain.document import MediaType
from evolore.errors import InvalidValue, StoreBusy
from evolore.flows.add import Added, AddOutcome, SyncMode
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from laws import tried

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
    assert "use at most" in added.failures[0].reason


NAMES = ("a.md", "b.txt", "sub/c.md", "sub/deep/d.md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        write(tmp_path / "docs" / name)
    return tmp_path / "docs"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or f"Words of {path.name}.", encoding="utf-8")
    return path


def held(memory: Memory, folder: Path) -> list[str]:
    return sorted(Path(item.source).relative_to(folder).as_posix() for item in memory.list().documents)


def gone(added: Added, folder: Path) -> list[str]:
    return sorted(Path(item.source).relative_to(folder).as_posix() for item in added.vanished)


def test_vanished_files_are_reported_and_nothing_is_erased(memory: Memory, folder: Path) -> None:
    memory.add(folder)
    (folder / "a.md").unlink()
    added = memory.add(folder, sync="report")
    assert gone(added, folder) == ["a.md"]
    assert added.receipt is None
    assert held(memory, folder) == list(NAMES)


def test_vanished_files_are_forgotten_with_one_receipt(memory: Memory, folder: Path) -> None:
    memory.add(folder)
    (folder / "a.md").unlink()
    (folder / "sub/c.md").unlink()
    events = memory.stats().events
    added = memory.add(folder, sync=SyncMode.FORGET)
    assert gone(added, folder) == ["a.md", "sub/c.md"]
    assert added.receipt is not None
    assert (added.receipt.documents, added.receipt.episodes) == (2, 2)
    assert held(memory, folder) == ["b.txt", "sub/deep/d.md"]
    assert memory.stats().events == events + 1


def test_without_sync_nothing_is_looked_for(memory: Memory, folder: Path) -> None:
    memory.add(folder)
    (folder / "a.md").unlink()
    assert memory.add(folder).vanished == ()


def test_what_lies_elsewhere_or_was_never_a_file_is_left_alone(memory: Memory, folder: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "docs-too" / "x.md")
    memory.add(folder, other)
    memory.add_text("Words.", source="docs/never-a-file.md")
    other.unlink()
    added = memory.add(folder, sync="forget")
    assert added.vanished == ()
    assert len(memory.list().documents) == len(NAMES) + 2


def test_a_file_that_patterns_leave_out_has_not_vanished(memory: Memory, folder: Path) -> None:
    memory.add(folder)
    (folder / "a.md").unlink()
    (folder / "sub/c.md").unlink()
    assert memory.add(folder, exclude=["*.md"], sync="forget").vanished == ()
    assert gone(memory.add(folder, include=["sub"], sync="forget"), folder) == ["sub/c.md"]
    assert gone(memory.add(folder, sync="forget"), folder) == ["a.md"]


def test_a_file_that_cannot_be_read_any_more_has_not_vanished(memory: Memory, folder: Path) -> None:
    memory.add(folder)
    (folder / "a.md").write_bytes(b"")
    added = memory.add(folder, sync="forget")
    assert len(added.failures) == 1
    assert added.vanished == ()


def test_patterns_choose_among_the_files_of_a_folder(memory: Memory, folder: Path) -> None:
    memory.add(folder, include=["*.md"], exclude=["deep"])
    assert held(memory, folder) == ["a.md", "sub/c.md"]
    memory.add(folder / "b.txt", exclude=["*.txt"])
    assert held(memory, folder) == ["a.md", "b.txt", "sub/c.md"]


def test_wrong_words_are_refused_before_anything_is_done(memory: Memory, folder: Path, store_path: Path) -> None:
    with pytest.raises(InvalidValue, match="sync is 'delete': use 'report' or 'forget'"):
        memory.add(folder, sync="delete")
    with pytest.raises(InvalidValue, match="is one pattern: use a list"):
        memory.add(folder, include="*.md")
    assert not store_path.exists()


@settings(max_examples=tried(8, long=20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["write", "remove"])), max_size=6))
def test_synchronising_twice_does_nothing_the_second_time(
    changes: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("sync")
    folder = root / "docs"
    folder.mkdir()
    with Memory.open(root / "store", embedder=HashingEmbedder()) as memory:
        memory.add_text("Something that stays.", source="else")
        for number, (name, change) in enumerate(changes):
            if change == "write":
                write(folder / name, f"Words, change {number}.")
            else:
                (folder / name).unlink(missing_ok=True)
            memory.add(folder, sync="forget")
        files = sorted(path.as_posix() for path in folder.rglob("*") if path.is_file())
        before, listing = memory.stats(), memory.list()
        assert sorted(item.source for item in listing.documents if item.source != "else") == files
        again = memory.add(folder, sync="forget")
        assert all(one.outcome is AddOutcome.UNCHANGED for one in again.documents)
        assert (again.vanished, again.receipt) == ((), None)
        assert (memory.stats(), memory.list()) == (before, listing)
