"""Links: passages are joined with what is of the same matter when they are added, few at each end, and never merged."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evolore.domain.episodes import Edge, EdgeKind
from evolore.domain.knowledge import MediaType
from evolore.errors import StoreBusy
from evolore.flows import linking
from evolore.ports import SourceText
from flows.test_ending import about, topical

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from evolore.memory import Memory

LIKE = {EdgeKind.SEMANTIC, EdgeKind.ECHO}


def links(memory: Memory) -> list[tuple[str, str]]:
    with memory._context.store.read("n") as reader:
        ids = [one.id for document in reader.documents() for one in reader.leaf_episodes(document.id)]
        found = reader.edges_around(ids, kinds=LIKE, limit=10_000) if ids else ()
    return sorted((edge.source_id, edge.target_id) for edge in found)


def pages(topics: Sequence[str]) -> list[SourceText]:
    return [
        SourceText(source=f"page {place}", text=about(topic, place), media_type=MediaType.PLAIN)
        for place, topic in enumerate(topics)
    ]


def texts(memory: Memory) -> dict[str, str]:
    with memory._context.store.read("n") as reader:
        leaves = [one for document in reader.documents() for one in reader.leaf_episodes(document.id)]
    return {one.id: one.text for one in leaves}


def test_passages_are_linked_with_their_like_when_they_are_added(store_path: Path) -> None:
    with topical(store_path) as memory:
        memory.add_texts(pages(["oven", "oven", "river", "river"]))
        said = texts(memory)
        assert links(memory)
        assert all(("oven" in said[one]) == ("oven" in said[other]) for one, other in links(memory))
        before = links(memory)
        done = memory.maintain()
        assert (done.links, done.event_ids, links(memory)) == (0, (), before)
        assert len(said) == 4


def test_no_passage_gathers_more_links_than_the_settings_say(store_path: Path) -> None:
    with topical(store_path) as memory:
        for few in range(0, 40, 8):  # also where they come in several calls
            memory.add_texts(pages(["oven"] * 40)[few : few + 8])
        leaving = Counter(source for source, _ in links(memory))
        arriving = Counter(target for _, target in links(memory))
        assert max(leaving.values()) <= 6
        assert max(arriving.values()) <= 24


def test_what_could_not_be_linked_is_added_all_the_same_and_linked_by_maintenance(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with topical(store_path) as memory:
        with monkeypatch.context() as patched:
            patched.setattr(linking, "MOST_LINKED", 0)
            memory.add_texts(pages(["oven", "oven"]))
        assert not links(memory)
        assert memory.maintain().links > 0
        assert links(memory)


def test_trouble_with_links_is_not_said_of_documents_that_are_there(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise StoreBusy("Another process has been writing")

    with topical(store_path) as memory:
        store = memory._context.store
        with monkeypatch.context() as patched:

            def found(*_: object) -> list[Edge]:
                patched.setattr(type(store), "write", busy)
                return [Edge(source_id="one", target_id="other", kind=EdgeKind.SEMANTIC)]

            patched.setattr(linking, "_edges", found)
            added = memory.add_texts(pages(["oven"]))
        assert len(added.documents) == 1
        assert len(texts(memory)) == 1
