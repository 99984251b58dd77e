"""The default embedder's weights in the user's cache: the same numbers, made anew where damaged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evolore.models import use
from evolore.models.turns import Turns
from evolore.models.use import UseEmbedder, mapped_weights
from evolore.ports import TextRole

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["Where is the office?", "東京に住んでいます", "我喜欢喝茶", "x" * 500, "A longer text, twice. " * 30]


def unpacked() -> SimpleNamespace:
    table = np.arange(24, dtype=np.uint8).reshape(4, 6)
    turned = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    return SimpleNamespace(table=table, turned=turned, several=[table[:2], turned[:, 0]], eps=1e-5, sp=None, threads=1)


def refused() -> Any:  # noqa: ANN401 - it never returns
    raise AssertionError


def same(one: SimpleNamespace) -> bool:
    other = unpacked()
    arrays = [(one.table, other.table), (one.turned, other.turned), *zip(one.several, other.several, strict=True)]
    is_same = [np.array_equal(a, b) and a.dtype == b.dtype and a.strides == b.strides for a, b in arrays]
    return one.eps == other.eps and all(is_same) and not hasattr(one, "threads")


def test_what_was_kept_is_mapped(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.weights"
    assert same(mapped_weights(path, unpacked))
    found = mapped_weights(path, refused)
    assert same(found)
    assert not found.table.flags.writeable
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("at", [0, 100, 65_536 + 5, -3])
def test_a_damaged_file_is_made_anew(tmp_path: Path, at: int) -> None:
    path = tmp_path / "a.weights"
    mapped_weights(path, unpacked)
    damaged = bytearray(path.read_bytes())
    damaged[at] ^= 0xFF
    path.write_bytes(damaged)
    assert same(mapped_weights(path, unpacked))
    assert same(mapped_weights(path, refused))


@pytest.mark.parametrize("content", [b"", b"short", bytes(70_000)])
def test_a_file_of_something_else_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.weights"
    path.write_bytes(content)
    assert same(mapped_weights(path, unpacked))
    assert same(mapped_weights(path, refused))


def test_where_nothing_can_be_kept_it_is_made_each_time() -> None:
    assert same(mapped_weights(None, unpacked))


def test_where_nothing_can_be_written_it_is_made_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    for _ in range(2):
        assert same(mapped_weights(tmp_path / "file" / "a.weights", unpacked))


def test_vectors_are_the_same_to_the_last_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use, "cache_folder", lambda: tmp_path)
    first = fresh().embed(TEXTS, role=TextRole.PASSAGE)
    assert len(list(tmp_path.iterdir())) == 1
    assert np.array_equal(first, fresh().embed(TEXTS, role=TextRole.PASSAGE))


def fresh() -> UseEmbedder:
    """Give an embedder that shares nothing with those of other tests."""
    one = UseEmbedder()
    one._turns, one._loaded = Turns(), None
    return one
