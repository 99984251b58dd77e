"""A memory where LangGraph expects a store."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from langgraph.store.base import GetOp, PutOp

from evolore import Memory
from evolore.errors import InvalidValue
from evolore.integrations import langgraph
from evolore.integrations.langgraph import EvoloreStore
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvoloreStore]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as memory:
        yield EvoloreStore(memory)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"text": "I like ramen."},
        {"text": "  two  blanks  ", "n": 1.5, "none": None, "deep": {"list": [1, "二", {"x": True}]}},
        {"text": "x" * 20_000},
    ],
)
def test_a_value_comes_back_as_it_was_put(store: EvoloreStore, value: dict[str, object]) -> None:
    store.put(("a b", "ü/é"), " key\n", value)
    item = store.get(("a b", "ü/é"), " key\n")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, " key\n", ("a b", "ü/é"))
    assert store.search(("a b",))[0].value == value


def test_putting_again_changes_and_keeps_when_it_was_made(store: EvoloreStore) -> None:
    store.put(("users",), "mika", {"text": "Mika lives in Munich."})
    first = store.get(("users",), "mika")
    store.put(("users",), "mika", {"text": "Mika lives in Berlin."})
    second = store.get(("users",), "mika")
    assert first is not None
    assert second is not None
    assert second.created_at == first.created_at < second.updated_at
    assert [one.value["text"] for one in store.search(("users",), query="Where does Mika live?")] == [
        "Mika lives in Berlin."
    ]


def test_deleting_from_a_store_that_is_not_there_yet_does_nothing(store: EvoloreStore) -> None:
    store.delete(("users",), "mika")
    assert store.get(("users",), "mika") is None


def test_deleting_erases_for_good(store: EvoloreStore, tmp_path: Path) -> None:
    store.put(("users",), "mika", {"text": "The code is tamarind."})
    store.delete(("users",), "mika")
    store.delete(("users",), "nobody")
    assert store.get(("users",), "mika") is None
    assert store.search((), query="tamarind") == []
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert not any(b"tamarind" in path.read_bytes() for path in files)


def test_a_search_stays_below_its_prefix_and_fits_its_filter(store: EvoloreStore) -> None:
    for user in ("mika", "mikael"):
        for number in range(4):
            value = {"text": f"{user} ate dish {number}.", "number": number, "of": {"user": user}}
            store.put(("users", user), f"dish{number}", value)
    found = store.search(("users", "mika"), query="dish", filter={"number": {"$gte": 2}}, limit=10)
    assert {(one.namespace[1], one.value["number"]) for one in found} == {("mika", 2), ("mika", 3)}
    scores = [one.score for one in found]
    assert scores == sorted(scores, key=lambda one: -(one or 0))
    assert len(store.search((), filter={"of": {"user": "mikael"}})) == 4
    assert len(store.search((), filter={"of.user": "mikael", "number": {"$ne": 0}})) == 3
    assert store.search((), filter={"number": {"$gt": "many"}}) == []
    pages = [store.search(("users",), query="dish", limit=3, offset=offset) for offset in (0, 3, 6)]
    assert len({one.key + one.namespace[1] for page in pages for one in page}) == 8
    with pytest.raises(InvalidValue, match=r"\$like"):
        store.search((), filter={"number": {"$like": 1}})


def test_only_the_fields_that_are_named_are_searched(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as memory:
        store = EvoloreStore(memory, fields=["text"])
        store.put(("n",), "1", {"text": "apples", "secret": "zebra"})
        store.put(("n",), "2", {"text": "pears", "secret": "quagga"}, index=["secret"])
        store.put(("n",), "3", {"text": "zebra"}, index=False)
        found = store.search(("n",), query="quagga")
        assert found[0].key == "2"
        assert found[-1].key == "3"
        assert found[-1].score is None


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store: EvoloreStore) -> None:
    for namespace in (("users", "a", "taste"), ("users", "b", "taste"), ("users", "b", "home"), ("docs",)):
        store.put(namespace, "k", {"v": 1})
    assert store.list_namespaces(prefix=("users", "*", "taste")) == [("users", "a", "taste"), ("users", "b", "taste")]
    assert store.list_namespaces(suffix=("home",)) == [("users", "b", "home")]
    assert store.list_namespaces(max_depth=1) == [("docs",), ("users",)]
    assert store.list_namespaces(limit=1, offset=1) == [("users", "a", "taste")]


class Moment(datetime):
    """Stands for ``datetime`` with a present that a test sets."""

    minutes = 0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Moment:
        return cls(2026, 3, 2, 9, cls.minutes, tzinfo=tz)


def test_what_is_over_is_given_no_more_and_reading_makes_it_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(langgraph, "datetime", Moment)
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as memory:
        store = EvoloreStore(memory)
        store.put(("n",), "kept", {"text": "kept"}, ttl=8)
        store.put(("n",), "gone", {"text": "gone"}, ttl=8)
        store.put(("n",), "ever", {"text": "ever"})
        monkeypatch.setattr(Moment, "minutes", 5)
        assert store.get(("n",), "kept") is not None
        monkeypatch.setattr(Moment, "minutes", 10)
        assert store.get(("n",), "gone", refresh_ttl=False) is None
        assert store.get(("n",), "kept", refresh_ttl=False) is not None
        assert {one.key for one in store.search(("n",), refresh_ttl=False)} == {"kept", "ever"}
        assert store.sweep_ttl() == 1
        assert memory.stats().documents == 2


def test_reading_what_lives_for_a_while_searches_no_other_field_of_it(store: EvoloreStore) -> None:
    store.put(("n",), "k", {"title": "Wolves hunt.", "secret": "Salmon swim."}, index=["title"], ttl=60)
    texts = [store.memory.outline.tree(one.id, with_text=True).text for one in store.memory.list().documents]
    assert store.get(("n",), "k", refresh_ttl=True) is not None
    assert store.search(("n",), query="wolves", refresh_ttl=True)
    assert texts == ["Wolves hunt."]
    assert [store.memory.outline.tree(one.id, with_text=True).text for one in store.memory.list().documents] == texts


def test_a_batch_answers_in_order_and_the_last_put_of_a_key_counts(store: EvoloreStore) -> None:
    ops = [PutOp(("n",), "k", {"v": 1}), PutOp(("n",), "k", {"v": 2}), GetOp(("n",), "k")]
    assert asyncio.run(store.abatch(ops)) == [None, None, None]
    item = asyncio.run(store.aget(("n",), "k"))
    assert item is not None
    assert item.value == {"v": 2}


def test_what_cannot_be_kept_is_refused_and_nothing_of_it_stays(store: EvoloreStore) -> None:
    for namespace, value, told in (
        (("n",), {"x": object()}, "no JSON"),
        (("n",), {"x": float("nan")}, "no JSON"),
        (("n",), {"x": "y" * 40_000}, "add longer texts as documents"),
        (tuple("abcdefghijklmnop"), {"x": 1}, "flatter"),
    ):
        with pytest.raises(InvalidValue, match=told):
            store.put(namespace, "k", value)
    assert store.list_namespaces() == []


def test_documents_of_the_memory_are_no_items(store: EvoloreStore) -> None:
    store.memory.add_text("Refunds take 7 days.", source="refunds.md")
    store.put(("n",), "k", {"text": "Refunds are slow."})
    assert [one.key for one in store.search((), query="refunds")] == ["k"]
