"""Sharing of a model by threads: by turns, or side by side under one limit, also in a process that was forked."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from threading import Lock
from typing import Self
from weakref import ref


class Turns:
    """A lock by which threads take turns, and which a forked process finds free."""

    def __init__(self) -> None:
        self._lock = Lock()
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
            os.register_at_fork(after_in_child=partial(_renew, ref(self)))

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Forget who held it: that thread is not in this process."""
        self._lock = Lock()


class Limit:
    """A limit on a process's threads that the first of several callers sets, and the last one lifts.

    Args:
        limited: Holds as long as what it returns is entered.
    """

    def __init__(self, limited: Callable[[], AbstractContextManager[object]]) -> None:
        self._turns = Turns()
        self._limited = limited
        self._held = ExitStack()
        self._inside = 0

    def __enter__(self) -> Self:
        with self._turns:
            if not self._inside:
                self._held.enter_context(self._limited())
            self._inside += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._turns:
            self._inside -= 1
            if not self._inside:
                self._held.close()


def _renew(turns: ref[Turns]) -> None:
    if (left := turns()) is not None:
        left.renew()
