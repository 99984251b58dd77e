"""Work in ordered batches, by local processes or Ray Data; an item that ends its process is given up.

Processes are those of ``concurrent.futures``, newly started (``spawn``), each with one BLAS thread. A batch whose
process ends, killed or crashed, is tried again an item at a time, each alone in a process: an item that ends that one too is
given up, and the others go on. What happens to the caller ends the processes: each watches a pipe that closes with it.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import wait
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, cast

from evolore.errors import InvalidSetting, InvalidValue, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection, PipeConnection

    _End: TypeAlias = Connection | PipeConnection
    _Running: TypeAlias = tuple[ProcessPoolExecutor, _End, _End]

T = TypeVar("T")
R = TypeVar("R")

_BATCHES_A_WORKER: Final = 3
"""So many are handed out for each worker before the oldest has come back: one at work, one that waits, one done early."""
_MOST_BLOCKS: Final = 1000
"""Ray keeps account of each block: some ten thousand slow it down."""


def spread(
    work: Callable[[Sequence[T]], Sequence[R]], batches: Iterable[Sequence[T]], *, count: int, on_ray: bool
) -> Generator[tuple[T, R | None]]:
    """Run the work on batches side by side, and return each item with its result, in the order of the items.

    Only a window of batches is taken ahead of what was given. What Ray tries again comes last. Close the generator to end
    the processes early.

    Args:
        work: Returns a result for each item; it and the items can be pickled.
        batches: The items.
        count: By how many processes, at least 1.
        on_ray: Whether they are Ray's.

    Yields:
        Each item with its result; None for one that ended the processes it was given to.

    Raises:
        InvalidValue: The work cannot be pickled.
        InvalidSetting: No process can be started.
        MissingExtra: Ray is asked for and not installed.
    """
    try:
        packed = pickle.dumps(work)
    except Exception as error:  # anything a class of the user's own may raise
        raise InvalidValue(
            f"workers is more than 1, and what does the work cannot be handed to another process ({error}): use an "
            "embedder that can be pickled, or work with workers=1."
        ) from error
    return (_on_ray if on_ray else _in_processes)(packed, batches, count)


def _in_processes(packed: bytes, batches: Iterable[Sequence[T]], count: int) -> Generator[tuple[T, R | None]]:
    ahead = iter(batches)
    waiting: deque[tuple[Sequence[T], Future[Sequence[R]]]] = deque()
    with closing(_Pool[T, R](packed, count)) as pool, closing(_Pool[T, R](packed, 1)) as alone:
        while True:
            while len(waiting) < _BATCHES_A_WORKER * count and (batch := next(ahead, None)) is not None:
                waiting.append((batch, pool.submit(batch)))
            if not waiting:
                return
            batch, future = waiting.popleft()
            try:
                done = future.result()
            except BrokenProcessPool:
                yield from _one_by_one(alone, batch)
            else:
                yield from zip(batch, done, strict=True)


def _one_by_one(alone: _Pool[T, R], batch: Sequence[T]) -> Iterator[tuple[T, R | None]]:
    """Try each item of a batch again, in a process that does nothing else."""
    try:
        alone.submit([]).result()
    except BrokenProcessPool as error:
        raise InvalidSetting(
            "workers is more than 1, and the processes end as they start; standard error says why. A script that starts "
            'some has to do so below `if __name__ == "__main__":`. With workers=1 none is needed.'
        ) from error
    for item in batch:
        try:
            (done,) = alone.submit([item]).result()
        except BrokenProcessPool:
            yield item, None
        else:
            yield item, done


class _Pool(Generic[T, R]):
    """Processes that start when there is work, and again after one of them has ended."""

    def __init__(self, packed: bytes, count: int) -> None:
        self._packed, self._count = packed, count
        self._running: _Running | None = None

    def submit(self, batch: Sequence[T]) -> Future[Sequence[R]]:
        """Start work on a batch; the future raises ``BrokenProcessPool`` where a process ended meanwhile."""
        try:
            return self._executor().submit(_work, batch)
        except BrokenProcessPool:
            self.close()
            return self._executor().submit(_work, batch)

    def _executor(self) -> ProcessPoolExecutor:
        if self._running is None:
            context = get_context("spawn")
            watched, held = context.Pipe(duplex=False)
            begin = partial(_begin, self._packed, watched)
            self._running = ProcessPoolExecutor(self._count, mp_context=context, initializer=begin), watched, held
        return self._running[0]

    def close(self) -> None:
        """End the processes at once, and wait until they have."""
        if self._running is not None:
            executor, watched, held = self._running
            self._running = None
            # Else the reader of results waits for the rest of one that a killed process wrote half of.
            results: Any = getattr(executor, "_result_queue", None)
            writer: Any = getattr(results, "_writer", None)
            if writer is not None:
                writer.close()
            held.close()
            executor.shutdown(cancel_futures=True)
            watched.close()


_packed_work: list[bytes] = []
_unpacked_work: list[Callable[[Sequence[Any]], Sequence[Any]]] = []
"""Of this process, where it is a worker."""


def _begin(packed: bytes, watched: _End) -> None:
    """Make this process a worker: one thread for linear algebra, deaf to Ctrl-C, and gone when its caller is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller answers it, and ends this process
    _use_one_thread()
    Thread(target=_end_with, args=(watched,), daemon=True).start()
    _packed_work[:] = [packed]


def _end_with(watched: _End) -> None:
    wait([watched])  # nothing is written to it: it can be read when the other end is closed
    os._exit(1)


def _use_one_thread() -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # before the libraries are loaded, which read it once


def _work(batch: Sequence[Any]) -> Sequence[Any]:
    if not _unpacked_work:
        _unpacked_work.append(pickle.loads(_packed_work[0]))  # noqa: S301 - of the process that started this one
    return _unpacked_work[0](batch)


def _on_ray(packed: bytes, batches: Iterable[Sequence[T]], count: int) -> Generator[tuple[T, R | None]]:
    with _ray_running(count):
        lost = yield from _ray_pass(packed, list(batches), count)
        lost = yield from _ray_pass(packed, [[item] for item in lost], count)
        for item in lost:  # perhaps it only waited where another ended the process
            if (yield from _ray_pass(packed, [[item]], 1)):
                yield item, None


@contextmanager
def _ray_running(count: int) -> Generator[None]:
    """Use the cluster that the program or ``RAY_ADDRESS`` names, else start one of this machine's and end it."""
    try:
        import ray  # noqa: PLC0415 - an extra
        import ray.data  # noqa: PLC0415 - likewise # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise MissingExtra('Workers of Ray need Ray Data. Type: pip install "evolore[ray]"') from error
    with ExitStack() as ends:
        if not ray.is_initialized():
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # else it reports to its makers
            own_cpus = None if os.environ.get("RAY_ADDRESS") else count
            ends.callback(ray.shutdown)
            ray.init(log_to_driver=False, logging_level="ERROR", num_cpus=own_cpus, include_dashboard=False)
        yield


def _ray_pass(
    packed: bytes, batches: Sequence[Sequence[T]], count: int
) -> Generator[tuple[T, R | None], None, list[T]]:
    """Run Ray Data over batches once, yield their items with their results in order, and return the items that were lost."""
    if not batches:
        return []
    import ray.data  # noqa: PLC0415 - an extra

    settings = ray.data.DataContext.get_current().copy()
    settings.execution_options.preserve_order = True
    settings.max_errored_blocks = -1  # what is lost is seen by its absence
    settings.enable_progress_bars = False
    rows = [{"at": at, "packed": pickle.dumps(batch)} for at, batch in enumerate(batches)]
    with ray.data.DataContext.current(settings):
        done = ray.data.from_items(rows, override_num_blocks=min(len(rows), _MOST_BLOCKS)).map(
            _RayActor,
            fn_constructor_args=(packed,),
            compute=ray.data.ActorPoolStrategy(size=count),
            num_cpus=1,
            max_restarts=-1,
            max_task_retries=0,
        )
        lost: list[T] = []
        place = 0
        for row in done.iter_rows():
            came = pickle.loads(row["packed"])  # noqa: S301 - of our own actors
            if isinstance(came, Exception):
                raise came
            at = int(row["at"])
            lost += [item for batch in batches[place:at] for item in batch]
            place = at + 1
            yield from zip(batches[at], cast("Sequence[R]", came), strict=True)
        return lost + [item for batch in batches[place:] for item in batch]


class _RayActor:
    """Does the work in a process of Ray's; what it raises is handed back, since Ray would count it as lost."""

    def __init__(self, packed: bytes) -> None:
        _use_one_thread()
        _packed_work[:] = [packed]

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        try:
            came = _work(pickle.loads(row["packed"]))  # noqa: S301 - of the process that asks
        except Exception as error:  # noqa: BLE001 - the edge: the process that asks raises it
            came = error
        return {"at": row["at"], "packed": pickle.dumps(came)}
