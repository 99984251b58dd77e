"""``AsyncMemory``: the verbs of ``Memory``, awaited."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import suppress
from contextvars import copy_context
from functools import wraps
from threading import Event
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from evolore.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from os import PathLike
    from types import TracebackType

P = ParamSpec("P")
R = TypeVar("R")


class _Stopped(BaseException):
    """Ends a verb at a safe point; no ``except Exception`` on the way may keep it."""


def _awaited(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """Make the awaited form of a verb, with its signature and description."""
    can_stop = "progress" in inspect.signature(verb).parameters

    @wraps(verb)
    async def run(self: AsyncMemory, *args: P.args, **kwargs: P.kwargs) -> R:
        stop = Event()
        if can_stop:
            kwargs["progress"] = _stopping(kwargs.get("progress"), stop)

        def call() -> R:
            if stop.is_set():
                raise _Stopped
            return verb(self.memory, *args, **kwargs)

        return await _in_thread(call, stop)

    return run


def _stopping(progress: Any, stop: Event) -> Callable[..., None]:  # noqa: ANN401 - whatever the verb's progress is
    """Hear of progress, which is told between transactions only, and stop there when asked to."""

    def tell(*args: object, **kwargs: object) -> None:
        if stop.is_set():
            raise _Stopped
        if progress is not None:
            progress(*args, **kwargs)

    return tell


async def _in_thread(call: Callable[[], R], stop: Event) -> R:
    """Run a call in a thread; when cancelled, ask it to stop, and leave only once it has ended."""
    running = asyncio.get_running_loop().run_in_executor(None, copy_context().run, call)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        while not running.done():
            with suppress(asyncio.CancelledError):  # cancelled again: it has not ended yet all the same
                await asyncio.wait([running])
        running.exception()  # what it ended with is answered by the cancellation
        raise


def _opening(
    opened: Callable[P, Memory],
) -> Callable[Concatenate[type[AsyncMemory], P], AsyncMemory]:
    @wraps(inspect.unwrap(getattr(opened, "__func__", opened)))
    def open_(cls: type[AsyncMemory], *args: P.args, **kwargs: P.kwargs) -> AsyncMemory:
        return cls(opened(*args, **kwargs))

    return open_


class AsyncMemory:
    """A ``Memory`` for programs that run an event loop: every verb is the same, and awaited.

    Each verb runs in a thread of the loop's default executor, so that the loop goes on. Verbs may run side by side;
    writes take turns. ``progress`` is called in that thread. Opening is not awaited: it reads the settings and
    touches no store.

    Cancelling: a verb that is cancelled has happened wholly or not at all, and it has ended by the time its caller
    sees ``CancelledError``. One that has not begun does not begin. ``add`` and ``add_texts`` stop before the next
    document's transaction: the documents before are added, of the others nothing is left. Every other verb, once
    begun, runs to its end, in one transaction where it writes; look whether it happened before you repeat it.
    ``reembed`` stops between two of its many, as long as the store has not switched, and goes on there when called
    again; so does ``maintain`` between two of its slices. ``doctor`` may mend in several: what it mended stays, and repeating it does no harm.

    Args:
        memory: The memory whose verbs are awaited; it may be used directly too, from any thread.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    open = classmethod(_opening(Memory.open))

    @staticmethod
    @wraps(Memory.namespaces)
    async def namespaces(store: str | PathLike[str] | None = None) -> tuple[str, ...]:  # noqa: D102 - that of the verb
        return await _in_thread(lambda: Memory.namespaces(store), Event())

    @property
    def namespace(self) -> str:
        """The namespace it is bound to."""
        return self.memory.namespace

    add = _awaited(Memory.add)
    add_text = _awaited(Memory.add_text)
    add_texts = _awaited(Memory.add_texts)
    remember = _awaited(Memory.remember)
    remember_many = _awaited(Memory.remember_many)
    recall = _awaited(Memory.recall)
    answer = _awaited(Memory.answer)
    record = _awaited(Memory.record)
    rate = _awaited(Memory.rate)
    unlearn = _awaited(Memory.unlearn)
    query = _awaited(Memory.query)
    queries = _awaited(Memory.queries)
    contexts = _awaited(Memory.contexts)
    list = _awaited(Memory.list)
    show = _awaited(Memory.show)
    tree = _awaited(Memory.tree)
    place = _awaited(Memory.place)
    graph = _awaited(Memory.graph)
    chunk_text = _awaited(Memory.chunk_text)
    members = _awaited(Memory.members)
    standing_for = _awaited(Memory.standing_for)
    history = _awaited(Memory.history)
    stats = _awaited(Memory.stats)
    review_list = _awaited(Memory.review_list)
    review_show = _awaited(Memory.review_show)
    review_resolve = _awaited(Memory.review_resolve)
    review_reopen = _awaited(Memory.review_reopen)
    review_note = _awaited(Memory.review_note)
    review_export = _awaited(Memory.review_export)
    check_chunks = _awaited(Memory.check_chunks)
    settle = _awaited(Memory.settle)
    confirm_conflicts = _awaited(Memory.confirm_conflicts)
    maintain = _awaited(Memory.maintain)
    calibrate = _awaited(Memory.calibrate)
    resonate = _awaited(Memory.resonate)
    undo = _awaited(Memory.undo)
    evolve = _awaited(Memory.evolve)
    jobs = _awaited(Memory.jobs)
    job = _awaited(Memory.job)
    diff = _awaited(Memory.diff)
    approve = _awaited(Memory.approve)
    canaries = _awaited(Memory.canaries)
    canary = _awaited(Memory.canary)
    grow_canary = _awaited(Memory.grow_canary)
    canary_step = _awaited(Memory.canary_step)
    reject = _awaited(Memory.reject)
    rollback = _awaited(Memory.rollback)
    generations = _awaited(Memory.generations)
    feedback = _awaited(Memory.feedback)
    forget = _awaited(Memory.forget)
    verify = _awaited(Memory.verify)
    doctor = _awaited(Memory.doctor)
    export_to = _awaited(Memory.export_to)
    import_from = _awaited(Memory.import_from)
    backup = _awaited(Memory.backup)
    prepare = _awaited(Memory.prepare)
    reembed = _awaited(Memory.reembed)
    abandon_reembed = _awaited(Memory.abandon_reembed)
    chat_check = _awaited(Memory.chat_check)
    close = _awaited(Memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
