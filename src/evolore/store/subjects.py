"""Find what is stored of one person: what they said, asked, were answered and rated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, case, exists, func, or_, select

from evolore.domain.episode import EdgeKind, Episode, EpisodeKind, EpisodeState
from evolore.domain.person import StatementState, SubjectRecord, SubjectRecordKind
from evolore.store.event_bodies import EventKind
from evolore.store.forms import moment, to_episode, to_episodes
from evolore.store.selects import TEXT_OF_QUERY, joined, select_episodes, standing
from evolore.store.sql import Opened, among, as_json
from evolore.store.tables import answers, edges, episodes, events, facts, feedback, queries, query_texts, ratings

_IS_STATEMENT = episodes.c.kind == EpisodeKind.STATEMENT.value
_LIKELY = edges.c.kind == EdgeKind.LIKELY_SUPERSEDES.value
_IS_DOUBTED = exists().where(joined(edges, episodes, edges.c.target_id == episodes.c.id), _LIKELY).correlate(episodes)
_STATE = case(
    (and_(episodes.c.stands_until.is_not(None), episodes.c.state != EpisodeState.REVOKED.value), StatementState.MERGED),
    (episodes.c.state != EpisodeState.ACTIVE.value, episodes.c.state),
    (_IS_DOUBTED, StatementState.DOUBTED),
    else_=StatementState.HOLDS,
)
_LEFT_OVER = and_(episodes.c.made_by.is_not(None), ~standing())
"""What a merge or split made that was undone or merged again: no person said it."""


def statements_of(
    connection: Connection, ns: int, *, speaker: str | None = None, principal: str | None = None
) -> tuple[str, ...]:
    """Return what was said by a speaker, or remembered on a principal's behalf, and what is about either by an explicit key."""
    remembered = (episodes.c.ns == ns, _IS_STATEMENT, episodes.c.made_by.is_(None))
    about = select(episodes.c.id).where(*remembered, episodes.c.about_subject == (principal or speaker))
    if principal is None:
        said = select(episodes.c.id).where(*remembered, episodes.c.speaker == speaker)
    else:
        told = joined(events, episodes, episodes.c.id == events.c.subject_id)
        by = (events.c.kind == EventKind.STATEMENT_REMEMBERED.value, events.c.principal == principal)
        said = select(episodes.c.id).join_from(events, episodes, told).where(events.c.ns == ns, *by, *remembered)
    return tuple(sorted({*connection.scalars(about), *connection.scalars(said)}))


class SubjectReader(Opened):
    """Statements and records of the people of one namespace at one moment."""

    def speakers(self, *, named: str = "", after: str = "", limit: int) -> tuple[tuple[str, int, datetime], ...]:
        """List who said anything, by name: with how many statements, and when the last one was recorded."""
        who = episodes.c.speaker
        here = (episodes.c.ns == self._ns, _IS_STATEMENT, ~_LEFT_OVER, who > after)
        found = select(who, func.count(), func.max(episodes.c.recorded_at)).where(*here).group_by(who).order_by(who)
        rows = self._connection.execute(found.where(who.icontains(named, autoescape=True)).limit(limit))
        return tuple((name, count, moment(last)) for name, count, last in rows)

    def statements_in(
        self,
        state: StatementState | None = None,
        *,
        ids: Sequence[str] | None = None,
        speaker: str = "",
        words: str = "",
        before: str = "",
        limit: int,
    ) -> tuple[tuple[Episode, StatementState], ...]:
        """List statements with their states, newest first.

        Args:
            state: Only those in this state; None for all that were not merged.
            ids: Only these, in every state, merged ones too.
            speaker: Only what this person said.
            words: Only those whose text holds this, case ignored.
            before: Only those older than the one with this id: where the last part ended.
            limit: How many at most.
        """
        query = select_episodes(self._ns).add_columns(_STATE.label("now")).where(_IS_STATEMENT)
        if ids is None:
            is_such = _STATE.in_([state]) if state else _STATE != StatementState.MERGED
            holds_words = query.selected_columns["text"].icontains(words, autoescape=True)
            query = query.where(~_LEFT_OVER, is_such, holds_words)
        else:
            query = query.where(episodes.c.id.in_(among("ids")))
        for value, condition in ((speaker, episodes.c.speaker == speaker), (before, episodes.c.id < before)):
            query = query.where(condition) if value else query
        ordered = query.order_by(episodes.c.id.desc()).limit(limit)
        rows = self._connection.execute(ordered, {} if ids is None else {"ids": as_json(ids)}).mappings()
        return tuple((to_episode(row), StatementState(row["now"])) for row in rows)

    def records_of(self, *, speaker: str | None = None, principal: str | None = None) -> tuple[SubjectRecord, ...]:
        """Return all that is a speaker's or a principal's, by kind and then time."""
        whose = principal or speaker
        assert whose is not None
        ids = statements_of(self._connection, self._ns, speaker=speaker, principal=principal)
        found = [
            *_said(self._connection, self._ns, ids),
            *_asked(self._connection, self._ns, whose),
            *_answered(self._connection, self._ns, whose),
            *_rated(self._connection, self._ns, whose),
        ]
        order = list(SubjectRecordKind)
        return tuple(sorted(found, key=lambda one: (order.index(one.kind), one.at, one.id)))


def _said(connection: Connection, ns: int, ids: Sequence[str]) -> Iterator[SubjectRecord]:
    these = {"ids": as_json(ids)}
    read: dict[str, list[tuple[str, str]]] = {}
    stated = select(facts).where(facts.c.ns == ns, facts.c.episode_id.in_(among("ids")))
    for row in connection.execute(stated.order_by(facts.c.episode_id, facts.c.number), these):
        read.setdefault(row.episode_id, []).append((row.attribute, row.value))
    rows = connection.execute(select_episodes(ns).where(episodes.c.id.in_(among("ids"))), these).mappings()
    for one in to_episodes(rows):
        yield SubjectRecord(
            kind=SubjectRecordKind.STATEMENT,
            id=one.id,
            at=one.occurred_at or one.recorded_at,
            recorded_at=one.recorded_at,
            text=one.text,
            speaker=one.speaker,
            session=one.session,
            about=one.about,
            state=one.state.value,
            facts=tuple(read.get(one.id, ())),
        )


def _asked(connection: Connection, ns: int, whose: str) -> Iterator[SubjectRecord]:
    query = (
        select(queries.c.id, queries.c.asked_at, queries.c.recorded_at, query_texts.c.text)
        .join_from(queries, query_texts, TEXT_OF_QUERY, isouter=True)
        .where(queries.c.ns == ns, queries.c.principal == whose)
    )
    for row in connection.execute(query):
        yield SubjectRecord(
            kind=SubjectRecordKind.QUESTION,
            id=row.id,
            at=moment(row.asked_at),
            recorded_at=moment(row.recorded_at),
            text=row.text or "",
        )


def _answered(connection: Connection, ns: int, whose: str) -> Iterator[SubjectRecord]:
    """Yield the answers that a principal was given, and those to the principal's questions."""
    own = select(queries.c.id).where(queries.c.ns == ns, queries.c.principal == whose)
    theirs = or_(answers.c.principal == whose, answers.c.query_id.in_(own))
    for row in connection.execute(select(answers).where(answers.c.ns == ns, theirs)):
        yield SubjectRecord(
            kind=SubjectRecordKind.ANSWER,
            id=row.id,
            at=moment(row.recorded_at),
            recorded_at=moment(row.recorded_at),
            text=row.text,
            question=row.question,
            of=row.query_id,
        )


def _rated(connection: Connection, ns: int, whose: str) -> Iterator[SubjectRecord]:
    for table, kind, of in (
        (ratings, SubjectRecordKind.RATING, ratings.c.query_id),
        (feedback, SubjectRecordKind.FEEDBACK, feedback.c.document_id),
    ):
        id_ = of if table is ratings else feedback.c.id
        columns = (id_.label("id"), of.label("of"), table.c.rating, table.c.comment, table.c.rated_at)
        for row in connection.execute(select(*columns).where(table.c.ns == ns, table.c.principal == whose)):
            yield SubjectRecord(
                kind=kind,
                id=row.id,
                at=moment(row.rated_at),
                recorded_at=moment(row.rated_at),
                text=row.comment or "",
                of=row.of,
                rating=row.rating,
            )
