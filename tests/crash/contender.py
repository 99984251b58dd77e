"""A process that writes to a store that others write too: ``contender.py STORE NAME``; at each line of input it goes on a while."""

from __future__ import annotations

import sys

from evolore.config import Settings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

STATEMENTS = 60
DOCUMENTS = 3
VERSIONS = 3
A_DOCUMENT = 6
"""After so many statements comes a document."""
ABREAST = 20


def document(number: int, version: int) -> str:
    parts = [f"Part {part}\n\n" + f"Matter {part} of page {number} stays. " * 20 for part in range(4)]
    return "\n\n".join([*parts, f"Version {version} ends here. " * 20])


def wait() -> None:
    """Say that it has come here, and wait until every other has: so none is done before another begins."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()


def main() -> None:
    store, name = sys.argv[1:]
    with Memory.open(store, namespace="crash", embedder=HashingEmbedder(), settings=Settings()) as memory:
        for number in range(STATEMENTS):
            if number % ABREAST == 0:
                wait()
            memory.remember(f"Statement {number}.", session=f"s{number % 3}", speaker=name)
            step = number // A_DOCUMENT
            if number % A_DOCUMENT == 0 and step < DOCUMENTS * VERSIONS:
                memory.add_text(document(step % DOCUMENTS, step // DOCUMENTS), source=f"page-{step % DOCUMENTS}.md")


if __name__ == "__main__":
    main()
