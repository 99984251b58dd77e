"""Write remembered statements, and read and rewrite the keys of texts."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

import numpy as np
from sqlalchemy import Connection, FromClause, and_, bindparam, delete, func, insert, select, true, update

from evolore.domain.episode import Episode, EpisodeKind, EpisodeState, Statement
from evolore.domain.fact import StatedFact
from evolore.domain.language import Language
from evolore.domain.metadata import Labels
from evolore.ports import EmbeddingModel, IndexedText, ItemKeys, MadeEpisode, NewStatement, NewVector, StoredKeys
from evolore.store.database import FaultPoint, reached
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, OpenedToWrite, Row, salted_digest
from evolore.store.forms import local_moment, offset_minutes, optional_timestamp, pack, row_of, to_episode, unpack
from evolore.store.rows import insert_labels, labels_text, read_names, read_periods, read_share, written_keys
from evolore.store.selects import DOCUMENT_OF_EPISODE, EPISODE_OF_TEXT, joined, visible_episode
from evolore.store.sql import Prepared
from evolore.store.tables import chunks, documents, episodes, facts, payloads, vectors, versions

_NO_DOCUMENT: dict[str, Any] = dict.fromkeys(
    (*episodes.c.keys(), "source", "title", "outline", "start", "end", "heading_path")  # what a row lacks is null
)
_EPISODES = Prepared(insert(episodes))
_FACTS = Prepared(insert(facts))
_LAST = Prepared(
    select(func.max(episodes.c.position)).where(
        episodes.c.ns == bindparam("here"), episodes.c.session == bindparam("of")
    )
)


class StatementWriter(OpenedToWrite):
    """One namespace's statements, inside a write transaction."""

    def put_statements(self, new: Sequence[NewStatement], *, at: datetime) -> tuple[Episode, ...]:
        """Write statements in their order, each behind what its session holds, and return them as they will be read."""
        batch = self._batch(at)
        ids = tuple(item.id or batch.new_id() for item in new)
        made = batch.insert_payloads((id_, item.statement.text, item.keys) for id_, item in zip(ids, new, strict=True))
        written = [
            batch.episode_row(id_, EpisodeKind.STATEMENT, made[id_].id) | _said(item, position)
            for id_, item, position in zip(ids, new, _next_positions(batch, new), strict=True)
        ]
        if written:
            insert_episodes(batch, written)
        insert_facts(batch, [(id_, item.facts) for id_, item in zip(ids, new, strict=True)])
        labels = [Labels(metadata=item.statement.metadata, tags=item.statement.tags) for item in new]
        insert_labels(batch.connection, batch.ns, zip(ids, labels, strict=True))
        batch.log(ids, present=True)
        batch.append_events(
            EventKind.STATEMENT_REMEMBERED,
            [
                (id_, {"digest": salted_digest(item.statement.text, made[id_].salt)})
                for id_, item in zip(ids, new, strict=True)
            ],
        )
        return tuple(
            to_episode(_NO_DOCUMENT | row | {"text": item.statement.text, "labels": labels_text(filed)})
            for item, row, filed in zip(new, written, labels, strict=True)
        )


def insert_episodes(batch: Batch, written: Sequence[Row]) -> None:
    """Write the rows of statements; what a row lacks is null."""
    _EPISODES.run(batch.connection, *written)
    reached(FaultPoint.EPISODES_WRITTEN)


def insert_facts(batch: Batch, stated: Sequence[tuple[str, tuple[StatedFact, ...]]]) -> None:
    """Write what statements state, by episode."""
    written = [
        row_of(facts, one, ns=batch.ns, episode_id=id_, number=number)
        for id_, those in stated
        for number, one in enumerate(those)
    ]
    if written:
        _FACTS.run(batch.connection, *written)


def _said(item: NewStatement, position: int) -> Row:
    state = EpisodeState.REVOKED if item.is_correction else EpisodeState.ACTIVE
    own = {"state": state.value, "position": position, "language": item.language.value}
    return {**columns_said(item.statement), **own, "valid_from": optional_timestamp(item.statement.occurred_at)}


def columns_said(said: Statement | MadeEpisode) -> Row:
    """Return the columns that hold what was said, by whom, when and about what."""
    subject, attribute = said.about or (None, None)
    return {
        "session": said.session,
        "speaker": said.speaker,
        "about_subject": subject,
        "about_attribute": attribute,
        "occurred_at": optional_timestamp(said.occurred_at),
        "occurred_offset_minutes": offset_minutes(said.occurred_at),
        "arousal": None if said.arousal is None else float(said.arousal),
    }


def _next_positions(batch: Batch, new: Sequence[NewStatement]) -> list[int]:
    sessions = [item.statement.session for item in new]
    following = {session: count(_length(batch, session)) for session in sessions if session is not None}
    return [0 if session is None else next(following[session]) for session in sessions]


def _length(batch: Batch, session: str) -> int:
    found = _LAST.first(batch.connection, {"here": batch.ns, "of": session})
    return 0 if found is None or found[0] is None else found[0] + 1


_BATCH = 500
_NORM_TOLERANCE = 0.02
"""Each of its numbers was rounded to 11 bits."""


def stored_keys(
    connection: Connection, ns: int, model: EmbeddingModel, *, only: Sequence[str] | None = None
) -> Generator[StoredKeys]:
    """Yield every text of a visible episode, or only some, with what is stored of its keys, in the order of the payloads."""
    first = _first_chunks(ns, only)
    vector = and_(vectors.c.payload_id == payloads.c.id, vectors.c.model_id == model.id)
    version = and_(versions.c.document_id == first.c.document_id, versions.c.number == first.c.version)
    query = (
        select(episodes, payloads.c.id.label("text_id"), payloads.c.text, payloads.c.tokens, payloads.c.names)
        .add_columns(payloads.c.periods, vectors.c.data, vectors.c.arousal.label("estimate"))
        .add_columns(versions.c.title, first.c.heading_path)
        .join_from(payloads, episodes, EPISODE_OF_TEXT)
        .outerjoin(first, first.c.episode_id == episodes.c.id)
        .outerjoin(versions, and_(versions.c.ns == ns, version))
        .outerjoin(vectors, joined(payloads, vectors, vector))
        .outerjoin(documents, DOCUMENT_OF_EPISODE)
        .where(payloads.c.ns == ns, visible_episode(), payloads.c.id.in_(only) if only is not None else true())
        .order_by(payloads.c.id)
    )
    with connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
        for row in rows:
            yield StoredKeys(
                payload_id=row.text_id,
                text=IndexedText(
                    text=row.text,
                    language=Language(row.language),
                    speaker=row.speaker,
                    occurred_at=local_moment(row.occurred_at, row.occurred_offset_minutes),
                    title=row.title,
                    heading_path=tuple(json.loads(row.heading_path)) if row.heading_path is not None else (),
                ),
                tokens=tuple(row.tokens.split()),
                vector=unpack(row.data) if is_sound(row.data, model.dimension) else None,
                names=read_names(row.names),
                periods=read_periods(row.periods),
                arousal=read_share(row.estimate),
            )


def _first_chunks(ns: int, only: Sequence[str] | None) -> FromClause:
    """Select each leaf's chunk of the version it was new in: what its keys were made of."""
    # Not both: SQLite would then walk all leaves rather than look these up.
    owners = select(payloads.c.episode_id).where(payloads.c.ns == ns, payloads.c.id.in_(only or ()))
    wanted = chunks.c.episode_id.is_not(None) if only is None else chunks.c.episode_id.in_(owners)
    number = func.row_number().over(partition_by=chunks.c.episode_id, order_by=(chunks.c.version, chunks.c.ordinal))
    leaves = select(chunks.c.episode_id, chunks.c.document_id, chunks.c.version, chunks.c.heading_path)
    leaves = leaves.add_columns(number.label("place")).where(chunks.c.ns == ns, wanted).subquery()
    return select(leaves).where(leaves.c.place == 1).subquery()


def is_sound(data: bytes | None, dimension: int) -> bool:
    """Return whether bytes are a vector of this dimension and of unit length."""
    if data is None or len(data) != 2 * dimension:
        return False
    return bool(abs(float(np.linalg.norm(unpack(data))) - 1.0) <= _NORM_TOLERANCE)  # what is no number is not either


def put_keys(connection: Connection, ns: int, keys: Mapping[str, ItemKeys], *, model: EmbeddingModel) -> None:
    """Replace what is indexed of texts that are still there, by payload."""
    present = present_texts(connection, ns, keys)
    if not present:
        return
    this = and_(payloads.c.ns == ns, payloads.c.id == bindparam("of"))
    made: dict[str, Any] = {name: bindparam(f"made_{name}") for name in ("tokens", "names", "periods")}
    columns = {id_: written_keys(keys[id_]) for id_ in present}
    rows = [{"of": id_} | {f"made_{name}": value for name, value in columns[id_].items()} for id_ in present]
    connection.execute(update(payloads).where(this).values(made), rows)
    put_vectors(connection, ns, {id_: keys[id_] for id_ in present}, model=model)


def present_texts(connection: Connection, ns: int, ids: Iterable[str]) -> list[str]:
    """Return those of some texts that are still there."""
    return list(connection.scalars(select(payloads.c.id).where(payloads.c.ns == ns, payloads.c.id.in_(list(ids)))))


def put_vectors(
    connection: Connection, ns: int, made: Mapping[str, NewVector | ItemKeys], *, model: EmbeddingModel
) -> None:
    """Replace the vectors of texts, of which there is at least one."""
    stale = (vectors.c.ns == ns, vectors.c.model_id == model.id, vectors.c.payload_id.in_(list(made)))
    connection.execute(delete(vectors).where(*stale))
    known = {"ns": ns, "model_id": model.id}
    packed = [
        {**known, "payload_id": id_, "data": pack(one.vector), "arousal": one.arousal} for id_, one in made.items()
    ]
    connection.execute(insert(vectors), packed)
