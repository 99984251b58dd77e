"""The default embedder's weights in the user's cache: the same numbers, made anew where damaged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evolore.models import use_weights
from evolore.models.turns import Turns
from evolore.models.use import UseEmbedder
from evolore.models.use_weights import with_weights
from evolore.ports import TextRole

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["Where is the office?", "東京に住んでいます", "我喜欢喝茶", "x" * 500, "A longer text, twice. " * 30]


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_weights, "_digest_of_package", lambda: "0123")


def made() -> SimpleNamespace:
    table = np.arange(24, dtype=np.uint8).reshape(4, 6)
    turned = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    return SimpleNamespace(
        table=table, turned=turned, several=[table[:2], turned[:, 0]], eps=1e-5, sp="mine", threads=1
    )


def bare() -> SimpleNamespace:
    return SimpleNamespace(sp="new", threads=2)


def refused() -> Any:  # noqa: ANN401 - it never returns
    raise AssertionError


def same(one: SimpleNamespace) -> bool:
    other = made()
    arrays = ((one.table, other.table), (one.turned, other.turned), *zip(one.several, other.several, strict=True))
    return one.eps == other.eps and all(
        (a == b).all() and a.dtype == b.dtype and a.flags.c_contiguous == b.flags.c_contiguous for a, b in arrays
    )


def test_what_was_kept_is_mapped_with_what_is_no_weight_left_alone(tmp_path: Path) -> None:
    assert with_weights(made, refused_bare, folder=tmp_path / "deep").sp == "mine"
    found = with_weights(refused, bare, folder=tmp_path / "deep")
    assert (same(found), found.sp, found.threads) == (True, "new", 2)
    assert not found.table.flags.writeable
    assert [path.suffix for path in (tmp_path / "deep").iterdir()] == [".weights"]


def refused_bare() -> SimpleNamespace:
    return SimpleNamespace()


@pytest.mark.parametrize("at", [0, 100, 65_536 + 5, -3])
def test_a_damaged_file_is_made_anew(tmp_path: Path, at: int) -> None:
    with_weights(made, bare, folder=tmp_path)
    (path,) = tmp_path.iterdir()
    damaged = bytearray(path.read_bytes())
    damaged[at] ^= 0xFF
    path.write_bytes(damaged)
    assert same(with_weights(made, bare, folder=tmp_path))
    assert same(with_weights(refused, bare, folder=tmp_path))


@pytest.mark.parametrize("content", [b"", b"short", bytes(70_000)])
def test_a_file_of_something_else_is_made_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "use-0123.weights").write_bytes(content)
    assert with_weights(made, bare, folder=tmp_path).sp == "mine"
    assert same(with_weights(refused, bare, folder=tmp_path))


def test_where_nothing_can_be_written_it_is_made_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    for _ in range(2):
        assert with_weights(made, bare, folder=tmp_path / "file").sp == "mine"


def test_vectors_are_the_same_to_the_last_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_weights, "cache_folder", lambda: tmp_path)
    first = fresh().embed(TEXTS, role=TextRole.PASSAGE)
    assert [path.name for path in tmp_path.iterdir()] == ["use-0123.weights"]
    assert np.array_equal(first, fresh().embed(TEXTS, role=TextRole.PASSAGE))


def fresh() -> UseEmbedder:
    """Give an embedder that shares nothing with those of other tests."""
    one = UseEmbedder()
    one._turns, one._encoder = Turns(), None
    return one
