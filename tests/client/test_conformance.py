"""One scenario, run by all four: ``Memory``, ``AsyncMemory``, ``Client`` and ``AsyncClient``."""

from __future__ import annotations

import asyncio
import inspect
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx2
import pytest
from starlette.testclient import TestClient

from evolore import AsyncMemory, Memory, SourceText, Statement
from evolore.client import AsyncClient, Client
from evolore.domain.document import MediaType
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ADDRESS = "http://localhost"
Kind: TypeAlias = Any
"""One of the four; they share no class, since two of them are awaited."""
TEXT = "# Refunds\n\nRefunds take 7 business days.\n\n# Shipping\n\nParcels leave on Monday."


class Waiting:
    """Awaits each verb, so that the scenario reads as one."""

    def __init__(self, awaited: Kind, loop: asyncio.AbstractEventLoop) -> None:
        self._awaited, self._loop = awaited, loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        verb = getattr(self._awaited, name)
        return lambda *args, **kwargs: self._loop.run_until_complete(verb(*args, **kwargs))


class Carried(httpx2.BaseTransport):
    """Carries requests to an application in this process."""

    def __init__(self, http: TestClient) -> None:
        self._http = http

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        came = self._http.request(
            request.method, str(request.url), content=request.content, headers=list(request.headers.raw)
        )
        return httpx2.Response(came.status_code, headers=came.headers, content=came.content)


@pytest.fixture(params=["Memory", "AsyncMemory", "Client", "AsyncClient"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param in {"Memory", "AsyncMemory"}:
        with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as opened:
            if request.param == "Memory":
                yield opened
                return
            loop = asyncio.new_event_loop()
            yield Waiting(AsyncMemory(opened), loop)
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
        return
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder()))
    with TestClient(app, base_url=ADDRESS) as http:
        if request.param == "Client":
            with Client(ADDRESS, transport=Carried(http)) as client:
                yield client
            return
        loop = asyncio.new_event_loop()
        client = AsyncClient(ADDRESS, transport=httpx2.ASGITransport(app=app))
        waiting = Waiting(client, loop)
        yield waiting
        waiting.close()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def test_what_is_added_is_listed_shown_and_counted(memory: Kind, tmp_path: Path) -> None:
    document = memory.add_text(
        TEXT,
        source="shop/refunds.md",
        media_type=MediaType.MARKDOWN,
        metadata={"team": "ops", "year": 2026},
        tags=["b", "a"],
    )
    assert (document.version, document.tags, document.title) == (1, ("a", "b"), "Refunds")
    assert memory.show(document.id) == document
    assert memory.show("shop/refunds.md") == document
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.html").write_text("<h1>Hours</h1><p>We open at nine.</p>", encoding="utf-8")
    (tmp_path / "notes" / "bad.md").write_bytes(b"%PDF-1.7 \x00\x01")
    added = memory.add(tmp_path / "notes", tags=["notes"])
    assert [one.document.title for one in added.documents] == ["Hours"]
    assert [one.source for one in added.failures] == [str(tmp_path / "notes" / "bad.md")]
    again = memory.add(SourceText(source="shop/refunds.md", text=TEXT, media_type=MediaType.MARKDOWN))
    assert again.documents[0].outcome == "unchanged"
    listed = memory.list(limit=3)
    assert [one.title for one in listed.documents] == ["Refunds", "Hours"]
    stats = memory.stats()
    assert (stats.documents, stats.model) == (2, HashingEmbedder().model)


def test_what_is_remembered_is_recalled_as_it_was(memory: Kind) -> None:
    at = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
    said = memory.remember_many(
        [
            Statement(
                text="オフィスは京都にあります。", occurred_at=at, speaker="美香", session="s", about=("office", "city")
            ),
            Statement(text="The parcel went to Osaka.", arousal=0.5, metadata={"n": 1.5, "ok": True}),
        ],
        principal="美香",
    )
    assert [one.occurred_at for one in said.episodes] == [at, None]
    found = memory.recall("オフィスはどこ?", limit=2, since=at.isoformat(), record=True, principal="美香")
    assert found.hits[0].episode == said.episodes[0]
    assert found.hits[0].score == pytest.approx(sum(term.value for term in found.hits[0].terms))
    assert found.query.principal == "美香"
    assert "京都" in found.context
    assert memory.recall(found.query).hits == found.hits
    rated = memory.rate(found, "good", cited=[said.episodes[0].id], principal="美香")
    assert rated.query.ratings[0].principal == "美香"
    assert [one.kind for one in memory.history(said.episodes[0].id, limit=1)]
    assert memory.remember("one more").text == "one more"


def test_an_answer_is_rated_and_its_document_hears_of_it(memory: Kind) -> None:
    document = memory.add_text(TEXT, source="refunds.md", media_type=MediaType.MARKDOWN)
    answer = memory.answer("How many business days do refunds take?", principal="ann")
    assert answer.recall is not None
    assert answer.recall.hits[0].episode.document_id == document.id
    assert all(one.quote in TEXT for one in answer.citations)
    rated = memory.rate(answer.id, "bad", comment="ten days", principal="ann")
    assert [one.rating for one in rated.feedback] == ["bad"]
    whole = memory.rate("refunds.md", "good")
    assert whole.document == document
    assert memory.evolve() == ()


def test_what_is_forgotten_is_gone(memory: Kind) -> None:
    memory.remember("Ann lives in Kyoto.", speaker="Ann")
    kept = memory.remember("Bob lives in Osaka.", speaker="Bob")
    assert memory.forget(speaker="Ann", dry_run=True).episodes == 1
    receipt = memory.forget(speaker="Ann")
    assert receipt.episodes == 1
    assert [one.id for one in memory.list().statements] == [kept.id]
    assert memory.maintain(items=5).is_dry_run is False
    with pytest.raises(NotFound):
        memory.undo("nothing")


def test_what_is_a_persons_is_exported_and_goes_and_what_is_over_too(memory: Kind) -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    said = memory.remember_many(
        [
            Statement(text="I live in Kyoto now.", speaker="Ann", session="s", occurred_at=at),
            Statement(text="Bob lives in Osaka.", speaker="Bob", occurred_at=at, tags=("old",)),
        ]
    )
    memory.recall("Where is it?", record=True, principal="Ann")
    export = memory.export_subject(speaker="Ann")
    assert [(one.kind, one.text) for one in export.records] == [
        ("statement", "I live in Kyoto now."),
        ("question", "Where is it?"),
    ]
    assert export.records[0].facts == (("home", "Kyoto"),)
    assert memory.export_subject(principal="Ann").counts == {"question": 1}
    assert memory.forget(of_principal="Ann").queries == 1
    assert memory.forget(speaker="Ann").facts == 1
    over = memory.expire(older_than_days=1, tag="old", dry_run=True)
    assert (over.statement_ids, over.is_dry_run) == ((said.episodes[1].id,), True)
    assert over.receipt is not None
    assert memory.expire(older_than_days=1).receipt.episodes == 1
    assert memory.expire(older_than_days=1).receipt is None
    with pytest.raises(InvalidValue):
        memory.export_subject()


def test_errors_are_of_the_same_classes(memory: Kind) -> None:
    memory.remember_many([Statement(text="a b c"), Statement(text="d e f")])
    with pytest.raises(NotFound):
        memory.show("nothing")
    with pytest.raises(AmbiguousId):
        memory.show("0")
    with pytest.raises(InvalidValue):
        memory.remember(" ")
    with pytest.raises(InvalidValue):
        memory.remember("x", principal=" ")
    with pytest.raises(InvalidValue):
        memory.recall("a" * 10_001)
    with pytest.raises(InvalidValue):
        memory.recall("a", since="yesterday")
    with pytest.raises(TypeError):
        memory.recall("a", nonsense=1)


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_client_has_every_verb_of_a_memory(client: type) -> None:
    verbs = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    assert verbs - set(dir(client)) == set()
