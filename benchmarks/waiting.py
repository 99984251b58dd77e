"""Print how long a recall waits while another thread of the same process writes.

    python benchmarks/waiting.py [--held 500] [--sizes 1000,10000,100000] [--turns 200] [--add 1000000] [--rounds 1]

A namespace of ``--held`` one-line turns is recalled from over and over by one thread, each time with another question, as
a server's is, while another one writes: a message of each of ``--sizes`` characters by ``remember``, ``--turns`` turns by one
``remember_many``, and a text of ``--add`` characters by ``add_text``. Printed are the seconds of each write, the median and the
longest recall that overlapped it, and how many those were; first of all the same with nobody writing, for a second. Of
several ``--rounds`` the medians are printed. Figures of busy machines are compared by their ratios, and by turns.

Bar: beside a message of 100,000 characters the longest recall takes 0.2 s; hoped for are 0.08.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import count
from statistics import median
from threading import Event, Thread
from time import perf_counter, sleep
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from evolore.memory import Memory
from harness import command_line, new_memory
from talk import Talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAUSE_SECONDS = 0.005
"""So long somebody looks at what was found before asking again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one write took, and the recalls beside it."""

    seconds: float
    recalls: tuple[float, ...]


def message(talk: Talk, characters: int) -> str:
    """Make a text of a language model's messages, just so long."""
    parts, length = list[str](), 0
    while length < characters:
        parts.append(talk.message())
        length += len(parts[-1]) + 2
    return "\n\n".join(parts)[:characters]


def measure(memory: Memory, asked: Iterator[str], write: Callable[[], object]) -> Seen:
    """Write while another thread recalls; its recalls that overlap the write count."""
    done, started, spans = Event(), Event(), list[tuple[float, float]]()

    def recall() -> None:
        while not done.is_set():
            began = perf_counter()
            memory.recall(next(asked))
            spans.append((began, perf_counter()))
            started.set()
            sleep(PAUSE_SECONDS)

    reader = Thread(target=recall)
    reader.start()
    started.wait()
    began = perf_counter()
    try:
        write()
    finally:
        ended = perf_counter()
        sleep(2 * PAUSE_SECONDS)  # the recall that takes in what was written counts too
        done.set()
        reader.join()
    beside = tuple(end - start for start, end in spans if end > began and start < ended + PAUSE_SECONDS)
    return Seen(seconds=ended - began, recalls=beside)


def show(name: str, rounds: list[Seen]) -> None:
    """Print a line."""
    print(
        f"{name:34} {median(one.seconds for one in rounds):8.2f} s   recalls beside it: "
        f"median {1000 * median(median(one.recalls) for one in rounds):6.0f} ms, "
        f"longest {1000 * median(max(one.recalls) for one in rounds):6.0f} ms, {len(rounds[0].recalls)} of them",
        flush=True,
    )


def main() -> None:
    """Fill a store, write in one thread, recall in another, print."""
    parser = command_line(__doc__)
    parser.add_argument("--held", type=int, default=500, help="turns that are there before")
    parser.add_argument("--sizes", default="1000,10000,100000", help="characters of the messages")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--add", type=int, default=1_000_000, help="characters of the text that is added")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    talk, asking = Talk(), Talk(seed=3)
    asked = (f"What about this: {asking.sentence()} {place}" for place in count())
    sizes = [int(size) for size in given.sizes.split(",")]
    with new_memory() as memory:
        memory.remember_many(talk.lines(given.held))
        memory.recall(next(asked))
        writes: dict[str, Callable[[], object]] = {"nothing for a second": lambda: sleep(1)}
        for size in sizes:
            writes[f"remember, {size:,} characters"] = lambda size=size: memory.remember(message(talk, size))
        turns = Talk(seed=5)
        writes[f"remember_many, {given.turns} turns"] = lambda: memory.remember_many(turns.lines(given.turns))
        writes[f"add_text, {given.add:,} characters"] = lambda: memory.add_text(message(talk, given.add), source="long")
        seen: dict[str, list[Seen]] = {name: [] for name in writes}
        for _ in range(given.rounds):
            for name, write in writes.items():
                seen[name].append(measure(memory, asked, write))
        for name, rounds in seen.items():
            show(name, rounds)


if __name__ == "__main__":
    main()
