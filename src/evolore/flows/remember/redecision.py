"""Decide again, by today's rules, what a rule of an earlier version superseded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolore.domain.episode import Deed, Edge, EdgeKind, EpisodeState
from evolore.episodes.settings import Conclude
from evolore.episodes.updates import Update, keyed_update, quoted
from evolore.flows.context import Context
from evolore.flows.remember.plan import Action, Steps, may_replace, worded_update
from evolore.flows.remember.similarity import Likeness
from evolore.flows.remember.world import Known, World, read_again
from evolore.ports import Change, ChangeKind, FieldChange
from evolore.store.reading import StoreReader

_ENDS = frozenset((EdgeKind.SUPERSEDES,))
_REASON = "decided_again"
_FAR = -1.0


def decide_again(context: Context, world: World, ids: Sequence[str]) -> Steps:
    """Plan what becomes of statements that a rule superseded: they stay so where today's rules are sure, else are active again.

    What took the place of one, or represents that now, likely replaces it where today's rules say so.
    """
    found = [_decided(context, world, one) for one in world.some(ids).values()]
    return Steps(changes=tuple(change for change, _ in found), actions=tuple(action for _, action in found))


def _decided(context: Context, world: World, older: Known) -> tuple[Change, Action]:
    reader = world.reader
    assert reader is not None
    edges = [edge for edge in world.edges([older.id], kinds=_ENDS) if edge.target_id == older.id]
    newer = sorted(world.some(edge.source_id for edge in edges).values(), key=lambda one: one.id)
    found = [(one, update) for one in newer if (update := _update(context, world, reader, older, one)) is not None]
    by, update = min(found, key=lambda one: not one[1].is_sure, default=(newer[0] if newer else None, None))
    ids = (older.id,) if by is None else (older.id, by.id)
    if update is not None and update.is_sure:
        kept = Change(kind=ChangeKind.SUPERSEDED, subject_id=older.id, reason=_REASON)
        return kept, Action(deed=Deed.SUPERSEDED, episode_ids=ids, reason=f"it stays so; {update.reason}")
    likely = () if by is None or update is None else reader.standing_for([by.id])[by.id][:1]
    change = Change(
        kind=ChangeKind.RESTORED,
        subject_id=older.id,
        fields=(FieldChange(episode_id=older.id, state=EpisodeState.ACTIVE, valid_to=None),),
        added=tuple(Edge(source_id=id_, target_id=older.id, kind=EdgeKind.LIKELY_SUPERSEDES) for id_ in likely),
        removed=tuple(edges),
        reason=_REASON,
    )
    if update is not None and likely:
        why = f"it is active again; {update.reason}"
        return change, Action(deed=Deed.LIKELY_SUPERSEDED, episode_ids=(older.id, *likely), reason=why)
    why = "nothing is left of that" if by is None else f"not by today's rules; {quoted(older.text, by.text)}"
    return change, Action(deed=Deed.RESTORED, episode_ids=ids, reason=why)


def _update(context: Context, world: World, reader: StoreReader, older: Known, newer: Known) -> Update | None:
    """Return what today's rules say of two statements; what is likely is so of the nearest alone.

    What was superseded itself counts among the near, so that no order of deciding matters.
    """
    update = keyed_update(*([read_again(fact, one) for fact in reader.facts_of([one.id])] for one in (older, newer)))
    if update is not None or context.settings.integration.conclude is not Conclude.SURE:
        return update
    near = Likeness(context, world).near(newer)
    cosine = next((like.cosine for like in near if like.known.id == older.id), _FAR)
    update = worded_update(world, older, newer, likeness=cosine)
    if update is None or update.is_sure:
        return update
    copies = reader.standing_for([newer.id])[newer.id]
    rivals = (like.known for like in near if like.known.id not in copies and like.known.moment <= newer.moment)
    nearest = (one.id for one in rivals if may_replace(newer, replace(one, state=EpisodeState.ACTIVE)))
    return update if next(nearest, None) == older.id else None
