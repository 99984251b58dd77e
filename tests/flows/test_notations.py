"""Two statements that say one value in two notations are no conflict, and such as say two are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import EpisodeState
from evolore.memory import Memory
from text.notations import SAME

if TYPE_CHECKING:
    from pathlib import Path


def states(folder: Path, *texts: str) -> set[EpisodeState]:
    with Memory.open(folder) as memory:
        for text in texts:
            memory.remember(text, speaker="Mika")
        return {one.state for one in memory.list().statements}


@pytest.mark.parametrize(("one", "other"), [(one, other) for _, one, other in SAME])
def test_one_value_in_two_notations_waits_for_nobody(tmp_path: Path, one: str, other: str) -> None:
    assert EpisodeState.CONFLICT_PENDING not in states(tmp_path / "1", one, other)
    assert EpisodeState.CONFLICT_PENDING not in states(tmp_path / "2", other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My talk takes 90 minutes.", "My talk takes 2 hours."),
        ("The office opens on 05/03/2026.", "The office opens on 4 May 2026."),
        ("私の発表は90分です。", "私の発表は2時間です。"),
        ("我的报告要90分钟。", "我的报告要2小时。"),
    ],
)
def test_two_values_wait_for_a_person(tmp_path: Path, one: str, other: str) -> None:
    assert EpisodeState.CONFLICT_PENDING in states(tmp_path, one, other)
