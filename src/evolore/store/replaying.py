"""What confidence and arousal would be, had one principal never taught: the effects of all others, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import and_, select

from evolore.domain import steps
from evolore.store.change_sets import FieldDelta
from evolore.store.changes import fields_of
from evolore.store.event_kinds import EventKind
from evolore.store.history import UNDOING, naming, of_kinds, withdrawals
from evolore.store.selects import joined
from evolore.store.tables import episodes, vectors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from evolore.store.history import Chain, Past
    from evolore.store.place import Place

    Value = float | None

_CONFIDENCE, _AROUSAL = "confidence", "arousal"
TAUGHT = frozenset((EventKind.CONFIDENCE_CHANGED.value, EventKind.AROUSAL_CHANGED.value))
"""The kinds of events by which ratings and uses moved something."""

_STEPS = {effect.value: effect.step for effect in steps.Effect}
_NEAR = 1e-9
_ROUNDING = 1e-5
"""Steps of confidence are rounded when they are made."""

_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Effect:
    """One event's effect on one field."""

    event: Past
    old: Value
    new: Value


def as_if_never(place: Place, principal: str | None) -> tuple[FieldDelta, ...]:
    """Give what confidence and arousal become where a principal taught, as if that had never been.

    Each other effect that was not undone or taken back is applied again in its order: a step of confidence is bounded
    anew, resonance goes a fifth of the way towards what the use was felt as, deflation scales by 0.9. What was withdrawn
    before stays so.
    """
    own = [one for one in of_kinds(place.connection, place.ns, TAUGHT) if one.principal == principal]
    wanted = {(delta.episode_id, delta.name) for one in own for delta in one.done.fields}
    found = _replay(place, wanted, voids={principal: np.inf})
    return tuple(one for one in found if not _is_same(one.old, _number(one.new)))


def as_if_not(place: Place, event: Past) -> tuple[FieldDelta, ...]:
    """Give what the fields that an event wrote become, as if it had never been; also those that stay as they are."""
    return _replay(place, {(one.episode_id, one.name) for one in event.done.fields}, but=event.id)


def _replay(
    place: Place,
    wanted: Collection[tuple[str, str]],
    *,
    voids: Mapping[str | None, float] | None = None,
    but: str | None = None,
) -> tuple[FieldDelta, ...]:
    """Give what fields become by all that counts, in its order.

    Args:
        place: Where.
        wanted: The fields: each an episode and a name.
        voids: Whose teaching counts no longer, each up to an event's number.
        but: An event that does not count.
    """
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
            new = _replayed(made[0].old, left, name=name, estimate=estimates.get(id_, steps.UNKNOWN_AROUSAL))
            found.append(FieldDelta(episode_id=id_, name=name, old=now[id_][name], new=new))
    return tuple(found)


def _void(chain: Chain, voids: Mapping[str | None, float], but: str | None) -> frozenset[str]:
    """Give the events that count no longer: undone, withdrawn or taken back, and those by which that was done."""
    found = {id_ for id_ in chain.events if chain.undone_by(id_) is not None}
    for one in chain.events.values():
        is_withdrawn = one.kind in TAUGHT and one.seq < voids.get(one.principal, 0)
        if is_withdrawn or one.kind == EventKind.TEACHING_WITHDRAWN.value:
            found.add(one.id)
    back = {one.id: one.takes_back for one in chain.events.values() if one.takes_back and one.id not in found}
    return frozenset(found.union(back, back.values(), () if but is None else (but,)))


def _withdrawn(place: Place) -> dict[str | None, float]:
    """Give until which event each principal's teaching was withdrawn before, and not given back."""
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
    if one.event.kind != EventKind.CONFIDENCE_CHANGED.value:
        return min(1.0, max(0.0, value + step))
    usual = _STEPS.get(one.event.reason or "")
    is_bounded = not steps.LEAST_CONFIDENCE < one.new < steps.MOST_CONFIDENCE
    if usual is not None and (abs(step - usual) < _ROUNDING or (is_bounded and abs(step) < abs(usual))):
        step = usual
    return steps.stepped(value, step)


def _felt(value: Value, one: _Effect, estimate: float) -> Value:
    """Apply a change of arousal again; one of another reason than use sets it."""
    start = estimate if value is None else value
    before = estimate if one.old is None else one.old
    if one.new is None or one.event.kind != EventKind.AROUSAL_CHANGED.value:
        return one.new
    match one.event.reason:
        case steps.DEFLATION:
            return None if value is None else value * steps.DEFLATION_FACTOR
        case steps.RESONANCE:
            felt_as = _share(before + (one.new - before) / steps.RESONANCE_RATE)
            return _share(start + steps.RESONANCE_RATE * (felt_as - start))
        case _:
            return one.new


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _estimates(place: Place, ids: Collection[str]) -> dict[str, float]:
    """Give how strongly episodes are taken to be felt, as the indexes say it."""
    wanted, found = sorted(ids), dict[str, float]()
    of_text = joined(episodes, vectors, and_(vectors.c.payload_id == episodes.c.payload_id))
    query = select(episodes.c.id, vectors.c.arousal).join_from(episodes, vectors, of_text)
    for start in range(0, len(wanted), _BATCH):
        here = (
            episodes.c.ns == place.ns,
            vectors.c.model_id == place.model_id,
            episodes.c.id.in_(wanted[start : start + _BATCH]),
        )
        rows = place.connection.execute(query.where(*here, vectors.c.arousal.is_not(None)))
        found |= {row.id: float(np.float32(row.arousal)) for row in rows}
    return found


def _number(value: object) -> Value:
    return float(value) if isinstance(value, int | float) else None


def _is_same(old: object, new: Value) -> bool:
    if old is None or new is None:
        return old is new
    return isinstance(old, int | float) and abs(old - new) < _NEAR
