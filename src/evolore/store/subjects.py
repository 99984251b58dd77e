"""Find what is stored of one person: what they said, asked, were answered and rated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, or_, select

from evolore.domain.episode import EpisodeKind
from evolore.domain.person import SubjectRecord, SubjectRecordKind
from evolore.store.event_bodies import EventKind
from evolore.store.forms import moment, to_episodes
from evolore.store.selects import TEXT_OF_QUERY, joined, select_episodes
from evolore.store.sql import Opened, among, as_json
from evolore.store.tables import answers, episodes, events, facts, feedback, queries, query_texts, ratings

_IS_STATEMENT = episodes.c.kind == EpisodeKind.STATEMENT.value


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
    """Records of the people of one namespace at one moment."""

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
