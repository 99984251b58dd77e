"""Change arousal by use, within bounds; both the change and the bounding can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evolore.domain.checks import check_share
from evolore.domain.episode import Episode
from evolore.domain.feedback import DEFLATION, RESONANCE, UNKNOWN_AROUSAL
from evolore.domain.result import Result
from evolore.errors import InvalidValue, NotFound
from evolore.flows.browse import resolve
from evolore.flows.context import Context
from evolore.ports import IndexView
from evolore.recall.arousal import deflate, is_inflated, resonate
from evolore.recall.visibility import standing
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter

_ROUNDING = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Resonated(Result):
    """What a use did to the arousal of what was used, and of all."""

    episodes: tuple[Episode, ...]  #: What was used, as it is now, in the order given.
    event_id: str | None  #: The event that moved it, which ``undo`` takes back; None where nothing moved.
    deflated: int = 0  #: How many episodes were scaled down because the mean was above 0.6.
    deflation_id: str | None = None  #: The event that did so, which is to be undone first; None where none was needed.


def resonate_with(context: Context, ids: Iterable[str], *, arousal: float) -> Resonated:
    """Move the arousal of episodes that were used towards how strongly the use was felt.

    One without a stated arousal starts from its estimate, or from 0.5. If then the mean of all arousals that were
    stated, or moved by use, is above 0.6, all of them are scaled by 0.9; estimates are left, since use does not swell
    them.
    """
    check_share(arousal=arousal)
    with context.store.index(context.namespace) as (view, reader):
        wanted = _named(reader, ids)
        estimates = _estimates(view, wanted)
        stated = {view.episode_ids[place]: float(view.arousal[place]) for place in _stated(view)}
    with context.store.write(context.namespace, principal=context.principal) as writer:
        changes = {
            one.id: resonate(estimates.get(one.id, UNKNOWN_AROUSAL) if one.arousal is None else one.arousal, arousal)
            for one in _present(writer, wanted)
        }
        at = context.clock.now()
        event_id = writer.set_arousal(changes, at=at, reason=RESONANCE)
        smaller = _deflated(writer, {**stated, **changes})
        deflation_id = writer.set_arousal(smaller, at=at, reason=DEFLATION) if smaller else None
        episodes = writer.episodes(wanted)
    return Resonated(episodes=episodes, event_id=event_id, deflated=len(smaller), deflation_id=deflation_id)


def _named(reader: StoreReader, ids: Iterable[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(resolve(reader, id_) for id_ in ids))
    if not wanted:
        raise InvalidValue("No episode is named: pass the ids of what was used.")
    _present(reader, wanted)
    return wanted


def _present(reader: StoreReader, wanted: Sequence[str]) -> tuple[Episode, ...]:
    found = reader.episodes(wanted)
    missing = sorted(set(wanted) - {one.id for one in found})
    if missing:
        raise NotFound(f"{missing[0]!r} is no statement or passage here: pass the ids that `evolore recall` shows.")
    return found


def _estimates(view: IndexView, wanted: Sequence[str]) -> Mapping[str, float]:
    """Return what is estimated of those episodes without a stated arousal."""
    few = frozenset(wanted)
    places = [place for place, id_ in enumerate(view.episode_ids) if id_ in few]
    values = {view.episode_ids[place]: float(view.arousal[place]) for place in places}
    return {id_: value for id_, value in values.items() if not np.isnan(value)}


def _stated(view: IndexView) -> list[int]:
    stand = standing(view)
    return np.flatnonzero(view.is_arousal_given if stand is None else view.is_arousal_given & stand).tolist()


def _deflated(writer: StoreWriter, roughly: Mapping[str, float]) -> dict[str, float]:
    """Return what all stated arousals are scaled to; nothing where their mean, by the rounded ones too, is not above 0.6."""
    if not is_inflated(np.array(list(roughly.values())) + _ROUNDING):
        return {}
    found = {id_: felt for id_, felt in writer.arousals(roughly).items() if felt is not None}
    exactly = np.array(list(found.values()))
    return dict(zip(found, deflate(exactly).tolist(), strict=True)) if is_inflated(exactly) else {}
