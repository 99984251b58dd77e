"""A lock among processes: a file that one of them holds."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
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


@contextmanager
def alone_at(path: Path) -> Generator[bool]:
    """Hold one of many locks among processes, if nobody else does; its file is there only while somebody holds it."""
    try:
        lock = _locked(path)
    except (ImportError, OSError):  # not on Windows, nor where no file can be made: there nobody can be told apart
        yield True
        return
    if lock is None:
        yield False
        return
    try:
        yield True
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(lock)


def _locked(path: Path) -> int | None:
    """Open a file and lock it; None where another holds it."""
    from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - likewise

    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        if _is_the_file(lock, path):
            return lock
        os.close(lock)  # who held it before has just taken the file away, and the next may have made another


def _is_the_file(lock: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except OSError:
        return False
