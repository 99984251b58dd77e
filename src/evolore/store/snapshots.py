"""Snapshots: nearest vectors from a mapped file, built beside recall and replaced in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.store.snapshot_file import NO_ID, begins_with_rows, read_snapshot, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt
    from usearch.index import Index

    from evolore.store.snapshot_file import Origin, SnapshotBytes
    from evolore.store.vector_rows import FrozenRows

CONNECTIVITY = 16
EXPANSION_ADD = 128
EXPANSIONS = (50, 56, 64, 80, 96, 128, 192, 256, 384, 512)
"""How many candidates a search may keep; time is in proportion to it, and vectors differ in how many they need."""

_ENOUGH = 0.98
_TRIALS = 100
_DEPTH = 10
_ASKED = 50
_ROUNDING = 1e-3


def new_index(dimension: int) -> Index:
    """Make an empty index; importing usearch takes a third of a second, which only a search should cost."""
    from usearch.index import Index  # noqa: PLC0415 - said above

    return Index(
        ndim=dimension,
        metric="cos",
        dtype="f16",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
    )


def needed_expansion(index: Index, rows: FrozenRows) -> int:
    """Find how many candidates a search for 50 must keep so that 98 of 100 of the ten nearest are among them.

    Tried with vectors moved by 45 degrees at random: about as far as a question is from what answers it.

    Args:
        index: An index that holds the rows.
        rows: Vectors, at least one.
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

    def slots_of(self, payload_ids: Sequence[str]) -> npt.NDArray[np.int64]:
        """Give the slot of each payload's vector, -1 where it holds none, shape (payloads,)."""
        return np.array([self._slots.get(id_, -1) for id_ in payload_ids], dtype=np.int64)

    def number(self, slots: npt.NDArray[np.int64]) -> None:
        """Note which items its vectors are.

        Args:
            slots: The slot of each item's vector, below 0 where it is not held, shape (items,).
        """
        is_held = slots >= 0
        self._items.fill(-1)
        self._items[slots[is_held]] = np.flatnonzero(is_held)

    def number_more(self, slots: npt.NDArray[np.int64], first: int) -> None:
        """Note which of its vectors are the items from the number ``first`` on."""
        is_held = slots >= 0
        self._items[slots[is_held]] = first + np.flatnonzero(is_held)

    def nearest(self, vector: npt.NDArray[np.float32], *, count: int) -> npt.NDArray[np.int32]:
        """Give the numbers of about the ``count`` items nearest to a unit vector, those that left filtered out."""
        slots = self._index.search(vector, count, threads=1).keys.astype(np.int64)
        items = self._items[slots]
        return items[items >= 0]
