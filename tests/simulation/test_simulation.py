"""A walk over all verbs finds nothing wrong, from many seeds, and something wrong wherever a defect is planted."""

from __future__ import annotations

import sys

import pytest

from simulation.__main__ import main
from simulation.defects import DEFECTS
from simulation.verbs import run
from simulation.walk import Violation

SEEDS, MANY, TOGETHER = 8, 1000, 20
SHORT = 8
"""So many steps are taken where there is little time; the long tests take the same, and go on."""
WITHIN = 30
"""In so many seeds each defect must be found."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_walk_from_a_seed_finds_nothing_wrong(seed: int) -> None:
    run(seed, steps=SHORT)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, MANY, TOGETHER))
def test_walks_from_many_seeds_find_nothing_wrong(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        run(seed)


def test_the_same_seed_gives_the_same_walk() -> None:
    assert run(3, steps=SHORT) == run(3, steps=SHORT) != run(4, steps=SHORT)


def found_at(defect: str) -> tuple[int, str]:
    """Give the first seed that finds a planted defect, and what it tells."""
    with DEFECTS[defect]():
        for seed in range(1, WITHIN + 1):
            try:
                run(seed)
            except Violation as violation:
                return seed, str(violation)
    pytest.fail(f"{WITHIN} seeds do not find that {defect}")


SLOW = frozenset({"a rating said again counts twice", "a write is two transactions", "undo loses an edge"})


@pytest.mark.parametrize(
    "defect", [pytest.param(one, marks=[pytest.mark.long] if one in SLOW else []) for one in DEFECTS]
)
def test_a_planted_defect_is_found(defect: str) -> None:
    seed, told = found_at(defect)
    assert f"Repeat it: PYTHONPATH=tests python -m simulation --seed {seed}" in told


def test_the_command_walks_from_seeds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["simulation", "--seeds", "1-2", "--steps", "3"])
    assert main() == 0
    assert capsys.readouterr().out == "2 seeds, 0 failed: []\n"
