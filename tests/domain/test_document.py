from __future__ import annotations

import pytest

from evolore.domain.document import Chunk, ChunkTree, Span
from evolore.domain.outline import OutlineCode
from evolore.errors import InvalidValue


def chunk(code: str, start: int, end: int, *, is_leaf: bool = True) -> Chunk:
    return Chunk(outline=OutlineCode.parse(code), span=Span(start, end), is_leaf=is_leaf)


def test_a_span_cuts_what_it_names() -> None:
    assert Span(1, 3).of("abcd") == "bc"
    assert len(Span(1, 3)) == 2
    assert Span(0, 4).contains(Span(1, 3))
    assert not Span(1, 3).contains(Span(0, 3))


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2)])
def test_a_span_that_runs_backwards_is_refused(start: int, end: int) -> None:
    with pytest.raises(InvalidValue, match="not a span"):
        Span(start, end)


def test_a_tree_lists_its_leaves_in_text_order() -> None:
    tree = ChunkTree(chunks=(chunk("1", 0, 9, is_leaf=False), chunk("1.1", 0, 4), chunk("1.2", 4, 9)))
    assert [str(leaf.outline) for leaf in tree.leaves] == ["1.1", "1.2"]


@pytest.mark.parametrize(("end", "start"), [(4, 5), (4, 3)])
def test_leaves_that_leave_a_gap_or_overlap_are_refused(end: int, start: int) -> None:
    with pytest.raises(InvalidValue, match="the leaves, joined, must be the document"):
        ChunkTree(chunks=(chunk("1", 0, end), chunk("2", start, 9)))


def test_two_chunks_with_one_code_are_refused() -> None:
    with pytest.raises(InvalidValue, match="share one outline code"):
        ChunkTree(chunks=(chunk("1", 0, 4), chunk("1", 4, 9)))
