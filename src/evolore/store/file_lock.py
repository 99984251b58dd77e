"""A lock among processes: a file that one of them holds."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextmanager
def alone(path: Path) -> Generator[bool]:
    """Hold a lock among processes, if nobody else does; it ends with the process, however that ends."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - not on Windows, where two may build, and the last wins
    except ImportError:
        yield True
        return
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        flock(lock, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)
