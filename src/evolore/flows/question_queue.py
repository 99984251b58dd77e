"""Questions on their way into the store: a recall leaves its own here and goes on, and they are written together."""

from __future__ import annotations

import atexit
import os
from collections import deque
from dataclasses import dataclass, replace
from itertools import groupby
from threading import Lock, Timer
from typing import TYPE_CHECKING

from evolore.errors import EvoloreError, TryAgain
from evolore.flows.recording import handed_over, new_query, take_down

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.answers import Recall
    from evolore.domain.queries import Given
    from evolore.flows.context import Context

TOGETHER = 64
"""So many are written in one go at the latest: few enough to hold the store for some tens of milliseconds."""
SECONDS = 2.0
"""After so long they are written at the latest; what a process that is killed has not written is lost."""
MOST = 1000
"""So many wait at the most while nothing can be written; the first are let go of."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Asked:
    """A question that waits.

    Args:
        id: The id it will have.
        principal: On whose behalf it was asked.
        recall: What it brought back, without the hits.
        given: The hits' episodes.
        vector: The question's, shape (dimension,).
        at: When it was asked.
    """

    id: str
    principal: str | None
    recall: Recall
    given: tuple[Given, ...]
    vector: npt.NDArray[np.float32]
    at: datetime


class QuestionQueue:
    """What was asked through one memory and is not written yet. Threads may share it; a forked process begins anew.

    Args:
        context: Where it is written.
        seconds: After how long at the latest.
    """

    def __init__(self, context: Context, *, seconds: float = SECONDS) -> None:
        self._context = context
        self._seconds = seconds
        self._begin()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, recall: Recall, vector: npt.NDArray[np.float32], *, principal: str | None) -> Recall:
        """Take what a question brought back, and give it with the id under which it will be found.

        Where nothing was ever written, nothing is taken down. The disk is not waited for.
        """
        context = self._context
        if not recall.hits and not context.store.has(context.namespace):
            return recall
        at = context.clock.now()
        asked = _Asked(
            id=context.store.new_id(at),
            principal=principal,
            recall=replace(recall, hits=(), suppressed=(), learned_from=()),
            given=handed_over(recall.hits),
            vector=vector,
            at=at,
        )
        self._leave_parent_process()
        with self._lock:
            self._waiting.append(asked)
            if len(self._waiting) in {1, TOGETHER}:
                self._set_due(0.0 if len(self._waiting) == TOGETHER else self._seconds)
        return replace(recall, query_id=asked.id)

    def write(self) -> None:
        """Write what waits, in the order it was asked; what cannot be written waits on.

        Raises:
            StoreBusy: Another process wrote for too long.
            StoreFailed: The disk is full or failing.
            StoreUnwritable: The store cannot be written.
            EmbedderMismatch: The store has changed its model.
        """
        if not self._waiting:  # nothing waits, and nothing is being written that does not stay until it is
            return
        self._leave_parent_process()
        with self._turn:
            while some := self._first():
                for principal, asked in groupby(some, key=lambda one: one.principal):
                    self._write(principal, list(asked))
            with self._lock:
                if not self._waiting:
                    self._set_due(None)

    def write_quietly(self) -> None:
        """Write what waits where that can be done: what only has to be tried again waits on, the rest is let go of."""
        try:
            self.write()
        except TryAgain:
            with self._lock:
                self._set_due(self._seconds)
        except EvoloreError:
            self._let_go()

    def close(self) -> None:
        """Write what waits where that can be done, and let go of the rest."""
        self.write_quietly()
        self._let_go()

    def _first(self) -> list[_Asked]:
        with self._lock:
            return list(self._waiting)[:TOGETHER]

    def _write(self, principal: str | None, asked: list[_Asked]) -> None:
        context = replace(self._context, principal=principal)
        new = [
            replace(new_query(context, one.recall, one.given, vector=one.vector, at=one.at), id=one.id) for one in asked
        ]
        with context.store.write(context.namespace, principal=principal) as writer:
            for one, query in zip(asked, new, strict=True):
                take_down(context, writer, query, at=one.at)
        written = {one.id for one in asked}
        with self._lock:
            self._waiting = deque((one for one in self._waiting if one.id not in written), maxlen=MOST)

    def _set_due(self, seconds: float | None) -> None:
        """Have what waits written so much later, and before the process ends; None where nothing waits."""
        if self._due is not None:
            self._due.cancel()
            atexit.unregister(self.write_quietly)
        self._due = None
        if seconds is not None:
            self._due = Timer(seconds, self.write_quietly)
            self._due.daemon = True
            self._due.start()
            atexit.register(self.write_quietly)

    def _let_go(self) -> None:
        with self._lock:
            self._waiting.clear()
            self._set_due(None)

    def _begin(self) -> None:
        self._lock, self._turn = Lock(), Lock()
        self._waiting: deque[_Asked] = deque(maxlen=MOST)
        self._due: Timer | None = None
        self._process = os.getpid()

    def _leave_parent_process(self) -> None:
        """Leave what was asked before a fork to the process in which it was asked."""
        if self._process != os.getpid():
            atexit.unregister(self.write_quietly)
            self._begin()
