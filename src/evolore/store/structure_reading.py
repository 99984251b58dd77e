"""Read a namespace's structure: who represents whom, edges, events, calibrations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain

import sqlalchemy as sa

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeKind, EpisodeState
from evolore.errors import InvalidValue
from evolore.ports import QUERY_EDGES, ChangeKind, StoredFact
from evolore.store.forms import reader, timestamp, to_episodes
from evolore.store.selects import AnySelect, Number, joined, select_episodes, select_named_episodes, standing
from evolore.store.sql import Opened, Prepared, among, as_json, listed
from evolore.store.tables import chunks, documents, edges, episodes, event_episodes, events, facts, index_log

_IS_MEMBER = sa.and_(edges.c.ns == sa.bindparam("here"), edges.c.kind == EdgeKind.MEMBER.value)
_NAMED = sa.and_(episodes.c.ns == sa.bindparam("here"), episodes.c.id.in_(among("ids")))
_WANTED = listed("ids")
# Outer joins, and sorted here: else SQLite would rather walk all edges of the namespace.
_MEMBERS = Prepared(
    sa.select(_WANTED.c.value.label("of"), edges.c.target_id).select_from(
        _WANTED.outerjoin(edges, sa.and_(_IS_MEMBER, edges.c.source_id == _WANTED.c.value))
    )
)
_HOLDERS = Prepared(
    # The weight is in no index: else SQLite would walk the one that holds all the rest.
    sa.select(_WANTED.c.value.label("of"), episodes.c.id, edges.c.weight).select_from(
        _WANTED.outerjoin(edges, sa.and_(_IS_MEMBER, edges.c.target_id == _WANTED.c.value)).outerjoin(
            episodes, sa.and_(episodes.c.ns == sa.bindparam("here"), episodes.c.id == edges.c.source_id, standing())
        )
    )
)
_STANDING = Prepared(sa.select(episodes.c.id, standing().label("stands")).where(_NAMED))


def members_of(connection: sa.Connection, ns: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Return the ids of the source statements each of these represents beside itself; those without are left out."""
    return _grouped(_MEMBERS, connection, ns, ids)


def holders_of(connection: sa.Connection, ns: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Return the visible episodes that have each of these as a member; those without any are left out."""
    return _grouped(_HOLDERS, connection, ns, ids)


def _grouped(pairs: Prepared, connection: sa.Connection, ns: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Return what each of some ids is paired with, all sorted; those with nothing are left out."""
    found: dict[str, list[str]] = {}
    rows = pairs.all(connection, {"here": ns, "ids": as_json(ids)}) if ids else ()
    for of, id_ in sorted((row[0], row[1]) for row in rows if row[1] is not None):
        found.setdefault(of, []).append(id_)
    return found


def unheld(connection: sa.Connection, ns: int, ids: Collection[str]) -> list[str]:
    """Return those source statements among these that another should represent, and none does; sorted.

    One that was taken back for itself, by pruning, is not among them.
    """
    lost = set[str](_HIDDEN.scalars(connection, {"here": ns, "ids": as_json(sorted(ids))}) if ids else ())
    return sorted(lost - set(holders_of(connection, ns, lost))) if lost else []


def hidden_source() -> sa.ColumnElement[bool]:
    """Return of an episode whether it was remembered or added, and another represents it."""
    is_hidden = sa.and_(episodes.c.stands_until.is_not(None), episodes.c.state != EpisodeState.REVOKED.value)
    return sa.and_(episodes.c.made_by.is_(None), is_hidden)


_HIDDEN = Prepared(sa.select(episodes.c.id).where(_NAMED, hidden_source()))


MAX_IDS = 10_000
_QUERIES = sorted(kind.value for kind in (EdgeKind.QUERY_BYPASS, EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_RETRIEVAL))
_DERIVED = frozenset((EdgeKind.SEQUENCE, EdgeKind.HIERARCHY))
_DIGITS = "0123456789"


@lru_cache(maxsize=1024)  # building it takes twenty times as long as running it
def _around(kinds: frozenset[EdgeKind], *, hidden: bool) -> Prepared:
    return Prepared(select_around(sa.bindparam("here", type_=sa.Integer), kinds, hidden=hidden))


def select_around(ns: Number, kinds: frozenset[EdgeKind], *, hidden: bool) -> AnySelect:
    """Select the edges around the episodes that the parameter ``ids`` lists."""
    named = among("ids")
    parts: list[AnySelect] = []
    if kinds - _DERIVED:
        parts += [_stored(ns, end.in_(named), kinds - _DERIVED) for end in (edges.c.source_id, edges.c.target_id)]
    for is_later in (True, False):
        if EdgeKind.SEQUENCE in kinds:
            parts += [_said_beside(ns, named, is_later=is_later, hidden=hidden), _read_beside(ns, named, is_later)]
        if EdgeKind.HIERARCHY in kinds:
            parts.append(_under_one_part(ns, named, is_later=is_later))
    found = sa.union_all(*parts).subquery()
    ends = (found.c.source_id, found.c.kind, found.c.target_id)
    heaviest = sa.func.max(found.c.weight)
    query = sa.select(*ends, heaviest.label("weight")).where(_is_there(found.c.source_id), _is_there(found.c.target_id))
    if not hidden:
        has_source = sa.or_(found.c.kind.in_(_QUERIES), _stands(ns, found.c.source_id))
        query = query.where(_stands(ns, found.c.target_id), has_source)
    query = query.group_by(*ends).order_by(heaviest.desc(), found.c.kind, found.c.source_id, found.c.target_id)
    return query.limit(sa.bindparam("most"))


def _is_there(id_: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Return whether an end was found; ``is not null`` would let SQLite walk an index of all rather than look ids up."""
    return sa.func.coalesce(id_, "") != ""


def _stands(ns: Number, id_: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    one = episodes.alias()
    return sa.select(sa.literal(1)).where(one.c.ns == ns, one.c.id == id_, standing(one)).exists()


def _edge(source: sa.ColumnElement[str], kind: EdgeKind, target: sa.ColumnElement[str], *, is_later: bool) -> AnySelect:
    """Select an edge to what is later, or to what is asked of from what is earlier."""
    first, last = (source, target) if is_later else (target, source)
    ends = (first.label("source_id"), sa.literal(kind.value).label("kind"), last.label("target_id"))
    return sa.select(*ends, sa.literal(1.0).label("weight"))


def _stored(ns: Number, is_at_end: sa.ColumnElement[bool], kinds: Collection[EdgeKind]) -> AnySelect:
    """Select stored edges by one of their ends: both at once, with OR, would walk the namespace."""
    of_kind = edges.c.kind.in_(sorted(kind.value for kind in kinds))
    return sa.select(edges.c.source_id, edges.c.kind, edges.c.target_id, edges.c.weight).where(
        edges.c.ns == ns, is_at_end, of_kind
    )


def _said_beside(ns: Number, among: sa.Select[str], *, is_later: bool, hidden: bool) -> AnySelect:
    """Select the edges between statements and their neighbours in their session."""
    this, other = episodes.alias(), episodes.alias()
    here, there = sa.tuple_(this.c.position, this.c.id), sa.tuple_(other.c.position, other.c.id)
    in_order = (other.c.position, other.c.id) if is_later else (other.c.position.desc(), other.c.id.desc())
    beside = sa.select(other.c.id).where(
        other.c.ns == ns, other.c.session == this.c.session, there > here if is_later else there < here
    )
    if not hidden:
        beside = beside.where(standing(other))
    found = beside.order_by(*in_order).limit(1).correlate(this).scalar_subquery()
    return _edge(this.c.id, EdgeKind.SEQUENCE, found, is_later=is_later).where(this.c.ns == ns, this.c.id.in_(among))


def _read_beside(ns: Number, among: sa.Select[str], is_later: bool) -> AnySelect:  # noqa: FBT001 - as the others have it
    """Select the edges between passages and their neighbours in the visible version of their document."""
    this, other = chunks.alias(), chunks.alias()
    beside = sa.select(other.c.episode_id).where(
        *_of_one_version(ns, this, other),
        other.c.ordinal > this.c.ordinal if is_later else other.c.ordinal < this.c.ordinal,
    )
    ordered = beside.order_by(other.c.ordinal if is_later else other.c.ordinal.desc()).limit(1)
    found = ordered.correlate(this).scalar_subquery()
    return _edge(this.c.episode_id, EdgeKind.SEQUENCE, found, is_later=is_later).where(_is_visible(ns, this, among))


def _under_one_part(ns: Number, among: sa.Select[str], *, is_later: bool) -> AnySelect:
    """Select the edges between passages directly under one part of a document."""
    this, other = chunks.alias(), chunks.alias()
    is_beside = other.c.ordinal > this.c.ordinal if is_later else other.c.ordinal < this.c.ordinal
    same = sa.and_(*_of_one_version(ns, this, other), is_beside, _part(other.c.outline) == _part(this.c.outline))
    edge = _edge(this.c.episode_id, EdgeKind.HIERARCHY, other.c.episode_id, is_later=is_later)
    return edge.select_from(this).join(other, same).where(_is_visible(ns, this, among), _part(this.c.outline) != "")


def _of_one_version(ns: Number, this: sa.FromClause, other: sa.FromClause) -> tuple[sa.ColumnElement[bool], ...]:
    same = (other.c.document_id == this.c.document_id, other.c.version == this.c.version)
    return other.c.ns == ns, *same, other.c.episode_id.is_not(None)


def _is_visible(ns: Number, this: sa.FromClause, among: sa.Select[str]) -> sa.ColumnElement[bool]:
    version = sa.select(documents.c.version).where(documents.c.ns == ns, documents.c.id == this.c.document_id)
    return sa.and_(
        this.c.ns == ns, this.c.episode_id.in_(among), this.c.version == version.correlate(this).scalar_subquery()
    )


def _part(outline: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """Return the code of the part that holds an outline code, with a dot behind; empty for one at the top."""
    return sa.func.rtrim(outline, _DIGITS)


_PENDING: sa.ColumnElement[str] = sa.literal_column(f"'{EpisodeState.CONFLICT_PENDING.value}'")
"""Written out, because the index of those that wait holds only rows of this very state."""

_EPISODES = Prepared(select_named_episodes(sa.bindparam("here", type_=sa.Integer)))
_STATED_ANEW = '"reason":"stated_anew"'
_DECIDES = (ChangeKind.SUPERSEDED.value, ChangeKind.RESTORED.value)
_LIKENESS = (EdgeKind.SEMANTIC.value, EdgeKind.ECHO.value)


_to_fact = reader(StoredFact, facts)


class StructureReader(Opened):
    """One namespace's structure at one moment."""

    @property
    def number(self) -> int:
        """The namespace's number."""
        return self._ns

    @property
    def revision(self) -> int:
        """How many writes were committed to the namespace; inside a write transaction, that one is counted too.

        So a writer whose revision is one above that of a reader sees just what that reader saw.
        """
        return self._revision

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Return these episodes in the order asked; ids that name none are left out."""
        if not ids:
            return ()
        rows = _EPISODES.mappings(self._connection, {"here": self._ns, "ids": as_json(ids)})
        found = {one.id: one for one in to_episodes(rows)}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def members(self, ids: Sequence[str]) -> Mapping[str, tuple[Episode, ...]]:
        """Return the source statements that each of these episodes represents beside itself, oldest first.

        Oldest by when they happened, else were recorded. A plain statement and a passage have none. Ids that name none
        are left out.
        """
        named = members_of(self._connection, self._ns, ids)
        wanted = sorted({*ids, *chain.from_iterable(named.values())})
        there = {one.id: one for one in self.episodes(wanted)}
        return {
            id_: tuple(sorted((there[member] for member in named.get(id_, ()) if member in there), key=_by_time))
            for id_ in ids
            if id_ in there
        }

    def member_ids(self, ids: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Return the ids of what each of these represents beside itself, sorted; those with nothing are left out."""
        return members_of(self._connection, self._ns, ids)

    def standing_for(self, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the episodes that represent each of these now, sorted: itself alone where it represents itself.

        Empty where it was taken back, or is an episode that was made and replaced. Ids that name none are left out.
        """
        rows = _STANDING.rows(self._connection, {"here": self._ns, "ids": as_json(dict.fromkeys(ids))}) if ids else ()
        found: dict[str, tuple[str, ...]] = {row.id: (row.id,) if row.stands else () for row in rows}
        hidden = [id_ for id_, holders in found.items() if not holders]
        return found | {id_: tuple(holders) for id_, holders in holders_of(self._connection, self._ns, hidden).items()}

    def edges_around(
        self, ids: Sequence[str], *, kinds: Collection[EdgeKind] | None = None, hidden: bool = False, limit: int = 1000
    ) -> tuple[Edge, ...]:
        """Return the edges that begin or end at one of these episodes, heaviest first, then by kind and ends; one query.

        Those of ``SEQUENCE`` lead from what is before to what is after in one session or document; those of
        ``HIERARCHY`` join passages under one part of a document, from the earlier to the later.

        Args:
            ids: Which episodes, at most 10,000.
            kinds: Only these; None for all.
            hidden: Whether also edges of which an end does not represent itself.
            limit: At most so many.
        """
        if len(ids) > MAX_IDS:
            raise InvalidValue(f"The edges around {len(ids):,} episodes were asked for: ask for {MAX_IDS:,} at a time.")
        wanted = frozenset(EdgeKind) if kinds is None else frozenset(kinds)
        if not ids or not wanted:
            return ()
        rows = _around(wanted, hidden=hidden).rows(
            self._connection, {"here": self._ns, "ids": as_json(dict.fromkeys(ids)), "most": limit}
        )
        return tuple(
            Edge(source_id=row.source_id, target_id=row.target_id, kind=EdgeKind(row.kind), weight=row.weight)
            for row in rows
        )

    def link_counts(self, ids: Collection[str]) -> Mapping[str, int]:
        """Count the edges of ``SEMANTIC`` and ``ECHO`` that end at each of these episodes; those without are left out."""
        if not ids:
            return {}
        here = (edges.c.ns == self._ns, edges.c.target_id.in_(among("ids")), edges.c.kind.in_(_LIKENESS))
        counted = sa.select(edges.c.target_id, sa.func.count().label("links")).where(*here).group_by(edges.c.target_id)
        return {row.target_id: row.links for row in self._connection.execute(counted, {"ids": as_json(sorted(ids))})}

    def linked(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of these episodes from which an edge of ``SEMANTIC`` or ``ECHO`` leads."""
        if not ids:
            return frozenset()
        here = (edges.c.ns == self._ns, edges.c.source_id.in_(among("ids")), edges.c.kind.in_(_LIKENESS))
        found = self._connection.scalars(sa.select(edges.c.source_id).where(*here), {"ids": as_json(sorted(ids))})
        return frozenset(found)

    def about(self, subject: str, attribute: str) -> tuple[Episode, ...]:
        """Return the statements that state an attribute of a subject and represent themselves, in time order.

        By when they happened, else were recorded, then by id. Superseded ones are among them.
        """
        stated = (episodes.c.about_subject == subject, episodes.c.about_attribute == attribute)
        rows = self._connection.execute(select_episodes(self._ns).where(*stated, standing())).mappings()
        return tuple(sorted(to_episodes(rows), key=_by_time))

    def said_by(self, speaker: str | None, *, limit: int) -> tuple[Episode, ...]:
        """Return a speaker's newest statements that represent themselves, case ignored; None for unnamed speakers."""
        who = episodes.c.speaker.is_(None) if speaker is None else sa.func.lower(episodes.c.speaker) == speaker.lower()
        query = select_episodes(self._ns).where(episodes.c.kind == EpisodeKind.STATEMENT.value, who, standing())
        newest = query.order_by(sa.func.coalesce(episodes.c.occurred_at, episodes.c.recorded_at).desc(), episodes.c.id)
        return to_episodes(self._connection.execute(newest.limit(limit)).mappings())

    def about_subject(self, subject: str) -> tuple[Episode, ...]:
        """Return the statements with an explicit key of a subject that represent themselves, in time order."""
        named = sa.func.lower(episodes.c.about_subject) == subject.lower()
        rows = self._connection.execute(select_episodes(self._ns).where(named, standing())).mappings()
        return tuple(sorted(to_episodes(rows), key=_by_time))

    def stating(self, keys: Collection[tuple[str, str]]) -> tuple[StoredFact, ...]:
        """Return what visible statements say of some keys, in the order of the statements."""
        return self._facts(sa.tuple_(facts.c.subject, facts.c.attribute).in_(sorted(keys)), standing()) if keys else ()

    def facts_about(self, subject: str) -> tuple[StoredFact, ...]:
        """Return what visible statements say of a subject, in the order of the statements."""
        return self._facts(facts.c.subject == subject, standing())

    def facts_of(self, ids: Collection[str]) -> tuple[StoredFact, ...]:
        """Return what statements state, also those that another represents."""
        return self._facts(facts.c.episode_id.in_(sorted(ids)))

    def fact_keys(self, *, limit: int) -> tuple[tuple[str, str], ...]:
        """Return the keys of which something is stated, those most often stated first."""
        key = (facts.c.subject, facts.c.attribute)
        query = (
            sa.select(*key)
            .where(facts.c.ns == self._ns)
            .group_by(*key)
            .order_by(sa.func.count().desc(), *key)
            .limit(limit)
        )
        return tuple((row.subject, row.attribute) for row in self._connection.execute(query))

    def _facts(self, *wanted: sa.ColumnElement[bool]) -> tuple[StoredFact, ...]:
        query = sa.select(facts).join_from(
            facts, episodes, joined(facts, episodes, episodes.c.id == facts.c.episode_id)
        )
        query = query.where(facts.c.ns == self._ns, *wanted).order_by(facts.c.episode_id, facts.c.number)
        return tuple(map(_to_fact, self._connection.execute(query).mappings()))

    def changed_after(self, seq: int, *, limit: int) -> tuple[tuple[int, str], ...]:
        """Return the episodes that entered the indexes behind a number of their log and are still there, in its order.

        Returns:
            The number of each one's last entry, rising, and its id.
        """
        query = self._changed_after(seq).order_by(index_log.c.seq).limit(limit)
        return tuple((row.seq, row.episode_id) for row in self._connection.execute(query))

    def count_changed_after(self, seq: int) -> int:
        """Count the episodes that ``changed_after`` returns."""
        changed = self._changed_after(seq).subquery()
        return self._connection.execute(sa.select(sa.func.count()).select_from(changed)).scalar_one()

    def _changed_after(self, seq: int) -> AnySelect:
        later = index_log.alias()
        is_later = later.c.seq + 0 > index_log.c.seq  # a bare column has SQLite read all later rows for each
        is_last = ~sa.exists().where(
            later.c.ns == self._ns, later.c.episode_id == index_log.c.episode_id, is_later
        ).correlate(index_log)
        return (
            sa.select(index_log.c.seq, index_log.c.episode_id)
            .join_from(index_log, episodes, joined(index_log, episodes, episodes.c.id == index_log.c.episode_id))
            .where(index_log.c.ns == self._ns, index_log.c.seq > seq, index_log.c.present, is_last)
        )

    def superseded_by_rule(self, *, after: str = "", limit: int | None = None) -> tuple[str, ...]:
        """Return the visible statements superseded by an earlier version's rule and not decided again, by id."""
        query = sa.select(episodes.c.id).where(_is_by_rule(self._ns), episodes.c.id > after)
        return tuple(self._connection.scalars(query.order_by(episodes.c.id).limit(limit)))

    def with_query_edges(self, *, after: str = "", limit: int | None = None) -> tuple[str, ...]:
        """Return the visible episodes at which edges of questions are in the graph, by their ids."""
        at = sa.and_(edges.c.ns == self._ns, edges.c.kind.in_(sorted(one.value for one in QUERY_EDGES)))
        is_asked = sa.exists().where(at, edges.c.target_id == episodes.c.id).correlate(episodes)
        query = sa.select(episodes.c.id).where(episodes.c.ns == self._ns, episodes.c.id > after, standing(), is_asked)
        return tuple(self._connection.scalars(query.order_by(episodes.c.id).limit(limit)))

    def waiting_alone(self) -> tuple[str, ...]:
        """Return visible episodes in ``conflict_pending`` that nothing in that state contradicts."""
        other = episodes.alias()
        here = sa.and_(edges.c.ns == self._ns, edges.c.kind == EdgeKind.CONTRADICTS.value)
        ends = sa.or_(
            sa.and_(edges.c.source_id == episodes.c.id, edges.c.target_id == other.c.id),
            sa.and_(edges.c.target_id == episodes.c.id, edges.c.source_id == other.c.id),
        )
        against = sa.exists().where(here, ends, other.c.ns == self._ns, other.c.state == _PENDING).correlate(episodes)
        query = sa.select(episodes.c.id).where(
            episodes.c.ns == self._ns, episodes.c.state == _PENDING, standing(), ~against
        )
        return tuple(self._connection.scalars(query.order_by(episodes.c.id)))

    def prunable(self, *, confidence: float, unused_since: datetime, limit: int) -> tuple[str, ...]:
        """Return statements that are visible, active, at most so confident, and named by no event since a moment.

        Returns:
            Ids, the least confident first.
        """
        since = timestamp(unused_since)
        its = joined(event_episodes, events, events.c.seq == event_episodes.c.seq)
        touched = sa.select(event_episodes.c.episode_id).join_from(event_episodes, events, its)
        touched = touched.where(event_episodes.c.ns == self._ns, events.c.recorded_at >= since)
        is_unsure = (episodes.c.kind == EpisodeKind.STATEMENT.value, episodes.c.confidence <= confidence)
        is_active = (episodes.c.state == EpisodeState.ACTIVE.value, standing())
        query = sa.select(episodes.c.id).where(episodes.c.ns == self._ns, *is_unsure, episodes.c.recorded_at < since)
        query = query.where(*is_active, episodes.c.id.not_in(touched))
        return tuple(self._connection.scalars(query.order_by(episodes.c.confidence, episodes.c.id).limit(limit)))

    def pruned_before(self, moment: datetime, *, limit: int) -> tuple[str, ...]:
        """Return statements that were pruned before a moment and are out of sight still, the earliest first."""
        its = joined(events, episodes, episodes.c.id == events.c.subject_id)
        query = sa.select(events.c.subject_id, sa.func.max(events.c.seq).label("last")).join_from(events, episodes, its)
        query = query.where(events.c.ns == self._ns, events.c.kind == ChangeKind.PRUNED.value)
        query = query.where(events.c.recorded_at < timestamp(moment), episodes.c.state == EpisodeState.REVOKED.value)
        query = query.group_by(events.c.subject_id).order_by("last").limit(limit)
        return tuple(row.subject_id for row in self._connection.execute(query))


def _is_by_rule(ns: int) -> sa.ColumnElement[bool]:
    """Return whether an earlier version's rule last superseded an episode, and it was not undone or redecided."""
    later = events.alias()
    # As a difference: else SQLite would rather walk all later events than those of one subject.
    is_later = sa.and_(later.c.subject_id == events.c.subject_id, later.c.seq - events.c.seq > 0)
    is_over = sa.or_(later.c.kind.in_(_DECIDES), later.c.body.contains(events.c.id))
    told = joined(events, episodes, events.c.subject_id == episodes.c.id)
    is_rule = sa.and_(events.c.kind == ChangeKind.SUPERSEDED.value, events.c.body.contains(_STATED_ANEW))
    is_last = ~sa.exists().where(later.c.ns == events.c.ns, is_later, is_over).correlate(events)
    return sa.and_(
        episodes.c.ns == ns,
        episodes.c.kind == EpisodeKind.STATEMENT.value,
        episodes.c.state == EpisodeState.SUPERSEDED.value,
        standing(),
        sa.exists().where(told, is_rule, is_last).correlate(episodes),
    )


def _by_time(episode: Episode) -> tuple[float, str]:
    return (episode.occurred_at or episode.recorded_at).timestamp(), episode.id
