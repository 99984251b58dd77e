"""How a snapshot of a namespace's vector index lies in a file, and how it is known to be whole.

The file begins with ``MAGIC``, the length of the header and the header as JSON; at ``BODY`` follow the payload ids of
the vectors, ``ID_BYTES`` each, and at the next multiple of ``PAGE`` the index as usearch writes it. The header says
what it was made from, and holds a checksum of everything behind it: a file that is cut short, changed, of another
namespace, model or version is as good as none.
"""

from __future__ import annotations

import json
import mmap
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import usearch

if TYPE_CHECKING:
    from collections.abc import Buffer, Sequence
    from pathlib import Path

    import numpy.typing as npt

MAGIC = b"evolore vectors\n"
FORMAT = f"1 usearch {usearch.__version__}"
"""Our own version and that of the library: a file of any other is built anew."""

PAGE = 4096
BODY = PAGE
ID_BYTES = 26
NO_ID = "0" * ID_BYTES
"""Stands for a payload that was erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a snapshot was made from.

    Args:
        namespace: The namespace's number and when it was made, which no other store's share.
        model: The embedding model's id.
        dimension: Length of its vectors.
        format: How the file is laid out.
    """

    namespace: str
    model: str
    dimension: int
    format: str = FORMAT


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    origin: dict[str, str | int]
    count: int
    size: int
    checksum: int

    def write(self) -> bytes:
        """Give the first page of the file."""
        written = json.dumps(asdict(self)).encode()
        return (MAGIC + len(written).to_bytes(4, "little") + written).ljust(BODY, b"\0")


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotBytes:
    """A snapshot file as it lies in memory, whole and of the right origin.

    Args:
        payload_ids: Whose vectors they are, by slot.
        index: What usearch wrote.
    """

    payload_ids: tuple[str, ...]
    index: memoryview


def write_snapshot(path: Path, origin: Origin, payload_ids: Sequence[str], index: Buffer) -> None:
    """Write a snapshot beside its place, durably; ``publish`` moves it there.

    Raises:
        OSError: There is no room, or no right to write.
    """
    ids = "".join(payload_ids).encode("ascii")
    body = ids.ljust(_index_start(len(payload_ids)) - BODY, b"\0")
    size = BODY + len(body) + memoryview(index).nbytes
    checksum = crc32(index, crc32(body))
    header = _Header(origin=asdict(origin), count=len(payload_ids), size=size, checksum=checksum)
    with path.open("wb") as file:
        for piece in (header.write(), body, index):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def publish(written: Path, place: Path) -> None:
    """Move a written snapshot to its place, in one step that also survives a power failure."""
    written.replace(place)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read_snapshot(path: Path, origin: Origin) -> SnapshotBytes | None:
    """Map a snapshot; None where there is none, or one that is damaged or of another origin."""
    try:
        with path.open("rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None
    header = _read_header(mapped)
    if header is None or header.origin != asdict(origin) or header.size != len(mapped):
        return None
    if crc32(mapped[BODY:]) != header.checksum:
        return None
    ids = bytes(mapped[BODY : BODY + header.count * ID_BYTES]).decode("ascii")
    payload_ids = tuple(ids[start : start + ID_BYTES] for start in range(0, len(ids), ID_BYTES))
    return SnapshotBytes(payload_ids=payload_ids, index=mapped[_index_start(header.count) :])


def without(snapshot: SnapshotBytes, erased: Sequence[int]) -> tuple[tuple[str, ...], bytearray] | None:
    """Give a snapshot's ids and index with the bytes of some slots' vectors overwritten by zeros.

    A vector of zeros is as far from every question as can be; the links through it stay, so the others are still
    found.

    Returns:
        None where the index does not begin with its vectors in the order of their slots, as usearch 2 writes them.
    """
    index = bytearray(snapshot.index)
    rows = _rows(index, len(snapshot.payload_ids))
    if rows is None:
        return None
    rows[list(erased)] = 0
    gone = set(erased)
    return tuple(NO_ID if slot in gone else id_ for slot, id_ in enumerate(snapshot.payload_ids)), index


def _rows(index: bytearray, count: int) -> npt.NDArray[np.uint8] | None:
    rows, row_bytes = (int(number) for number in np.frombuffer(index, dtype="<u4", count=2))
    if rows != count or 8 + rows * row_bytes > len(index):
        return None
    return np.frombuffer(index, dtype=np.uint8, count=rows * row_bytes, offset=8).reshape(rows, row_bytes)


def _read_header(mapped: memoryview) -> _Header | None:
    start = len(MAGIC) + 4
    if mapped[: len(MAGIC)] != MAGIC:
        return None
    length = int.from_bytes(mapped[len(MAGIC) : start], "little")
    try:
        return _Header(**json.loads(bytes(mapped[start : start + length])))
    except (ValueError, TypeError):
        return None


def _index_start(count: int) -> int:
    return BODY + -(-count * ID_BYTES // PAGE) * PAGE
