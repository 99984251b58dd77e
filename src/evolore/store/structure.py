"""Write changes of structure: new episodes, changed ones, edges added and removed, arousal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import bindparam, select, update

from evolore.domain.checks import check_share
from evolore.domain.episode import Edge, EdgeKind, EpisodeKind
from evolore.domain.metadata import Labels
from evolore.errors import InvalidValue, NotFound
from evolore.ports import UNSET, Change, ChangeKind, FieldChange, MadeEpisode
from evolore.ports.changes import check_reason
from evolore.store.edges import delete_edges, edge_rows, insert_edges, refuse_derived
from evolore.store.event_bodies import ChangeSet, EdgeRow, EventKind, FieldDelta, MadeRow, Value, member_edges
from evolore.store.events import Batch, OpenedToWrite, Row, salted_digest
from evolore.store.forms import optional_timestamp
from evolore.store.rows import insert_labels
from evolore.store.sql import Prepared, Space, among, as_json
from evolore.store.statements import columns_said, insert_episodes, insert_facts
from evolore.store.structure_reading import members_of, unheld
from evolore.store.tables import episodes

_FIELDS = ("state", "valid_to", "stands_until", "confidence", "merge_count")
_THIS = (episodes.c.ns == bindparam("here"), episodes.c.id == bindparam("of"))
_SET = {
    name: Prepared(update(episodes).where(*_THIS).values({name: bindparam("value")})) for name in (*_FIELDS, "arousal")
}
_READ = Prepared(
    select(
        episodes.c.id, episodes.c.kind, episodes.c.arousal, episodes.c.made_by, *(episodes.c[name] for name in _FIELDS)
    ).where(episodes.c.ns == bindparam("here"), episodes.c.id.in_(among("ids")))
)
_SHOWN = 3


class StructureWriter(OpenedToWrite):
    """One namespace's structure, inside a write transaction."""

    def apply(self, change: Change, *, at: datetime) -> str:
        """Change the structure, as one event that holds all it did and can be undone; return the event's id.

        A field that has the value already, and an edge that is there already, are left out of the event.

        Raises:
            NotFound: It names an episode that is not there.
            InvalidValue: A member is itself made, an edge is of a kind that is never stored, or a statement would be
                held by no visible episode.
        """
        batch = self._batch(at)
        event_id = batch.new_id()
        there = _there(batch, change)
        made = _insert_made(batch, change.made, event_id)
        # A step that met a bound counts once the bound is gone: it is recorded even where nothing moved.
        fields = _fields(batch, change.fields, there, is_told=change.kind is ChangeKind.CONFIDENCE_CHANGED)
        write_fields(batch, fields)
        added, removed = _edges(batch, change)
        delete_edges(batch, removed)
        following = member_edges(made, batch.recorded_at)
        insert_edges(batch, (*following, *added))
        done = ChangeSet(made=made, fields=fields, added=(*following, *added), removed=removed)
        refuse_unheld(batch, done)
        batch.log([one.id for one in made], present=True)
        body = {"reason": change.reason, **done.body()}
        batch.append_event(event_id, change.kind, change.subject_id, body)
        return event_id

    def arousals(self, ids: Iterable[str]) -> Mapping[str, float | None]:
        """Return how strongly those of these episodes that are there were felt, None if unstated."""
        here = (episodes.c.ns == self._ns, episodes.c.id.in_(among("ids")))
        rows = self._connection.execute(select(episodes.c.id, episodes.c.arousal).where(*here), {"ids": as_json(ids)})
        return {row.id: row.arousal for row in rows}

    def set_arousal(self, changes: Mapping[str, float], *, at: datetime, reason: str) -> str | None:
        """Change how strongly episodes that are still there were felt, 0-1, by episode, and return the event's id.

        The event holds the episodes' ids with old and new values. None where nothing changed.

        Raises:
            InvalidValue: A value is no share, or the reason not one word of small letters.
        """
        batch = self._batch(at)
        check_reason(reason)
        for value in changes.values():
            check_share(arousal=value)
        old = self.arousals(changes)
        new = {id_: float(value) for id_, value in changes.items() if id_ in old and old[id_] != value}
        if not new:
            return None
        fields = [FieldDelta(episode_id=id_, name="arousal", old=old[id_], new=value) for id_, value in new.items()]
        write_fields(batch, fields)
        return tell(batch, EventKind.AROUSAL_CHANGED, fields, {"reason": reason})


def write_fields(batch: Batch, fields: Sequence[FieldDelta]) -> None:
    """Write the new values of episodes' fields."""
    for name in dict.fromkeys(one.name for one in fields):
        values = [{"here": batch.ns, "of": one.episode_id, "value": one.new} for one in fields if one.name == name]
        _SET[name].run(batch.connection, *values)


def fields_of(place: Space, ids: Iterable[str]) -> dict[str, Mapping[str, Value]]:
    """Return what the rows of those of these episodes that are there say in the fields that change."""
    wanted = sorted(set(ids))
    rows = _READ.mappings(place.connection, {"here": place.ns, "ids": as_json(wanted)}) if wanted else ()
    return {row["id"]: row for row in rows}


def _there(batch: Batch, change: Change) -> dict[str, Mapping[str, Value]]:
    """Return what the rows of what a change names say; refuse ids that name nothing, and members that are no sources."""
    members = {id_ for one in change.made for id_ in one.members}
    made = {one.id for one in change.made}
    ends = {end for edge in change.added for end in (edge.source_id, edge.target_id)}
    wanted = {change.subject_id} | members | ({one.episode_id for one in change.fields} | ends) - made
    found = fields_of(batch, wanted)
    missing = min(wanted - set(found), default=None)
    if missing is not None:
        raise NotFound(f"No episode has the id {missing!r} here: it may have been forgotten; read it again.")
    held = {edge.target_id for edge in change.added if edge.kind is EdgeKind.MEMBER}
    for id_ in sorted(members | (held - made)):
        if found[id_]["made_by"] is not None:
            raise InvalidValue(f"{id_!r} was made by a merge or split: name its members, which were remembered.")
        if found[id_]["kind"] != EpisodeKind.STATEMENT.value:
            raise InvalidValue(f"{id_!r} is a passage of a document: only statements that were remembered are merged.")
    if held & made:
        raise InvalidValue("What a change makes cannot be a member: members are statements that were remembered.")
    return found


def _insert_made(batch: Batch, made: Sequence[MadeEpisode], event_id: str) -> tuple[MadeRow, ...]:
    put = batch.insert_payloads((one.id, one.text, one.keys) for one in made)
    if made:
        rows = [
            batch.episode_row(one.id, EpisodeKind.STATEMENT, put[one.id].id) | _made_row(one, event_id) for one in made
        ]
        insert_episodes(batch, rows)
        insert_facts(batch, [(one.id, one.facts) for one in made])
        labels = ((one.id, Labels(metadata=one.metadata, tags=one.tags)) for one in made)
        insert_labels(batch.connection, batch.ns, labels)
    return tuple(
        MadeRow(id=one.id, digest=salted_digest(one.text, put[one.id].salt), members=one.members) for one in made
    )


def _made_row(one: MadeEpisode, event_id: str) -> Row:
    own = {"made_by": event_id, "state": one.state.value, "position": one.position, "language": one.language.value}
    own |= {"confidence": float(one.confidence), "merge_count": one.merge_count}
    return {**columns_said(one), **own, "valid_from": optional_timestamp(one.valid_from)}


def _fields(
    batch: Batch, changes: Sequence[FieldChange], there: Mapping[str, Mapping[str, Value]], *, is_told: bool
) -> tuple[FieldDelta, ...]:
    """Return the fields that change, or all that are reported, with what they are now."""
    made = {one.episode_id for one in changes} - there.keys()
    old = {**there, **fields_of(batch, made)}
    return tuple(
        FieldDelta(episode_id=one.episode_id, name=name, old=old[one.episode_id][name], new=value)
        for one in changes
        for name, value in _new_values(one).items()
        if is_told or old[one.episode_id][name] != value
    )


def _new_values(change: FieldChange) -> dict[str, Value]:
    """Return the columns that a change sets, as they are written."""
    times = {"valid_to": change.valid_to, "stands_until": change.stands_until}
    values: dict[str, Value] = {name: optional_timestamp(time) for name, time in times.items() if time is not UNSET}
    if change.state is not None:
        values["state"] = change.state.value
    if change.confidence is not None:
        values["confidence"] = float(change.confidence)
    if change.merge_count is not None:
        values["merge_count"] = change.merge_count
    return values


def _edges(batch: Batch, change: Change) -> tuple[tuple[EdgeRow, ...], tuple[EdgeRow, ...]]:
    """Return the edges that come and those that go, as rows; one whose weight changes is among both."""
    follow = {(one.id, member) for one in change.made for member in one.members}
    wanted = [
        edge
        for edge in change.added
        if edge.kind is not EdgeKind.MEMBER or (edge.source_id, edge.target_id) not in follow
    ]
    refuse_derived(wanted)
    new = {row.key: row for row in (_edge_row(batch, edge) for edge in wanted)}
    gone = {(edge.source_id, edge.kind.value, edge.target_id) for edge in change.removed} - set(new)
    there = edge_rows(batch, {*new, *gone})
    added = tuple(row for key, row in new.items() if key not in there or there[key].weight != row.weight)
    replaced = {row.key for row in added}
    return added, tuple(row for key, row in there.items() if key in gone or key in replaced)


def _edge_row(batch: Batch, edge: Edge) -> EdgeRow:
    return EdgeRow(
        source_id=edge.source_id,
        kind=edge.kind.value,
        target_id=edge.target_id,
        weight=float(edge.weight),
        created_at=batch.recorded_at,
    )


def refuse_unheld(batch: Batch, done: ChangeSet) -> None:
    """Refuse to leave a source statement neither visible nor held by a visible episode: its text would be lost."""
    hidden = {one.episode_id for one in done.fields if one.name in {"stands_until", "state"}}
    left = {edge.target_id for edge in done.removed if edge.kind == EdgeKind.MEMBER.value}
    members = members_of(batch.connection, batch.ns, hidden)
    lost = unheld(batch.connection, batch.ns, hidden | left | {id_ for ids in members.values() for id_ in ids})
    if lost:
        more = f" and {len(lost) - _SHOWN:,} more" if len(lost) > _SHOWN else ""
        raise InvalidValue(
            f"{', '.join(lost[:_SHOWN])}{more} would end, and no episode would represent it: make it a "
            "member of one that stays."
        )


def tell(batch: Batch, kind: EventKind, fields: Sequence[FieldDelta], why: Mapping[str, str]) -> str:
    """Append the event of arousals that were written, and return its id."""
    in_order = sorted(fields, key=lambda one: one.episode_id)
    body = {
        **why,
        "items": [one.episode_id for one in in_order],
        "old": [one.old for one in in_order],
        "new": [one.new for one in in_order],
    }
    return batch.append_events(kind, [("", body)])[0]
