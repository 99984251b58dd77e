"""Print what the names of a namespace's items cost: memory, taking items in, looking up, dropping, and reading a file.

    python benchmarks/name_postings.py [--items 100000] [--names 6]

Names are made up, and as rare as words are: after Zipf's law. ``--items 500`` tries it out.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from evolore.index.arrays import ItemsFile, read_items, write_items
from evolore.index.names import NamePostings
from evolore.index.snapshots import Origin
from harness import command_line, timed

BATCH = 8192
VOCABULARY = 100_000
SEEDS = 200
ORIGIN = Origin(namespace="1", model="none", dimension=1)


def main() -> None:
    """Make names up, measure, print."""
    parser = command_line(__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--names", type=int, default=6, help="how many an item holds")
    options = parser.parse_args()
    lists = made_up(options.items, options.names)
    index = NamePostings()
    taking_in = timed(lambda: [index.append(lists[at : at + BATCH]) for at in range(0, len(lists), BATCH)])
    one = median(timed(lambda: index.append([lists[0]])) for _ in range(SEEDS))
    print(f"{options.items:,} items of {options.names} names, {index.count:,} names in all")
    print(f"  memory: {index.bytes_held / options.items:.0f} bytes an item")
    print(f"  taking all in: {taking_in:.0f} ms; one more item: {one:.3f} ms")
    looking_up(index, options.items)
    count: int = options.items
    dropping = timed(lambda: index.keep(np.arange(1, count)))
    print(f"  dropping one item: {dropping:.1f} ms")
    from_file(index)


def made_up(items: int, names: int) -> list[list[str]]:
    """Give the names of each item."""
    random = np.random.default_rng(3)
    weight = 1.0 / (np.arange(VOCABULARY) + 10.0)
    numbers = random.choice(VOCABULARY, size=(items, names), p=weight / weight.sum())
    return [[f"name {number}" for number in row] for row in numbers.tolist()]


def looking_up(index: NamePostings, items: int) -> None:
    """Print what a walk from some items to their names and back to items costs."""
    random = np.random.default_rng(4)
    seeds = [random.integers(items, size=SEEDS).astype(np.int32) for _ in range(50)]
    to_names = median(timed(lambda some=some: index.names_of(some)) for some in seeds)
    names = [np.unique(index.names_of(some)[1]) for some in seeds]
    to_items = median(timed(lambda some=some: index.items_of(some)) for some in names)
    reached = median(index.items_of(some)[1].size for some in names)
    print(f"  the names of {SEEDS} items: {to_names:.3f} ms; the {reached:,.0f} items of those: {to_items:.3f} ms")


def from_file(index: NamePostings) -> None:
    """Print what writing and reading them as a part of the items' file costs."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "items"
        writing = timed(lambda: write_items(place, ORIGIN, ItemsFile(watermark=1, arrays=index.state())))
        read = [timed(lambda: restored(place)) for _ in range(5)]
        print(
            f"  file: {place.stat().st_size / 1e6:.1f} MB, written in {writing:.0f} ms, read in {median(read):.0f} ms"
        )


def restored(place: Path) -> NamePostings:
    """Read a file back."""
    found = read_items(place, ORIGIN)
    assert found is not None
    return NamePostings.restored(found.arrays)


if __name__ == "__main__":
    main()
