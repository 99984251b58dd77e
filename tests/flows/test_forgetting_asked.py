"""What was forgotten leaves what people wrote about answers from it; questions and answers can be forgotten themselves."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from evolore import Rating
from evolore.errors import NotFound
from evolore.store.opening import DATABASE
from flows.memories import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.memory import Memory

SECRET = "the code 4711"
ASKED = "Where is the key of the red safe kept?"


@pytest.fixture
def memory(store_path: Path) -> Iterator[Memory]:
    with opened(store_path) as one:
        one.add_text("# Safe\n\nThe key of the red safe is kept in the kitchen.", source="safe")
        one.add_text("# Boat\n\nThe blue boat leaves at nine.", source="boat")
        yield one


def rated(memory: Memory, question: str = ASKED) -> tuple[str, str]:
    """Ask and rate; give the ids of the answer and of its question."""
    answer = memory.answer(question)
    assert answer.citations
    memory.rate(answer.id, Rating.BAD, comment=f"You left out {SECRET}.", principal="ann")
    assert answer.query_id is not None
    return answer.id, answer.query_id


def holds(store: Path, text: str) -> list[str]:
    """Give the tables that hold a text anywhere."""
    found: list[str] = []
    with closing(sqlite3.connect(store / DATABASE)) as connection:
        for (table,) in connection.execute("select name from sqlite_schema where type = 'table'").fetchall():
            rows = connection.execute(f"select * from {table}").fetchall()
            found += [table] if any(text in str(row) for row in rows) else []
    return found


def test_comments_on_answers_from_a_document_go_with_it(memory: Memory, store_path: Path) -> None:
    rated(memory)
    kept = memory.answer("When does the blue boat leave?")
    memory.rate(kept.id, Rating.BAD, comment="Not at ten?", principal="ann")
    assert holds(store_path, SECRET)
    would = memory.forget(document="safe", dry_run=True)
    receipt = memory.forget(document="safe")
    assert would.comments == receipt.comments >= 2  # of the rating, and of what it said of the document
    assert not holds(store_path, SECRET)
    assert SECRET.encode() not in (store_path / DATABASE).read_bytes()
    assert holds(store_path, "Not at ten?") or receipt.comments > 2
    assert memory.store.doctor().is_whole
    assert memory.store.verify().is_whole


def test_comments_of_a_namespace_are_counted(memory: Memory, store_path: Path) -> None:
    rated(memory)
    assert memory.forget(everything=True).comments >= 2
    assert not holds(store_path, SECRET)


def test_a_question_goes_with_its_answers_ratings_and_edges(memory: Memory, store_path: Path) -> None:
    answer_id, query_id = rated(memory)
    for _ in range(3):
        other = memory.answer(ASKED)
        memory.rate(other.id, Rating.GOOD, principal="ben")
    receipt = memory.forget(query_id)
    assert (receipt.queries, receipt.documents, receipt.episodes) == (1, 0, 0)
    assert receipt.answers == 1
    assert receipt.comments >= 1
    assert not holds(store_path, SECRET)
    assert query_id not in {one.id for one in memory.questions.list()}
    with pytest.raises(NotFound):
        memory.forget(answer_id)
    assert memory.recall(ASKED).hits
    memory.maintain()
    assert memory.store.doctor().is_whole
    assert memory.store.verify().is_whole


def test_an_answer_goes_with_the_comments_on_it(memory: Memory, store_path: Path) -> None:
    answer_id, query_id = rated(memory)
    receipt = memory.forget(answer_id[:-2])
    assert (receipt.answers, receipt.queries) == (1, 0)
    assert not holds(store_path, SECRET)
    assert query_id in {one.id for one in memory.questions.list()}
    assert memory.store.doctor().is_whole
