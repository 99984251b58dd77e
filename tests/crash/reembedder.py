"""A process that changes the embedding model, and stops after the first texts: ``reembedder STORE``."""

from __future__ import annotations

import signal
import sys

from evolore.config import Settings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder


def stop(*, done: int, texts: int) -> None:
    if done:
        sys.stdout.write(f"{done}\n")
        sys.stdout.flush()
        signal.pause()


def main() -> None:
    with Memory.open(sys.argv[1], namespace="crash", embedder=HashingEmbedder(16), settings=Settings()) as memory:
        memory.store.reembed(HashingEmbedder(24), progress=stop)


if __name__ == "__main__":
    main()
