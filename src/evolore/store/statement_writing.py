"""How remembered statements are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select

from evolore.domain.episodes import EpisodeKind
from evolore.store import rows
from evolore.store.events import EventKind, salted_digest
from evolore.store.faults import FaultPoint, reached
from evolore.store.tables import episodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import NewStatement
    from evolore.store.batch import Batch, Row


def put_statements(batch: Batch, new: Sequence[NewStatement]) -> tuple[str, ...]:
    """Write statements in their order, each behind what its session holds, and give their ids."""
    ids = tuple(batch.new_id() for _ in new)
    made = batch.insert_payloads((id_, item.statement.text, item.keys) for id_, item in zip(ids, new, strict=True))
    written = [
        batch.episode_row(id_, EpisodeKind.STATEMENT, made[id_].id) | _said(item, position)
        for id_, item, position in zip(ids, new, _next_positions(batch, new), strict=True)
    ]
    if written:
        batch.connection.execute(insert(episodes), written)
        reached(FaultPoint.EPISODES_WRITTEN)
    batch.log(ids, present=True)
    batch.append_events(
        EventKind.STATEMENT_REMEMBERED,
        [
            (id_, {"digest": salted_digest(item.statement.text, made[id_].salt)})
            for id_, item in zip(ids, new, strict=True)
        ],
    )
    return ids


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
        "arousal": said.arousal,
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
    here = (episodes.c.ns == batch.ns, episodes.c.session == session)
    last: int | None = batch.connection.scalar(select(func.max(episodes.c.position)).where(*here))
    return 0 if last is None else last + 1
