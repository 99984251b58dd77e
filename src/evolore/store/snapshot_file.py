"""How a snapshot of a namespace's vector index lies in a file, and how it is known to be whole.

The file begins with the index as usearch writes it. Behind it stand the payload ids of its vectors, ``ID_BYTES`` each,
a header as JSON, the header's length, and ``MAGIC``. The header says what the snapshot was made from, and holds a
checksum of everything before it: a file that is cut short, changed, of another namespace, model or version is as good
as none.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

MAGIC = b"evolore vectors\n"
ID_BYTES = 26
NO_ID = "0" * ID_BYTES
"""Stands for a payload that was erased."""

_LENGTH_BYTES = 4
_PIECE = 1 << 20


@cache
def _format() -> str:
    """Name our version of the layout and the library's: a file of any other is built anew."""
    return f"1 usearch {version('usearch')}"


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
    format: str = field(default_factory=_format)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    origin: dict[str, str | int]
    count: int
    expansion: int
    index_bytes: int
    checksum: int

    @property
    def body_bytes(self) -> int:
        """How long index and ids are."""
        return self.index_bytes + self.count * ID_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotBytes:
    """A snapshot file as it lies in memory, whole and of the right origin.

    Args:
        payload_ids: Whose vectors they are, by slot.
        expansion: How many candidates a search should keep.
        index: What usearch wrote.
    """

    payload_ids: tuple[str, ...]
    expansion: int
    index: memoryview


def seal(path: Path, origin: Origin, payload_ids: Sequence[str], *, expansion: int) -> None:
    """Complete a file that holds an index with what makes it a snapshot, durably.

    Raises:
        OSError: There is no room, or no right to write.
    """
    with path.open("r+b") as file:
        index_bytes = file.seek(0, os.SEEK_END)
        file.write("".join(payload_ids).encode("ascii"))
        file.flush()
        checksum = _checksum(path, file.tell())
        header = _Header(
            origin=asdict(origin),
            count=len(payload_ids),
            expansion=expansion,
            index_bytes=index_bytes,
            checksum=checksum,
        )
        written = json.dumps(asdict(header)).encode()
        file.write(written + len(written).to_bytes(_LENGTH_BYTES, "little") + MAGIC)
        file.flush()
        os.fsync(file.fileno())


def publish(written: Path, place: Path) -> None:
    """Move a sealed snapshot to its place, in one step that also survives a power failure."""
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
    if header is None or header.origin != asdict(origin) or crc32(mapped[: header.body_bytes]) != header.checksum:
        return None
    ids = bytes(mapped[header.index_bytes : header.body_bytes]).decode("ascii")
    payload_ids = tuple(ids[start : start + ID_BYTES] for start in range(0, len(ids), ID_BYTES))
    return SnapshotBytes(payload_ids=payload_ids, expansion=header.expansion, index=mapped[: header.index_bytes])


def copy_without(path: Path, copied: Path, origin: Origin, erased: Sequence[int]) -> bool:
    """Copy a snapshot with the vectors and ids of some slots overwritten by zeros.

    A vector of zeros is as far from every question as can be; the links through it stay, so the others are still
    found.

    Returns:
        Whether it could be done: usearch 2 writes the vectors first, in the order of their slots.
    """
    found = read_snapshot(path, origin)
    if found is None or not begins_with_rows(found, origin):
        return False
    row_bytes = 2 * origin.dimension
    shutil.copyfile(path, copied)
    with copied.open("r+b") as file:
        for slot in erased:
            file.seek(2 * _LENGTH_BYTES + slot * row_bytes)
            file.write(bytes(row_bytes))
        file.truncate(found.index.nbytes)
    gone = set(erased)
    left = [NO_ID if slot in gone else id_ for slot, id_ in enumerate(found.payload_ids)]
    seal(copied, origin, left, expansion=found.expansion)
    return True


def begins_with_rows(found: SnapshotBytes, origin: Origin) -> bool:
    """Tell whether the vectors stand first, in the order of their slots, as usearch 2 writes them."""
    rows = int.from_bytes(found.index[:_LENGTH_BYTES], "little")
    row_bytes = int.from_bytes(found.index[_LENGTH_BYTES : 2 * _LENGTH_BYTES], "little")
    return (rows, row_bytes) == (len(found.payload_ids), 2 * origin.dimension)


def rows_of(found: SnapshotBytes, dimension: int) -> npt.NDArray[np.float16]:
    """Give the vectors by slot, where they lie in the file."""
    count = len(found.payload_ids)
    rows = np.frombuffer(found.index, dtype="<f2", offset=2 * _LENGTH_BYTES, count=count * dimension)
    return rows.reshape(count, dimension)


def _checksum(path: Path, size: int) -> int:
    checksum, left = 0, size
    with path.open("rb") as file:
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            checksum, left = crc32(piece, checksum), left - len(piece)
    return checksum


def _read_header(mapped: memoryview) -> _Header | None:
    end = len(mapped) - len(MAGIC) - _LENGTH_BYTES
    if end < 0 or bytes(mapped[end + _LENGTH_BYTES :]) != MAGIC:
        return None
    length = int.from_bytes(mapped[end : end + _LENGTH_BYTES], "little")
    try:
        header = _Header(**json.loads(bytes(mapped[max(0, end - length) : end])))
        return header if header.body_bytes + length == end else None
    except (ValueError, TypeError):
        return None
