"""How what an index knows of its items lies in a file, so that opening a large namespace reads one file.

Arrays stand one after the other, each from a multiple of eight on. Behind them stand a header as JSON, the header's
length, and ``MAGIC``. The header says what the file was made from, up to which entry of the namespace's log, where each
array is, and holds a checksum of everything before it: a file that is cut short, changed, of another namespace, model or
version is as good as none.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, cast
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any, TypeAlias

    import numpy.typing as npt

    from evolore.store.snapshot_file import Origin

    Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]

MAGIC = b"evolore items 4\n"
_LENGTH_BYTES = 4
_ALIGNMENT = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemsFile:
    """What stands in a file.

    Args:
        watermark: The last entry of the namespace's log that is taken in.
        arrays: Numbers and bytes by name; read ones cannot be written to.
    """

    watermark: int
    arrays: Arrays

    def part(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Give the arrays whose names begin with something, without it."""
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
