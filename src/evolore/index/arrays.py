"""Arrays that grow: rows, rows of different lengths, names that many items share; and how they lie in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar, cast
from zlib import crc32

import numpy as np
import numpy.typing as npt

from evolore.index.snapshots import Origin
from evolore.text.vectors import Int32s, Int64s, Intps

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]

MAGIC = b"evolore items 5\n"
_LENGTH_BYTES = 4
_ALIGNMENT = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemsFile:
    """What is in a file."""

    watermark: int  #: The last entry of the namespace's log that is taken in.
    arrays: Arrays  #: Numbers and bytes by name; read ones cannot be written to.

    def part(self, prefix: str) -> Arrays:
        """Return the arrays whose names begin with something, without it."""
        return {name.removeprefix(prefix): array for name, array in self.arrays.items() if name.startswith(prefix)}


def write_items(path: Path, origin: Origin, content: ItemsFile) -> None:
    """Write a file, durably.

    Raises:
        OSError: There is no room, or no right to write.
    """
    checksum, places = 0, {}
    with path.open("wb") as file:
        for name, array in content.arrays.items():
            data = np.ascontiguousarray(array).tobytes()
            places[name] = (array.dtype.str, file.tell(), len(data))
            data += bytes(-len(data) % _ALIGNMENT)
            checksum = crc32(data, checksum)
            file.write(data)
        header = {
            "origin": asdict(origin),
            "watermark": content.watermark,
            "places": places,
            "body_bytes": file.tell(),
            "checksum": checksum,
        }
        written = json.dumps(header).encode()
        file.write(written + len(written).to_bytes(_LENGTH_BYTES, "little") + MAGIC)
        file.flush()
        os.fsync(file.fileno())


def read_items(path: Path, origin: Origin) -> ItemsFile | None:
    """Read a file into memory; None where there is none, or one that is damaged or of another origin.

    It is not mapped: what is erased later must not stay in a file that only a mapping keeps alive.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    end = len(data) - len(MAGIC) - _LENGTH_BYTES
    if end < 0 or data[end + _LENGTH_BYTES :] != MAGIC:
        return None
    length = int.from_bytes(data[end : end + _LENGTH_BYTES], "little")
    try:
        header = cast("dict[str, Any]", json.loads(data[max(0, end - length) : end]))
        size = int(header["body_bytes"])
        if size + length != end or header["origin"] != asdict(origin):
            return None
        if crc32(memoryview(data)[:size]) != header["checksum"]:
            return None
        arrays = {
            name: np.frombuffer(data, dtype=kind, offset=place, count=size // np.dtype(kind).itemsize)
            for name, (kind, place, size) in header["places"].items()
        }
        return ItemsFile(watermark=int(header["watermark"]), arrays=arrays)
    except (ValueError, TypeError, KeyError):
        return None


def packed(texts: list[str]) -> npt.NDArray[np.uint8]:
    """Write texts as bytes."""
    return np.frombuffer(json.dumps(texts, ensure_ascii=False).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def unpacked(data: npt.NDArray[np.uint8]) -> list[str]:
    """Read what ``packed`` wrote."""
    return cast("list[str]", json.loads(data.tobytes().decode("utf-8", "surrogatepass")))


Number = TypeVar("Number", bound=np.generic)
_FIRST_ROWS = 64
_GROWTH = 1.25
"""Less than doubling: a namespace's largest array stays mostly full, and memory is short."""


class Columns(Generic[Number]):
    """Columns of one type and length, each in one piece of memory.

    ``columns`` are the columns, without a copy, shape (columns, rows); changed and outdated by what is appended or kept later.
    """

    def __init__(self, dtype: type[Number], count: int) -> None:
        self._room: npt.NDArray[Number] = np.empty((count, 0), dtype=dtype)
        self.columns = self._room

    @property
    def bytes_held(self) -> int:
        """How much memory they take."""
        return self._room.nbytes

    def append(self, columns: npt.NDArray[Number]) -> None:
        """Add rows behind the others, shape (columns, rows): amortised, a copy of them alone."""
        count = self.columns.shape[1]
        needed = count + columns.shape[1]
        if needed > self._room.shape[1]:
            room = max(_FIRST_ROWS, needed, int(needed * _GROWTH))
            self._room = np.empty((len(self._room), room), dtype=self._room.dtype)
            self._room[:, :count] = self.columns
        self._room[:, count:needed] = columns
        self.columns = self._room[:, :needed]

    def keep(self, kept: Intps) -> None:
        """Keep these rows, in this order, and drop the others."""
        self._room = self.columns = self.columns.take(kept, axis=1)


class Column(Generic[Number]):
    """Rows of one type in one piece of memory.

    ``rows`` are the rows, without a copy; changed and outdated by what is appended or kept later.
    """

    def __init__(self, dtype: type[Number], *, width: int = 0) -> None:
        self._room: npt.NDArray[Number] = np.empty((0, width) if width else 0, dtype=dtype)
        self.rows = self._room

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self._room.nbytes

    def append(self, rows: npt.NDArray[Number]) -> None:
        """Add rows behind the others: amortised, a copy of them alone."""
        count = len(self.rows)
        needed = count + len(rows)
        if needed > len(self._room):
            room = max(_FIRST_ROWS, needed, int(needed * _GROWTH))
            self._room = np.empty((room, *self.rows.shape[1:]), dtype=self.rows.dtype)
            self._room[:count] = self.rows
        self._room[count:needed] = rows
        self.rows = self._room[:needed]

    def move_last(self, place: int) -> None:
        """Move the last row to the place of another, which is removed."""
        self._room[place] = self.rows[-1]
        self.rows = self.rows[:-1]

    def keep(self, kept: Intps) -> None:
        """Keep these rows, in this order, and drop the others."""
        self._room = self.rows = self.rows[kept]


class Ragged(Generic[Number]):
    """Rows of numbers, one after the other in one piece of memory; 8 bytes a row beside them.

    Args:
        dtype: The type of a number.
        width: How many numbers a value of a row is; 0 for plain numbers.
    """

    def __init__(self, dtype: type[Number], *, width: int = 0) -> None:
        self._starts = Column(np.int64)
        self._starts.append(np.zeros(1, dtype=np.int64))
        self._values = Column(dtype, width=width)

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def starts(self) -> Int64s:
        """Where each row begins, and the end of the last, shape (rows + 1,)."""
        return self._starts.rows

    @property
    def values(self) -> npt.NDArray[Number]:
        """The values of all rows."""
        return self._values.rows

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self._starts.bytes_held + self._values.bytes_held

    def append(self, lengths: Int64s, values: npt.NDArray[Number]) -> None:
        """Add rows behind the others: amortised, a copy of them alone.

        Args:
            lengths: How many values each has, shape (rows,).
            values: Those of all of them, one after the other.
        """
        self._starts.append(np.cumsum(lengths) + self.starts[-1])
        self._values.append(values)

    def take(self, rows: npt.NDArray[np.integer]) -> tuple[Int64s, npt.NDArray[Number]]:
        """Return some rows: where each begins, and the end of the last, and their values."""
        begins = self.starts[rows]
        lengths = self.starts[rows + 1] - begins
        return starts_of(lengths), self.values[places_in(begins, lengths)]

    def keep(self, kept: Intps) -> None:
        """Keep these rows, in this order, and drop the others."""
        begins = self.starts[kept]
        lengths = self.starts[kept + 1] - begins
        self._values.keep(places_in(begins, lengths))
        self._starts.keep(np.zeros(1, dtype=np.intp))
        self._starts.append(np.cumsum(lengths))


def starts_of(lengths: Int64s) -> Int64s:
    """Return where rows of these lengths begin, and the end of the last, shape (rows + 1,)."""
    starts = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def places_in(begins: Int64s, lengths: Int64s) -> Intps:
    """Return the places of all values of some rows, row after row.

    >>> places_in(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    starts = starts_of(lengths)
    return np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1], dtype=np.intp)


class Names:
    """Names, numbered as they come."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.all = list(names)
        self._numbers = {name: number for number, name in enumerate(self.all)}

    def __len__(self) -> int:
        return len(self.all)

    def number(self, name: str) -> int:
        """Return the number of a name; a new one gets the next."""
        number = self._numbers.setdefault(name, len(self.all))
        if number == len(self.all):
            self.all.append(name)
        return number

    def named(self, numbers: Int32s) -> list[str]:
        """Return the names of numbers."""
        places: list[int] = numbers.tolist()
        return [self.all[place] for place in places]


class CodedColumn:
    """The number of a name for each item, -1 for none; names that no item has are forgotten."""

    def __init__(self) -> None:
        self._names = Names()
        self._numbers = Column(np.int32)

    @property
    def names(self) -> Sequence[str]:
        """The names, by their number."""
        return self._names.all

    @property
    def numbers(self) -> Int32s:
        """The number of each item's name in ``names``, -1 for none, shape (items,)."""
        return self._numbers.rows

    @property
    def bytes_held(self) -> int:
        """How much memory the numbers take."""
        return self._numbers.bytes_held

    def append(self, names: Iterable[str | None]) -> None:
        """Add items behind the others."""
        numbers = [-1 if name is None else self._names.number(name) for name in names]
        self._numbers.append(np.array(numbers, dtype=np.int32))

    def keep(self, kept: Intps) -> None:
        """Keep these items, in this order, and let go of the names of none."""
        self._numbers.keep(kept)
        has_name = self.numbers >= 0
        named = self.numbers[has_name]
        new_codes, count = renumbered(named, len(self.names))
        if count < len(self.names):
            self.numbers[has_name] = new_codes[named]
            self._names = Names([name for name, code in zip(self.names, new_codes.tolist(), strict=True) if code >= 0])

    def state(self) -> Arrays:
        """Return all it knows, as arrays that nothing changes later."""
        return {"numbers": self.numbers.copy(), "names": packed(self._names.all)}

    @classmethod
    def restored(cls, state: Arrays) -> CodedColumn:
        """Make one from another's ``state``."""
        column = cls()
        column._numbers.append(state["numbers"])
        column._names = Names(unpacked(state["names"]))
        return column


def bytes_of(*parts: Column[Any] | Columns[Any] | CodedColumn | Ragged[Any]) -> int:
    """Return how much memory columns take together."""
    return sum(part.bytes_held for part in parts)


def renumbered(codes: Int32s, count: int) -> tuple[Int32s, int]:
    """Return the new number of each code that occurs, from 0 in the same order, -1 for the rest; and how many occur."""
    occurs = np.zeros(count, dtype=np.bool_)
    occurs[codes] = True
    return np.where(occurs, np.cumsum(occurs) - 1, -1).astype(np.int32), int(occurs.sum())
