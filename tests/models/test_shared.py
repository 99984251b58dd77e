"""One model a process: memories share it by its settings, threads take turns at it, and forks find it free."""

from __future__ import annotations

import gc
import os
import weakref
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.memory import Memory
from evolore.models.embedders import embedder_named, shared
from evolore.models.turns import Turns

if TYPE_CHECKING:
    from pathlib import Path


class Made:
    """Something that counts how often it is made."""

    count = 0

    def __init__(self, name: str, *, size: int = 1) -> None:
        sleep(0)  # lets another thread in between
        type(self).count += 1
        self.name = name
        self.size = size


def test_memories_of_one_process_share_a_model(tmp_path: Path) -> None:
    with (
        Memory.open(tmp_path / "one", namespace="a", settings=Settings()) as first,
        Memory.open(tmp_path / "one", namespace="b", settings=Settings()) as second,
        Memory.open(tmp_path / "two", embedder="use", settings=Settings()) as third,
    ):
        embedders = {id(memory._context.embedder) for memory in (first, second, third)}
    assert embedders == {id(embedder_named("use"))}


def test_other_settings_make_another_model() -> None:
    one = shared(Made, "a", size=2)
    assert shared(Made, "a", size=2) is one
    assert shared(Made, "a", size=3) is not one
    assert shared(Made, "b", size=2) is not one


def test_threads_that_ask_at_once_get_the_same() -> None:
    class Own(Made):
        count = 0

    def ask(name: str) -> Own:
        return shared(Own, name)

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(ask, ["x"] * 64))
    assert Own.count == 1
    assert len(set(map(id, made))) == 1


def test_the_last_of_a_kind_stays_and_others_go_with_whoever_holds_them() -> None:
    class Own(Made):
        count = 0

    held = weakref.ref(shared(Own, "first"))
    gc.collect()
    assert held() is not None  # memories that are opened one after the other do not load it anew
    shared(Own, "second")
    gc.collect()
    assert held() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_finds_the_turn_free() -> None:
    turns = Turns()
    with turns:
        child = os.fork()
        if child == 0:
            os._exit(0 if turns._lock.acquire(timeout=5) else 1)
        _, status = os.waitpid(child, 0)
        assert turns._lock.locked()
    assert status == 0
    with turns:
        pass
