"""Whether what reads a text takes time in proportion to its length."""

from __future__ import annotations

import sys
from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_FACTOR = 4
_MOST = 8.0  # four times the text takes four times as long; a square takes 16 times
_FLOOR_SECONDS = 0.005  # what takes less is mostly what every call takes
_ROUNDS, _LOOKS = 3, 3


def assert_in_proportion(run: Callable[[int], object], size: int) -> None:
    """Run something at half a size and at four times that, and fail where the larger takes more than eight times as long.

    Only the time that this process computes counts, the best of three; a suspicion is looked at three times.
    """
    size //= 2
    run(size // _FACTOR)  # what is loaded or remembered at the first call
    small = large = 0.0
    for _ in range(_LOOKS):
        large = _seconds(run, _FACTOR * size, rounds=1)
        if large <= _MOST * _FLOOR_SECONDS:
            return
        small = max(_seconds(run, size, rounds=_ROUNDS), _FLOOR_SECONDS)
        if large <= _MOST * small:  # at its first run already
            return
        large = min(large, _seconds(run, _FACTOR * size, rounds=_ROUNDS - 1))
        if large <= _MOST * small:
            return
    msg = f"size {size} takes {small:.3f} s, {_FACTOR * size} takes {large:.3f} s: more than {_MOST:g} times as long"
    raise AssertionError(msg)


def _seconds(run: Callable[[int], object], size: int, *, rounds: int) -> float:
    best, tracer = float("inf"), sys.gettrace()
    sys.settrace(None)  # what is traced takes twice as long, and that is measured as well
    try:
        for _ in range(rounds):
            began = process_time()
            run(size)
            best = min(best, process_time() - began)
    finally:
        sys.settrace(tracer)
    return best
