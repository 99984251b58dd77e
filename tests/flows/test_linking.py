"""Links: passages are joined with what is of the same matter when they are added, few at each end, and never merged."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.document import MediaType
from evolore.domain.episode import Edge, EdgeKind
from evolore.errors import StoreBusy
from evolore.flows import document_version
from evolore.ports import SourceText
from flows.test_ending import about, topical

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

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
        memory.add(*pages(["oven", "oven", "river", "river"]))
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
            memory.add(*pages(["oven"] * 40)[few : few + 8])
        leaving = Counter(source for source, _ in links(memory))
        arriving = Counter(target for _, target in links(memory))
        assert max(leaving.values()) <= 6
        assert max(arriving.values()) <= 24


class Vectors:
    """Vectors of which the nearest are asked for, or compared all, as an index would."""

    def __init__(self, rows: npt.NDArray[np.float32], *, searches: bool) -> None:
        self.rows = rows
        self.searches = searches

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return self.rows @ vector

    def similarities_of(self, vector: npt.NDArray[np.float32], items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return self.rows[items] @ vector

    def nearest(self, vector: npt.NDArray[np.float32], *, count: int) -> npt.NDArray[np.int32] | None:
        if not self.searches or count > len(self.rows) // 2:
            return None
        return np.argsort(-(self.rows @ vector))[:count].astype(np.int32)

    def candidates(self, vector: npt.NDArray[np.float32], *, count: int) -> npt.NDArray[np.int32] | None:
        return self.nearest(vector, count=count)

    def rows_of(self, items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return self.rows[items]


@pytest.mark.parametrize("searches", [True, False])
@pytest.mark.parametrize("hidden", [0, 20, 60, 197, 200])
def test_however_many_that_are_hidden_lie_nearer_the_nearest_of_the_others_are_found(
    searches: bool,  # noqa: FBT001
    hidden: int,
) -> None:
    rows = np.random.default_rng(3).standard_normal((200, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    order = np.argsort(-(rows @ rows[0]))
    may = np.ones(200, dtype=np.bool_)
    may[order[:hidden]] = False
    found = document_version.nearest_among(Vectors(rows, searches=searches), rows[0], may, count=8)
    wanted = order[hidden : hidden + 8].tolist()
    assert set(wanted) <= set(found.tolist())
    assert may[found].all()


def test_what_could_not_be_linked_is_added_all_the_same_and_linked_by_maintenance(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with topical(store_path) as memory:
        with monkeypatch.context() as patched:
            patched.setattr(document_version, "MOST_LINKED", 0)
            memory.add(*pages(["oven", "oven"]))
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

            patched.setattr(document_version, "_edges", found)
            added = memory.add(*pages(["oven"]))
        assert len(added.documents) == 1
        assert len(texts(memory)) == 1
