"""Embedders that workers are given, folders that are added, and a process that adds one until it is stopped."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import TextRole, Vectors

TEXTS = {
    "en": "The kiln of house {n} is lit at dawn, and the glaze dries for two days.",
    "ja": "第{n}窯は夜明けに火を入れ、釉薬は二日かけて乾かす。",
    "zh": "第{n}号窑在黎明点火, 釉料要晾两天。",
}


class Ender(HashingEmbedder):
    """Ends its process by ``kill -9`` where a text says so, as often as it is allowed to; leaves its process's id.

    Args:
        folder: Where it notes what it did.
        times: How often, all processes together.
    """

    def __init__(self, folder: Path, times: int) -> None:
        super().__init__()
        self.folder, self.times = folder, times

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        (self.folder / f"pid-{os.getpid()}").touch()
        if any("Ends its reader." in one for one in texts) and len(list(self.folder.glob("ended-*"))) < self.times:
            (self.folder / f"ended-{os.getpid()}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts, role=role)


class Blocker(HashingEmbedder):
    """Notes its process's id, and never comes back from a text that says so.

    Args:
        folder: Where it notes that; a fifo ``blocked`` is there, which it opens and waits at.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        if any("Ends its reader." in one for one in texts):
            with (self.folder / "blocked").open("w") as told:
                told.write(f"{os.getpid()}\n")
                told.flush()
                signal.pause()
        return super().embed(texts, role=role)


def write_folder(folder: Path, count: int, *, ending: int | None = None, times: int = 2) -> Path:
    """Write files, one of which says that its reader is to end."""
    folder.mkdir()
    for number in range(count):
        lines = [TEXTS[one].format(n=number) for one in TEXTS for _ in range(times)]
        lines += ["Ends its reader."] * (number == ending)
        (folder / f"kiln-{number:03}.md").write_text(f"# Kiln {number}\n\n" + "\n\n".join(lines), encoding="utf-8")
    return folder


def rows(memory: Memory) -> list[tuple[object, ...]]:
    """Give what a memory holds of documents, in the order in which they were written, without ids and times."""
    with memory._context.store.index(memory.namespace) as (view, reader):
        leaves = [(one, leaf) for one in reader.documents() for leaf in reader.leaf_episodes(one.id)]
        vectors = view.vectors.rows_of(np.array([view.numbers[leaf.id] for _, leaf in leaves], np.int32))
        keys = [leaf.id for _, leaf in leaves]
        stored = {one.id: one for one in reader.episodes(keys)}
    return [
        (one.source, one.version, one.title, leaf.text, leaf.heading_path, stored[leaf.id].arousal, vector.tobytes())
        for (one, leaf), vector in zip(leaves, vectors, strict=True)
    ]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever starts tests in the background has ignored
    store, folder, notes = map(Path, sys.argv[1:])
    with Memory.open(store, embedder=Blocker(notes)) as opened:
        opened.add(folder, workers=2)
