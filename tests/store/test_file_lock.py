"""Locks among processes: one holds each, and its file goes with who holds it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from evolore.store.sqlite import alone_at

if TYPE_CHECKING:
    from pathlib import Path


def test_one_holds_it_and_the_next_once_that_is_over(tmp_path: Path) -> None:
    path = tmp_path / "job.lock"
    for _ in range(2):
        with alone_at(path) as first, alone_at(path) as second, alone_at(tmp_path / "other.lock") as other:
            assert (first, second, other) == (True, False, True)
        assert list(tmp_path.iterdir()) == []


def test_it_ends_with_what_goes_wrong_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "job.lock"
    with pytest.raises(ValueError, match="broken"), alone_at(path):
        raise ValueError("broken")
    with alone_at(path) as is_alone:
        assert is_alone


def test_where_no_file_can_be_made_nobody_is_kept_out(tmp_path: Path) -> None:
    with alone_at(tmp_path / "missing" / "job.lock") as is_alone:
        assert is_alone


def test_of_many_at_once_one_holds_it_at_any_time(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def hold(number: int) -> None:
        for _ in range(200):
            with alone_at(tmp_path / "job.lock") as is_alone:
                if is_alone:
                    inside.append(number)
                    most.append(len(inside))
                    inside.remove(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(hold, range(4)))
    assert max(most) == 1
