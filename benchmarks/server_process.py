"""A server in a process of its own, for the benchmarks that ask one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.ports import Embedder

_PROGRAM = """
import sys
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from evolore.server.running import run
embedder = HashingEmbedder() if sys.argv[2] == "hashing" else sys.argv[2]
run(create_app(Memories(sys.argv[1], embedder=embedder)), host="127.0.0.1", port=0)
"""
_PATIENCE_SECONDS = 120
_LOOK_SECONDS = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server that listens: where, as which process, and how many seconds it took to."""

    address: str
    pid: int
    seconds: float


def embedder_of(name: str) -> Embedder | str:
    """Give an embedder by its name, or ``hashing`` for the stand-in."""
    return HashingEmbedder() if name == "hashing" else name


@contextmanager
def serving(store: Path, *, embedder: str, log: Path) -> Generator[Server]:
    """Start a server of a store, and stop it in the end; what it says goes into a file."""
    began = time.perf_counter()
    with log.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(store), embedder],
            stdout=said,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""},  # as where it is installed
        )
    try:
        address = ""
        while not address:
            if process.poll() is not None or time.perf_counter() - began > _PATIENCE_SECONDS:
                raise SystemExit(f"The server did not start: {log.read_text()}")
            time.sleep(_LOOK_SECONDS)
            address = log.read_text().partition("Evolore serves ")[2].partition(" (API")[0]
        yield Server(address=address.rstrip("/"), pid=process.pid, seconds=time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait()
