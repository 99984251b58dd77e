"""Undo exactly what an event did, or one principal taught, after what depends on it, each time by another event."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import and_, bindparam, delete, exists, literal, or_, select, update

from evolore.domain import feedback
from evolore.domain.feedback import TAKEN_BACK
from evolore.errors import InvalidValue, NotFound
from evolore.ports import ChangeKind, Reconsidered, Undone, Withdrawn
from evolore.store import leftovers
from evolore.store.edges import delete_edges, edge_rows, insert_edges
from evolore.store.event_bodies import (
    AROUSAL,
    UNDOABLE,
    ChangeSet,
    EdgeRow,
    EventKind,
    FieldDelta,
    QuestionDeltas,
    Withdrawal,
)
from evolore.store.events import Batch, OpenedToWrite
from evolore.store.evolution_erasure import answers_of, counting, erase_said, has_said, mark_said
from evolore.store.history import UNDOING, Chain, Past, find, naming, of_kinds, withdrawals
from evolore.store.question_rows import (
    Restanding,
    count_erasure,
    edges_from,
    note_entered,
    restand,
    there_of,
    touch,
    write_deltas,
)
from evolore.store.questions import NOBODY
from evolore.store.selects import joined
from evolore.store.sql import HERE, NamespaceSnapshot, Opened, Prepared, Space, among, as_json, delete_rows
from evolore.store.structure import fields_of, refuse_unheld, tell, write_fields
from evolore.store.tables import episodes, queries, query_edges, ratings, vectors
from evolore.store.tables import feedback as feedback_table

_MARK_ASKED = Prepared(
    update(queries).where(queries.c.ns == HERE, queries.c.id.in_(among("ids")), queries.c.withdrawn_by.is_(None)),
    "withdrawn_by",
)
_MARK_RATED = Prepared(
    update(ratings)
    .where(ratings.c.ns == HERE, ratings.c.query_id.in_(among("ids")), ratings.c.principal == bindparam("whose"))
    .where(ratings.c.withdrawn_by.is_(None), ratings.c.rated_at <= bindparam("until")),
    "withdrawn_by",
)
_FREE = tuple(
    Prepared(update(of).where(of.c.ns == HERE, of.c.withdrawn_by == bindparam("mark")).values(withdrawn_by=None))
    for of in (queries, ratings, feedback_table)
)


def left_of(batch: Batch, back: ChangeSet, episode_ids: Collection[str]) -> ChangeSet:
    """Return what of a change is left to be done where episodes and questions are gone.

    Raises:
        NotFound: It was about questions alone, and all of them are.
    """
    edges = (*back.added, *back.removed)
    asked = there_of(batch.connection, batch.ns, {edge.source_id for edge in edges if edge.starts_at_question})
    there = asked.union(episode_ids)
    left = replace(
        back,
        fields=tuple(one for one in back.fields if one.episode_id in episode_ids),
        added=tuple(edge for edge in back.added if {edge.source_id, edge.target_id} <= there),
        removed=tuple(edge for edge in back.removed if {edge.source_id, edge.target_id} <= there),
    )
    if edges and not (left.fields or left.added or left.removed or left.withdrawal):
        raise NotFound("The event cannot be undone: the questions it was about were erased since, for good.")
    return left


def follow(batch: Batch, back: ChangeSet, target: Past, event_id: str) -> QuestionDeltas:
    """Update what is not in the graph after an undoing: ratings, outcomes, what waits, and open indexes.

    Returns:
        What it did to questions beside the graph, so that it can be undone in turn.
    """
    written = write_deltas(batch, back.deltas)
    settled = {(one.query_id, one.target_id) for one in written.handed}
    others = [edge for edge in back.added if (edge.source_id, edge.target_id) not in settled]
    entered = note_entered(batch, others, event_id)
    changed = {edge.source_id for edge in (*back.added, *back.removed) if edge.starts_at_question}
    if (withdrawal := back.withdrawal) is not None:
        if withdrawal.is_back:
            free(batch, target.id)
        else:
            mark(batch, withdrawal, event_id, until=target.recorded_at)
        changed.update(withdrawal.asked, withdrawal.rated)
    touch(batch, changed.union(written.questions))
    return replace(written, handed=(*written.handed, *entered))


def mark(batch: Batch, withdrawal: Withdrawal, event_id: str, *, until: str) -> None:
    """Mark what a principal taught up to a moment as withdrawn, so that it counts no longer."""
    known = {"here": batch.ns, "withdrawn_by": event_id}
    _MARK_ASKED.run(batch.connection, {**known, "ids": as_json(withdrawal.asked)})
    rated = {**known, "ids": as_json(withdrawal.rated), "whose": withdrawal.principal, "until": until}
    _MARK_RATED.run(batch.connection, rated)
    mark_said(batch, withdrawal.feedback, event_id)


def free(batch: Batch, event_id: str) -> None:
    """Restore what an event withdrew, so that it counts again."""
    for statement in _FREE:
        statement.run(batch.connection, {"here": batch.ns, "mark": event_id})


_SHOWN = 5


def _dependants(batch: Batch, target: Past) -> tuple[Past, ...]:
    """Return the later events in effect that wrote what one wrote or name what it made, and theirs; oldest first."""
    found: dict[str, Past] = {}
    waiting = [target]
    while waiting:
        one = waiting.pop()
        chain = naming(batch.connection, batch.ns, one.done.named, from_seq=target.seq)
        for later in chain.behind(one.seq):
            if later.id not in found and _depends(later.done, one.done) and not _is_void(batch, later.done):
                found[later.id] = later
                waiting.append(later)
    return tuple(sorted(found.values(), key=lambda one: one.seq))


def _depends(later: ChangeSet, earlier: ChangeSet) -> bool:
    # What was taken in and then held by a later merge too would be visible beside it, were only the first undone.
    return bool(later.touched & earlier.touched or later.ids & earlier.brought or (later.held & earlier.moved))


def _is_void(batch: Batch, done: ChangeSet) -> bool:
    """Return whether what an event made was erased, and with it all it had written of what is left."""
    there = fields_of(batch, done.ids)
    if not done.made or done.made_ids & set(there):
        return False
    return all(there[one.episode_id][one.name] != one.new for one in done.fields if one.episode_id in there)


def _in_the_way(target: Past, dependants: Sequence[Past]) -> InvalidValue:
    named = ", ".join(f"{one.id} ({one.kind})" for one in reversed(dependants[-_SHOWN:]))
    more = f" and {len(dependants) - _SHOWN:,} more" if len(dependants) > _SHOWN else ""
    return InvalidValue(
        f"The event {target.id!r} cannot be undone: {named}{more} changed the same items later, or what it made. Undo "
        "those first, the last one first, or all of them with cascade."
    )


def _refuse_erased(batch: Batch, target: Past) -> None:
    """Refuse to undo what was forgotten since; of arousals only where nothing is left."""
    ids = target.done.ids
    missing = sorted(ids - set(fields_of(batch, ids)))
    if target.kind in AROUSAL and len(missing) == len(ids):
        raise NotFound(
            f"Nothing whose arousal the event {target.id!r} changed is there any more: there is no undoing it."
        )
    if target.done.withdrawal is not None:
        if target.done.withdrawal.is_erased:
            raise NotFound(f"The event {target.id!r} cannot be undone: what it took back was erased, for good.")
    elif missing and target.kind not in AROUSAL:
        raise NotFound(f"The event {target.id!r} cannot be undone: {missing[0]} was erased since, for good.")


def _take_back(batch: Batch, target: Past) -> str:
    """Write the values that were before, and the event that says so."""
    _refuse_erased(batch, target)
    there = fields_of(batch, target.done.ids)
    back = left_of(batch, target.done.inverse, frozenset(there))
    fields = back.fields
    changed = sorted({one.episode_id for one in fields if there[one.episode_id][one.name] != one.old})
    if changed:
        raise InvalidValue(
            f"The event {target.id!r} cannot be undone: {', '.join(changed[:_SHOWN])} is no longer as it left it, by a "
            "newer version of a document or because something else was forgotten."
        )
    write_fields(batch, fields)
    if target.kind in AROUSAL:
        return tell(batch, EventKind.AROUSAL_RESTORED, fields, {"undoes": target.id})
    delete_edges(batch, back.removed)
    restored = edge_rows(batch, {edge.key for edge in back.added})
    insert_edges(batch, [edge for edge in back.added if edge.key not in restored])
    refuse_unheld(batch, back)
    event_id = batch.new_id()
    back = replace(back, deltas=follow(batch, back, target, event_id))
    batch.append_event(event_id, EventKind.UNDONE, target.subject_id, {"undoes": target.id, **back.body()})
    return event_id


if TYPE_CHECKING:
    Value = float | None

_CONFIDENCE, _AROUSAL = "confidence", "arousal"
TAUGHT = frozenset((ChangeKind.CONFIDENCE_CHANGED.value, EventKind.AROUSAL_CHANGED.value))
"""The kinds of events by which ratings and uses moved something."""

_STEPS = {effect.value: effect.step for effect in feedback.Effect}
_NEAR = 1e-9
_ROUNDING = 1e-5
"""Steps of confidence are rounded when they are made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Effect:
    """One event's effect on one field."""

    event: Past
    old: Value
    new: Value


def as_if_never(place: Space, principal: str | None) -> tuple[FieldDelta, ...]:
    """Return what confidence and arousal become where a principal taught, as if that had never been.

    Each other effect that was not undone or taken back is applied again in its order: a step of confidence is bounded
    again, resonance goes a fifth of the way towards what the use was felt as, deflation by 0.9. What was withdrawn
    before stays so.
    """
    own = [one for one in of_kinds(place.connection, place.ns, TAUGHT) if one.principal == principal]
    wanted = {(delta.episode_id, delta.name) for one in own for delta in one.done.fields}
    found = _replay(place, wanted, voids={principal: np.inf})
    return tuple(one for one in found if not _is_same(one.old, _number(one.new)))


def as_if_not(place: Space, event: Past) -> tuple[FieldDelta, ...]:
    """Return what the fields that an event wrote become, as if it had never been; also those that stay as they are."""
    return _replay(place, {(one.episode_id, one.name) for one in event.done.fields}, but=event.id)


def _replay(
    place: Space,
    wanted: Collection[tuple[str, str]],
    *,
    voids: Mapping[str | None, float] | None = None,
    but: str | None = None,
) -> tuple[FieldDelta, ...]:
    """Return what fields of episodes become by all that counts, in its order; ``voids``: whose teaching no longer does, up to which event."""
    if not wanted:
        return ()
    ids = {id_ for id_, _ in wanted}
    chain = naming(place.connection, place.ns, ids)
    void = _void(chain, {**_withdrawn(place), **(voids or {})}, but)
    effects = _effects(chain, wanted)
    now = fields_of(place, ids)
    estimates = _estimates(place, {id_ for id_, name in wanted if name == _AROUSAL})
    found: list[FieldDelta] = []
    for (id_, name), made in sorted(effects.items()):
        if id_ in now:
            left = [one for one in made if one.event.id not in void]
            new = _replayed(made[0].old, left, name=name, estimate=estimates.get(id_, feedback.UNKNOWN_AROUSAL))
            found.append(FieldDelta(episode_id=id_, name=name, old=now[id_][name], new=new))
    return tuple(found)


def _void(chain: Chain, voids: Mapping[str | None, float], but: str | None) -> frozenset[str]:
    """Return the events that count no longer: undone, withdrawn or taken back, and those by which that was done."""
    found = {id_ for id_ in chain.events if chain.undone_by(id_) is not None}
    for one in chain.events.values():
        is_withdrawn = one.kind in TAUGHT and one.seq < voids.get(one.principal, 0)
        if is_withdrawn or one.kind == EventKind.TEACHING_WITHDRAWN.value:
            found.add(one.id)
    back = {one.id: one.takes_back for one in chain.events.values() if one.takes_back and one.id not in found}
    return frozenset(found.union(back, back.values(), () if but is None else (but,)))


def _withdrawn(place: Space) -> dict[str | None, float]:
    """Return until which event each principal's teaching was withdrawn before, and not given back."""
    chain = withdrawals(place.connection, place.ns)
    found: dict[str | None, float] = {}
    for one in chain.events.values():
        is_one = one.kind == EventKind.TEACHING_WITHDRAWN.value and chain.undone_by(one.id) is None
        if is_one and one.done.withdrawal is not None:
            found[one.done.withdrawal.principal or None] = one.seq
    return found


def _effects(chain: Chain, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], list[_Effect]]:
    found: dict[tuple[str, str], list[_Effect]] = {}
    for event in chain.events.values():
        if event.kind in UNDOING:
            continue
        for one in event.done.fields:
            if (one.episode_id, one.name) in wanted:
                effect = _Effect(event=event, old=_number(one.old), new=_number(one.new))
                found.setdefault((one.episode_id, one.name), []).append(effect)
    return found


def _replayed(value: Value, effects: Iterable[_Effect], *, name: str, estimate: float) -> Value:
    for one in effects:
        value = _stepped(value, one) if name == _CONFIDENCE else _felt(value, one, estimate)
    return value


def _stepped(value: Value, one: _Effect) -> Value:
    """Apply a step of confidence again; one that met a bound is as large as such steps are."""
    if value is None or one.old is None or one.new is None:
        return one.new
    step = one.new - one.old
    if one.event.kind != ChangeKind.CONFIDENCE_CHANGED.value:
        return min(1.0, max(0.0, value + step))
    usual = _STEPS.get(one.event.reason or "")
    is_bounded = not feedback.LEAST_CONFIDENCE < one.new < feedback.MOST_CONFIDENCE
    if usual is not None and (abs(step - usual) < _ROUNDING or (is_bounded and abs(step) < abs(usual))):
        step = usual
    return feedback.stepped(value, step)


def _felt(value: Value, one: _Effect, estimate: float) -> Value:
    """Apply a change of arousal again; one of another reason than use sets it."""
    start = estimate if value is None else value
    before = estimate if one.old is None else one.old
    if one.new is None or one.event.kind != EventKind.AROUSAL_CHANGED.value:
        return one.new
    match one.event.reason:
        case feedback.DEFLATION:
            return None if value is None else value * feedback.DEFLATION_FACTOR
        case feedback.RESONANCE:
            felt_as = _share(before + (one.new - before) / feedback.RESONANCE_RATE)
            return _share(start + feedback.RESONANCE_RATE * (felt_as - start))
        case _:
            return one.new


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _estimates(place: Space, ids: Collection[str]) -> dict[str, float]:
    """Return how strongly episodes are taken to be felt, as the indexes say it."""
    of_text = joined(episodes, vectors, and_(vectors.c.payload_id == episodes.c.payload_id))
    query = select(episodes.c.id, vectors.c.arousal).join_from(episodes, vectors, of_text)
    here = (episodes.c.ns == place.ns, vectors.c.model_id == place.model_id, episodes.c.id.in_(among("ids")))
    estimated = query.where(*here, vectors.c.arousal.is_not(None))
    rows = place.connection.execute(estimated, {"ids": as_json(sorted(ids))}) if ids else ()
    return {row.id: float(np.float32(row.arousal)) for row in rows}


def _number(value: object) -> Value:
    return float(value) if isinstance(value, int | float) else None


def _is_same(old: object, new: Value) -> bool:
    return old is new if old is None or new is None else isinstance(old, int | float) and abs(old - new) < _NEAR


class UndoWriter(OpenedToWrite):
    """Undoing in one namespace, inside a write transaction."""

    def take_back(self, event_id: str, *, at: datetime) -> str | None:
        """Revert what one event did to confidence or arousal: they become what they would be without it.

        Unlike ``undo`` it goes also where later events rest on it: their steps are taken again, in their order.

        Returns:
            The event that says so; None where nothing is left of what it moved.
        """
        batch = self._batch(at)
        event = find(batch.connection, batch.ns, event_id)
        fields = as_if_not(batch, event) if event is not None and event.kind in TAUGHT else ()
        if event is None or not fields:
            return None
        why = {"reason": TAKEN_BACK, "takes_back": event.id}
        write_fields(batch, fields)
        if event.kind == EventKind.AROUSAL_CHANGED.value:
            return tell(batch, EventKind.AROUSAL_CHANGED, fields, why)
        new_id = batch.new_id()
        batch.append_event(
            new_id, ChangeKind.CONFIDENCE_CHANGED, event.subject_id, {**why, **ChangeSet(fields=fields).body()}
        )
        return new_id

    def undo(self, event_id: str, *, cascade: bool = False, at: datetime) -> Undone:
        """Undo what an event of a change of structure or of arousal did, exactly; that is an event too.

        What it made is revoked and stays; undoing that event brings it back with the same ids and bytes. Of a change of
        arousal, what was forgotten since is left out.

        Args:
            event_id: The event, by its whole id.
            cascade: Whether to undo first all that depends on it: later events in effect that wrote a field or an edge
                that it wrote, or name an episode that it made, and what depends on those. Newest first.
            at: When.

        Raises:
            NotFound: No event that can be undone has the id, or something that it changed was erased.
            InvalidValue: It was undone already; or something depends on it, and the message names those events; or what
                it wrote is no longer as it left it.
        """
        batch = self._batch(at)
        target = find(batch.connection, batch.ns, event_id)
        if target is None or target.kind not in UNDOABLE:
            what = f"; the event says: {target.kind.replace('_', ' ')}" if target is not None else ""
            raise NotFound(
                f"No change that can be undone has the id {event_id!r} here{what}. `evolore history` shows what can be, and "
                "`evolore forget` takes out what was remembered or added."
            )
        undoing = naming(batch.connection, batch.ns, target.done.named, from_seq=target.seq).undone_by(target.id)
        if undoing is not None:
            raise InvalidValue(
                f"The event {event_id!r} cannot be undone: {undoing} undid it already. Undo that one to do it again."
            )
        _refuse_erased(batch, target)
        dependants = _dependants(batch, target)
        if dependants and not cascade:
            raise _in_the_way(target, dependants)
        newest_first = (*reversed(dependants), target)
        return Undone(
            undone_ids=tuple(one.id for one in newest_first),
            event_ids=tuple(_take_back(batch, one) for one in newest_first),
        )


_WHOSE = or_(
    queries.c.principal == bindparam("whose"), queries.c.principal.is_(None) & (bindparam("whose") == literal(NOBODY))
)
_HAS_EDGE = exists(
    select(literal(1))
    .where(query_edges.c.ns == queries.c.ns, query_edges.c.query_id == queries.c.id, query_edges.c.kind.is_not(None))
    .correlate(queries)
)
_HAS_RATING = exists(
    select(literal(1))
    .where(ratings.c.ns == queries.c.ns, ratings.c.query_id == queries.c.id, ratings.c.withdrawn_by.is_(None))
    .correlate(queries)
)
_ASKED = Prepared(
    select(queries.c.id, _HAS_EDGE.label("has_edge"), _HAS_RATING.label("has_rating"), queries.c.withdrawn_by)
    .where(queries.c.ns == HERE, _WHOSE)
    .order_by(queries.c.id)
)
_RATED = Prepared(
    select(ratings.c.query_id)
    .where(ratings.c.ns == HERE, ratings.c.principal == bindparam("whose"), ratings.c.withdrawn_by.is_(None))
    .order_by(ratings.c.query_id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AskedUndo:
    ids: tuple[str, ...]
    teaching: tuple[str, ...]
    rated: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _UndoPlan:
    """What is taken back."""

    asked: _AskedUndo  #: The principal's own questions.
    rated: tuple[str, ...]  #: The questions that the principal rated.
    own: tuple[EdgeRow, ...]  #: The edges of own questions, which leave the graph.
    others: Restanding  #: What becomes of the others' questions.
    fields: tuple[FieldDelta, ...]  #: What becomes of confidence and arousal.
    said: tuple[str, ...]  #: The feedback that counts no longer.
    has_taught: bool  #: Whether there is anything to take back.
    answers: int = 0  #: How many answers are erased.

    def told(self, event_id: str | None) -> Withdrawn:
        """Return what it takes back."""
        return Withdrawn(
            event_id=event_id,
            queries=len(self.asked.rated.union(edge.source_id for edge in self.own)),
            edges=len(self.own) + len(self.others.removed),
            ratings=len(self.rated),
            episodes=len({one.episode_id for one in self.fields}),
            has_taught=self.has_taught,
            feedback=len(self.said),
            answers=self.answers,
        )


class UndoReader(Opened):
    """What undoing would do in one namespace at one moment."""

    def foresee_withdrawal(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool
    ) -> Withdrawn:
        """Return what would be taken back, were all that one principal taught withdrawn; nothing is written."""
        place = NamespaceSnapshot(connection=self._connection, ns=self._ns, model_id=self._model.id)
        return _plan(place, principal, anew, erase=erase, event_id="", recorded_at="").told(None)


def withdraw(batch: Batch, principal: str | None, anew: Collection[Reconsidered], *, erase: bool) -> Withdrawn:
    """Withdraw everything a principal taught, as one event; with ``erase`` delete the questions and comments too."""
    whose = principal or NOBODY
    event_id = batch.new_id()
    plan = _plan(batch, principal, anew, erase=erase, event_id=event_id, recorded_at=batch.recorded_at)
    if not plan.has_taught:
        return plan.told(None)
    kept = Withdrawal(principal=whose, asked=plan.asked.teaching, rated=plan.rated, feedback=plan.said)
    done = ChangeSet(
        fields=plan.fields,
        added=plan.others.added,
        removed=(*plan.own, *plan.others.removed),
        withdrawal=Withdrawal(principal=whose, is_erased=True) if erase else kept,
        deltas=plan.others.deltas,
    )
    delete_edges(batch, done.removed)
    insert_edges(batch, done.added)
    write_fields(batch, done.fields)
    write_deltas(batch, done.deltas)
    touched = done.deltas.questions
    if erase:
        _erase(batch, whose, plan.asked.ids, event_id)
    else:
        mark(batch, kept, event_id, until=batch.recorded_at)
        touched = touched.union(plan.asked.teaching, plan.rated)
    touch(batch, touched)
    batch.append_event(event_id, EventKind.TEACHING_WITHDRAWN, "", done.body())
    return plan.told(event_id)


def _plan(
    place: Space, principal: str | None, anew: Collection[Reconsidered], *, erase: bool, event_id: str, recorded_at: str
) -> _UndoPlan:
    whose = principal or NOBODY
    asked = _asked(place, whose)
    rated = tuple(id_ for (id_,) in _RATED.all(place.connection, {"here": place.ns, "whose": whose}))
    own, fields = edges_from(place, asked.ids), as_if_never(place, principal)
    said = counting(place, whose)
    return _UndoPlan(
        asked=asked,
        rated=rated,
        own=own,
        others=restand(place, anew, event_id=event_id, recorded_at=recorded_at),
        fields=fields,
        said=said,
        has_taught=bool(
            own or rated or said or fields or asked.teaching or (erase and _holds_any(place, whose, asked))
        ),
        answers=len(answers_of(place, whose, asked.ids)) if erase else 0,
    )


def _asked(place: Space, whose: str) -> _AskedUndo:
    rows: list[tuple[Any, ...]] = _ASKED.all(place.connection, {"here": place.ns, "whose": whose})
    return _AskedUndo(
        ids=tuple(row[0] for row in rows),
        teaching=tuple(row[0] for row in rows if row[1] and row[3] is None),
        rated=frozenset(row[0] for row in rows if row[2]),
    )


def _holds_any(place: Space, whose: str, asked: _AskedUndo) -> bool:
    here = (ratings.c.ns == place.ns, ratings.c.principal == whose)
    if asked.ids or has_said(place, whose):
        return True
    return place.connection.execute(select(ratings.c.ns).where(*here).limit(1)).first() is not None


def _erase(batch: Batch, whose: str, ids: Sequence[str], event_id: str) -> None:
    """Delete questions with all that hangs on them, and what the principal said of other questions."""
    delete_rows(batch, queries, ids)
    batch.connection.execute(delete(ratings).where(ratings.c.ns == batch.ns, ratings.c.principal == whose))
    erase_said(batch, whose, ids, event_id)
    count_erasure(batch.connection, batch.ns)
    leftovers.note(batch.connection, batch.ns, event_id)
    leftovers.empty_replies(batch.connection)
