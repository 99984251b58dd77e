"""``AsyncMemory``: the verbs of ``Memory`` and its nouns, awaited."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from contextvars import copy_context
from functools import cached_property, wraps
from itertools import islice
from os import PathLike
from threading import Event
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from evolore.memory.evolution import Evolution
from evolore.memory.memory import Memory
from evolore.memory.outline import Outline
from evolore.memory.questions import Questions
from evolore.memory.review import ReviewQueue
from evolore.memory.standing_pages import StandingPages
from evolore.memory.store import StoreCare

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class _Stopped(BaseException):
    """Ends a verb at a safe point; no ``except Exception`` on the way may keep it."""


class _Awaiting(Generic[T]):
    """Wraps what is not awaited."""

    def __init__(self, plain: T) -> None:
        self._plain = plain


def _awaited(verb: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[_Awaiting[T], P], Coroutine[Any, Any, R]]:
    """Make the awaited form of a verb, with its signature and description."""
    can_stop = "progress" in inspect.signature(verb).parameters

    @wraps(verb)
    async def run(self: _Awaiting[T], *args: P.args, **kwargs: P.kwargs) -> R:
        stop = Event()
        if can_stop:
            kwargs["progress"] = _stopping(kwargs.get("progress"), stop)

        def call() -> R:
            if stop.is_set():
                raise _Stopped
            return verb(self._plain, *args, **kwargs)  # pyright: ignore[reportPrivateUsage] - of this module

        return await _in_thread(call, stop)

    return run


def _iterated(
    verb: Callable[Concatenate[T, P], Iterator[R]],
) -> Callable[Concatenate[_Awaiting[T], P], AsyncIterator[R]]:
    """Make the form of a verb whose results are awaited one by one, with its signature and description."""

    @wraps(verb)
    async def run(self: _Awaiting[T], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R]:
        pieces = verb(self._plain, *args, **kwargs)  # pyright: ignore[reportPrivateUsage] - of this module
        while True:
            taken = await _in_thread(lambda: tuple(islice(pieces, 1)), Event())
            if not taken:
                return
            yield taken[0]

    return run


def _stopping(progress: Any, stop: Event) -> Callable[..., None]:  # noqa: ANN401 - any verb's progress
    """Hear of progress, which is reported between transactions only, and stop there when asked to."""

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


def _opening(opened: Callable[P, Memory]) -> Callable[Concatenate[type[AsyncMemory], P], AsyncMemory]:
    @wraps(inspect.unwrap(getattr(opened, "__func__", opened)))
    def open_(cls: type[AsyncMemory], *args: P.args, **kwargs: P.kwargs) -> AsyncMemory:
        return cls(opened(*args, **kwargs))

    return open_


class AsyncReviewQueue(_Awaiting[ReviewQueue]):
    """``ReviewQueue``, awaited."""

    list = _awaited(ReviewQueue.list)
    show = _awaited(ReviewQueue.show)
    resolve = _awaited(ReviewQueue.resolve)
    reopen = _awaited(ReviewQueue.reopen)
    note = _awaited(ReviewQueue.note)
    export = _awaited(ReviewQueue.export)
    settle = _awaited(ReviewQueue.settle)
    conflict = _awaited(ReviewQueue.conflict)
    settle_promotion = _awaited(ReviewQueue.settle_promotion)
    confirm_conflicts = _awaited(ReviewQueue.confirm_conflicts)
    check_chunks = _awaited(ReviewQueue.check_chunks)


class AsyncEvolution(_Awaiting[Evolution]):
    """``Evolution``, awaited."""

    jobs = _awaited(Evolution.jobs)
    show = _awaited(Evolution.show)
    diff = _awaited(Evolution.diff)
    stats = _awaited(Evolution.stats)
    history = _awaited(Evolution.history)
    candidates = _awaited(Evolution.candidates)
    approve = _awaited(Evolution.approve)
    reject = _awaited(Evolution.reject)
    rollback = _awaited(Evolution.rollback)
    generations = _awaited(Evolution.generations)
    write = _awaited(Evolution.write)
    canaries = _awaited(Evolution.canaries)
    canary = _awaited(Evolution.canary)
    close_gap = _awaited(Evolution.close_gap)
    feedback = _awaited(Evolution.feedback)
    gap = _awaited(Evolution.gap)
    gaps = _awaited(Evolution.gaps)
    take_gap = _awaited(Evolution.take_gap)


class AsyncQuestions(_Awaiting[Questions]):
    """``Questions``, awaited."""

    record = _awaited(Questions.record)
    record_answer = _awaited(Questions.record_answer)
    list = _awaited(Questions.list)
    show = _awaited(Questions.show)
    contexts = _awaited(Questions.contexts)
    unlearn = _awaited(Questions.unlearn)
    resonate = _awaited(Questions.resonate)


class AsyncStandingPages(_Awaiting[StandingPages]):
    """``StandingPages``, awaited."""

    add = _awaited(StandingPages.add)
    list = _awaited(StandingPages.list)
    show = _awaited(StandingPages.show)
    rebuild = _awaited(StandingPages.rebuild)
    remove = _awaited(StandingPages.remove)


class AsyncStoreCare(_Awaiting[StoreCare]):
    """``StoreCare``, awaited."""

    verify = _awaited(StoreCare.verify)
    doctor = _awaited(StoreCare.doctor)
    audit = _awaited(StoreCare.audit)
    backup = _awaited(StoreCare.backup)
    upgrade = _awaited(StoreCare.upgrade)
    copy = _awaited(StoreCare.copy)
    shards = _awaited(StoreCare.shards)
    move_namespace = _awaited(StoreCare.move_namespace)
    export = _awaited(StoreCare.export)
    import_ = _awaited(StoreCare.import_)
    move_in = _awaited(StoreCare.move_in)
    reembed = _awaited(StoreCare.reembed)
    abandon_reembed = _awaited(StoreCare.abandon_reembed)
    calibrate = _awaited(StoreCare.calibrate)
    prepare = _awaited(StoreCare.prepare)
    chat_check = _awaited(StoreCare.chat_check)


class AsyncOutline(_Awaiting[Outline]):
    """``Outline``, awaited."""

    tree = _awaited(Outline.tree)
    versions = _awaited(Outline.versions)
    place = _awaited(Outline.place)
    chunk_text = _awaited(Outline.chunk_text)
    conversation = _awaited(Outline.conversation)
    members = _awaited(Outline.members)
    standing_for = _awaited(Outline.standing_for)
    graph = _awaited(Outline.graph)


class AsyncMemory(_Awaiting[Memory]):
    """A ``Memory`` for programs that run an event loop: every verb is the same, and awaited.

    Each verb runs in a thread of the loop's default executor, so that the loop goes on. Verbs may run side by side;
    writes take turns. ``progress`` is called in that thread. Opening is not awaited: it reads the settings and
    touches no store.

    Cancelling: a verb that is cancelled has happened wholly or not at all, and it has ended by the time its caller
    sees ``CancelledError``. One that has not begun does not begin. ``add`` stops before the next
    document's transaction: the documents before are added, of the others nothing is left. Every other verb, once
    begun, runs to its end, in one transaction where it writes; look whether it happened before you repeat it.
    ``store.reembed`` stops between two of its many, as long as the store has not switched, and goes on there when called
    again; so does ``maintain`` between two of its slices. ``store.doctor`` may mend in several: what it mended stays, and repeating it does no harm.

    Args:
        memory: The memory whose verbs are awaited; it may be used directly too, from any thread.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
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

    @cached_property
    def review(self) -> AsyncReviewQueue:
        """``Memory.review``, awaited."""
        return AsyncReviewQueue(self._plain.review)

    @cached_property
    def evolution(self) -> AsyncEvolution:
        """``Memory.evolution``, awaited."""
        return AsyncEvolution(self._plain.evolution)

    @cached_property
    def questions(self) -> AsyncQuestions:
        """``Memory.questions``, awaited."""
        return AsyncQuestions(self._plain.questions)

    @cached_property
    def pages(self) -> AsyncStandingPages:
        """``Memory.pages``, awaited."""
        return AsyncStandingPages(self._plain.pages)

    @cached_property
    def store(self) -> AsyncStoreCare:
        """``Memory.store``, awaited."""
        return AsyncStoreCare(self._plain.store)

    @cached_property
    def outline(self) -> AsyncOutline:
        """``Memory.outline``, awaited."""
        return AsyncOutline(self._plain.outline)

    add = _awaited(Memory.add)
    add_text = _awaited(Memory.add_text)
    remember = _awaited(Memory.remember)
    remember_many = _awaited(Memory.remember_many)
    correct = _awaited(Memory.correct)
    recall = _awaited(Memory.recall)
    answer = _awaited(Memory.answer)
    answer_stream = _iterated(Memory.answer_stream)
    rate = _awaited(Memory.rate)
    forget = _awaited(Memory.forget)
    export_subject = _awaited(Memory.export_subject)
    expire = _awaited(Memory.expire)
    verify = _awaited(Memory.verify)
    evolve = _awaited(Memory.evolve)
    maintain = _awaited(Memory.maintain)
    show = _awaited(Memory.show)
    list = _awaited(Memory.list)
    history = _awaited(Memory.history)
    undo = _awaited(Memory.undo)
    profile = _awaited(Memory.profile)
    stats = _awaited(Memory.stats)
    close = _awaited(Memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
