"""Whether every row can be read as the value it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from evolore.errors import StoreDamaged
from evolore.store.evolution_rows import evolution_readers
from evolore.store.query_reading import select_queries, to_query
from evolore.store.rows import to_chunk, to_document, to_episode
from evolore.store.selects import select_documents, select_episodes
from evolore.store.tables import chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from sqlalchemy import Connection, RowMapping

    from evolore.store.selects import AnySelect

_BATCH = 500


def unreadable(connection: Connection, ns: int) -> Generator[tuple[str, str]]:
    """Give the ids of documents, chunks, episodes and all else whose rows are no values, and what is wrong with each."""
    readers: tuple[tuple[AnySelect, Callable[[RowMapping], object]], ...] = (
        (select_documents(ns), to_document),
        (select(chunks).where(chunks.c.ns == ns), to_chunk),
        (select_episodes(ns), to_episode),
        (select_queries(ns), to_query),
        *evolution_readers(ns),
    )
    for query, read in readers:
        for row in connection.execute(query.execution_options(yield_per=_BATCH)).mappings():
            try:
                read(row)
            except StoreDamaged as error:
                yield row["id"], str(error.__cause__)
