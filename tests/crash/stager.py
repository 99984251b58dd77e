"""A process that adds one large document in parts until it is killed: ``stager.py STORE POINT VISIT``, the text on standard input.

It says once it is at the fault point's n-th visit, and waits to be killed.
"""

from __future__ import annotations

import signal
import sys
from itertools import count

from evolore.chunking.settings import ChunkSettings
from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.flows import document_version
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.store import database
from evolore.store.database import FaultPoint


def main() -> None:
    store, point, visit = sys.argv[1:]
    visits = count(1)

    def listen(reached: FaultPoint) -> None:
        if reached is FaultPoint(point) and next(visits) == int(visit):
            sys.stdout.write(f"at {point}\n")
            sys.stdout.flush()
            signal.pause()

    document_version.EMBED_BATCH = 16
    text = SourceText(source="large.md", text=sys.stdin.read(), media_type=MediaType.MARKDOWN)
    settings = Settings(chunking=ChunkSettings(target_size=300), max_leaves_at_once=16)
    with Memory.open(store, namespace="crash", embedder=HashingEmbedder(), settings=settings) as memory:
        database.listeners.append(listen)
        memory.add(text)


if __name__ == "__main__":
    main()
