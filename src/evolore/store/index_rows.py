"""The rows of a namespace as its indexes take them in."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Integer, Text, bindparam, func, select

from evolore.domain.episode import EdgeKind
from evolore.domain.outcome import Rating
from evolore.index.facts import Changing, Facts
from evolore.index.feed import NewItems, Taught, TouchedQuestion
from evolore.index.items import Item, document_group
from evolore.index.questions import Entered, PersonalRating, lessons
from evolore.ports import EmbeddingModel
from evolore.store.forms import local_moment, moment
from evolore.store.history import named_behind
from evolore.store.namespaces import FORGOTTEN_TO
from evolore.store.question_rows import KINDS
from evolore.store.rows import read_days, read_names, read_share
from evolore.store.schema import Ends
from evolore.store.selects import select_log
from evolore.store.sql import HERE, Prepared, ReadRow, among, as_json
from evolore.store.tables import (
    edges,
    episodes,
    index_log,
    maintenance,
    namespaces,
    queries,
    query_edges,
    query_texts,
    query_vectors,
    ratings,
    vectors,
)
from evolore.text.question_words import asks
from evolore.text.vectors import Float16s

_BATCH = 8192
"""How many rows are read at a time: few enough not to be felt in memory, enough to append in few pieces."""

_NAMED_AT_ONCE = 500
"""How many vectors are asked for at a time by name."""

_QUESTIONS = 4096
_ENDS = Prepared(
    select(
        select(func.max(index_log.c.seq)).where(index_log.c.ns == HERE).scalar_subquery(),
        select(namespaces.c.event_seq).where(namespaces.c.ns == HERE).scalar_subquery(),
    )
)
_BEGINS = Prepared(select(maintenance.c.seq).where(maintenance.c.ns == HERE, maintenance.c.task == FORGOTTEN_TO))
_AFTER = bindparam("after", type_=Integer)
_LOG = Prepared(select_log(HERE, after=_AFTER, model_id=bindparam("model", type_=Text)))
_CHANGING = Prepared(
    select(episodes.c.id, episodes.c.arousal, episodes.c.state, episodes.c.stands_until, episodes.c.valid_to).where(
        episodes.c.ns == HERE, episodes.c.id.in_(among("ids"))
    )
)
_FLOAT16 = np.dtype("<f2")
_QUESTION_ENDS = Prepared(select(namespaces.c.query_seq, namespaces.c.query_erasures).where(namespaces.c.ns == HERE))
_TOUCHED = Prepared(
    select(queries.c.id, queries.c.principal, queries.c.asked_at, queries.c.recorded_at)
    .where(queries.c.ns == HERE, queries.c.touched_seq > _AFTER)
    .order_by(queries.c.id)
)
# That an episode was evaluated as worth much says nothing of whether it served the question whose edge waited there: else three
# people who call their own questions insights make all that anyone was handed of it teach. So an insight teaches alone.
_OF_EDGE = (query_edges.c.query_id == edges.c.source_id) & (query_edges.c.target_id == edges.c.target_id)
_EDGES = Prepared(
    select(edges.c.source_id, edges.c.target_id, edges.c.weight, edges.c.created_at)
    .join_from(edges, query_edges, (query_edges.c.ns == edges.c.ns) & _OF_EDGE)
    .where(edges.c.ns == HERE, edges.c.source_id.in_(among("ids")), edges.c.kind.in_(KINDS))
    .where((edges.c.kind == EdgeKind.QUERY_INSIGHT.value) | query_edges.c.led_to_insight)
)
_RATINGS = Prepared(
    select(ratings.c.query_id, ratings.c.principal, ratings.c.rating, ratings.c.rated_at).where(
        ratings.c.ns == HERE, ratings.c.query_id.in_(among("ids")), ratings.c.withdrawn_by.is_(None)
    )
)
_CITED = Prepared(
    select(query_edges.c.query_id, query_edges.c.target_id, query_edges.c.cited_at).where(
        query_edges.c.ns == HERE, query_edges.c.query_id.in_(among("ids")), query_edges.c.is_cited
    )
)
_ITS_TEXT = (query_texts.c.ns == query_vectors.c.ns) & (query_texts.c.query_id == query_vectors.c.query_id)
_KEYS = Prepared(
    select(query_vectors.c.query_id, query_vectors.c.data, query_texts.c.tokens)
    .join_from(query_vectors, query_texts, _ITS_TEXT)
    .where(query_vectors.c.ns == HERE, query_vectors.c.query_id.in_(among("ids")))
    .where(query_vectors.c.model_id == bindparam("model"))
)


class StoreFeed:
    """One namespace of a store at one moment, as its indexes take it in."""

    def __init__(self, connection: Connection, ns: int, model: EmbeddingModel, ends: Ends | None = None) -> None:
        self.connection, self.ns, self._model, self._ends = connection, ns, model, ends

    @property
    def identity(self) -> str:
        """What distinguishes the namespace from all others, also from one that had its number before."""
        made = self.connection.scalar(select(namespaces.c.created_at).where(namespaces.c.ns == self.ns))
        return f"{self.ns} {made}"

    def ends(self) -> tuple[int, int]:
        """Return the last numbers of the indexes' log and of the events; 0 where there is none."""
        if self._ends is not None:
            return self._ends.log, self._ends.events
        last, last_event = _ENDS.first(self.connection, {"here": self.ns}) or (None, None)
        return last or 0, last_event or 0

    def last_given(self) -> int:
        """Return the last number of the log that was ever given."""
        return self.connection.scalar(select(namespaces.c.log_seq).where(namespaces.c.ns == self.ns)) or 0

    def items(self, *, after: int) -> Generator[NewItems]:
        """Yield what entered or left behind a number of the log, each episode once, in parts."""
        behind = {"here": self.ns, "after": after, "model": self._model.id}
        for rows in _LOG.batches(self.connection, behind, size=_BATCH):
            named = [row.episode_id for row in rows]
            yield self._new([row for row in rows if row.payload_id is not None], named=named)

    def changes(self, *, after: int) -> Generator[Sequence[tuple[str, Changing]]]:
        """Yield the state of episodes that events behind a number changed in place, in parts."""
        named = named_behind(self.connection, self.ns, after)
        for start in range(0, len(named), _BATCH):
            some = {"here": self.ns, "ids": as_json(named[start : start + _BATCH])}
            yield [(row.id, changing_of(row)) for row in _CHANGING.rows(self.connection, some)]

    def begins(self) -> int:
        """Return from which number on the log records all that left: behind an earlier one it cannot be followed."""
        (number,) = _BEGINS.first(self.connection, {"here": self.ns}) or (0,)
        return number

    def has_left(self, *, after: int) -> bool:
        """Return whether anything left the indexes behind a number of the log, or may have."""
        if after < self.begins():
            return True
        here = (index_log.c.ns == self.ns, index_log.c.seq > after, index_log.c.present.is_(False))
        return self.connection.scalar(select(index_log.c.seq).where(*here).limit(1)) is not None

    def vectors(self, payload_ids: Sequence[str]) -> Float16s:
        """Return the vectors of some payloads in their order, zeros where there is none."""
        found = np.zeros((len(payload_ids), self._model.dimension), dtype=np.float16)
        for start in range(0, len(payload_ids), _NAMED_AT_ONCE):
            some = {id_: start + place for place, id_ in enumerate(payload_ids[start : start + _NAMED_AT_ONCE])}
            these = select(vectors.c.payload_id, vectors.c.data).where(*self._own(), vectors.c.payload_id.in_(some))
            for row in self.connection.execute(these):
                found[some[row.payload_id]] = np.frombuffer(row.data, dtype=_FLOAT16)
        return found

    def payload_ids(self) -> Iterable[str]:
        """Return all payloads that have a vector."""
        return self.connection.scalars(select(vectors.c.payload_id).where(*self._own()))

    def question_ends(self) -> tuple[int, int]:
        """Return the last number by which a question was touched, and how often questions were erased."""
        if self._ends is not None:
            return self._ends.questions, self._ends.erasures
        seq, erasures = _QUESTION_ENDS.first(self.connection, {"here": self.ns}) or (0, 0)
        return seq, erasures

    def questions(self, *, after: int) -> Generator[Sequence[TouchedQuestion]]:
        """Yield the questions that were touched behind a number, in the order of their ids, in parts."""
        rows: list[tuple[Any, ...]] = _TOUCHED.all(self.connection, {"here": self.ns, "after": after})
        for start in range(0, len(rows), _QUESTIONS):
            some = rows[start : start + _QUESTIONS]
            taught = self._taught({id_: (who, _seconds_of(recorded)) for id_, who, _, recorded in some})
            yield [
                TouchedQuestion(id=id_, asked_at=_seconds_of(asked_at), lessons=taught.get(id_, ()))
                for id_, _, asked_at, _ in some
            ]

    def question_keys(self, ids: Iterable[str]) -> Mapping[str, tuple[bytes, str]]:
        """Return vectors, as float16 in bytes, and words of those of these questions that have a vector."""
        rows = _KEYS.all(self.connection, {"here": self.ns, "ids": as_json(ids), "model": self._model.id})
        return {id_: (data, tokens) for id_, data, tokens in rows}

    def _own(self) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        return vectors.c.ns == self.ns, vectors.c.model_id == self._model.id

    def _new(self, rows: Sequence[ReadRow], *, named: Sequence[str]) -> NewItems:
        packed = np.frombuffer(b"".join(row.data for row in rows), dtype=_FLOAT16)
        return NewItems(
            named=named,
            items=[item_of(row) for row in rows],
            facts=[facts_of(row) for row in rows],
            names=[read_names(row.names) for row in rows],
            tokens=[row.tokens.split() for row in rows],
            payload_ids=[row.payload_id for row in rows],
            vectors=packed.reshape(len(rows), self._model.dimension).astype(np.float16, copy=False),
        )

    def _taught(self, asked: Mapping[str, tuple[str | None, float]]) -> dict[str, Taught]:
        """Return what each of some questions teaches, given who asked it and when it was recorded."""
        these = {"here": self.ns, "ids": as_json(asked)}
        said: defaultdict[str, list[PersonalRating]] = defaultdict(list)
        for id_, who, rating, rated_at in _RATINGS.all(self.connection, these):
            said[id_].append(PersonalRating(_seconds_of(rated_at), who or None, rating == Rating.GOOD.value))
        cited: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for id_, target_id, cited_at in _CITED.all(self.connection, these) if said else ():
            cited[id_][target_id] = _seconds_of(cited_at) if cited_at else asked[id_][1]  # else since it was recorded
        entered: defaultdict[str, list[Entered]] = defaultdict(list)
        for id_, target_id, weight, entered_at in _EDGES.all(self.connection, these):
            entered[id_].append(Entered(_seconds_of(entered_at), target_id, weight))
        return {
            id_: lessons(
                principal=asked[id_][0],
                since=asked[id_][1],
                ratings=said.get(id_, ()),
                cited=cited.get(id_, {}),
                edges=entered.get(id_, ()),
            )
            for id_ in said.keys() | entered.keys()
        }


def item_of(row: ReadRow) -> Item:
    """Return where an item is, and who said it when."""
    time = moment(row.occurred_at or row.recorded_at).timestamp()
    changing = changing_of(row)
    return Item(
        id=row.episode_id,
        group=_group(row),
        position=row.position,
        time=time,
        said_at=time if row.document_id is None else 0.0,
        speaker=row.speaker,
        is_hidden=changing.is_hidden,
    )


def facts_of(row: ReadRow) -> Facts:
    """Return all else that recall knows of an item beside its words and vector."""
    happened = local_moment(row.occurred_at, row.occurred_offset_minutes)
    changing = changing_of(row)
    return Facts(
        arousal=changing.arousal,
        estimate=read_share(row.estimate),
        day=happened.toordinal() if happened else 0,
        state=row.state,
        language=row.language,
        about=None if row.about_subject is None else f"{row.about_subject}\0{row.about_attribute}",
        is_passage=row.document_id is not None,
        is_made=row.made_by is not None,
        is_question=row.document_id is None and asks(str(row.ending)),
        periods=read_days(row.periods),
        stands_until=changing.stands_until,
        valid_to=changing.valid_to,
    )


def changing_of(row: ReadRow) -> Changing:
    """Return what of that may change while the item stays."""
    return Changing(
        arousal=read_share(row.arousal),
        state=row.state,
        stands_until=_seconds(row.stands_until),
        valid_to=_seconds(row.valid_to),
    )


def _seconds(written: str | None) -> float:
    return math.inf if written is None else _seconds_of(written)


def _group(row: ReadRow) -> str | None:
    if row.document_id is not None:
        return document_group(row.document_id)
    return None if row.session is None else f"s{row.session}"


def _seconds_of(written: str) -> float:
    return moment(written).timestamp()
