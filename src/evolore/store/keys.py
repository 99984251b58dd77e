"""The keys of texts as they are stored: read with what they are made of, and written anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Row, Select, and_, bindparam, delete, func, insert, select, true, update

from evolore.domain.language import Language
from evolore.ports import IndexedText, StoredKeys
from evolore.store.key_columns import read_names, read_periods, read_share, written_keys
from evolore.store.rows import local_moment, pack, unpack
from evolore.store.selects import joined, visible_episode
from evolore.store.tables import chunks, documents, episodes, payloads, vectors, versions

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from sqlalchemy import Connection, FromClause

    from evolore.ports import EmbeddingModel, ItemKeys

_BATCH = 500
_NORM_TOLERANCE = 0.02
"""Each of its numbers was rounded to 11 bits."""


def stored_keys(
    connection: Connection, ns: int, model: EmbeddingModel, *, only: Sequence[str] | None = None
) -> Generator[StoredKeys]:
    """Give every text of a visible episode with what is stored of its keys, in the order of the payloads.

    Args:
        connection: An open transaction.
        ns: The namespace's number.
        model: Whose vectors are looked at.
        only: Give only the texts of these payloads; by default all.
    """
    first = _first_chunks(ns, only)
    vector = and_(vectors.c.payload_id == payloads.c.id, vectors.c.model_id == model.id)
    version = and_(versions.c.document_id == first.c.document_id, versions.c.number == first.c.version)
    query = (
        select(episodes, payloads.c.id.label("text_id"), payloads.c.text, payloads.c.tokens, payloads.c.names)
        .add_columns(payloads.c.periods, vectors.c.data, vectors.c.arousal.label("estimate"))
        .add_columns(versions.c.title, first.c.heading_path)
        .join_from(payloads, episodes, joined(payloads, episodes, episodes.c.id == payloads.c.episode_id))
        .outerjoin(first, first.c.episode_id == episodes.c.id)
        .outerjoin(versions, and_(versions.c.ns == ns, version))
        .outerjoin(vectors, joined(payloads, vectors, vector))
        .outerjoin(documents, joined(episodes, documents, documents.c.id == episodes.c.document_id))
        .where(payloads.c.ns == ns, visible_episode(), payloads.c.id.in_(only) if only is not None else true())
        .order_by(payloads.c.id)
    )
    for row in connection.execute(query.execution_options(yield_per=_BATCH)):
        yield StoredKeys(
            payload_id=row.text_id,
            text=_indexed(row),
            tokens=tuple(row.tokens.split()),
            vector=unpack(row.data) if is_sound(row.data, model.dimension) else None,
            names=read_names(row.names),
            periods=read_periods(row.periods),
            arousal=read_share(row.estimate),
        )


def _first_chunks(ns: int, only: Sequence[str] | None) -> FromClause:
    """Select each leaf's chunk of the version it was new in: what its keys were made of."""
    # Not both: SQLite would then walk all leaves rather than look these up.
    wanted = chunks.c.episode_id.is_not(None) if only is None else chunks.c.episode_id.in_(_episodes_of(ns, only))
    number = func.row_number().over(partition_by=chunks.c.episode_id, order_by=(chunks.c.version, chunks.c.ordinal))
    leaves = (
        select(chunks.c.episode_id, chunks.c.document_id, chunks.c.version, chunks.c.heading_path)
        .add_columns(number.label("place"))
        .where(chunks.c.ns == ns, wanted)
        .subquery()
    )
    return select(leaves).where(leaves.c.place == 1).subquery()


def _episodes_of(ns: int, payload_ids: Sequence[str]) -> Select[str]:
    return select(payloads.c.episode_id).where(payloads.c.ns == ns, payloads.c.id.in_(payload_ids))


def _indexed(row: Row[*tuple[Any, ...]]) -> IndexedText:
    return IndexedText(
        text=row.text,
        language=Language(row.language),
        speaker=row.speaker,
        occurred_at=local_moment(row.occurred_at, row.occurred_offset_minutes),
        title=row.title,
        heading_path=tuple(json.loads(row.heading_path)) if row.heading_path is not None else (),
    )


def is_sound(data: bytes | None, dimension: int) -> bool:
    """Tell whether bytes are a vector of this dimension and of unit length."""
    if data is None or len(data) != 2 * dimension:
        return False
    return bool(abs(float(np.linalg.norm(unpack(data))) - 1.0) <= _NORM_TOLERANCE)  # what is no number is not either


def put_keys(connection: Connection, ns: int, keys: Mapping[str, ItemKeys], *, model: EmbeddingModel) -> None:
    """Replace what is indexed of texts that are still there, by payload."""
    here = (payloads.c.ns == ns, payloads.c.id.in_(list(keys)))
    present = list(connection.scalars(select(payloads.c.id).where(*here)))
    if not present:
        return
    this = and_(payloads.c.ns == ns, payloads.c.id == bindparam("of"))
    made: dict[str, Any] = {name: bindparam(f"made_{name}") for name in ("tokens", "names", "periods")}
    columns = {id_: written_keys(keys[id_]) for id_ in present}
    rows = [{"of": id_} | {f"made_{name}": value for name, value in columns[id_].items()} for id_ in present]
    connection.execute(update(payloads).where(this).values(made), rows)
    stale = (vectors.c.ns == ns, vectors.c.model_id == model.id, vectors.c.payload_id.in_(present))
    connection.execute(delete(vectors).where(*stale))
    known = {"ns": ns, "model_id": model.id}
    packed = [
        {**known, "payload_id": id_, "data": pack(keys[id_].vector), "arousal": keys[id_].arousal} for id_ in present
    ]
    connection.execute(insert(vectors), packed)
