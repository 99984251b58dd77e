from __future__ import annotations

import pytest

import growth
from growth import assert_in_proportion


class Machine:
    """Takes a time that depends on the size alone."""

    def __init__(self, power: int) -> None:
        self.power, self.seconds = power, 0.0

    def run(self, size: int) -> None:
        self.seconds += 0.001 * (size / 100) ** self.power


def test_what_grows_with_the_length_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1)
    monkeypatch.setattr(growth, "process_time", lambda: machine.seconds)
    assert_in_proportion(machine.run, 10_000)


def test_what_grows_with_the_square_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(2)
    monkeypatch.setattr(growth, "process_time", lambda: machine.seconds)
    with pytest.raises(AssertionError, match="more than 8 times as long"):
        assert_in_proportion(machine.run, 1_000)


def test_what_takes_longer_is_seen_to() -> None:
    few, many = (growth._seconds(lambda size: sum(range(size)), size, rounds=1) for size in (10, 2_000_000))
    assert many > 10 * few
