from __future__ import annotations

import asyncio
import inspect
import os
import threading
from contextlib import suppress
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, cast

import pytest

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.errors import NotFound
from evolore.memory import Memory
from evolore.memory.async_memory import AsyncMemory
from evolore.models.offline import HashingEmbedder
from evolore.ports import EmbeddingModel, SourceText, TextRole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.ports import Vectors


class Gated(HashingEmbedder):
    """Waits before its n-th batch until it is let on, and says when it has come there."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at
        self.come = threading.Event()
        self.on = threading.Event()

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.at -= 1
        if self.at == 0:
            self.come.set()
            assert self.on.wait(30)
        return super().embed(texts, role=role)


def open_async(store: Path, embedder: HashingEmbedder | None = None) -> AsyncMemory:
    settings = Settings(max_leaves_at_once=64)
    return AsyncMemory.open(store, namespace="support", embedder=embedder or HashingEmbedder(), settings=settings)


def public(thing: type) -> dict[str, object]:
    return {name: value for name, value in inspect.getmembers_static(thing) if not name.startswith("_")}


def test_the_verbs_are_those_of_memory_with_their_signatures_and_words() -> None:
    nouns = {name for name, value in public(Memory).items() if isinstance(value, cached_property)}
    assert set(public(AsyncMemory)) == set(public(Memory))
    for name in set(public(Memory)) - {"namespace"} - nouns:
        plain, awaited = getattr(Memory, name), getattr(AsyncMemory, name)
        assert inspect.signature(plain) == inspect.signature(awaited), name
        assert inspect.getdoc(plain) == inspect.getdoc(awaited), name
        assert inspect.iscoroutinefunction(awaited) is (name not in {"open", "answer_stream"}), name


def test_its_nouns_have_the_same_verbs_too(store_path: Path) -> None:
    plain = Memory.open(store_path, embedder=HashingEmbedder())
    awaited = AsyncMemory(plain)
    nouns = [name for name, value in public(Memory).items() if isinstance(value, cached_property)]
    assert nouns == ["evolution", "outline", "pages", "questions", "review", "store"]
    for noun in nouns:
        one, other = (cast("type[object]", type(getattr(each, noun))) for each in (plain, awaited))
        assert set(public(one)) == set(public(other))
        for name in public(one):
            assert inspect.signature(getattr(one, name)) == inspect.signature(getattr(other, name)), name
            assert inspect.getdoc(getattr(one, name)) == inspect.getdoc(getattr(other, name)), name
            assert inspect.iscoroutinefunction(getattr(other, name)), name
    plain.close()


def test_every_verb_can_be_awaited(store_path: Path, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Page\n\nWords of the page.", encoding="utf-8")

    async def work() -> None:
        async with open_async(store_path) as memory:
            assert memory.namespace == "support"
            said = await memory.remember("The office is in Osaka.", speaker="Mika")
            added = await memory.add(tmp_path / "page.md")
            assert (await memory.recall("where is the office?")).hits[0].episode == said
            assert await memory.show(said.id) == said
            document = added.documents[0].document
            assert (await memory.outline.tree(document.id)).document == document
            assert (await memory.list()).documents == (document,)
            assert (await memory.store.verify()).is_whole
            assert (await memory.store.doctor()).is_whole
            assert (await memory.store.export(tmp_path / "all.jsonl")).documents == 1
            assert (await memory.store.backup(tmp_path / "copy")).path == str(tmp_path / "copy")
            assert (await memory.store.reembed(HashingEmbedder(8))).texts == 2
            assert (await memory.store.abandon_reembed()).model is None
            assert (await memory.forget(said.id)).episodes == 1
            with pytest.raises(NotFound):
                await memory.show(said.id)
            assert (await memory.stats()).statements == 0

    asyncio.run(work())


def test_verbs_run_side_by_side_and_the_loop_goes_on(store_path: Path) -> None:
    async def work() -> int:
        async with open_async(store_path) as memory:
            await asyncio.gather(*(memory.remember(f"Number {number}.", session="s") for number in range(30)))
            found = await asyncio.gather(*(memory.recall(f"number {number}") for number in range(30)))
            assert all(one.searched == 30 for one in found)
            return (await memory.stats()).statements

    assert asyncio.run(work()) == 30


def test_what_a_task_carries_is_known_in_the_thread(store_path: Path) -> None:
    carried = ContextVar("carried", default="nothing")
    heard: list[str] = []

    def listen(*_: object, **__: object) -> None:
        heard.append(carried.get())

    async def work() -> None:
        carried.set("something")
        async with open_async(store_path) as memory:
            await memory.add(SourceText(source="a", text="Words.", media_type=MediaType.PLAIN), progress=listen)

    asyncio.run(work())
    assert set(heard) == {"something"}


async def cancel_at(gate: Gated, task: asyncio.Task[object]) -> None:
    """Cancel a verb while it embeds, then let the embedder on."""
    assert await asyncio.to_thread(gate.come.wait, 30)
    task.cancel()
    await asyncio.wait([task], timeout=0)
    gate.on.set()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_cancelled_remember_has_happened_by_the_time_the_caller_knows(store_path: Path) -> None:
    async def work() -> list[str]:
        gate = Gated(at=1)
        async with open_async(store_path, gate) as memory:
            task: asyncio.Task[object] = asyncio.create_task(memory.remember("Wholly or not at all."))
            await cancel_at(gate, task)
            return [item.text for item in (await memory.list()).statements]

    assert asyncio.run(work()) == ["Wholly or not at all."]


def test_a_verb_cancelled_twice_has_ended_when_its_caller_learns_of_it(store_path: Path) -> None:
    async def work() -> list[str]:
        gate = Gated(at=1)
        async with open_async(store_path, gate) as memory:
            task: asyncio.Task[object] = asyncio.create_task(memory.remember("Wholly or not at all."))
            assert await asyncio.to_thread(gate.come.wait, 30)
            for _ in range(3):
                task.cancel()
                await asyncio.wait([task], timeout=0.01)
                assert not task.done()
            gate.on.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            return [item.text for item in (await memory.list()).statements]

    assert asyncio.run(work()) == ["Wholly or not at all."]


def test_a_cancelled_add_stops_between_documents(store_path: Path) -> None:
    texts = [SourceText(source=f"{number}", text=f"Words {number}.", media_type=MediaType.PLAIN) for number in range(5)]

    async def work() -> list[str]:
        gate = Gated(at=3)
        async with open_async(store_path, gate) as memory:
            task: asyncio.Task[object] = asyncio.create_task(memory.add(*texts))
            await cancel_at(gate, task)
            held = [item.source for item in (await memory.list()).documents]
            assert (await memory.stats()).leaves == len(held)
            return held

    assert asyncio.run(work()) == ["0", "1"]


def test_a_cancelled_add_of_a_large_document_shows_nothing_of_it(store_path: Path) -> None:
    large = "\n\n".join(f"## Part {number}\n\n" + f"Matter {number} has its own words. " * 12 for number in range(200))
    texts = [
        SourceText(source=name, text=text, media_type=MediaType.MARKDOWN) for name, text in (("a", "x"), ("b", large))
    ]

    async def work() -> None:
        gate = Gated(at=4)
        async with open_async(store_path, gate) as memory:
            task: asyncio.Task[object] = asyncio.create_task(memory.add(*texts))
            await cancel_at(gate, task)
            assert [item.source for item in (await memory.list()).documents] == ["a"]
            with memory.memory._context.store.read("support") as reader:
                assert reader.staged("b")  # the next call goes on with it
            assert (await memory.add(*texts)).documents[1].document.version == 1

    asyncio.run(work())


def test_a_cancelled_reembed_stops_before_the_switch_and_goes_on_when_called_again(store_path: Path) -> None:
    async def work() -> None:
        async with open_async(store_path) as memory:
            for part in range(3):
                await memory.remember_many(Statement(text=f"Number {part} {number}.") for number in range(64))
            gate = Gated(at=70)
            gate._model = EmbeddingModel(id="gated", dimension=64)
            task: asyncio.Task[object] = asyncio.create_task(memory.store.reembed(gate))
            await cancel_at(gate, task)
            assert (await memory.stats()).model == HashingEmbedder().model
            assert (await memory.recall("number")).hits
            done = await memory.store.reembed(gate)
            assert 0 < done.embedded < done.texts
            assert (await memory.stats()).model.id == "gated"
            assert (await memory.store.doctor()).is_whole

    asyncio.run(work())


def test_a_verb_cancelled_before_it_began_does_not_begin(store_path: Path) -> None:
    async def work() -> int:
        gate = Gated(at=1)
        async with open_async(store_path, gate) as memory:
            blocker = asyncio.create_task(memory.remember("First."))
            assert await asyncio.to_thread(gate.come.wait, 30)
            loop = asyncio.get_running_loop()
            held = threading.Event()
            fill = [loop.run_in_executor(None, held.wait, 30) for _ in range(64)]
            task = asyncio.create_task(memory.remember("Never."))
            await asyncio.wait([task], timeout=0)
            task.cancel()
            await asyncio.wait([task], timeout=0)
            held.set()
            gate.on.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.gather(blocker, *fill)
            return (await memory.stats()).statements

    assert asyncio.run(work()) == 1


def test_a_forked_child_has_a_loop_and_connections_of_its_own(store_path: Path) -> None:
    memory = open_async(store_path)
    asyncio.run(memory.remember("Before the fork."))
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            asyncio.run(memory.remember("In the child."))
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    asyncio.run(memory.remember("In the parent."))
    said = asyncio.run(memory.list()).statements
    assert {item.text for item in said} == {"Before the fork.", "In the child.", "In the parent."}
    asyncio.run(memory.close())
