"""A process that has a store open while another changes its embedding model: ``neighbour.py STORE``.

For each line it is given it does what the line says, ``recall`` or ``remember``, and prints what came of it.
"""

from __future__ import annotations

import sys

from evolore.config import Settings
from evolore.errors import EvoloreError
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder


def answer(memory: Memory, verb: str) -> str:
    try:
        if verb == "remember":
            return memory.remember("Said next door, of the harbour.").text
        return memory.recall("harbour").hits[0].episode.text
    except EvoloreError as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    with Memory.open(sys.argv[1], namespace="crash", embedder=HashingEmbedder(16), settings=Settings()) as memory:
        for line in sys.stdin:
            sys.stdout.write(answer(memory, line.strip()) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
