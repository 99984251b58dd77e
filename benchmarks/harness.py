"""What benchmarks are run with: options, stores that are thrown away or kept, lines of sets, clocks."""

from __future__ import annotations

import gzip
import json
import resource
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from evolore.memory import Memory
from evolore_evaluation.measure import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def command_line(doc: str | None) -> ArgumentParser:
    """Return a parser whose help is a script's own text, as it stands."""
    return ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)


@contextmanager
def store_folder(kept: Path | None = None) -> Generator[Path]:
    """Return where a store may be made: the folder that is kept, or one that is thrown away."""
    with TemporaryDirectory(prefix="evolore-benchmark-") as made:
        yield kept or Path(made) / "store"


@contextmanager
def new_memory(**how: Any) -> Generator[Memory]:  # noqa: ANN401 - as ``Memory.open`` takes it
    """Open a memory in a new store, which is thrown away."""
    with store_folder() as folder, Memory.open(folder, **how) as memory:
        yield memory


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read the JSON lines of a set, gzipped where its name says so."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def is_blind(id_: str) -> bool:
    """Return whether what has an id is in the half that nothing is tuned on."""
    return Case(id=id_).is_blind


def timed(action: Callable[[], object]) -> float:
    """Return the milliseconds one call takes."""
    started = perf_counter()
    action()
    return 1000 * (perf_counter() - started)


class Spent:
    """Seconds of wall and of CPU that something took, and how often it was called."""

    def __init__(self) -> None:
        self.wall = 0.0
        self.cpu = 0.0
        self.calls = 0

    def __str__(self) -> str:
        return f"{self.wall:.1f} s (CPU {self.cpu:.1f} s)"

    @contextmanager
    def during(self) -> Generator[None]:
        """Count what happens inside."""
        wall, cpu = perf_counter(), process_time()
        try:
            yield
        finally:
            self.wall += perf_counter() - wall
            self.cpu += process_time() - cpu
            self.calls += 1


@contextmanager
def counted(owner: object, name: str) -> Generator[Spent]:
    """Count what the calls of a function take meanwhile, where it is looked up by this name."""
    function: Callable[..., object] = getattr(owner, name)
    spent = Spent()

    def counting(*arguments: object, **options: object) -> object:
        with spent.during():
            return function(*arguments, **options)

    setattr(owner, name, counting)
    try:
        yield spent
    finally:
        setattr(owner, name, function)


def inside(thing: object, path: str) -> Any:  # noqa: ANN401 - what is measured against lies inside
    """Return a part of something that nobody else should reach for, by the names that lead to it."""
    for name in path.split("."):
        thing = getattr(thing, name)
    return thing


def wait_for_snapshots(memory: Memory) -> None:
    """Wait until the snapshots of nearest vectors that are being built are there."""
    inside(memory, "_context.store._open.snapshots").wait()


def resident() -> str:
    """Return how much memory the process holds, where the system tells."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return "unknown"
    held = {
        line.split(":")[0]: int(line.split()[1]) // 1024 for line in status.read_text().splitlines() if "kB" in line
    }
    return f"{held['VmRSS']} MB, of which {held['RssFile']} MB mapped files; at the most {held['VmHWM']} MB"


def most_megabytes() -> float:
    """Return the most memory this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1_000_000
