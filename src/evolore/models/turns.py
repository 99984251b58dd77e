"""One caller at a time: models that are shared by threads take turns, also in a process that was forked."""

from __future__ import annotations

import os
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Self
from weakref import ref

if TYPE_CHECKING:
    from types import TracebackType


class Turns:
    """A lock by which threads take turns, and which a forked process finds free."""

    def __init__(self) -> None:
        self._lock = Lock()
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
            os.register_at_fork(after_in_child=partial(_renew, ref(self)))

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Forget who held it: that thread is not in this process."""
        self._lock = Lock()


def _renew(turns: ref[Turns]) -> None:
    if (left := turns()) is not None:
        left.renew()
