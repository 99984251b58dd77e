"""Every recall is taken down by default, a moment later, and nobody waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.outcome import Outcome
from evolore.errors import InvalidValue, NotFound, StoreBusy, StoreUnwritable
from evolore.flows import record as flows_record
from evolore.flows.rate import RatedQuery
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.queries.settings import QuerySettings

if TYPE_CHECKING:
    from pathlib import Path

ASKED = "when do we deploy?"


@pytest.fixture(autouse=True)
def _only_when_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time pass while a test looks."""
    monkeypatch.setattr(flows_record.QuestionQueue.__init__, "__kwdefaults__", {"seconds": 3600.0})


def opened(folder: Path, *, read_only: bool = False, record: bool = True) -> Memory:
    return Memory.open(
        folder,
        namespace="n",
        embedder=HashingEmbedder(),
        settings=Settings(queries=QuerySettings(record=record)),
        read_only=read_only,
    )


def filled(folder: Path) -> Memory:
    memory = opened(folder)
    memory.remember("Deploys run every Tuesday from the main branch.")
    memory.remember("The release checklist hangs beside the coffee machine.")
    return memory


def test_it_is_so_by_default(tmp_path: Path) -> None:
    assert Settings().queries.record
    with filled(tmp_path) as memory:
        found = memory.recall(ASKED, principal="ann")
        assert found.query_id is not None
        assert len(memory._bound.queue) == 1  # nothing was waited for
        [one] = memory.questions.list()
        assert (one.id, one.text, one.principal, one.outcome) == (found.query_id, ASKED, "ann", Outcome.RETRIEVAL)
        assert [given.episode_id for given in one.given] == [hit.episode.id for hit in found.hits]
        assert memory.questions.show(found.query_id) == one
        assert memory.recall(ASKED, record=False).query_id is None
        assert memory.stats().queries == 1


def test_it_is_as_if_it_had_been_taken_down_at_once(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        for limit in (1, 2):
            memory.recall(ASKED, limit=limit)
            memory.recall(ASKED, limit=limit, record=True)
        first, second, third, fourth = (
            replace(one, id="", recorded_at=first.recorded_at, asked_at=first.asked_at)
            for first in memory.questions.list()[:1]
            for one in memory.questions.list()
        )
        assert first == second
        assert third == fourth


def test_closing_writes_what_waits_and_settings_may_say_no(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        memory.recall(ASKED)
    with opened(tmp_path, record=False) as memory:
        assert [one.text for one in memory.questions.list()] == [ASKED]
        assert memory.recall(ASKED).query_id is None
        assert memory.stats().queries == 1


def test_a_verb_that_writes_writes_what_was_asked_before_it(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        for number in range(3):
            memory.recall(f"question {number}?", principal=f"p{number % 2}")
        memory.remember("Something else.")
        assert len(memory._bound.queue) == 0
        with opened(tmp_path) as other:
            assert [one.text for one in other.questions.list()] == [f"question {number}?" for number in (2, 1, 0)]


def test_rating_a_recall_records_it(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        waiting, unkept, named = memory.recall(ASKED), memory.recall(ASKED, record=False), memory.recall(ASKED)
        rated = [memory.rate(one, "good") for one in (waiting, unkept, named.query_id or "")]
        queries = [one.query for one in rated if isinstance(one, RatedQuery)]
        assert [one.text for one in queries] == [ASKED] * 3
        assert [queries[0].id, queries[2].id] == [waiting.query_id, named.query_id]
        assert (memory.stats().queries, memory.stats().ratings) == (3, 3)


@pytest.mark.parametrize("is_written", [False, True])
def test_what_is_said_of_it_later_completes_it(tmp_path: Path, *, is_written: bool) -> None:
    with filled(tmp_path) as memory:
        found = memory.recall(ASKED, principal="ann")
        cited = found.hits[1].episode.id
        if is_written:
            memory._bound.queue.write()
        record = memory.questions.record(found, cited=[cited], answer_id="a1", outcome="insight")
        assert (record.id, record.cited_ids, record.answer_id) == (found.query_id, (cited,), "a1")
        assert (record.outcome, record.is_stated) == (Outcome.INSIGHT, True)
        assert memory.questions.record(found) == record
        with pytest.raises(InvalidValue, match="Only the asker"):
            memory.questions.record(found, cited=[found.hits[0].episode.id], principal="bob")
        assert memory.stats().queries == 1


def test_forgetting_takes_what_waits(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        memory.recall(ASKED, principal="ann")
        assert memory.questions.unlearn("ann", erase=True).has_taught
        assert memory.questions.list() == ()
        memory.recall(ASKED)
        memory.forget(everything=True)
        assert memory.questions.list() == ()


def test_where_nothing_was_written_or_can_be_nothing_is_taken_down(tmp_path: Path) -> None:
    with opened(tmp_path / "none") as memory:
        assert memory.recall(ASKED).query_id is None
    assert not (tmp_path / "none").exists()
    filled(tmp_path / "store").close()
    with opened(tmp_path / "store", read_only=True) as memory:
        assert memory.recall(ASKED).query_id is None
        assert memory.answer(ASKED).id == ""
        with pytest.raises(StoreUnwritable):
            memory.questions.record(memory.recall(ASKED))


def test_a_full_queue_is_written_in_the_background(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        for number in range(flows_record.TOGETHER):
            memory.recall(f"question {number}?")
        due = memory._bound.queue._due
        if due is not None:
            due.join(timeout=60)
        assert len(memory._bound.queue) == 0
        with opened(tmp_path) as other:
            assert other.stats().queries == flows_record.TOGETHER


def test_threads_lose_no_question(tmp_path: Path) -> None:
    with filled(tmp_path) as memory, ThreadPoolExecutor(4) as pool:

        def ask(number: int) -> str | None:
            return memory.recall(f"question {number}?").query_id

        asked = set(pool.map(ask, range(150)))
        assert {one.id for one in memory.questions.list(limit=1000)} == asked
        assert len(asked) == 150


def test_while_another_writes_it_waits_on_and_recall_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled(tmp_path) as memory:
        found = memory.recall(ASKED)

        def busy(*_: object, **__: object) -> None:
            raise StoreBusy("try again")

        with monkeypatch.context() as patch:
            patch.setattr(type(memory._context.store), "write", busy)
            assert memory.questions.list() == ()
            assert memory.recall(ASKED).hits
            with pytest.raises(StoreBusy):
                memory.rate(found, "good")
        assert memory.stats().queries == 2


def test_what_waits_is_bounded_and_a_store_that_cannot_be_written_is_told_nobody_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(tmp_path)
    with closing(memory), monkeypatch.context() as patch:
        patch.setattr(type(memory._context.store), "is_read_only", False)

        def refuse(*_: object, **__: object) -> None:
            raise StoreUnwritable("no")

        patch.setattr(type(memory._context.store), "write", refuse)
        memory.recall(ASKED)
        assert memory.questions.list() == ()
        assert len(memory._bound.queue) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_leaves_what_its_parent_asked_to_it(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        memory.recall(ASKED)
        child = os.fork()
        if child == 0:
            memory.recall("asked by the child?")
            memory.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert sorted(one.text for one in memory.questions.list()) == ["asked by the child?", ASKED]


def test_a_process_that_ends_without_closing_writes_what_it_was_asked(tmp_path: Path) -> None:
    filled(tmp_path).close()
    script = (
        "import sys\nfrom evolore import Memory\nfrom evolore.models.offline import HashingEmbedder\n"
        "memory = Memory.open(sys.argv[1], namespace='n', embedder=HashingEmbedder())\n"
        "print(memory.recall('when do we deploy?').query_id)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    with opened(tmp_path) as memory:
        assert memory.questions.show(done.stdout.strip()).text == ASKED


def test_an_id_that_was_never_written_names_nothing(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        found = memory.recall(ASKED)
        memory.questions.unlearn(None, erase=True)
        for verb in (lambda: memory.rate(found, "good"), lambda: memory.questions.record(found)):
            with pytest.raises(NotFound):
                verb()
