"""What chats cost and said is kept in the store: for every process, and never beyond a budget."""

from __future__ import annotations

from datetime import date, timedelta
from subprocess import PIPE, Popen
from sys import executable
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat_parts import InMemorySpendLog
from evolore.chat.budget import InMemoryChatCache
from evolore.domain.chat import UNLIMITED, ChatBudget, ChatUsage
from evolore.domain.filters import Target
from evolore.errors import InvalidValue, StoreBusy
from evolore.jobs.clock import SystemClock
from evolore.models.offline import HashingEmbedder
from evolore.store.database import Database
from evolore.store.location import DATABASE
from evolore.store.store import Store
from laws import tried
from store.structures import Structured

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

DAY = date(2026, 3, 2)
CALL = ChatUsage(calls=1, prompt_tokens=10, reply_tokens=5, cost_micros=7)
THREE = ChatBudget(calls=3)
TAKER = """
import sys
from datetime import date
from pathlib import Path
from evolore.domain.chat import ChatBudget, ChatUsage
from evolore.jobs.clock import SystemClock
from evolore.models.offline import HashingEmbedder
from evolore.store.store import Store

log = Store(Path(sys.argv[1]), model=HashingEmbedder().model, clock=SystemClock()).chat_spend()
budget = ChatBudget(calls=25)
print(sum(log.take(date(2026, 3, 2), ChatUsage(calls=1), budget) for _ in range(20)), flush=True)
"""


@pytest.fixture
def here(tmp_path: Path) -> Generator[Structured]:
    made = Structured(tmp_path / "s")
    yield made
    made.store.close()


def opened(folder: Path) -> Store:
    return Store(folder, model=HashingEmbedder().model, clock=SystemClock())


def test_nothing_is_made_on_disk_before_there_is_a_store(here: Structured) -> None:
    log, cache = here.store.chat_spend(), here.store.chat_cache(5, until=InMemoryChatCache(5))
    assert log.take(DAY, CALL, THREE)
    log.settle(DAY, CALL, ChatUsage(calls=1))
    cache.put("asked", "told")
    assert (log.spent(DAY), cache.get("asked")) == (ChatUsage(calls=1), "told")
    cache.clear()
    assert cache.get("asked") is None
    assert not here.folder.exists()


def test_what_was_spent_before_there_was_a_store_is_kept_in_it(here: Structured) -> None:
    log = here.store.chat_spend()
    assert log.take(DAY, CALL, THREE)
    here.remember("Something.")
    assert opened(here.folder).chat_spend().spent(DAY) == ChatUsage()
    assert log.take(DAY, CALL, THREE)
    log.settle(DAY, CALL, ChatUsage(calls=1))
    log.settle(DAY, CALL, ChatUsage(calls=1))
    assert opened(here.folder).chat_spend().spent(DAY) == ChatUsage(calls=2) == log.spent(DAY)


def test_a_process_that_dies_has_spent_what_it_took(here: Structured) -> None:
    here.remember("Something.")
    assert here.store.chat_spend().take(DAY, CALL, THREE)
    after = opened(here.folder).chat_spend()
    assert after.spent(DAY) == CALL
    assert [after.take(DAY, CALL, THREE) for _ in range(3)] == [True, True, False]
    assert after.take(DAY + timedelta(days=1), CALL, THREE)
    assert after.take(DAY, CALL, UNLIMITED)


def test_processes_together_take_no_call_more_than_the_budget_of_the_day(here: Structured) -> None:
    here.remember("Something.")
    processes = [Popen([executable, "-c", TAKER, str(here.folder)], stdout=PIPE, text=True) for _ in range(2)]
    taken = [int(process.communicate()[0]) for process in processes]
    assert sum(taken) == 25
    assert here.store.chat_spend().spent(DAY).calls == 25


def test_threads_together_take_no_call_more_than_the_budget_of_the_day(here: Structured) -> None:
    here.remember("Something.")
    log, taken = here.store.chat_spend(), list[bool]()
    threads = [Thread(target=lambda: taken.append(log.take(DAY, CALL, THREE))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 3


def test_a_store_that_cannot_be_written_is_counted_with_what_is_spent_beside_it(here: Structured) -> None:
    here.remember("Something.")
    log = here.store.chat_spend()
    assert log.take(DAY, CALL, THREE)
    there = here.folder / DATABASE
    here.store.close()
    there.rename(there.with_suffix(".away"))
    assert log.spent(DAY) == ChatUsage()
    assert log.take(DAY, CALL, THREE)
    there.with_suffix(".away").rename(there)
    assert log.spent(DAY).calls == 2


def test_while_others_write_a_limited_budget_allows_nothing_and_what_was_used_is_settled_later(
    here: Structured, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.remember("Something.")
    log, cache = here.store.chat_spend(), here.store.chat_cache(5, until=InMemoryChatCache(5))
    assert log.take(DAY, CALL, THREE)

    def busy(_database: object, _turn: object = None) -> None:
        raise StoreBusy("Others write.")

    with monkeypatch.context() as patched:
        patched.setattr(Database, "writing", busy)
        assert not log.take(DAY, CALL, THREE)
        assert log.take(DAY, CALL, UNLIMITED)
        log.settle(DAY, CALL, ChatUsage(calls=1))
        cache.put("asked", "told")
        cache.clear()
    cache.put("kept", "told")
    with monkeypatch.context() as patched:
        patched.setattr(Database, "writing", busy)
        with pytest.raises(StoreBusy):
            cache.clear()
    assert cache.get("asked") is None
    assert log.spent(DAY) == CALL + ChatUsage(calls=1)
    log.settle(DAY, ChatUsage(), ChatUsage())
    assert opened(here.folder).chat_spend().spent(DAY) == CALL + ChatUsage(calls=1)


def test_replies_outlive_the_process_and_the_first_kept_goes_first(here: Structured) -> None:
    here.remember("Something.")
    cache = here.store.chat_cache(2, until=InMemoryChatCache(2))
    for key in ("a", "b", "a", "c"):
        assert cache.get(key) is None or key == "a"
        cache.put(key, f"told {key}")
    again = opened(here.folder).chat_cache(2, until=InMemoryChatCache(2))
    assert [again.get(key) for key in ("a", "b", "c")] == ["told a", None, "told c"]
    with pytest.raises(InvalidValue, match="most"):
        here.store.chat_cache(0, until=InMemoryChatCache(1))


def test_a_reply_to_what_was_asked_before_something_was_erased_is_not_kept(here: Structured) -> None:
    (gone,) = here.remember("A secret.")
    cache = here.store.chat_cache(5, until=InMemoryChatCache(5))
    assert cache.get("old") is None
    cache.put("kept", "before")
    here.store.erase(here.namespace, Target(item_id=gone))
    assert cache.get("kept") is None
    cache.put("old", "Of a secret.")
    assert cache.get("old") is None
    cache.put("old", "Of nothing.")
    assert cache.get("old") == "Of nothing."


amounts = st.builds(ChatUsage, calls=st.integers(0, 3), prompt_tokens=st.integers(0, 9), cost_micros=st.integers(0, 9))


@settings(max_examples=tried(10, long=25))
@given(
    steps=st.lists(st.tuples(st.integers(0, 1), amounts, st.booleans()), max_size=8),
    budget=st.builds(ChatBudget, calls=st.integers(0, 6), cost_micros=st.integers(0, 20)),
    made_after=st.integers(0, 8),
)
def test_a_store_counts_as_memory_does_from_whenever_on_there_is_one(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[int, ChatUsage, bool]],
    budget: ChatBudget,
    made_after: int,
) -> None:
    here = Structured(tmp_path_factory.mktemp("law") / "s")
    stored, plain = here.store.chat_spend(), InMemorySpendLog()
    for place, (later, wanted, is_settled) in enumerate(steps):
        if place == made_after:
            here.remember("Something.")
        day = DAY + timedelta(days=later)
        taken = plain.take(day, wanted, budget)
        assert stored.take(day, wanted, budget) == taken
        if taken and is_settled:
            for log in (stored, plain):
                log.settle(day, wanted, ChatUsage(calls=1))
        assert stored.spent(day) == plain.spent(day)
    here.store.close()
