"""An outline as a value that can be walked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore import MediaType, Memory
from evolore.domain.document import Chunk, Document, Span
from evolore.domain.language import Language
from evolore.domain.outline import DocumentTree, OutlineCode, OutlineNode, Relation
from evolore.errors import InvalidOutlineCode, NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

HANDBOOK = "# Handbook\n\n" + "".join(
    f"## Part {part}\n\n"
    + "".join(
        f"### Section {part}.{number}\n\n" + f"The wheel {part} {number} turns. " * 30 + "\n\n" for number in "abc"
    )
    for part in range(3)
)


def tree_of(codes: Sequence[tuple[int, ...]]) -> DocumentTree:
    document = Document(
        id="d",
        source="s",
        title="Title",
        media_type=MediaType.PLAIN,
        language=Language.EN,
        characters=0,
        content_sha256="",
        version=1,
        recorded_at=datetime(2026, 3, 2, tzinfo=UTC),
        chunk_count=len(codes),
        episode_count=0,
    )
    nodes = tuple(
        OutlineNode(chunk=Chunk(outline=OutlineCode(parts), span=Span(0, 0)), episode_id=None, beginning="")
        for parts in sorted(codes)
    )
    return DocumentTree(document=document, nodes=nodes)


def closed(codes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Add what must stand above each code."""
    return sorted({code[:end] for code in codes for end in range(1, len(code) + 1)})


CODES = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple), min_size=1, max_size=12).map(closed)


@given(CODES)
def test_what_stands_around_a_node_is_what_its_relations_say(codes: list[tuple[int, ...]]) -> None:
    tree = tree_of(codes)
    for node in tree.nodes:
        place = tree.place(node.code)
        relations = {other.code: other.code.relation_to(node.code) for other in tree.nodes}
        below = [other for other in tree.nodes if relations[other.code] is Relation.DESCENDANT]
        assert list(tree.below(node.code)) == below
        assert list(place.children) == [other for other in below if other.code.parent == node.code]
        assert list(place.ancestors) == [other for other in tree.nodes if relations[other.code] is Relation.ANCESTOR]
        assert list(place.siblings) == [other for other in tree.nodes if relations[other.code] is Relation.SIBLING]
        assert place.parent == (place.ancestors[-1] if place.ancestors else None)
    assert sum(tree.depths.values()) == len(tree.nodes)
    assert list(tree.depths) == list(range(1, max(map(len, codes)) + 1))


def test_a_hit_leads_to_what_stands_around_it(memory: Memory) -> None:
    memory.add_text(HANDBOOK, source="handbook.md", media_type=MediaType.MARKDOWN)
    (hit,) = memory.recall("wheel 1 b", limit=1).hits
    place = memory.outline.place(hit.episode.id)
    assert place.node.episode_id == hit.episode.id
    assert place.node.code == hit.episode.outline
    assert place.children == ()
    assert place.parent is not None
    assert hit.episode.id in {node.episode_id for node in place.tree.children(place.parent.code)}
    assert {node.episode_id for node in place.siblings} & {hit.episode.id} == set()
    text = memory.outline.chunk_text(place.tree.document.id, place.parent.code)
    assert hit.episode.text in text
    assert place.parent.chunk.span.of(HANDBOOK) == text


def test_the_text_comes_with_the_outline_when_asked_for(memory: Memory) -> None:
    memory.add_text(HANDBOOK, source="handbook.md", media_type=MediaType.MARKDOWN)
    assert memory.outline.tree("handbook.md").text is None
    tree = memory.outline.tree("handbook.md", with_text=True)
    assert tree.text == HANDBOOK
    sizes = [len(node.chunk.span) for node in tree.nodes if node.episode_id]
    found = tree.leaf_sizes
    assert (found.count, found.smallest, found.largest) == (len(sizes), min(sizes), max(sizes))
    assert tree.below() == tree.nodes


def test_places_that_are_not_there_are_refused(memory: Memory) -> None:
    memory.add_text(HANDBOOK, source="handbook.md", media_type=MediaType.MARKDOWN)
    said = memory.remember("The wheel is round.")
    tree = memory.outline.tree("handbook.md")
    for code in ("9", "1.99", "3.3.3.3", "99.1"):
        with pytest.raises(NotFound, match="evolore outline tree"):
            tree.node(code)
    with pytest.raises(InvalidOutlineCode):
        tree.place("1..2")
    for item in (said.id, tree.document.id):
        with pytest.raises(NotFound, match="no passage"):
            memory.outline.place(item)
    old = memory.recall("wheel", limit=1, source="handbook.md").hits[0].episode
    memory.add_text("Something else.", source="handbook.md", media_type=MediaType.MARKDOWN)
    with pytest.raises(NotFound, match="no passage"):
        memory.outline.place(old.id)


def test_an_outline_without_nodes_has_no_sizes() -> None:
    empty = tree_of([])
    assert empty.leaf_sizes.count == empty.leaf_sizes.largest == 0
    assert dict(empty.depths) == {}
