"""Snapshots: nearest vectors from a mapped file, built beside recall and replaced in one step."""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from filelock import FileLock, Timeout

from evolore.text.vectors import Float16s, Float32s, Int32s, Int64s

if TYPE_CHECKING:
    from usearch.index import Index

    from evolore.index.vectors import FrozenRows


class Kept(Enum):
    """What of a namespace is kept in a file of its own."""

    VECTORS = "vectors"
    ITEMS = "items"
    QUESTIONS = "questions"


CONNECTIVITY = 16
EXPANSION_ADD = 64
"""How many candidates are kept while a vector is added: with 128, usearch's own, building takes twice as long, and what a search must
keep to find as many is the same within a step (`benchmarks/graph_building.py`)."""
EXPANSIONS = (50, 56, 64, 80, 96, 128, 192, 256, 384, 512)
"""How many candidates a search may keep; time is in proportion to it, and vectors differ in how many they need."""

_ENOUGH = 0.98
_TRIALS = 100
_DEPTH = 10
_ASKED = 50
_ROUNDING = 1e-3


def new_index(dimension: int) -> Index:
    """Make an empty index; importing usearch takes a third of a second, which only a search should cost."""
    with suppress(ImportError):  # an extra's, which ends the process where it is loaded behind usearch
        import onnxruntime  # noqa: F401, PLC0415  # pyright: ignore[reportUnusedImport]
    from usearch.index import Index  # noqa: PLC0415 - said above

    return Index(ndim=dimension, metric="cos", dtype="f16", connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD)


def needed_expansion(index: Index, rows: FrozenRows) -> int:
    """Find how many candidates a search for 50 must keep so that 98 of 100 of the ten nearest are among them.

    Tried with vectors moved by 45 degrees at random: about as far as a question is from what answers it.
    """
    random = np.random.default_rng(len(rows))
    questions = rows.take(random.integers(len(rows), size=_TRIALS)).astype(np.float32)
    moves = random.standard_normal(questions.shape, dtype=np.float32)
    questions += moves / np.linalg.norm(moves, axis=1, keepdims=True)
    questions /= np.maximum(np.linalg.norm(questions, axis=1, keepdims=True), _ROUNDING)
    depth = min(_DEPTH, len(rows))
    tenth = [float(np.partition(rows.products(question), -depth)[-depth]) for question in questions]
    for expansion in EXPANSIONS:
        index.expansion_search = expansion
        found = sum(
            min(depth, int((index.search(question, _ASKED, threads=1).distances <= 1.0 - least + _ROUNDING).sum()))
            for question, least in zip(questions, tenth, strict=True)
        )
        if found >= _ENOUGH * depth * _TRIALS:
            return expansion
    return EXPANSIONS[-1]


class Snapshot:
    """A snapshot that is mapped, with the place of each of its vectors among the namespace's items.

    Args:
        content: The file's bytes.
        dimension: Length of the vectors.
    """

    def __init__(self, content: SnapshotBytes, dimension: int) -> None:
        self._content = content  # the index reads from it as long as it lives
        self._index = new_index(dimension)
        self._index.view(content.index)
        self._index.expansion_search = content.expansion
        self._slots = {id_: slot for slot, id_ in enumerate(content.payload_ids) if id_ != NO_ID}
        self._items = np.full(len(content.payload_ids), -1, dtype=np.int32)
        self.rows = rows_of(content, dimension)
        """Its vectors by slot, shape (slots, dimension); zeros where one was erased."""

    @classmethod
    def open(cls, path: Path, origin: Origin) -> Snapshot | None:
        """Map the snapshot at a place; None where there is none that can be trusted."""
        content = read_snapshot(path, origin)
        if content is None or not begins_with_rows(content, origin):
            return None
        try:
            return cls(content, origin.dimension)
        except RuntimeError:  # what usearch raises on bytes that are no index
            return None

    @property
    def count(self) -> int:
        """How many vectors it holds, those that left the namespace included."""
        return len(self._content.payload_ids)

    @property
    def expansion(self) -> int:
        """How many candidates a search keeps."""
        return self._content.expansion

    def slots_of(self, payload_ids: Sequence[str]) -> Int64s:
        """Return the slot of each payload's vector, -1 where it holds none, shape (payloads,)."""
        return np.array([self._slots.get(id_, -1) for id_ in payload_ids], dtype=np.int64)

    def number(self, slots: Int64s) -> None:
        """Record which items its vectors belong to.

        Args:
            slots: The slot of each item's vector, below 0 where it is not held, shape (items,).
        """
        is_held = slots >= 0
        self._items.fill(-1)
        self._items[slots[is_held]] = np.flatnonzero(is_held)

    def number_more(self, slots: Int64s, first: int) -> None:
        """Record which of its vectors belong to the items from the number ``first`` on."""
        is_held = slots >= 0
        self._items[slots[is_held]] = first + np.flatnonzero(is_held)

    def nearest(self, vector: Float32s, *, count: int) -> Int32s:
        """Return the numbers of about the ``count`` items nearest to a unit vector, those that left filtered out."""
        items = self._items[self._index.search(vector, count, threads=1).keys.astype(np.int64)]
        return items[items >= 0]


MAGIC = b"evolore vectors\n"
ID_BYTES = 26
NO_ID = "0" * ID_BYTES
"""Represents a payload that was erased."""

_LENGTH_BYTES = 4
_PIECE = 1 << 20


@cache
def _format() -> str:
    """Name our version of the layout and the library's: a file of any other is rebuilt."""
    return f"2 usearch {version('usearch')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a snapshot was made from."""

    namespace: str  #: The namespace's number and when it was made, which no other store's share.
    model: str  #: The embedding model's id.
    dimension: int  #: Length of its vectors.
    format: str = field(default_factory=_format)  #: How the file is laid out.


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
    """A snapshot file as it lies in memory, whole and of the right origin."""

    payload_ids: tuple[str, ...]  #: Whose vectors they are, by slot.
    expansion: int  #: How many candidates a search should keep.
    index: memoryview  #: What usearch wrote.


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
    """Return whether the vectors come first, in the order of their slots, as usearch 2 writes them."""
    rows = int.from_bytes(found.index[:_LENGTH_BYTES], "little")
    row_bytes = int.from_bytes(found.index[_LENGTH_BYTES : 2 * _LENGTH_BYTES], "little")
    return (rows, row_bytes) == (len(found.payload_ids), 2 * origin.dimension)


def rows_of(found: SnapshotBytes, dimension: int) -> Float16s:
    """Return the vectors by slot, where they lie in the file."""
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


@contextmanager
def alone(path: Path) -> Generator[bool]:
    """Hold a lock among processes, if no other process does; it ends with the process, however that ends."""
    lock = FileLock(path, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
