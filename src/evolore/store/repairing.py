"""What is left over or derived is put right; a text that was ever visible is never deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, delete, func, select, update

from evolore.store import staging
from evolore.store.deriving import crowded_sessions, places, unlogged, wrong_counts
from evolore.store.mending import mend_structure
from evolore.store.model_setting import of_neither
from evolore.store.query_rows import count_erasure
from evolore.store.tables import chunks, episodes, index_log, namespaces, payloads, query_vectors, vectors, versions
from evolore.store.wrong_rows import WRONG_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evolore.ports import EmbeddingModel
    from evolore.store.batch import Batch

_BATCH = 500


def repair(batch: Batch, *, model: EmbeddingModel) -> None:
    """Delete leftovers and orphans, and write counts, places and the index log anew."""
    staging.clear_all(batch)
    for wrong in WRONG_ROWS:
        if wrong.can_be_deleted:
            batch.connection.execute(delete(wrong.table).where(wrong.table.c.ns == batch.ns, wrong.condition))
    for table in (vectors, query_vectors):
        other_model = and_(table.c.ns == batch.ns, of_neither(model, table))
        batch.connection.execute(delete(table).where(other_model))
    count_erasure(batch.connection, batch.ns)
    _count_log(batch)
    _count_again(batch)
    moved = {id_: place for id_, said, place in places(batch.connection, batch.ns) if said != place}
    _move(batch, moved | _spread_sessions(batch))
    freed = mend_structure(batch)
    _log_again(batch)
    batch.log(_listed(batch, set(freed)), present=True)


def relog(batch: Batch, payload_ids: Iterable[str]) -> None:
    """Have every open index take in anew those of these texts that it holds."""
    here = (payloads.c.ns == batch.ns, payloads.c.id.in_(list(payload_ids)))
    batch.log(_listed(batch, set(batch.connection.scalars(select(payloads.c.episode_id).where(*here)))), present=True)


def _listed(batch: Batch, episode_ids: set[str]) -> list[str]:
    """Give those of these episodes that the log says are in the indexes."""
    here = (index_log.c.ns == batch.ns, index_log.c.episode_id.in_(sorted(episode_ids)))
    last = select(func.max(index_log.c.seq)).where(*here).group_by(index_log.c.episode_id)
    entries = select(index_log.c.episode_id).where(index_log.c.ns == batch.ns, index_log.c.seq.in_(last))
    return sorted(batch.connection.scalars(entries.where(index_log.c.present)))


def _count_again(batch: Batch) -> None:
    for document_id in wrong_counts(batch.connection, batch.ns):
        its = and_(
            chunks.c.ns == versions.c.ns,
            chunks.c.document_id == versions.c.document_id,
            chunks.c.version == versions.c.number,
        )
        counted = {
            "chunk_count": select(func.count()).where(its).correlate(versions).scalar_subquery(),
            "episode_count": select(func.count(chunks.c.episode_id)).where(its).correlate(versions).scalar_subquery(),
        }
        this = and_(versions.c.ns == batch.ns, versions.c.document_id == document_id)
        batch.connection.execute(update(versions).where(this).values(counted))


def _spread_sessions(batch: Batch) -> dict[str, int]:
    """Number the statements of sessions in which two have one place, by place and then by id."""
    moved: dict[str, int] = {}
    for session in crowded_sessions(batch.connection, batch.ns):
        here = (episodes.c.ns == batch.ns, episodes.c.session == session, episodes.c.made_by.is_(None))
        said = batch.connection.execute(
            select(episodes.c.id, episodes.c.position).where(*here).order_by(episodes.c.position, episodes.c.id)
        )
        moved |= {row.id: place for place, row in enumerate(said) if row.position != place}
    return moved


def _move(batch: Batch, moved: dict[str, int]) -> None:
    if moved:
        this = and_(episodes.c.ns == batch.ns, episodes.c.id == bindparam("of"))
        rows = [{"of": id_, "place": place} for id_, place in moved.items()]
        batch.connection.execute(update(episodes).where(this).values(position=bindparam("place")), rows)
        ids = sorted(moved)
        for start in range(0, len(ids), _BATCH):
            batch.log(_listed(batch, set(ids[start : start + _BATCH])), present=True)


def _log_again(batch: Batch) -> None:
    wrong = unlogged(batch.connection, batch.ns)
    batch.log([id_ for id_, is_present in wrong if not is_present], present=False)
    batch.log([id_ for id_, is_present in wrong if is_present], present=True)


def _count_log(batch: Batch) -> None:
    """Let the namespace's own row say at least what its log does, before anything is written to it."""
    last = select(func.max(index_log.c.seq)).where(index_log.c.ns == batch.ns)
    end: int = batch.connection.scalar(last) or 0
    beyond = and_(namespaces.c.ns == batch.ns, namespaces.c.log_seq < end)
    batch.connection.execute(update(namespaces).where(beyond).values(log_seq=end))
