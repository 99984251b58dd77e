"""Streaming: a verb's pieces while it runs, as an iterator that ends with its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread

from evolore.domain.answer import Answer


def streamed(run: Callable[[Callable[[str], None]], Answer]) -> Iterator[str | Answer]:
    """Run a verb in a thread, and yield its pieces, then its answer; without any, its text is one.

    Args:
        run: Receives what to pass pieces to.

    Raises:
        EvoloreError: What the verb raised.
    """
    came: SimpleQueue[str | Answer | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            came.put(run(came.put))
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            came.put(error)

    # A thread whose pieces are no longer taken is not joined: it ends with its answer.
    Thread(target=copy_context().run, args=(work,), name="evolore-answer").start()
    has_told = False
    while True:
        piece = came.get()
        if isinstance(piece, BaseException):
            raise piece
        if isinstance(piece, Answer):
            if not has_told:
                yield piece.text
            yield piece
            return
        has_told = True
        yield piece
