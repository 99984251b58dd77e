"""One write transaction's tools: new ids, payloads, the index log, the event chain."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, update

from evolore.domain.episodes import INITIAL_CONFIDENCE, EpisodeKind, EpisodeState
from evolore.store import events, rows
from evolore.store.faults import FaultPoint, reached
from evolore.store.key_columns import written_keys
from evolore.store.prepared import Prepared
from evolore.store.tables import index_log, namespaces, payloads, vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from evolore.ports import ItemKeys
    from evolore.store.event_kinds import EventKind
    from evolore.store.events import EventBody
    from evolore.store.ids import IdSource

Row = dict[str, Any]  # column names to values, as SQLAlchemy takes them
_SALT_BYTES = 16

_PAYLOADS = Prepared(insert(payloads))
_VECTORS = Prepared(insert(vectors))
_LOG = Prepared(insert(index_log))
_NUMBER = Prepared(
    update(namespaces)
    .where(namespaces.c.ns == bindparam("here"))
    .values(log_seq=namespaces.c.log_seq + bindparam("more"))
    .returning(namespaces.c.log_seq)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPayload:
    """Where an episode's text was put."""

    id: str
    salt: bytes


class Batch:
    """What is written in one transaction, at one moment, to one namespace.

    Args:
        connection: The open write transaction.
        ns: The namespace's number.
        at: The moment everything of it is recorded at.
        ids: Where new ids come from.
        model_id: The embedding model of its vectors.
        principal: On whose behalf it is written.
    """

    def __init__(
        self,
        connection: Connection,
        ns: int,
        *,
        at: datetime,
        ids: IdSource,
        model_id: str,
        principal: str | None = None,
    ) -> None:
        self.connection = connection
        self.ns = ns
        self.at = at
        self.recorded_at = rows.timestamp(at)
        self._ids = ids
        self._model_id = model_id
        self._principal = principal

    @property
    def model_id(self) -> str:
        """The embedding model of its vectors."""
        return self._model_id

    def new_id(self) -> str:
        """Make an id."""
        return self._ids.next(self.at)

    def insert_payloads(self, items: Iterable[tuple[str, str, ItemKeys]]) -> dict[str, NewPayload]:
        """Write texts and vectors.

        Args:
            items: Episode ids, texts and keys.

        Returns:
            Each episode's payload.
        """
        made: dict[str, NewPayload] = {}
        texts: list[Row] = []
        packed: list[Row] = []
        for episode_id, text, keys in items:
            payload = NewPayload(id=self.new_id(), salt=secrets.token_bytes(_SALT_BYTES))
            made[episode_id] = payload
            texts.append(
                {
                    "ns": self.ns,
                    "id": payload.id,
                    "episode_id": episode_id,
                    "salt": payload.salt,
                    "text": text,
                    **written_keys(keys),
                }
            )
            packed.append(
                {
                    "ns": self.ns,
                    "payload_id": payload.id,
                    "model_id": self._model_id,
                    "data": rows.pack(keys.vector),
                    "arousal": keys.arousal,
                }
            )
        if texts:
            _PAYLOADS.run(self.connection, *texts)
            _VECTORS.run(self.connection, *packed)
            reached(FaultPoint.PAYLOADS_WRITTEN)
        return made

    def episode_row(self, id_: str, kind: EpisodeKind, payload_id: str) -> Row:
        """Begin a new episode's row."""
        return {
            "ns": self.ns,
            "id": id_,
            "kind": kind.value,
            "state": EpisodeState.ACTIVE.value,
            "payload_id": payload_id,
            "recorded_at": self.recorded_at,
            "confidence": INITIAL_CONFIDENCE,
            "merge_count": 0,
        }

    def log(self, episode_ids: Sequence[str], *, present: bool) -> None:
        """Note that episodes entered or changed in the indexes, or left them."""
        if not episode_ids:
            return
        count = len(episode_ids)
        numbered = _NUMBER.first(self.connection, {"here": self.ns, "more": count})
        assert numbered is not None
        first: int = numbered[0] - count + 1
        _LOG.run(
            self.connection,
            *(
                {"ns": self.ns, "seq": first + place, "episode_id": id_, "present": present}
                for place, id_ in enumerate(episode_ids)
            ),
        )
        reached(FaultPoint.INDEX_LOGGED)

    def append_events(self, kind: EventKind, done: Sequence[tuple[str, EventBody]]) -> tuple[str, ...]:
        """Append to the event chain.

        Args:
            kind: What was done.
            done: To which document or episode, and the event's body.

        Returns:
            The events' ids.
        """
        named = [(self.new_id(), subject_id, body) for subject_id, body in done]
        self._append(kind, named)
        return tuple(id_ for id_, _, _ in named)

    def append_event(self, event_id: str, kind: EventKind, subject_id: str, body: EventBody) -> None:
        """Append one event whose id was made before, since rows name it."""
        self._append(kind, [(event_id, subject_id, body)])

    def _append(self, kind: EventKind, done: Sequence[tuple[str, str, EventBody]]) -> None:
        new = [
            events.Event(id=id_, kind=kind, subject_id=subject_id, body=body, principal=self._principal)
            for id_, subject_id, body in done
        ]
        events.append(self.connection, self.ns, new, at=self.at)
        reached(FaultPoint.EVENTS_APPENDED)
