from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as opened:
        yield opened


def test_a_file_that_was_renamed_is_said_to_be_a_copy(memory: Memory, tmp_path: Path) -> None:
    name = "ガイド.md"
    composed, parted = (tmp_path / unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    composed.write_text("# Tea\n\nWater of 80 degrees.\n", encoding="utf-8")
    assert memory.add(composed).documents[0].notes == ()
    composed.rename(parted)
    [added] = memory.add(parted).documents
    [note] = added.notes
    assert note.startswith(
        f"It says the same as {composed} (the names look alike, but their letters are coded differently"
    )
    assert "a copy, or renamed. Forget one of them, or add the folder with `--sync forget`" in note


def test_sync_forgets_the_old_name_of_a_file_that_was_renamed(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    composed, parted = (folder / unicodedata.normalize(form, "ガイド.md") for form in ("NFC", "NFD"))
    composed.write_text("# Tea\n\nWater of 80 degrees.\n", encoding="utf-8")
    memory.add(folder)
    composed.rename(parted)
    memory.add(folder, sync="forget")
    assert [one.source for one in memory.list().documents] == [str(parted)]


def test_copies_in_one_call_are_said_and_other_files_are_not(memory: Memory, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.md").write_text("The same.\n" if number < 5 else "Another.\n", encoding="utf-8")
    *same, other = memory.add(tmp_path).documents
    assert other.notes == ()
    assert "3.md and others: a copy, or renamed. Forget one of them, or " in same[0].notes[0]
    assert "NFC" not in same[0].notes[0]
    assert all(len(one.notes) == 1 for one in same)


def test_a_document_that_is_read_again_is_no_copy_of_itself(memory: Memory, tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("One.\n", encoding="utf-8")
    memory.add(page)
    page.write_text("Two.\n", encoding="utf-8")
    assert memory.add(page).documents[0].notes == ()
    assert memory.add(page).documents[0].notes == ()
