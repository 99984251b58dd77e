"""The indexes that are open: as many as fit into memory, those used last."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from evolore.store.index import NamespaceIndex


@dataclass(slots=True)
class _Open:
    index: NamespaceIndex
    bytes_held: int = 0


class OpenIndexes:
    """The open namespaces' indexes, from the one not used for longest to the last.

    Threads may share it.

    Args:
        make: Makes the empty index of a namespace by its number.
        memory_bytes: What all may take together, the one in use aside.
    """

    def __init__(self, make: Callable[[int], NamespaceIndex], *, memory_bytes: int) -> None:
        self._make = make
        self._memory_bytes = memory_bytes
        self._lock = Lock()
        self._open: dict[int, _Open] = {}
        self._bytes_held = 0

    def __len__(self) -> int:
        return len(self._open)

    @contextmanager
    def using(self, ns: int) -> Generator[NamespaceIndex]:
        """Give a namespace's index for this thread alone, then let go of what no longer fits."""
        with self._lock:
            entry = self._open.pop(ns, None) or _Open(self._make(ns))
            self._open[ns] = entry
        with entry.index.lock:
            try:
                yield entry.index
            finally:
                self._settle(ns, entry)

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._open.clear()
            self._bytes_held = 0

    def _settle(self, ns: int, entry: _Open) -> None:
        """Note how large an index has become, and let go of what no longer fits beside it."""
        with self._lock:
            if self._open.get(ns) is not entry:
                return
            grown = entry.index.bytes_held
            self._bytes_held += grown - entry.bytes_held
            entry.bytes_held = grown
            while self._bytes_held > self._memory_bytes and len(self._open) > 1:
                # Another thread may be using it: it works on until it is done, and a new one is made after it.
                oldest = next(number for number in self._open if number != ns)
                self._bytes_held -= self._open.pop(oldest).bytes_held
