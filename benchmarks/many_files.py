"""Print what it costs to add many small files that a parser reads, over adding the same words as plain text.

Run it as ``.venv/bin/python benchmarks/many_files.py [FOLDER]``: a folder of ``.rst`` files, by default 72 that are made here.
Both are added in turn to fresh stores; CPU counts the processes that read.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from evolore import Memory
from evolore.sources import reader_process

FILES = 72
PARAGRAPH = (
    "The keeper of page {0} writes down each visitor, and the *reason* for the visit. Rain falls on {0} days of the "
    "year there, and the ``gauge`` by the door is read at noon. Whoever finds the door locked asks in house {0}.\n\n"
)


def make(folder: Path) -> None:
    """Write small files with a title, sections and a list."""
    for number in range(FILES):
        sections = "".join(
            f"Part {part}\n------\n\n{PARAGRAPH.format(number * 10 + part) * 2}- one\n- two\n\n" for part in range(4)
        )
        (folder / f"page{number}.rst").write_text(f"Page {number}\n=======\n\n{sections}", "utf-8")


def cost(paths: list[Path]) -> tuple[float, float]:
    """Add files to a fresh store; return seconds of CPU and of wall time."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "store") as memory:
        memory.remember("A warm store.")
        began, used = time.perf_counter(), sum(os.times()[:4])
        memory.add(*paths)
        for process in tuple(reader_process.idle):
            process.end()
        reader_process.idle.clear()
        return sum(os.times()[:4]) - used, time.perf_counter() - began


def main() -> None:
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        source = options.folder or Path(made)
        if not options.folder:
            make(source)
        marked = sorted(source.rglob("*.rst"))
        plain = [Path(made) / f"{number}.txt" for number, _ in enumerate(marked)]
        for one, other in zip(marked, plain, strict=True):
            other.write_bytes(one.read_bytes())
        runs = [(cost(marked), cost(plain)) for _ in range(options.runs)]
    for place, name in enumerate(("CPU", "wall")):
        pairs = [(one[place], other[place]) for one, other in runs]
        seconds = [statistics.median(column) for column in zip(*pairs, strict=True)]
        ratio = statistics.median(one / other for one, other in pairs)
        print(f"{name:5} .rst {seconds[0]:6.2f} s  as text {seconds[1]:6.2f} s  {ratio:5.2f} x  ({len(marked)} files)")


if __name__ == "__main__":
    main()
