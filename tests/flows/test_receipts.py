"""A receipt counts all that went, and says what is kept that may name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.cli.show import receipt_line
from evolore.integrations.tools import MemoryTools
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ASKED = "Is the gate code 4711?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as one:
        one.remember("The gate code is 4711.")
        one.remember("The kitchen is on the second floor.")
        one.rate(one.answer(ASKED).id, "good")
        one.recall(ASKED)
        yield one


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_namespace_that_goes_counts_its_questions_and_ratings(memory: Memory, *, dry_run: bool) -> None:
    said = memory.stats()
    gone = memory.forget(everything=True, dry_run=dry_run)
    assert gone.queries == said.queries > 0
    assert (gone.answers, gone.ratings, gone.kept_queries) == (said.answers, said.ratings, 0)


def test_questions_that_outlive_what_they_were_about_are_counted(memory: Memory) -> None:
    (code,) = (hit.episode.id for hit in memory.recall(ASKED, record=False).hits if "4711" in hit.text)
    would = memory.forget(code, dry_run=True)
    gone = memory.forget(code)
    kept = [one for one in memory.questions.list() if "4711" in one.text]
    assert gone.kept_queries == would.kept_queries == len(kept) > 0
    assert receipt_line(gone).endswith(f"; {len(kept)} questions about it kept")
    for one in kept:
        assert memory.forget(one.id).queries == 1
    assert not [one for one in memory.questions.list() if "4711" in one.text]


def test_a_tool_says_that_questions_are_kept(memory: Memory) -> None:
    (code,) = (hit.episode.id for hit in memory.recall(ASKED, record=False).hits if "4711" in hit.text)
    assert "questions about it that are kept" in MemoryTools(memory).forget(code, code)
