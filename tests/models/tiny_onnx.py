"""ONNX models of a few nodes, written byte by byte: what `onnx` would do, without a package of 30 MB.

Fields are numbered as in the format's `onnx.proto`, which is stable by its own promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

FLOAT, INT64 = 1, 7
_IR_VERSION, _OPSET = 8, 17


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _whole(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, content: bytes | str) -> bytes:
    held = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(held)) + held


def node(kind: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    """Give a node with one output, whose attributes are whole numbers."""
    held = b"".join(_block(1, name) for name in inputs) + _block(2, output) + _block(4, kind)
    for name, value in attributes.items():
        held += _block(5, _block(1, name) + _whole(3, value) + _whole(20, 2))
    return held


def _tensor(name: str, values: npt.NDArray[np.float32] | npt.NDArray[np.int64]) -> bytes:
    kind = FLOAT if values.dtype == np.float32 else INT64
    shape = b"".join(_whole(1, size) for size in values.shape)
    return shape + _whole(2, kind) + _block(8, name) + _block(9, values.tobytes())


def _value(name: str, kind: int, shape: Sequence[str]) -> bytes:
    dimensions = b"".join(_block(1, _block(2, size)) for size in shape)
    return _block(1, name) + _block(2, _block(1, _whole(1, kind) + _block(2, dimensions)))


def model(
    nodes: Sequence[bytes],
    *,
    inputs: Sequence[str],
    constants: Mapping[str, npt.NDArray[np.float32] | npt.NDArray[np.int64]],
    output: tuple[str, int],
) -> bytes:
    """Give a model whose inputs are whole numbers of shape (batch, length), with one output of so many dimensions."""
    name, dimensions = output
    graph = b"".join(_block(1, one) for one in nodes) + _block(2, "tiny")
    graph += b"".join(_block(5, _tensor(known, values)) for known, values in constants.items())
    graph += b"".join(_block(11, _value(one, INT64, ("batch", "length"))) for one in inputs)
    graph += _block(12, _value(name, FLOAT, ("batch", "labels")[:dimensions]))
    return _whole(1, _IR_VERSION) + _block(7, graph) + _block(8, _whole(2, _OPSET))
