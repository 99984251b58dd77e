"""A store whose structure is changed by hand, as flows would."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from evolore.domain.episode import INITIAL_CONFIDENCE, Edge, EdgeKind, EpisodeKind, EpisodeState, Statement
from evolore.domain.language import Language
from evolore.index.settings import IndexSettings
from evolore.jobs.clock import SteppingClock
from evolore.models.offline import HashingEmbedder
from evolore.ports import Change, ChangeKind, FieldChange, ItemKeys, MadeEpisode, NewStatement, TextRole, Undone
from evolore.store.location import DATABASE
from evolore.store.namespaces import MAINTAINED_AT
from evolore.store.sqlite import open_database
from evolore.store.store import Store
from evolore.store.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.episode import Episode

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EMBEDDER = HashingEmbedder()
NOT_THE_LOG = {"events", "event_episodes", "index_log", "namespaces"}


def keys_of(text: str) -> ItemKeys:
    vector = EMBEDDER.embed([text], role=TextRole.PASSAGE)[0]
    return ItemKeys(tokens=tuple(text.lower().split()), vector=np.asarray(vector), names=())


@dataclass(frozen=True, kw_only=True)
class Applied:
    """A change that was written: its event, and what it made."""

    event_id: str
    made: tuple[Episode, ...]


class Structured:
    """One namespace, and what flows do to it."""

    def __init__(self, folder: Path, indexes: IndexSettings | None = None, *, namespace: str = "n") -> None:
        self.folder = folder
        self.namespace = namespace
        self.clock = SteppingClock(START, step=timedelta(seconds=1))
        self.store = Store(folder, model=EMBEDDER.model, clock=self.clock, indexes=indexes or IndexSettings())

    def remember(self, *texts: str, session: str | None = None, about: tuple[str, str] | None = None) -> list[str]:
        new = [
            NewStatement(
                statement=Statement(text=text, session=session, about=about, occurred_at=self.clock.now()),
                language=Language.EN,
                keys=keys_of(text),
            )
            for text in texts
        ]
        with self.store.write(self.namespace) as writer:
            return [one.id for one in writer.put_statements(new, at=self.clock.now())]

    def apply(self, change: Change) -> Applied:
        with self.store.write(self.namespace) as writer:
            event_id = writer.apply(change, at=self.clock.now())
            return Applied(event_id=event_id, made=writer.episodes([one.id for one in change.made]))

    def made(
        self,
        text: str,
        members: Sequence[str],
        *,
        of: Episode,
        occurred_at: datetime | None,
        confidence: float = INITIAL_CONFIDENCE,
        merge_count: int = 0,
    ) -> MadeEpisode:
        """Give an episode that a change makes in the place of another."""
        at = self.clock.now()
        return MadeEpisode(
            id=self.store.new_id(at),
            kind=EpisodeKind.STATEMENT,
            text=text,
            language=Language.EN,
            recorded_at=at,
            keys=keys_of(text),
            members=tuple(members),
            session=of.session,
            position=of.position,
            occurred_at=occurred_at,
            confidence=confidence,
            merge_count=merge_count,
        )

    def undo(self, event_id: str, *, cascade: bool = False) -> Undone:
        with self.store.write(self.namespace) as writer:
            return writer.undo(event_id, cascade=cascade, at=self.clock.now())

    def sources(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Give the source statements that lie in some episodes."""
        with self.store.read(self.namespace) as reader:
            members = reader.members(ids)
            plain = {one.id for one in reader.episodes(ids) if not one.is_made}
        return tuple(sorted(plain | {one.id for ids in members.values() for one in ids}))

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        with self.store.read(self.namespace) as reader:
            return reader.episodes(ids)

    def absorb(self, into: str, said: str) -> Applied:
        """Merge a statement that brings nothing new into a standing episode."""
        (one,) = self.episodes([into])
        (absorbed,) = self.episodes([said])
        return self.apply(
            Change(
                kind=ChangeKind.MERGED,
                subject_id=into,
                reason="duplicate",
                fields=(
                    FieldChange(
                        episode_id=into, merge_count=one.merge_count + 1, confidence=min(1.0, one.confidence + 0.1)
                    ),
                    FieldChange(episode_id=said, stands_until=absorbed.occurred_at),
                ),
                added=(*(Edge(source_id=into, target_id=id_, kind=EdgeKind.MEMBER) for id_ in self.sources([said])),),
            )
        )

    def merge(self, first: str, second: str) -> Applied:
        """Merge two standing episodes into a new one."""
        one, two = self.episodes([first, second])
        at = max(one.occurred_at or START, two.occurred_at or START)
        text = f"{one.text} {two.text}"
        made = self.made(text, self.sources([first, second]), of=one, occurred_at=at, merge_count=one.merge_count + 1)
        return self.apply(
            Change(
                kind=ChangeKind.MERGED,
                subject_id=first,
                reason="more",
                made=(made,),
                fields=tuple(FieldChange(episode_id=id_, stands_until=at) for id_ in (first, second)),
            )
        )

    def split(self, whole: str, *shares: Sequence[str]) -> Applied:
        """Split a standing episode into parts that hold some of its source statements."""
        (one,) = self.episodes([whole])
        made = tuple(
            self.made(
                f"part {place} of {one.text}",
                share,
                of=one,
                occurred_at=one.occurred_at,
                confidence=one.confidence * 0.8,
            )
            for place, share in enumerate(shares)
        )
        return self.apply(
            Change(
                kind=ChangeKind.SPLIT,
                subject_id=whole,
                reason="conflict",
                made=made,
                fields=(FieldChange(episode_id=whole, stands_until=one.occurred_at),),
                added=tuple(
                    Edge(source_id=first.id, target_id=second.id, kind=EdgeKind.BRANCH)
                    for first, second in pairwise(made)
                ),
            )
        )

    def supersede(self, old: str, new: str) -> Applied:
        (later,) = self.episodes([new])
        return self.apply(
            Change(
                kind=ChangeKind.SUPERSEDED,
                subject_id=old,
                reason="about",
                fields=(FieldChange(episode_id=old, state=EpisodeState.SUPERSEDED, valid_to=later.occurred_at),),
                added=(Edge(source_id=new, target_id=old, kind=EdgeKind.SUPERSEDES),),
            )
        )

    def trust(self, id_: str, confidence: float) -> Applied:
        return self.apply(
            Change(
                kind=ChangeKind.CONFIDENCE_CHANGED,
                subject_id=id_,
                reason="use",
                fields=(FieldChange(episode_id=id_, confidence=confidence),),
            )
        )

    def standing(self) -> list[str]:
        with self.store.read(self.namespace) as reader:
            return sorted(one.id for one in reader.statements(limit=1000))

    def dump(self) -> dict[str, list[tuple[object, ...]]]:
        """Give every row but the log's; without episodes that were made and taken back, and what they own."""
        return dump_of(self.folder)


def dump_of(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Give every row of a store but the log's and the time of maintenance; without episodes that were made and taken back, and what they own."""
    database = open_database(folder / DATABASE)
    with database.reading() as connection:
        rows = {
            table.name: [tuple(row) for row in connection.execute(select(table)).all()]
            for table in metadata.sorted_tables
            if table.name not in NOT_THE_LOG
        }
        made = metadata.tables["episodes"].c
        gone = set(connection.scalars(select(made.id).where(made.made_by.is_not(None), made.state == "revoked")))
        owned = metadata.tables["payloads"].c
        gone |= set(connection.scalars(select(owned.id).where(owned.episode_id.in_(gone))))
    database.close()
    rows["maintenance"] = [row for row in rows["maintenance"] if row[1] != MAINTAINED_AT]  # when it ran is no structure
    return {
        name: sorted((row for row in found if not gone.intersection(map(str, row))), key=repr)
        for name, found in rows.items()
    }
