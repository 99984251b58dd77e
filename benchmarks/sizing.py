"""Print what a store costs by its size: bytes on disk and in memory, milliseconds, and what follows for a core and a GB.

    python benchmarks/sizing.py [--sizes 1000,10000,100000] [--namespaces 200]

Statements have 40 words after Zipf's law, and vectors of 512 numbers as those of the default embedder have. For each size a
store is filled; then the file is measured, its indexes are loaded as a process does that recalls first, and questions are
asked, taken down and rated. CPU seconds are this process's own, on one thread. What the default embedder takes for a text is
printed apart. Then one store gets many namespaces of one statement each. Last come the constants: what one more statement
takes is the difference between the largest store and the smallest.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from evolore.domain.outcome import Rating
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore.ports import TextRole
from harness import command_line, inside
from synthetic import Spread, Words, fill, warm, within

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = (1000, 10_000, 100_000)
NAMESPACES = 200
ASKED = 100
SENTENCES = (
    "The release of the billing service moved to the second Tuesday of March, after the audit of the payment gateway.",
    "検収の締め日は毎月二十五日で、請求書は翌営業日までに経理部へ送付する。",
    "新员工入职第一周由导师陪同, 第二周开始独立处理普通客户的咨询。",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What a store of so many statements takes: bytes, and milliseconds of CPU."""

    statements: int
    disk: int
    memory: int
    remember: float
    load: float
    recall: float
    recorded: float


def main() -> None:
    """Print a line for each size, and what follows."""
    parser = command_line(__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="how many statements, rising, at least two")
    parser.add_argument("--namespaces", type=int, default=NAMESPACES, help="how many small namespaces, at least 2")
    asked = parser.parse_args()
    print("statements   on disk    in memory   remember   load      recall    recall, taken down and rated")
    with tempfile.TemporaryDirectory() as folder:
        found = [measured(Path(folder) / str(size), size) for size in map(int, asked.sizes.split(","))]
        each_disk, each_memory = namespaces(Path(folder) / "many", asked.namespaces)
    embedding = embed()
    first, last = found[0], found[-1]
    more = last.statements - first.statements
    disk, memory = (last.disk - first.disk) / more, (last.memory - first.memory) / more
    taken = embedding + last.recorded
    print(f"\none more statement: {disk:,.0f} bytes on disk, {memory:,.0f} in memory")
    print(f"one more namespace of one statement: {each_disk:,.0f} bytes on disk, {each_memory:,.0f} in memory")
    print(f"one text through the default embedder: {embedding:.2f} ms")
    print(
        f"a GB of memory holds the indexes of {1e9 / memory:,.0f} statements, or of {1e9 / each_memory:,.0f} small namespaces"
    )
    print(f"a core gives {1000 / taken:,.0f} recalls a second at {last.statements:,} statements, taken down and rated")
    print(f"a core remembers {1000 / (embedding + last.remember):,.0f} statements a second")
    for one, other in pairwise(found):
        print(f"recall from {one.statements:,} to {other.statements:,}: {other.recall / one.recall:.1f} times")


def measured(folder: Path, size: int) -> Size:
    """Fill a store, measure it, and print its line."""
    texts = Words().texts(size)
    with Memory.open(folder, embedder=Spread()) as memory:
        began = process_time()
        fill(memory, texts)
        remember = 1000 * (process_time() - began) / size
        questions = Words().questions(texts)[:ASKED]
    with Memory.open(folder, embedder=Spread()) as memory:
        began = process_time()
        memory.recall("anything", record=False)
        load = 1000 * (process_time() - began)
        held = sum(one.bytes_held for one in indexes_of(memory))
        warm(memory, questions)
        plain = median(spent(memory, one, is_recorded=False) for one in questions)
        recorded = median(spent(memory, one, is_recorded=True) for one in questions)
    disk = on_disk(folder)
    found = Size(statements=size, disk=disk, memory=held, remember=remember, load=load, recall=plain, recorded=recorded)
    print(
        f"{size:10,}   {disk / 1e6:6.1f} MB   {held / 1e6:6.1f} MB   {remember:5.2f} ms   {load / 1000:5.2f} s   "
        f"{plain:5.2f} ms   {recorded:5.2f} ms",
        flush=True,
    )
    return found


def spent(memory: Memory, question: str, *, is_recorded: bool) -> float:
    """Give the milliseconds of CPU that a question takes."""
    began = process_time()
    found = memory.recall(question, record=is_recorded)
    if is_recorded and found.query_id is not None:
        memory.rate(found.query_id, Rating.GOOD)
    return 1000 * (process_time() - began)


def namespaces(folder: Path, count: int) -> tuple[float, float]:
    """Give what one more namespace of one statement takes, in bytes on disk and in memory."""
    texts = Words().texts(count)
    one = tell(folder, texts[:1], first=0)
    all_ = tell(folder, texts[1:], first=1)
    return (all_[0] - one[0]) / (count - 1), all_[1] / (count - 1)


def tell(folder: Path, texts: Sequence[str], *, first: int) -> tuple[int, int]:
    """Remember and ask for each text in a namespace of its own; give the bytes of all files, and of the indexes held."""
    with Memory.open(folder, embedder=Spread()) as memory:
        for number, text in enumerate(texts, start=first):
            one = within(memory, f"tenant {number}")
            one.remember(text)
            one.recall(text, record=False)
        held = sum(index.bytes_held for index in indexes_of(memory))
    return on_disk(folder), held


def on_disk(folder: Path) -> int:
    """Give the bytes of all files of a store that is closed."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def indexes_of(memory: Memory) -> list[Any]:
    """Give what holds the open namespaces' indexes."""
    store = inside(memory, "_context.store")
    return list(inside(store, "_open.indexes._open").values())


def embed() -> float:
    """Give the milliseconds of CPU that the default embedder takes for a text."""
    embedder = embedder_named("use")
    embedder.embed(SENTENCES, role=TextRole.PASSAGE)
    took: list[float] = []
    for _ in range(20):
        began = process_time()
        for sentence in SENTENCES:
            embedder.embed([sentence], role=TextRole.QUERY)
        took.append(1000 * (process_time() - began) / len(SENTENCES))
    return median(took)


if __name__ == "__main__":
    main()
