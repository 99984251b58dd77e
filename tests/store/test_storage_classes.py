"""A store in which bits are flipped or pages swapped says so: nothing raises an error of Python."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import String

from evolore import Rating
from evolore.errors import EvoloreError, StoreDamaged
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.location import DATABASE
from evolore.store.tables import metadata
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_TEXTS = [
    (table.name, column.name)
    for table in metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, String)
]
_READS: dict[str, Callable[[Memory], object]] = {
    "recall": lambda memory: memory.recall("When does the red train leave?"),
    "answer": lambda memory: memory.answer("When does the red train leave?", record=False),
    "list": lambda memory: memory.list(),
    "tree": lambda memory: memory.outline.tree("wheels"),
    "show": lambda memory: [memory.show(one.id) for one in memory.list().statements],
    "stats": lambda memory: memory.stats(),
    "history": lambda memory: [memory.history(one.id) for one in memory.list().statements],
    "review": lambda memory: memory.review.list(),
    "queries": lambda memory: memory.questions.list(),
    "verify": lambda memory: memory.store.verify(),
}


def _opened(path: Path) -> Memory:
    return Memory.open(path, namespace="support", embedder=HashingEmbedder())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("whole") / "store"
    with _opened(store) as memory:
        for text in (
            "The red train leaves at nine.",
            "The red train leaves at ten.",
            "駅は北にあります。",
            "The ferry is blue.",
        ):
            memory.remember(text, speaker="Ann", session="talk", about=("train", "time"))
        memory.add_text(
            "# Wheels\n\nThe first wheel is red.\n\n## More\n\nA wheel is round.", source="wheels", tags=["a"]
        )
        answer = memory.answer("When does the red train leave?")
        memory.rate(answer.id, Rating.BAD, comment="late", principal="ann")
    with closing(sqlite3.connect(store / DATABASE)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)").close()
    return store


@pytest.mark.parametrize(
    ("table", "column"),
    [
        pytest.param(table, column, id=f"{table}.{column}", marks=[pytest.mark.long] if number % 5 else [])
        for number, (table, column) in enumerate(_TEXTS)
    ],
)
def test_a_text_that_became_bytes_is_named_by_doctor_and_refused_by_reads(
    whole: Path, tmp_path: Path, table: str, column: str
) -> None:
    store = shutil.copytree(whole, tmp_path / "store")
    with closing(sqlite3.connect(store / DATABASE)) as connection, connection:
        change = f"update {table} set {column} = cast({column} as blob) where rowid = (select max(rowid) from {table} where {column} is not null)"
        if not connection.execute(change).rowcount:
            pytest.skip("the store has no such row")
    with _opened(store) as memory:
        findings = memory.store.doctor().findings
        assert any(f"{table}.{column}" in finding.reason and "row " in str(finding.examples) for finding in findings)
        assert memory.store.doctor(repair=True).findings
    for read in _READS.values():
        with _opened(store) as memory, suppress(EvoloreError):
            read(memory)


@pytest.mark.parametrize("name", ["recall", "list", "show", "tree"])
def test_what_reads_a_broken_text_says_which_column_is_broken(whole: Path, tmp_path: Path, name: str) -> None:
    store = shutil.copytree(whole, tmp_path / "store")
    with closing(sqlite3.connect(store / DATABASE)) as connection, connection:
        for table, column in (("payloads", "text"), ("versions", "title")):
            connection.execute(f"update {table} set {column} = cast({column} as blob)")
    with _opened(store) as memory, pytest.raises(StoreDamaged, match=r"payloads\.text|versions\.title"):
        _READS[name](memory)


def test_swapped_pages_end_in_errors_of_ours(whole: Path, tmp_path: Path) -> None:
    pages = (whole / DATABASE).read_bytes()
    size = int.from_bytes(pages[16:18], "big")
    chance = random.Random(17)
    for number in range(tried(8, long=25)):
        one, other = (size * place for place in chance.sample(range(2, len(pages) // size), 2))
        store = shutil.copytree(whole, tmp_path / f"store{number}")
        swapped = bytearray(pages)
        swapped[one : one + size], swapped[other : other + size] = pages[other : other + size], pages[one : one + size]
        (store / DATABASE).write_bytes(swapped)
        with _opened(store) as memory:
            memory.store.doctor()
        for read in _READS.values():
            with _opened(store) as memory, suppress(EvoloreError):
                read(memory)
