"""Recall that walks the outline: by path, by depth, and with siblings given back as the chunk above them.

An outline as a value that can be walked.

The outline a document had at an earlier moment.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore import MediaType, Memory
from evolore.domain.document import Chunk, Document, DocumentTree, OutlineNode, Span
from evolore.domain.filters import Filter, Target, read_path
from evolore.domain.language import Language
from evolore.domain.outline import OutlineCode, Relation
from evolore.errors import InvalidOutlineCode, InvalidValue, NotFound
from evolore.jobs.clock import SteppingClock
from evolore.models.offline import HashingEmbedder
from evolore.recall.expansion import DEPTH_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from evolore import Hit

EXPANSION = "evolore.recall.expansion"
WORDS = ("wheel", "garden", "ferry", "lantern")


def section(name: str, word: str) -> str:
    return (
        f"### {name}\n\n" + " ".join(f"The {word} of {name} has part {number} in it." for number in range(12)) + "\n\n"
    )


HANDBOOK = "# Handbook\n\nWhat everybody should know.\n\n" + "".join(
    f"## {part}\n\n" + "".join(section(f"{part} {word}", word) for word in WORDS) for part in ("Going live", "On call")
)
LEDGER = "# Ledger\n\n## Going live\n\n" + section("Ledger wheel", "wheel") + section("Ledger coins", "coins")


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add_text(HANDBOOK, source="docs/handbook.md", media_type=MediaType.MARKDOWN)
    memory.add_text(LEDGER, source="docs/ledger.md", media_type=MediaType.MARKDOWN, title="The “big” ledger")
    memory.remember("The wheel is round.", speaker="Mika")
    return memory


@contextmanager
def wide(store_path: Path, *, share: float = 0.5, most: int = 4000) -> Generator[Memory]:
    with (
        patch.multiple(EXPANSION, _LEAST_SHARE=share, _MOST_CHARACTERS=most),
        Memory.open(store_path, namespace="support", embedder=HashingEmbedder()) as memory,
    ):
        yield memory


def headings(hits: tuple[Hit, ...]) -> set[str]:
    return {" › ".join(hit.episode.heading_path) for hit in hits}


def test_a_code_narrows_to_what_stands_at_or_below_it(filled: Memory) -> None:
    tree = filled.outline.tree("docs/handbook.md")
    for node in tree.nodes:
        found = filled.recall("wheel", source="docs/handbook.md", path=node.chunk.outline, limit=100)
        below = {Relation.SAME, Relation.DESCENDANT}
        wanted = {
            one.episode_id
            for one in tree.nodes
            if one.episode_id and one.chunk.outline.relation_to(node.chunk.outline) in below
        }
        assert {hit.episode.id for hit in found.hits} == wanted
        assert found.searched == len(wanted) > 0


def test_a_code_is_no_prefix_of_letters(memory: Memory) -> None:
    text = "# Many\n\n" + "".join(
        f"## Part {number}\n\n" + f"The part {number} of the wheel turns slowly round. " * 14 + "\n\n"
        for number in range(1, 14)
    )
    memory.add_text(text, source="many", media_type=MediaType.MARKDOWN)
    codes = {str(node.chunk.outline) for node in memory.outline.tree("many").nodes}
    assert {"1", "10", "11"} <= codes  # the control: there are codes that begin like another
    found = memory.recall("wheel", source="many", path="1", limit=100)
    assert {str(hit.episode.outline).split(".")[0] for hit in found.hits} == {"1"}


def test_headings_narrow_wherever_they_follow_each_other(filled: Memory) -> None:
    everywhere = filled.recall("wheel", path="Going live", limit=100)
    assert {hit.episode.title for hit in everywhere.hits} == {"Handbook", "The “big” ledger"}
    assert all("Going live" in hit.episode.heading_path for hit in everywhere.hits)
    one = filled.recall("wheel", path="Handbook › Going live", limit=100)
    assert one.hits
    assert {hit.episode.heading_path[:2] for hit in one.hits} == {("Handbook", "Going live")}
    assert filled.recall("wheel", path=("Going live", "Going live garden")).searched == 1
    for nothing in (("Going",), ("live",), ("going live",), ("Handbook", "Going live garden"), ('Going live", "',)):
        assert filled.recall("wheel", path=nothing).searched == 0


def test_a_title_counts_as_the_first_heading(filled: Memory) -> None:
    title = "The “big” ledger"
    leaves = sum(node.episode_id is not None for node in filled.outline.tree("docs/ledger.md").nodes)
    assert filled.recall("wheel", path=(title,)).searched == leaves
    assert filled.recall("wheel", path=(title, "Ledger", "Going live")).searched == leaves
    assert filled.recall("wheel", path=(title, "On call")).searched == 0
    assert filled.recall("wheel", path=("Handbook",)).searched > leaves  # a title that is also the first heading


@pytest.mark.parametrize("heading", ['say "Going", then', "a, b", "back\\slash", "100 %_", "進行　中", "a › b"])
def test_headings_of_any_letters_are_found_and_not_mixed_up(memory: Memory, heading: str) -> None:
    body = "The wheel turns and turns all day long. " * 16
    memory.add_text(f"# Top\n\n## {heading}\n\n{body}\n\n## other\n\n{body}", source="s", media_type=MediaType.MARKDOWN)
    stored = next(hit for hit in memory.recall("wheel", limit=9).hits if "other" not in hit.episode.heading_path)
    assert memory.recall("wheel", path=stored.episode.heading_path).searched >= 1
    assert memory.recall("wheel", path=(stored.episode.heading_path[-1],)).searched >= 1
    for nothing in ("Going", '", "', "b", "slash", "%", "_"):
        assert memory.recall("wheel", path=(nothing,)).searched == 0


@pytest.mark.parametrize(
    "written", ["第2章 交通費", "第２章　交通費", "規程 › 第2章 交通費", "社内：規程 › 第2章 交通費"]
)
def test_a_path_is_found_as_a_hit_writes_it(memory: Memory, written: str) -> None:
    body = "車輪は一日中まわる。" * 40
    text = f"# 規程\n\n## 第2章　交通費\n\n{body}\n\n## 第3章　宿泊費\n\n{body}"
    memory.add_text(text, source="ja", media_type=MediaType.MARKDOWN, title="社内：規程")
    assert memory.recall("車輪", path=written).searched == 1
    assert memory.recall("車輪", path="第3章 交通費").searched == 0


def test_a_path_narrows_before_anything_is_ranked_and_joins_other_filters(filled: Memory) -> None:
    found = filled.recall("garden", path="On call", limit=2)
    assert len(found.hits) == 2
    assert filled.recall("wheel", path="On call", source="docs/ledger.md").searched == 0
    assert filled.recall("wheel", path="On call", speaker="Mika").searched == 0
    assert filled.recall("wheel", speaker="Mika").searched == 1  # the control: without a path the statement is seen


def test_a_path_sees_the_present_version_only(filled: Memory) -> None:
    assert filled.recall("wheel", path="On call").searched > 0
    shorter = HANDBOOK.split("## On call", maxsplit=1)[0]
    filled.add_text(shorter, source="docs/handbook.md", media_type=MediaType.MARKDOWN)
    assert filled.recall("wheel", path="On call").searched == 0


def test_a_code_without_a_document_and_a_path_of_nothing_are_refused(filled: Memory) -> None:
    with pytest.raises(InvalidValue, match="name the document with source"):
        filled.recall("wheel", path="1.2")
    for path in ("", " › ", (), ("a",) * 21, (" ",)):
        with pytest.raises(InvalidValue, match="path"):
            filled.recall("wheel", path=path)
    with pytest.raises(InvalidValue, match="whole document"):
        Target(filter=Filter(path=("Handbook",)))
    with pytest.raises(InvalidOutlineCode):
        OutlineCode.parse("1..2")
    assert read_path("1..2") == ("1..2",)


def test_the_depth_asked_for_is_a_term_of_the_score(filled: Memory) -> None:
    plain = filled.recall("wheel of going live", limit=100)
    depths = {hit.episode.outline.depth for hit in plain.hits if hit.episode.outline}
    assert len(depths) > 1
    for depth in depths:
        found = filled.recall("wheel of going live", depth=depth, limit=100)
        assert {hit.episode.id for hit in found.hits} == {hit.episode.id for hit in plain.hits}
        for hit in found.hits:
            terms = {term.name: term.value for term in hit.terms}
            assert hit.score == pytest.approx(sum(terms.values()), abs=1e-5)
            away = None if hit.episode.outline is None else abs(hit.episode.outline.depth - depth)
            assert terms["depth"] == pytest.approx(0.0 if away is None else DEPTH_WEIGHT / (1 + away))
    assert all("depth" not in {term.name for term in hit.terms} for hit in plain.hits)
    with pytest.raises(InvalidValue, match="depth is 0"):
        filled.recall("wheel", depth=0)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_first_by_depth_are_the_first_of_all_by_depth(filled: Memory, limit: int) -> None:
    everything = filled.recall("garden ferry", depth=2, limit=100).hits
    assert filled.recall("garden ferry", depth=2, limit=limit).hits == tuple(
        replace(hit, rank=rank) for rank, hit in enumerate(everything[:limit], start=1)
    )


def test_siblings_come_back_as_the_chunk_above_them_and_the_rest_moves_up(filled: Memory, store_path: Path) -> None:
    plain = filled.recall("on call", limit=100).hits
    with wide(store_path) as memory:
        found = memory.recall("on call", limit=3, expand=True).hits
    assert len(found) == 3
    best = found[0]
    assert best.expansion is not None
    assert best.score == plain[0].score
    assert best.terms == plain[0].terms
    assert best.text == best.expansion.text == best.expansion.span.of(HANDBOOK)
    assert best.expansion.outline is not None
    assert best.expansion.folded[0].episode == best.episode
    assert all(one.episode.text in best.text for one in best.expansion.folded)
    given = [one for hit in found for one in (hit.expansion.folded if hit.expansion else (hit,))]
    assert sorted(one.episode.id for one in given) == sorted(hit.episode.id for hit in plain[: len(given)])
    assert [hit.rank for hit in found] == [1, 2, 3]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    for one in best.expansion.folded:
        assert plain[one.rank - 1].episode == one.episode  # each tells the rank it had


def test_expanding_is_asked_for(filled: Memory, store_path: Path) -> None:
    assert all(hit.expansion is None for hit in filled.recall("on call", limit=8, expand=False).hits)
    with wide(store_path) as memory:
        assert any(hit.expansion for hit in memory.recall("on call", limit=8, expand=True).hits)
        assert all(hit.expansion is None for hit in memory.recall("on call", limit=8, expand=False).hits)
    with wide(store_path, most=0) as memory:
        assert all(hit.expansion is None for hit in memory.recall("on call", limit=8, expand=True).hits)


def test_a_small_document_comes_back_whole(memory: Memory, store_path: Path) -> None:
    text = "".join(f"The {word} turns and turns, as it did before. " * 12 + "\n\n" for word in WORDS)
    document = memory.add_text(text, source="notes")
    with wide(store_path) as opened:
        (hit,) = opened.recall("turns", limit=5, expand=True).hits
    assert hit.expansion is not None
    assert hit.expansion.outline is None
    assert hit.text == text
    assert len(hit.expansion.folded) == document.episode_count > 1


def test_limit_is_filled_even_when_nearly_everything_is_folded(memory: Memory, store_path: Path) -> None:
    for number in range(4):
        text = "".join(f"The wheel {number} {word} turns as it did before. " * 10 + "\n\n" for word in WORDS * 2)
        memory.add_text(text, source=f"notes {number}")
    with wide(store_path, most=100_000, share=0.0) as opened:
        hits = opened.recall("wheel turns", limit=4, expand=True).hits
    assert len({hit.episode.document_id for hit in hits}) == len(hits) == 4


def test_depth_is_weighed_also_where_folding_reaches_far_down(memory: Memory, store_path: Path) -> None:
    for word in WORDS[:3]:
        text = "".join(f"The {word} number {number} turns as it did before. " * 10 + "\n\n" for number in range(10))
        memory.add_text(text, source=word)
    with wide(store_path, most=100_000, share=0.0) as opened:
        hits = opened.recall("wheel", limit=2, depth=1, expand=True).hits
    assert len(hits) == 2
    folded = [one for hit in hits if hit.expansion for one in hit.expansion.folded]
    assert len(folded) > 8  # the control: more than were ranked at first
    for one in folded:
        assert one.episode.outline is not None
        away = one.episode.outline.depth - 1
        assert {term.name: term.value for term in one.terms}["depth"] == pytest.approx(DEPTH_WEIGHT / (1 + away))


def test_no_expansion_holds_what_the_question_may_not_see(memory: Memory, store_path: Path) -> None:
    parts = [f"The {word} turns and turns, as it did before. " * 12 + "\n\n" for word in WORDS]
    memory.add_text("".join(parts), source="notes")
    before = memory.add_text("".join(parts), source="notes").recorded_at
    memory.add_text("".join(parts) + "A secret wheel turns later on. " * 16, source="notes")
    with wide(store_path, share=0.0) as opened:
        now = opened.recall("turns", limit=9, expand=True).hits
        assert "secret" in now[0].text
        assert now[0].expansion is not None
        then = opened.recall("turns", limit=9, as_of=before, expand=True).hits
    assert len(then) > 1
    assert all("secret" not in hit.text for hit in then)


HANDBOOK_OUTLINES = "# Handbook\n\n" + "".join(
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
    memory.add_text(HANDBOOK_OUTLINES, source="handbook.md", media_type=MediaType.MARKDOWN)
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
    assert place.parent.chunk.span.of(HANDBOOK_OUTLINES) == text


def test_the_text_comes_with_the_outline_when_asked_for(memory: Memory) -> None:
    memory.add_text(HANDBOOK_OUTLINES, source="handbook.md", media_type=MediaType.MARKDOWN)
    assert memory.outline.tree("handbook.md").text is None
    tree = memory.outline.tree("handbook.md", with_text=True)
    assert tree.text == HANDBOOK_OUTLINES
    sizes = [len(node.chunk.span) for node in tree.nodes if node.episode_id]
    found = tree.leaf_sizes
    assert (found.count, found.smallest, found.largest) == (len(sizes), min(sizes), max(sizes))
    assert tree.below() == tree.nodes


def test_places_that_are_not_there_are_refused(memory: Memory) -> None:
    memory.add_text(HANDBOOK_OUTLINES, source="handbook.md", media_type=MediaType.MARKDOWN)
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


BEGAN = datetime(2026, 3, 2, tzinfo=UTC)
FIRST = "# Baking\n\n## Bread\n\nRye bread rises twice.\n\n## Cake\n\nA cake rises once.\n"
SECOND = "# Baking\n\n## Bread\n\nRye bread rises three times.\n\n## Rolls\n\nRolls are quick.\n"


def opened(store: Path, *, days: int) -> Memory:
    return Memory.open(store, embedder=HashingEmbedder(), clock=SteppingClock(BEGAN + timedelta(days=days)))


def add(store: Path, text: str, *, days: int) -> None:
    with opened(store, days=days) as memory:
        memory.add_text(text, source="baking.md", media_type=MediaType.MARKDOWN)


def test_each_moment_has_the_version_that_was_there(store_path: Path) -> None:
    add(store_path, FIRST, days=0)
    with opened(store_path, days=1) as memory:
        first = memory.outline.tree("baking.md", with_text=True)
    add(store_path, SECOND, days=10)
    with opened(store_path, days=20) as memory:
        then = memory.outline.tree("baking.md", with_text=True, as_of=BEGAN + timedelta(days=5))
        now = memory.outline.tree("baking.md", with_text=True)
        assert (then.text, then.document.version) == (FIRST, 1)
        assert then == first
        assert (now.text, now.document.version) == (SECOND, 2)
        assert memory.outline.tree("baking.md", with_text=True, as_of=BEGAN + timedelta(days=15)) == now


def test_before_it_was_added_there_is_none(store_path: Path) -> None:
    add(store_path, FIRST, days=0)
    with opened(store_path, days=1) as memory:
        with pytest.raises(NotFound, match="was not there"):
            memory.outline.tree("baking.md", as_of=BEGAN - timedelta(days=1))
        with pytest.raises(InvalidValue, match="zone"):
            memory.outline.tree("baking.md", as_of=datetime(2026, 3, 3))  # noqa: DTZ001 - that is the point
