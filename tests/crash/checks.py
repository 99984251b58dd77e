"""What must be true of a store after a crash, read from its tables, not through the code that wrote them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import create_engine

from evolore.config import Settings
from evolore.domain.health import FindingKind
from evolore.errors import NamespaceNotFound, NotFound
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.events import broken_at

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    import numpy.typing as npt

LEAVES = """
    select d.id, v.characters, v.content_sha256, v.episode_count, p.text
    from documents d
    join versions v on v.ns = d.ns and v.document_id = d.id and v.number = d.version
    left join chunks c on c.ns = d.ns and c.document_id = d.id and c.version = d.version and c.episode_id is not null
    left join episodes e on e.ns = c.ns and e.id = c.episode_id
    left join payloads p on p.ns = e.ns and p.id = e.payload_id
    order by d.ns, d.id, c.ordinal
"""
WAITING = """
    select e.id from episodes e left join documents d on d.ns = e.ns and d.id = e.document_id
    where e.version > coalesce(d.version, 0)
"""
INDEXED = """
    select e.id, p.tokens, v.data from episodes e
    join payloads p on p.ns = e.ns and p.id = e.payload_id
    join vectors v on v.ns = p.ns and v.payload_id = p.id
    where e.ns = 1 and (e.kind = 'statement' or exists (
        select 1 from chunks c join documents d on d.ns = c.ns and d.id = c.document_id and d.version = c.version
        where c.ns = e.ns and c.episode_id = e.id))
"""


def check_store(
    store: Path,
    *,
    statements: Mapping[str, str],
    documents: Mapping[str, tuple[str, str]],
    forgotten: AbstractSet[str] = frozenset(),
) -> None:
    """Check that a store is whole and holds what was acknowledged."""
    if not (store / "evolore.db").exists():
        assert not statements
        assert not documents
        return
    check_tables(store)
    with Memory.open(store, namespace="crash", embedder=HashingEmbedder(), settings=Settings()) as memory:
        try:
            listing = memory.list(limit=100_000)
        except NamespaceNotFound:
            assert not statements
            assert not documents
            return
        said = {item.id: item.text for item in listing.statements}
        assert statements.items() <= said.items()
        held = {document.source: (document.id, document.content_sha256) for document in listing.documents}
        assert documents.items() <= held.items()
        assert not forgotten & ({*said} | {id_ for id_, _ in held.values()})
        check_indexes(memory, store)
        check_staged(memory, store)
        # A crash may leave what waits, or bytes of what was forgotten, in files; it breaks nothing.
        assert {finding.kind for finding in memory.store.doctor().findings} <= {FindingKind.LEFTOVER}


def check_tables(store: Path) -> None:
    """Check the database file, every document's text and the event chains."""
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        if not connection.execute("select 1 from sqlite_master").fetchall():
            return  # killed before its tables were made
        texts: dict[tuple[str, int, str, int], list[str]] = defaultdict(list)
        for id_, characters, digest, leaves, text in connection.execute(LEAVES):
            texts[id_, characters, digest, leaves].append(text)
    for (_, characters, digest, leaves), parts in texts.items():
        whole = "".join(parts)
        assert (len(whole), sha256(whole.encode()).hexdigest(), len(parts)) == (characters, digest, leaves)
    engine = create_engine(f"sqlite:///{store / 'evolore.db'}")
    with engine.connect() as opened:
        for ns in opened.exec_driver_sql("select ns from namespaces").scalars().all():
            assert broken_at(opened, ns) is None
    engine.dispose()


def check_staged(memory: Memory, store: Path) -> None:
    """Check that nothing that waits to be visible can be read."""
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        for (id_,) in connection.execute(WAITING).fetchall():
            try:
                memory.show(id_)
            except NotFound:
                continue
            raise AssertionError(f"{id_} is staged and shown")


def check_indexes(memory: Memory, store: Path) -> None:
    """Check that the indexes, built anew, hold the words and vectors of the tables, of what is visible, and no more."""
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        rows = connection.execute(INDEXED).fetchall()
    ids = [str(row[0]) for row in rows]
    words: dict[str, set[str]] = defaultdict(set)
    for id_, tokens, _ in rows:
        for token in tokens.split():
            words[token].add(id_)
    with memory._context.store.index(memory.namespace) as (view, _):
        indexed = list(view.episode_ids)
        assert sorted(indexed) == sorted(ids)
        if not ids:
            return
        starts, items, *_ = view.text.term_postings(list(words))
        for place, held in enumerate(words.values()):
            assert {indexed[number] for number in items[starts[place] : starts[place + 1]].tolist()} == held
        vectors = np.stack([np.frombuffer(row[2], dtype="<f2").astype(np.float32) for row in rows])
        probe: npt.NDArray[np.float32] = np.linspace(-1, 1, vectors.shape[1], dtype=np.float32)
        probe /= np.linalg.norm(probe)
        wanted = dict(zip(ids, (vectors @ probe).tolist(), strict=True))
        measured = view.vectors.similarities(probe).tolist()
        np.testing.assert_allclose(measured, [wanted[id_] for id_ in indexed], atol=2e-3)
