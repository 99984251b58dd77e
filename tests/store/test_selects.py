"""Every hot read finds its rows by an index, in a store of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from evolore.store.selects import (
    select_chunks,
    select_documents,
    select_episodes,
    select_leaf_texts,
    select_log,
    select_statements,
)
from evolore.store.tables import chunks, documents, episodes, metadata

if TYPE_CHECKING:
    from evolore.store.selects import AnySelect

SELECTS: dict[str, AnySelect] = {
    "documents": select_documents(1),
    "a document by source": select_documents(1).where(documents.c.source == "a"),
    "chunks": select_chunks(1, "d"),
    "leaf texts": select_leaf_texts(1, "d"),
    "episodes by id": select_episodes(1).where(episodes.c.id.in_(["a", "b"])),
    "leaves of a document": select_episodes(1).where(episodes.c.document_id == "d").order_by(chunks.c.ordinal),
    "statements": select_statements(1).limit(5),
    "log": select_log(1, after=5, model_id="m"),
}


@pytest.mark.parametrize("name", SELECTS)
def test_a_read_walks_no_table(name: str) -> None:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    written = SELECTS[name].compile(engine, compile_kwargs={"literal_binds": True})
    with engine.connect() as connection:
        plan = [row.detail for row in connection.execute(text(f"explain query plan {written}"))]
    engine.dispose()
    steps = [step for step in plan if step.startswith(("SCAN", "SEARCH"))]
    assert steps
    walked = [step for step in steps if step.startswith("SCAN") and "anon" not in step]  # anon: what a sub-select found
    assert walked == []
    for step in steps:
        if " chunks " in step and "document_id=? AND version=?" in step:
            assert "chunks_by_episode" in step or name in {"chunks", "leaf texts"}, plan
