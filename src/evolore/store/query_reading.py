"""Questions that were taken down are read back, with what was handed over and what was said of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, select

from evolore.domain.answers import Intent
from evolore.domain.episodes import EdgeKind
from evolore.domain.language import Language
from evolore.domain.queries import Given, Outcome, QueryRecord, Rated, Rating
from evolore.ports import QueryEdge
from evolore.store.entering import gathered, touches
from evolore.store.place import Snapshot
from evolore.store.prepared import among, as_json
from evolore.store.rated_reading import cited_by, rated_by, stirred_since
from evolore.store.rows import explained, moment
from evolore.store.selects import joined
from evolore.store.structure_reading import StructureReader
from evolore.store.tables import episodes, queries, query_edges, query_texts, query_vectors, ratings, vectors
from evolore.store.withdrawing import foresee

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection, RowMapping

    from evolore.ports import Reconsidered, Withdrawn
    from evolore.store.selects import AnySelect

_FEW = 500


class QueryReader(StructureReader):
    """One namespace's questions at one moment."""

    def query(self, query_id: str) -> QueryRecord | None:
        """Give a question that was taken down, by its whole id."""
        found = records_of(self._connection, self._ns, select_queries(self._ns).where(queries.c.id == query_id))
        return found[0] if found else None

    def queries(self, *, principal: str | None = None, limit: int) -> tuple[QueryRecord, ...]:
        """List questions, the last asked first; those of one principal, or of all where none is named."""
        wanted = select_queries(self._ns).order_by(queries.c.id.desc()).limit(limit)
        if principal is not None:
            wanted = wanted.where(queries.c.principal == principal)
        return records_of(self._connection, self._ns, wanted)

    def resolve_query(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of questions that begin with ``prefix``."""
        begin = (queries.c.ns == self._ns, queries.c.id >= prefix, queries.c.id < prefix + "~")
        return tuple(self._connection.scalars(select(queries.c.id).where(*begin).order_by(queries.c.id).limit(2)))

    def touching(self, target_ids: Collection[str]) -> Mapping[str, tuple[QueryEdge, ...]]:
        """Give the edges to each of these episodes since it was last evaluated, in the order of the questions."""
        found: dict[str, list[QueryEdge]] = {}
        for one in touches(self._connection, self._ns, target_ids):
            edge = QueryEdge(
                query_id=one.query_id,
                target_id=one.target_id,
                kind=EdgeKind(one.kind),
                led_to_insight=one.led_to_insight,
                waits=one.waits,
            )
            found.setdefault(one.target_id, []).append(edge)
        return {id_: tuple(found[id_]) for id_ in sorted(found)}

    def gathered(self, *, least: int) -> tuple[str, ...]:
        """Give episodes for which at least so many edges wait, and of those that others stand for all for which any does."""
        return gathered(self._connection, self._ns, least=least)

    def rated_by(self, principal: str | None) -> tuple[str, ...]:
        """Give the questions that a principal rated without having asked them, sorted."""
        return rated_by(self._connection, self._ns, principal)

    def cited_by(self, query_id: str) -> frozenset[str | None] | None:
        """Give who said of an answer that it rests on what it does; None where that was said when it was taken down."""
        return cited_by(self._connection, self._ns, query_id)

    def stirred_since(self, event_ids: Collection[str], *, before: str) -> tuple[str, ...]:
        """Give the questions of some withdrawals that were rated since, or of which other ratings were withdrawn."""
        return stirred_since(self._connection, self._ns, event_ids, before=before)

    def foresee_withdrawal(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool
    ) -> Withdrawn:
        """Tell what would be taken back, were all that one principal taught withdrawn; nothing is written."""
        place = Snapshot(connection=self._connection, ns=self._ns, model_id=self._model.id)
        return foresee(place, principal, anew, erase=erase)

    def estimated_arousals(self, ids: Collection[str]) -> Mapping[str, float]:
        """Give how strongly these episodes are felt as estimated, whatever was stated; those without are left out."""
        its = joined(episodes, vectors, vectors.c.payload_id == episodes.c.payload_id)
        query = (
            select(episodes.c.id, vectors.c.arousal)
            .join_from(episodes, vectors, its)
            .where(episodes.c.ns == self._ns, episodes.c.id.in_(among("ids")))
            .where(vectors.c.model_id == self._model.id, vectors.c.arousal.is_not(None))
        )
        return {row.id: row.arousal for row in self._connection.execute(query, {"ids": as_json(sorted(ids))})}

    def unembedded_queries(self, *, limit: int) -> tuple[tuple[str, str], ...]:
        """Give ids and texts of questions that have no vector of the store's model."""
        has = and_(
            query_vectors.c.ns == query_texts.c.ns,
            query_vectors.c.query_id == query_texts.c.query_id,
            query_vectors.c.model_id == self._model.id,
            func.length(query_vectors.c.data) == 2 * self._model.dimension,
        )
        lacking = ~select(query_vectors.c.ns).where(has).correlate(query_texts).exists()
        query = select(query_texts.c.query_id, query_texts.c.text).where(query_texts.c.ns == self._ns, lacking)
        rows = self._connection.execute(query.order_by(query_texts.c.query_id).limit(limit))
        return tuple((row.query_id, row.text) for row in rows)


def select_queries(ns: int) -> AnySelect:
    """Select questions with their texts."""
    of_text = joined(queries, query_texts, query_texts.c.query_id == queries.c.id)
    return select(queries, query_texts.c.text).join_from(queries, query_texts, of_text).where(queries.c.ns == ns)


def records_of(connection: Connection, ns: int, wanted: AnySelect) -> tuple[QueryRecord, ...]:
    """Read questions with what was handed over and the ratings that count, in the order they are selected in."""
    rows = connection.execute(wanted).mappings().all()
    given: dict[str, list[Given]] = {}
    said: dict[str, list[Rated]] = {}
    for start in range(0, len(rows), _FEW):
        ids = [row["id"] for row in rows[start : start + _FEW]]
        _add_given(connection, ns, ids, given)
        _add_ratings(connection, ns, ids, said)
    return tuple(
        to_query({**row, "given": tuple(given.get(row["id"], ())), "ratings": tuple(said.get(row["id"], ()))})
        for row in rows
    )


@explained
def to_query(values: RowMapping | Mapping[str, Any]) -> QueryRecord:
    """Read a question, joined with its text and all that belongs to it."""
    return QueryRecord(
        id=values["id"],
        text=values["text"],
        language=Language(values["language"]),
        intent=Intent(values["intent"]),
        asked_at=moment(values["asked_at"]),
        recorded_at=moment(values["recorded_at"]),
        outcome=Outcome(values["outcome"]),
        is_stated=values["is_stated"],
        given=values.get("given", ()),
        ratings=values.get("ratings", ()),
        principal=values["principal"],
        answer_id=values["answer_id"],
    )


def _add_given(connection: Connection, ns: int, ids: Sequence[str], found: dict[str, list[Given]]) -> None:
    here = (query_edges.c.ns == ns, query_edges.c.query_id.in_(among("ids")))
    rows = connection.execute(select(query_edges).where(*here).order_by(query_edges.c.rank), {"ids": as_json(ids)})
    for row in rows:
        one = Given(episode_id=row.target_id, rank=row.rank, is_cited=row.is_cited)
        found.setdefault(row.query_id, []).append(one)


def _add_ratings(connection: Connection, ns: int, ids: Sequence[str], found: dict[str, list[Rated]]) -> None:
    here = (ratings.c.ns == ns, ratings.c.query_id.in_(among("ids")), ratings.c.withdrawn_by.is_(None))
    in_order = select(ratings).where(*here).order_by(ratings.c.rated_at, ratings.c.principal)
    for row in connection.execute(in_order, {"ids": as_json(ids)}):
        one = Rated(
            rating=Rating(row.rating), at=moment(row.rated_at), principal=row.principal or None, comment=row.comment
        )
        found.setdefault(row.query_id, []).append(one)
