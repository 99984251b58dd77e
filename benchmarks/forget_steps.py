"""Print what forgetting a statement costs by how many steps of rewrites there are that do not name it.

    PYTHONPATH=tests python benchmarks/forget_steps.py [--steps 1000,10000,100000]

Stores of a hundred statements and a job whose steps, of 2 kB, name these; then ten others, which a job of one step each names, are forgotten, one after the other, without the rewriting of files that follows each. Printed: the median in milliseconds of CPU
time, by the number of steps.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.domain.evolution import Step
from evolore.domain.filters import Target
from store.evolving import Evolving

BATCH = 1000
FORGOTTEN = 10


def measure(steps: int) -> float:
    """Give the median of forgetting among so many steps, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        here = Evolving(Path(folder) / "store")
        said = here.remember(*(f"statement {number} of the day" for number in range(100 + FORGOTTEN)))
        kept, gone = said[FORGOTTEN:], said[:FORGOTTEN]
        for place, id_ in enumerate(gone):
            job = here.begin(here.add(f"{place}.md", f"# Page {place}\n\nIt runs at {place}.\n"))
            assert here.go_on(str(job), 1, evidence=[id_])
        large = str(here.begin(here.add("large.md", "# Large\n\nIt is large.\n")))
        for start in range(0, steps, BATCH):
            at = here.clock.now()
            new = [
                Step(
                    number=number + 1,
                    kind="replied",
                    body={"reply": "x" * 2000, "evidence": [kept[number % 100]]},
                    at=at,
                )
                for number in range(start, min(start + BATCH, steps))
            ]
            with here.writing() as writer:
                assert writer.append_steps(large, new, state=None, at=at)
        spent: list[float] = []
        for id_ in gone:
            with here.writing() as writer:
                start = process_time()
                writer.erase(Target(item_ids=(id_,)), at=here.clock.now())
                spent.append(1000 * (process_time() - start))
        here.close()
        return median(spent)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="What forgetting costs by the number of steps.")
    parser.add_argument("--steps", default="1000,10000,100000")
    for steps in map(int, parser.parse_args().steps.split(",")):
        print(f"{steps:>9,} steps: forget p50 {measure(steps):7.1f} ms of CPU")


if __name__ == "__main__":
    main()
