"""Texts that are made to hurt are stored like any other: in time that grows with their length, and without an error."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from evolore.domain.language import Language
from evolore.text.contrasts.reading import is_small_talk
from flows.memories import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.memory import Memory


@pytest.fixture
def memory(store_path: Path) -> Iterator[Memory]:
    with opened(store_path) as one:
        one.remember("昨日は三人で会議をした。")
        yield one


def _seconds(memory: Memory, text: str) -> float:
    began = time.process_time()
    memory.remember(text)
    return time.process_time() - began


@pytest.mark.parametrize("unit", ["一二三", "一1", "12,345.", "嗯", "不是", "たこと", "<a", "“"])
def test_a_repetitive_statement_takes_time_in_proportion_to_its_length(memory: Memory, unit: str) -> None:
    small, middle, large = (_seconds(memory, (unit * size)[:size] + "終") for size in (801, 1602, 3204))
    assert middle < 5 * small + 0.3
    assert large < 9 * small + 0.3


@pytest.mark.parametrize("unit", ["嗯", "不是", "OK", "haha "])
def test_small_talk_without_end_is_told_at_once(unit: str) -> None:
    assert is_small_talk(unit * 400, Language.ZH) == (unit != "haha ")
    assert not is_small_talk(unit * 400 + "会议", Language.ZH)
