"""Walk from seeds: ``python -m simulation --seed N`` shows the steps, ``--seeds A-B`` walks from many and counts."""

from __future__ import annotations

import argparse
import sys

from once import doing_once
from simulation.verbs import run
from simulation.walk import STEPS, Violation


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m simulation", description=__doc__)
    parser.add_argument("--seed", type=int, help="one seed, whose steps are shown")
    parser.add_argument("--seeds", help="first and last seed, such as 0-999")
    parser.add_argument("--steps", type=int, default=STEPS)
    given = parser.parse_args()
    if (given.seed is None) == (given.seeds is None):
        parser.error("give --seed or --seeds")
    first, last = (given.seed, given.seed) if given.seeds is None else map(int, given.seeds.split("-"))
    failed: list[int] = []
    with doing_once():
        for seed in range(first, last + 1):
            try:
                told = run(seed, steps=given.steps)
            except Violation as violation:
                failed.append(seed)
                sys.stdout.write(f"{violation}\n")
            else:
                sys.stdout.write("\n".join([*told, ""]) if given.seeds is None else "")
    sys.stdout.write(f"{last + 1 - first} seeds, {len(failed)} failed: {failed}\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
