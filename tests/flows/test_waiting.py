"""No recall waits until what another thread writes is embedded, planned and linked; what is written meanwhile is seen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from time import sleep
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from evolore.domain.episode import MAX_STATEMENT_CHARACTERS, Statement
from evolore.domain.turn import Turn
from evolore.errors import InvalidValue
from evolore.flows import document_version
from evolore.flows.move_in import move_in
from evolore.flows.remember.plan import Planner
from evolore.models.offline import HashingEmbedder
from flows.memories import opened, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from evolore.memory import Memory
    from evolore.ports import TextRole, Vectors

HELD = [f"Gate {number} of the harbour opens at {number} o'clock." for number in range(2, 8)]
FIRST, SECOND = "Gate 9 of the harbour is painted red.", "The cook of the ferry sells fried fish at noon."
NOTE = f"{FIRST} {SECOND}"
QUESTION = "When does gate 4 of the harbour open?"
ENOUGH = 60.0


class Held(HashingEmbedder):
    """Stops at one text until it is let go, and notes how much it is given at once."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self._at = at
        self.reached, self.may_go = Event(), Event()
        self.most_texts = 0

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.most_texts = max(self.most_texts, len(texts))
        if self._at in texts:
            self.reached.set()
            assert self.may_go.wait(ENOUGH)
        return super().embed(texts, role=role)


@contextmanager
def remembering(folder: Path, *, stopped_at: str) -> Generator[tuple[Memory, Held]]:
    """Have another thread remember the note, and stop where a text is embedded; at the end it goes on."""
    embedder = Held(stopped_at)
    with opened(folder, embedder) as memory, ThreadPoolExecutor(1) as other:
        memory.remember_many([Statement(text=text) for text in HELD])
        done = other.submit(memory.remember, NOTE)
        try:
            assert embedder.reached.wait(ENOUGH)
            yield memory, embedder
        finally:
            embedder.may_go.set()
        assert NOTE in done.result(ENOUGH).text


@pytest.mark.parametrize("text", [NOTE, SECOND], ids=["embedding", "planning"])
def test_a_recall_ends_while_a_statement_is_being_embedded(text: str, tmp_path: Path) -> None:
    with remembering(tmp_path, stopped_at=text) as (memory, _), ThreadPoolExecutor(1) as reader:
        assert reader.submit(memory.recall, QUESTION).result(ENOUGH).hits
        assert len(standing(memory)) == len(HELD)  # it is not written yet


def test_a_plan_is_made_anew_where_somebody_wrote_while_it_embedded(tmp_path: Path) -> None:
    with remembering(tmp_path, stopped_at=SECOND) as (memory, _), ThreadPoolExecutor(1) as writer:
        writer.submit(memory.remember, "The ferry sails at six.").result(ENOUGH)
    with opened(tmp_path) as memory:
        texts = {one.text for one in standing(memory)}
        assert {"The ferry sails at six.", NOTE} <= texts


def test_what_is_remembered_together_is_embedded_one_by_one(tmp_path: Path) -> None:
    embedder = Held("nothing")
    with opened(tmp_path, embedder) as memory:
        memory.remember_many([Statement(text=text, session="s") for text in HELD])
    assert embedder.most_texts == 1


def lets_a_recall_in(memory: Memory, work: Callable[[], object], where: Any, name: str, *, after: int) -> bool:  # noqa: ANN401 - a class or a module
    """Begin a recall at the first of many calls under way, and tell whether it ends before the last, after so many more."""
    indexes: Any = memory._context.store._open.indexes
    inner: Any = getattr(where, name)
    reader = Thread(target=memory.recall, args=(QUESTION,))
    ended: list[bool] = []

    def called(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever it takes
        if not ended:
            reader.start()
            while not any(one.index.next.locked() for one in indexes._open.values()):
                sleep(0)  # until it waits for the index that is in use here
        elif len(ended) == after:
            reader.join(ENOUGH)
        ended.append(not reader.is_alive())
        return inner(*given, **named)

    with patch.object(where, name, called):
        work()
    reader.join()
    return ended[-1]


def test_a_recall_gets_its_turn_while_many_statements_are_planned(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember_many([Statement(text=text) for text in HELD])
        many = [Statement(text=f"Ferry {place} sails at {place}.", session="s") for place in range(12)]
        assert lets_a_recall_in(memory, lambda: memory.remember_many(many), Planner, "integrate", after=8)


def test_a_recall_gets_its_turn_while_many_passages_are_linked(tmp_path: Path) -> None:
    sails = "".join(f" It sails to island {island} at {island} o'clock, and back before night." for island in range(20))
    text = "\n\n".join(f"# Ferry {place}\n\nFerry {place} is old.{sails}" for place in range(20))
    with opened(tmp_path) as memory:
        memory.remember_many([Statement(text=one) for one in HELD])
        write = partial(memory.add_text, text, source="ferries.md")
        assert lets_a_recall_in(memory, write, document_version, "_likest", after=1)


def test_a_text_that_is_too_long_for_a_statement_is_to_be_added(tmp_path: Path) -> None:
    assert Statement(text="x" * MAX_STATEMENT_CHARACTERS)
    with opened(tmp_path) as memory, pytest.raises(InvalidValue, match=r"1,000,001 characters.*add it as a document"):
        memory.remember("x" * (MAX_STATEMENT_CHARACTERS + 1))


def test_a_turn_that_is_too_long_is_named_and_the_others_are_moved_in(tmp_path: Path) -> None:
    turns = [Turn(id=id_, session="s", text=text) for id_, text in (("long", "x" * 1_000_001), ("short", FIRST))]
    with opened(tmp_path) as memory:
        moved = move_in(memory._context, turns, name="chat")
        assert (moved.statements, [one.place for one in moved.unread]) == (1, ["long"])
        assert [one.text for one in standing(memory)] == [FIRST]
