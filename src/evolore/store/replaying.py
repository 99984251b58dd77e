"""What confidence and arousal would be, had one principal never taught: the effects of all others, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import and_, select

from evolore.store.change_sets import FieldDelta
from evolore.store.changes import fields_of
from evolore.store.event_kinds import EventKind
from evolore.store.history import UNDOING, naming, of_kinds
from evolore.store.selects import joined
from evolore.store.tables import episodes, vectors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from evolore.store.batch import Batch
    from evolore.store.history import Chain, Past

    Value = float | None

_CONFIDENCE, _AROUSAL = "confidence", "arousal"
_TAUGHT = frozenset((EventKind.CONFIDENCE_CHANGED.value, EventKind.AROUSAL_CHANGED.value))
_STEPS = {"selected": 0.1, "helpful": 0.15, "unhelpful": -0.1}
_LEAST_CONFIDENCE = 0.1
_RATE = 0.2
_DEFLATION = 0.9
_UNKNOWN = 0.5
_NEAR = 1e-9
_DIGITS = 6
_ROUNDING = 1e-5
"""Steps of confidence are rounded when they are made."""

_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Effect:
    """One event's effect on one field."""

    event: Past
    old: Value
    new: Value


def as_if_never(batch: Batch, principal: str | None) -> tuple[FieldDelta, ...]:
    """Give what confidence and arousal become where a principal taught, as if that had never been.

    Each other effect that was not undone is applied again in its order: a step of confidence is bounded as it was when
    it was made, resonance goes a fifth of the way towards what the use was felt as, deflation scales by 0.9. What was
    withdrawn before stays so.
    """
    own = [one for one in of_kinds(batch.connection, batch.ns, _TAUGHT) if one.principal == principal]
    wanted = {(delta.episode_id, delta.name) for one in own for delta in one.done.fields}
    if not wanted:
        return ()
    ids = {id_ for id_, _ in wanted}
    chain = naming(batch.connection, batch.ns, ids)
    voids = {**_withdrawn(batch), principal: np.inf}
    effects = _effects(chain, wanted)
    now = fields_of(batch, ids)
    estimates = _estimates(batch, {id_ for id_, name in wanted if name == _AROUSAL})
    found: list[FieldDelta] = []
    for (id_, name), made in sorted(effects.items()):
        if id_ not in now:
            continue
        new = _replayed(made, voids, chain, name=name, estimate=estimates.get(id_, _UNKNOWN))
        old = now[id_][name]
        if not _is_same(old, new):
            found.append(FieldDelta(episode_id=id_, name=name, old=old, new=new))
    return tuple(found)


def _withdrawn(batch: Batch) -> dict[str | None, float]:
    """Give until which event each principal's teaching was withdrawn before, and not given back."""
    found: dict[str | None, float] = {}
    for one in of_kinds(batch.connection, batch.ns, {EventKind.TEACHING_WITHDRAWN.value}):
        done = one.done.withdrawal
        if done is not None and naming(batch.connection, batch.ns, one.done.named).undone_by(one.id) is None:
            found[done.principal or None] = one.seq
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


def _replayed(
    effects: Iterable[_Effect], voids: Mapping[str | None, float], chain: Chain, *, name: str, estimate: float
) -> Value:
    made = list(effects)
    value = made[0].old
    for one in made:
        is_void = one.event.kind in _TAUGHT and one.event.seq < voids.get(one.event.principal, 0)
        is_moot = one.event.kind == EventKind.TEACHING_WITHDRAWN.value
        if is_void or is_moot or chain.undone_by(one.event.id) is not None:
            continue
        value = _stepped(value, one) if name == _CONFIDENCE else _felt(value, one, estimate)
    return value


def _stepped(value: Value, one: _Effect) -> Value:
    """Apply a step of confidence again; one that met a bound is as large as such steps are."""
    if value is None or one.old is None or one.new is None:
        return one.new
    step = one.new - one.old
    if one.event.kind != EventKind.CONFIDENCE_CHANGED.value:
        return min(1.0, max(0.0, value + step))
    usual = _STEPS.get(one.event.reason or "")
    is_bounded = one.new in {_LEAST_CONFIDENCE, 1.0}
    if usual is not None and (abs(step - usual) < _ROUNDING or (is_bounded and abs(step) < abs(usual))):
        step = usual
    return round(min(1.0, max(min(value, _LEAST_CONFIDENCE), value + step)), _DIGITS)


def _felt(value: Value, one: _Effect, estimate: float) -> Value:
    """Apply a change of arousal again; one of another reason than use sets it."""
    start = estimate if value is None else value
    before = estimate if one.old is None else one.old
    if one.new is None or one.event.kind != EventKind.AROUSAL_CHANGED.value:
        return one.new
    match one.event.reason:
        case "deflation":
            return None if value is None else value * _DEFLATION
        case "resonance":
            felt_as = _share(before + (one.new - before) / _RATE)
            return _share(start + _RATE * (felt_as - start))
        case "taken_back":
            felt_as = _share((before - (1.0 - _RATE) * one.new) / _RATE)
            return _share((start - _RATE * felt_as) / (1.0 - _RATE))
        case _:
            return one.new


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _estimates(batch: Batch, ids: Collection[str]) -> dict[str, float]:
    """Give how strongly episodes are taken to be felt, as the indexes say it."""
    wanted, found = sorted(ids), dict[str, float]()
    of_text = joined(episodes, vectors, and_(vectors.c.payload_id == episodes.c.payload_id))
    query = select(episodes.c.id, vectors.c.arousal).join_from(episodes, vectors, of_text)
    for start in range(0, len(wanted), _BATCH):
        here = (
            episodes.c.ns == batch.ns,
            vectors.c.model_id == batch.model_id,
            episodes.c.id.in_(wanted[start : start + _BATCH]),
        )
        rows = batch.connection.execute(query.where(*here, vectors.c.arousal.is_not(None)))
        found |= {row.id: float(np.float32(row.arousal)) for row in rows}
    return found


def _number(value: object) -> Value:
    return float(value) if isinstance(value, int | float) else None


def _is_same(old: object, new: Value) -> bool:
    if old is None or new is None:
        return old is new
    return isinstance(old, int | float) and abs(old - new) < _NEAR
