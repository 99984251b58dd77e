"""Every hot read finds its rows by an index, in a store of any size."""

from __future__ import annotations

from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from sqlalchemy import create_engine, event, text

from evolore.domain.episode import EdgeKind
from evolore.domain.filters import Filter
from evolore.domain.outline import OutlineCode
from evolore.ports import EmbeddingModel
from evolore.store import edges, history, index_rows, namespaces, reading, structure, structure_reading
from evolore.store.selects import (
    select_chunks,
    select_documents,
    select_episodes,
    select_leaf_texts,
    select_log,
    select_matching,
    select_matching_documents,
    select_matching_statements,
    select_named_episodes,
    select_statements,
    with_headings,
)
from evolore.store.sql import Prepared
from evolore.store.tables import chunks, documents, episodes, metadata

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.store.selects import AnySelect

FILTERS: dict[str, Filter] = {
    "metadata": Filter(where={"a": 1}),
    "several labels": Filter(where={"a": 1, "b": True}, tags=("c",)),
    "session": Filter(session="s"),
    "speaker": Filter(speaker="s"),
    "source": Filter(source="docs"),
    "source and tag": Filter(source="docs", tags=("c",)),
    "source and code": Filter(source="docs", path=OutlineCode((1, 2))),
    "headings": Filter(path=("a", "b")),
    "source and headings": Filter(source="docs", path=("a", "b")),
    "all of a statement": Filter(where={"a": 1}, tags=("c",), session="s", speaker="s"),
}
SELECTS: dict[str, AnySelect] = {
    "documents": select_documents(1),
    "a document by source": select_documents(1).where(documents.c.source == "a"),
    "chunks": select_chunks(1, "d"),
    "leaf texts": select_leaf_texts(1, "d"),
    "episodes by id": select_episodes(1).where(episodes.c.id.in_(["a", "b"])),
    "episodes by a list of ids": select_named_episodes(1).params(ids='["a", "b"]'),
    "leaves of a document": select_episodes(1).where(episodes.c.document_id == "d").order_by(chunks.c.ordinal),
    "statements": select_statements(1).limit(5),
    "changed after": structure_reading.StructureReader._changed_after(cast("Any", SimpleNamespace(_ns=1)), 5),
    "log": select_log(1, after=5, model_id="m"),
    "documents that match": select_matching_documents(1, Filter(where={"a": 1}, tags=("b",))),
    "statements within times": select_matching_statements(1, Filter(since=datetime(2026, 1, 1, tzinfo=UTC))),
    **{
        f"{name}, {place}": with_headings(query) if "headings" in name else query
        for name, wanted in FILTERS.items()
        for place, query in enumerate(select_matching(1, wanted), start=1)
    },
}


OF_ALL_THAT_WAITS = {"_GATHERED", "_WAITING"}  # maintenance asks these, and they are about every edge that waits


PREPARED: dict[str, Prepared] = {
    f"{module.__name__.rsplit('.', 1)[-1]} {name}": value
    for module in (namespaces, structure, edges, history, structure_reading, index_rows, reading)
    for name, value in vars(module).items()
    if isinstance(value, Prepared) and name not in OF_ALL_THAT_WAITS
} | {
    "edges around": structure_reading._around(frozenset(EdgeKind), hidden=False),
    "links around": structure_reading._around(frozenset((EdgeKind.SEMANTIC, EdgeKind.ECHO)), hidden=True),
}


def plan_of(name: str) -> list[str]:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    written = SELECTS[name].compile(engine, compile_kwargs={"literal_binds": True})
    with engine.connect() as connection:
        plan = [row.detail for row in connection.execute(text(f"explain query plan {written}"))]
    engine.dispose()
    return plan


@pytest.mark.parametrize("name", SELECTS)
def test_a_read_walks_no_table(name: str) -> None:
    plan = plan_of(name)
    steps = [step for step in plan if step.startswith(("SCAN", "SEARCH"))]
    assert steps
    found = ("anon", "VIRTUAL TABLE")  # what a sub-select found, and what a parameter lists
    walked = [step for step in steps if step.startswith("SCAN") and not any(name in step for name in found)]
    assert walked == []
    for step in steps:
        if " attributes " in step:
            assert "owner_id=?" in step or "value=? AND ns=?" in step, plan
        if " chunks " in step and "document_id=? AND version=?" in step:
            assert "chunks_by_episode" in step or name in {"chunks", "leaf texts"}, plan


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("metadata, 1", "attributes_by_value"),
        ("metadata, 2", "episodes_by_document"),
        ("session, 1", "episodes_by_session"),
        ("speaker, 1", "episodes_by_speaker"),
        ("source, 1", "documents"),
        ("source and tag, 1", "attributes_by_value"),
        ("changed after", "index_log_by_episode"),
    ],
)
def test_a_filter_is_looked_up_by_the_index_that_is_for_it(name: str, index: str) -> None:
    assert any(index in step for step in plan_of(name))


@pytest.mark.parametrize("name", PREPARED)
def test_what_every_write_runs_finds_its_rows_by_more_than_the_namespace(name: str) -> None:
    prepared = PREPARED[name]
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.connect() as connection:
        written = prepared.compiled_for(engine.dialect)
        values = tuple(written._defaults.get(parameter) for parameter in written._names)
        plan = connection.exec_driver_sql(f"explain query plan {written.sql}", values)
        steps = [row.detail for row in plan]
    engine.dispose()
    last_of_log = (
        "index_log USING COVERING INDEX sqlite_autoindex_index_log_1 (ns=?)"  # one look-up: the largest number
    )
    assert not [step for step in steps if step.endswith("(ns=?)") and last_of_log not in step], steps
    found = ("anon", "VIRTUAL TABLE", "CONSTANT ROW")
    assert not [step for step in steps if step.startswith("SCAN") and not any(name in step for name in found)], steps


RATINGS: dict[str, tuple[Callable[[reading.StoreReader], object], str]] = {
    "all that count": (lambda reader: reader.counts(), "COVERING INDEX feedback_in_effect"),
    "good and bad": (lambda reader: reader.feedback_counts(), "COVERING INDEX feedback_in_effect|feedback_waiting"),
    "by week": (lambda reader: reader.ratings_since([date(2026, 1, 5)]), "COVERING INDEX feedback_in_effect"),
    "of documents that wait": (lambda reader: reader.rated_documents(least=3), "feedback_waiting"),
    "what waits": (lambda reader: reader.open_complaints(["a", "b"]), "feedback_waiting"),
    "beside what waits": (lambda reader: reader.complaints_beside(), "feedback_by_query|feedback_waiting"),
}


@pytest.mark.parametrize("name", RATINGS)
def test_ratings_are_counted_by_an_index_alone_and_what_waits_by_its_own(name: str) -> None:
    read, wanted = RATINGS[name]
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    asked: list[tuple[str, Any]] = []

    @event.listens_for(engine, "before_cursor_execute")
    def note(_1: object, _2: object, sql: str, values: object, _3: object, _4: object) -> None:
        asked.append((sql, values))

    with engine.connect() as connection:
        read(reading.StoreReader(connection, 1, name="n", model=EmbeddingModel(id="m", dimension=1), revision=1))
        found = [
            row.detail
            for sql, values in tuple(asked)
            for row in connection.exec_driver_sql(f"explain query plan {sql}", values)
            if " feedback" in row.detail.replace("INDEX feedback", "")
        ]
    engine.dispose()
    assert found
    assert [step for step in found if not any(index in step for index in wanted.split("|"))] == []
