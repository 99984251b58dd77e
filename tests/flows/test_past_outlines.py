"""The outline a document had at an earlier moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.errors import InvalidValue, NotFound
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

BEGAN = datetime(2026, 3, 2, tzinfo=UTC)
FIRST = "# Baking\n\n## Bread\n\nRye bread rises twice.\n\n## Cake\n\nA cake rises once.\n"
SECOND = "# Baking\n\n## Bread\n\nRye bread rises three times.\n\n## Rolls\n\nRolls are quick.\n"


def opened(store: Path, *, days: int) -> Memory:
    return Memory.open(store, embedder=HashingEmbedder(), clock=SteppingClock(BEGAN + timedelta(days=days)))


def add(store: Path, text: str, *, days: int) -> None:
    with opened(store, days=days) as memory:
        memory.add_text(text, source="baking.md", media_type=MediaType.MARKDOWN)


def test_each_moment_has_the_version_that_was_there(store_path: Path) -> None:
    add(store_path, FIRST, days=0)
    with opened(store_path, days=1) as memory:
        first = memory.outline.tree("baking.md", with_text=True)
    add(store_path, SECOND, days=10)
    with opened(store_path, days=20) as memory:
        then = memory.outline.tree("baking.md", with_text=True, as_of=BEGAN + timedelta(days=5))
        now = memory.outline.tree("baking.md", with_text=True)
        assert (then.text, then.document.version) == (FIRST, 1)
        assert then == first
        assert (now.text, now.document.version) == (SECOND, 2)
        assert memory.outline.tree("baking.md", with_text=True, as_of=BEGAN + timedelta(days=15)) == now


def test_before_it_was_added_there_is_none(store_path: Path) -> None:
    add(store_path, FIRST, days=0)
    with opened(store_path, days=1) as memory:
        with pytest.raises(NotFound, match="was not there"):
            memory.outline.tree("baking.md", as_of=BEGAN - timedelta(days=1))
        with pytest.raises(InvalidValue, match="zone"):
            memory.outline.tree("baking.md", as_of=datetime(2026, 3, 3))  # noqa: DTZ001 - that is the point
