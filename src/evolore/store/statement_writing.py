"""How remembered statements are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, insert, select

from evolore.domain.episodes import EpisodeKind
from evolore.domain.metadata import Labels
from evolore.store import rows
from evolore.store.attributes import insert_labels, labels_text
from evolore.store.event_kinds import EventKind
from evolore.store.events import salted_digest
from evolore.store.faults import FaultPoint, reached
from evolore.store.prepared import Prepared
from evolore.store.rows import to_episode
from evolore.store.tables import episodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.episodes import Episode
    from evolore.ports import NewStatement
    from evolore.store.batch import Batch, Row

_NO_DOCUMENT: dict[str, Any] = dict.fromkeys(
    (*episodes.c.keys(), "source", "title", "outline", "start", "end", "heading_path")  # what a row lacks is null
)
_EPISODES = Prepared(insert(episodes))
_LAST = Prepared(
    select(func.max(episodes.c.position)).where(
        episodes.c.ns == bindparam("here"), episodes.c.session == bindparam("of")
    )
)


def put_statements(batch: Batch, new: Sequence[NewStatement]) -> tuple[Episode, ...]:
    """Write statements in their order, each behind what its session holds, and give them as they will be read."""
    ids = tuple(batch.new_id() for _ in new)
    made = batch.insert_payloads((id_, item.statement.text, item.keys) for id_, item in zip(ids, new, strict=True))
    written = [
        batch.episode_row(id_, EpisodeKind.STATEMENT, made[id_].id) | _said(item, position)
        for id_, item, position in zip(ids, new, _next_positions(batch, new), strict=True)
    ]
    if written:
        insert_episodes(batch, written)
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


def _said(item: NewStatement, position: int) -> Row:
    said = item.statement
    subject, attribute = said.about or (None, None)
    return {
        "session": said.session,
        "position": position,
        "speaker": said.speaker,
        "about_subject": subject,
        "about_attribute": attribute,
        "occurred_at": rows.optional_timestamp(said.occurred_at),
        "occurred_offset_minutes": rows.offset_minutes(said.occurred_at),
        "valid_from": rows.optional_timestamp(said.occurred_at),
        "arousal": None if said.arousal is None else float(said.arousal),
        "language": item.language.value,
    }


def _next_positions(batch: Batch, new: Sequence[NewStatement]) -> list[int]:
    sessions = {item.statement.session for item in new if item.statement.session is not None}
    following = {session: _length(batch, session) for session in sessions}
    positions: list[int] = []
    for item in new:
        session = item.statement.session
        if session is None:
            positions.append(0)
        else:
            positions.append(following[session])
            following[session] += 1
    return positions


def _length(batch: Batch, session: str) -> int:
    found = _LAST.first(batch.connection, {"here": batch.ns, "of": session})
    return 0 if found is None or found[0] is None else found[0] + 1
