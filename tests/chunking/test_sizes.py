from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings, SizeUnit, measure
from evolore.domain.document import ChunkTree, MediaType
from evolore.domain.review import Priority
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence


class Words:
    """Every character that follows a space, or the beginning, starts a token; an emoji is three."""

    def token_starts(self, text: str) -> Sequence[int]:
        starts = [index for index in range(len(text)) if not index or text[index - 1] == " "]
        return sorted(starts + [index for index, character in enumerate(text) if character == "👍" for _ in "ab"])


ANY = st.text(alphabet=st.characters(exclude_categories=[]), max_size=60)


@given(ANY, st.data())
def test_bytes_are_those_of_utf_8(text: str, data: st.DataObject) -> None:
    sizes = measure(text, SizeUnit.BYTES, None)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert sizes.between(start, end) == len(text[start:end].encode("utf-8", "surrogatepass"))


@given(ANY, st.sampled_from(SizeUnit), st.integers(0, 40), st.data())
def test_no_stretch_that_fits_is_longer_than_its_reach(
    text: str, unit: SizeUnit, size: int, data: st.DataObject
) -> None:
    text += "."
    sizes = measure(text, unit, Words())
    start = data.draw(st.integers(0, len(text) - 1))
    end = min(len(text), sizes.reach(start, size))
    assert end > start
    assert sizes.between(start, end) <= size or end == start + 1
    assert end == len(text) or sizes.between(start, end + 1) > size or size == 0


@given(ANY, st.sampled_from(SizeUnit))
def test_steps_are_the_sizes_between_edges(text: str, unit: SizeUnit) -> None:
    sizes = measure(text, unit, Words())
    edges = np.array(sorted({0, len(text) // 3, len(text) // 2, len(text)}), np.int64)
    assert sizes.steps(edges).tolist() == [
        sizes.between(start, end) for start, end in zip(edges.tolist(), edges.tolist()[1:], strict=False)
    ]


TEXTS = st.lists(
    st.sampled_from(["A short sentence. ", "第二の文はここにある。", "x" * 90, "👍" * 30, "# H\n\n", "\n\n"]),
    max_size=30,
).map("".join)


@given(TEXTS, st.sampled_from(MediaType))
def test_leaves_fit_in_bytes_and_joined_are_the_document(text: str, media_type: MediaType) -> None:
    settings = ChunkSettings(target_size=60, max_size=100, min_size=10, size_unit=SizeUnit.BYTES)
    tree = Chunker(settings).chunk(text, media_type=media_type)
    assert joined(tree, text) == text
    assert all(len(leaf.span.of(text).encode()) <= 100 for leaf in tree.leaves)


@given(TEXTS)
def test_leaves_fit_in_tokens_and_joined_are_the_document(text: str) -> None:
    settings = ChunkSettings(target_size=15, max_size=30, min_size=3, size_unit=SizeUnit.TOKENS)
    tree = Chunker(settings, tokenizer=Words()).chunk(text)
    assert joined(tree, text) == text
    sizes = measure(text, SizeUnit.TOKENS, Words())
    assert all(sizes.between(leaf.span.start, leaf.span.end) <= 30 for leaf in tree.leaves)


def test_the_unit_decides_how_much_a_leaf_holds() -> None:
    text = "燃料はポンプで送られる。パンは小麦粉で作る。" * 40
    characters = Chunker(ChunkSettings(target_size=200, max_size=400, min_size=40)).chunk(text)
    in_bytes = Chunker(ChunkSettings(target_size=200, max_size=400, min_size=40, size_unit=SizeUnit.BYTES)).chunk(text)
    assert 2 < len(in_bytes.leaves) / len(characters.leaves) < 4


def test_tokens_need_a_tokenizer() -> None:
    with pytest.raises(InvalidValue, match="nothing to count them with"):
        Chunker(ChunkSettings(size_unit=SizeUnit.TOKENS))


def joined(tree: ChunkTree, text: str) -> str:
    return "".join(leaf.span.of(text) for leaf in tree.leaves)


def test_what_is_said_of_a_stretch_is_in_the_unit_of_the_sizes() -> None:
    text = "word " * 400
    settings = ChunkSettings(target_size=40, max_size=80, min_size=5, size_unit=SizeUnit.TOKENS)
    (item,) = Chunker(settings, tokenizer=Words()).chunk(text).review_items
    assert "max_size to 400." in item.suggestion
    assert item.priority is Priority.NORMAL


class Costly:
    """Every character is thirty tokens."""

    def token_starts(self, text: str) -> Sequence[int]:
        return [index for index in range(len(text)) for _ in range(30)]


def test_a_character_of_many_tokens_is_a_leaf_and_never_an_empty_one() -> None:
    settings = ChunkSettings(target_size=10, max_size=20, min_size=1, size_unit=SizeUnit.TOKENS)
    tree = Chunker(settings, tokenizer=Costly()).chunk("abc")
    assert [leaf.span.of("abc") for leaf in tree.leaves] == ["a", "b", "c"]
