"""Cutting documents, as its source asks for it, in default stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore import config
from evolore.domain.document import Tier
from evolore.domain.episode import EdgeKind
from evolore.domain.review import Priority, ReviewCategory
from evolore.errors import InvalidSetting
from evolore.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_cut_hard_is_filed_with_all_that_the_source_lists(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        memory.add_text("x" * 3000, source="blob.txt")
        (item,) = memory.review.list()
        assert (item.category, item.priority) == (ReviewCategory.CHUNKING, Priority.HIGH)
        assert (item.source, item.text_length, item.final_tier) == ("blob.txt", 3000, Tier.HARD_SPLIT)
        assert [one.tier for one in item.attempts] == list(Tier)
        assert "3000 characters" in item.reason
        assert "Break it into paragraphs" in item.suggestion
        assert Tier.HARD_SPLIT in {node.chunk.tier for node in memory.outline.tree("blob.txt").nodes}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("chunking.window_size", r"the setting is tiers\.window_characters"),
        ("chunking.step_size", "it has no effect, since every character is a place to cut"),
        ("chunking.entropy_threshold", "it has no effect, since cuts are priced by code length"),
        ("chunking.size_thresholds", r"the settings are chunking\.max_size, chunking\.target_size"),
        ("chunking.overlap", "it has no effect, since chunks do not overlap"),
    ],
)
def test_a_parameter_of_another_mechanism_is_refused_with_its_reason(
    name: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"EVOLORE_{name.replace('.', '__').upper()}", "1")
    with pytest.raises(InvalidSetting, match=reason):
        config.load()


def test_sizes_and_window_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MAX_SIZE": "1000", "TARGET_SIZE": "500", "MIN_SIZE": "200", "SIZE_UNIT": "bytes"}.items():
        monkeypatch.setenv(f"EVOLORE_CHUNKING__{name}", value)
    monkeypatch.setenv("EVOLORE_TIERS__WINDOW_CHARACTERS", "100")
    found = config.load()
    sizes = (found.chunking.max_size, found.chunking.target_size, found.chunking.min_size)
    assert (sizes, found.chunking.size_unit.value, found.tiers.window_characters) == ((1000, 500, 200), "bytes", 100)


def test_the_graph_joins_passages_below_one_heading(tmp_path: Path) -> None:
    rooms = [f"# {room}\n\n" + f"The {room} is swept and lit at seven. " * 60 for room in ("kitchen", "attic", "hall")]
    with Memory.open(tmp_path / "store") as memory:
        memory.add_text("\n\n".join(rooms), source="house.md")
        leaves = {node.episode_id: node.code for node in memory.outline.tree("house.md").nodes if node.episode_id}
        first = next(id_ for id_, code in leaves.items() if len(code.parts) > 1)
        edges = memory.outline.graph(first, kinds=[EdgeKind.HIERARCHY]).edges
        assert edges
        assert {leaves[id_].parent for one in edges for id_ in (one.source_id, one.target_id)} == {leaves[first].parent}
