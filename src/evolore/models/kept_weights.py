"""Weights of embedders as one file that is mapped: making them ready takes most of a cold start.

They are kept in the user's cache, where processes share them; a file is named for its package's version, checked by its sum,
rebuilt where it is damaged, and not written where that is not allowed. The default embedder is ready in 0.15 s of CPU so,
and in 0.4 s where its 31 MB are unpacked (``python benchmarks/embedder_speed.py use``, with and without its file).
"""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import platformdirs

_ALIGNED = 64
_HEAD = 65_536
_MARK = 16


def cache_folder() -> Path | None:
    """Return the folder for files that can be made again; None where the user has no home folder."""
    try:
        return Path(platformdirs.user_cache_dir("evolore", appauthor=False))
    except RuntimeError:
        return None


def mapped_weights(path: Path | None, unpack: Callable[[], object]) -> SimpleNamespace:
    """Return what a file holds, where it is there and whole, and else what is unpacked, which is kept for the next time.

    Args:
        path: The file; None where nothing can be kept.
        unpack: Returns an object with arrays, lists of arrays and numbers.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        if path is not None:
            return SimpleNamespace(**_read(path))
    held = {name: value for name, value in unpack().__dict__.items() if _is_weight(value)}
    with suppress(OSError):
        if path is not None:
            _write(path, held)
    return SimpleNamespace(**held)


def _is_weight(value: object) -> bool:
    every = cast("list[object]", value) if isinstance(value, list) else [value]
    return all(isinstance(one, np.ndarray) for one in every) or isinstance(value, float)


def _read(path: Path) -> Mapping[str, Any]:
    """Map a file; a damaged one raises ``ValueError``."""
    with path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if int(bytes(mapped[:_MARK]), 16) != _sum(mapped[_MARK:]):
        raise ValueError(path)
    described = json.loads(bytes(mapped[_MARK:_HEAD]).rstrip(b"\0"))
    found: dict[str, Any] = dict(described["numbers"])
    for name, parts in described["arrays"].items():
        arrays = [_array(mapped, **part) for part in parts["of"]]
        found[name] = arrays if parts["is_list"] else arrays[0]
    return found


def _sum(data: bytes | memoryview) -> int:
    """Return a sum in which damage shows, in 11 ms at every start; a hash of the same 79 MB takes 48."""
    return int(np.frombuffer(data, np.uint64).sum())


def _array(mapped: memoryview, *, at: int, dtype: str, shape: list[int], order: str) -> np.ndarray[Any, Any]:
    flat = np.frombuffer(mapped, dtype=dtype, count=int(np.prod(shape, dtype=np.int64)), offset=_HEAD + at)
    return flat.reshape(shape, order="F" if order == "F" else "C")


def _write(path: Path, values: Mapping[str, Any]) -> None:
    arrays: dict[str, dict[str, Any]] = {}
    numbers = {name: value for name, value in values.items() if isinstance(value, float)}
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    words = at = 0
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(bytes(_HEAD))
            for name in values.keys() - numbers:
                every = values[name] if isinstance(values[name], list) else [values[name]]
                arrays[name] = {"is_list": isinstance(values[name], list), "of": []}
                for one in map(np.asarray, every):
                    order = "C" if one.flags.c_contiguous else "F" if one.flags.f_contiguous else "C"
                    data = one.tobytes(order=order)
                    data += bytes(-len(data) % _ALIGNED)
                    arrays[name]["of"].append({"at": at, "dtype": one.dtype.str, "shape": one.shape, "order": order})
                    file.write(data)
                    words += _sum(data)
                    at += len(data)
            head = json.dumps({"arrays": arrays, "numbers": numbers}).encode().ljust(_HEAD - _MARK, b"\0")
            file.seek(0)
            file.write(b"%016x" % ((words + _sum(head)) % 2**64) + head)
        Path(made).replace(path)
    finally:
        Path(made).unlink(missing_ok=True)
