"""Nothing is decided otherwise without somebody having looked at it."""

from __future__ import annotations

import pytest

from evaluation.pinned import PLACE, SETS, lines

LONG = {"edits_third"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in SETS]
)
def test_what_is_decided_of_our_own_sets_is_what_was_noted(name: str) -> None:
    noted = (PLACE / f"{name}.txt").read_text("utf-8").splitlines()
    now = lines(name)
    moved = [f"{before} is now {after}" for before, after in zip(noted, now, strict=True) if before != after]
    assert not moved, "\n".join(["If that is meant: PYTHONPATH=tests:benchmarks python -m evaluation.pinned", *moved])
