"""Draw the same ids, salts and examples each time, whatever ran before."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from evolore.store import events

if TYPE_CHECKING:
    from collections.abc import Generator
    from random import Random


class Ids:
    """Stands for ``secrets`` where ids and salts are drawn, so that the same seed gives the same ones."""

    def __init__(self, chance: Random) -> None:
        self._random = chance

    def token_bytes(self, count: int) -> bytes:
        return self._random.randbytes(count)

    def randbits(self, count: int) -> int:
        return self._random.getrandbits(count)


@contextmanager
def drawing_from(chance: Random) -> Generator[None]:
    """Draw the ids and salts of this process from one source, and examples from what a law itself names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "secrets", Ids(chance))
        if hasattr(os, "register_at_fork"):  # else a child draws what its parent draws
            os.register_at_fork(before=chance.random, after_in_child=lambda: chance.seed(chance.random()))
        # Hypothesis also tries constants of our modules, those that are imported when a law runs.
        patch.setattr(providers, "_get_local_constants", Constants)
        yield
