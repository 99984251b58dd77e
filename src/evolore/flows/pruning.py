"""Pruning: what little speaks for and nobody used for long is taken out of sight, and may be brought back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from evolore.domain.episodes import EpisodeState
from evolore.domain.filters import Target
from evolore.ports import Change, ChangeKind, FieldChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evolore.flows.context import Context
    from evolore.ports import Receipt

_REASON = "pruned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What pruning did, or would do.

    Args:
        episode_ids: What was taken out of sight.
        event_ids: The event of each; ``undo`` brings it back.
        receipt: Of what was erased because it was pruned longer ago than the retention time; None where nothing was.
    """

    episode_ids: tuple[str, ...] = ()
    event_ids: tuple[str, ...] = ()
    receipt: Receipt | None = None


def prune(context: Context, *, limit: int, is_dry_run: bool = False) -> Pruned:
    """Take statements of low confidence that nobody used for long out of sight; erase what was so for long enough.

    Args:
        context: Where; its settings say how low, how long, and whether at all.
        limit: How many at the most.
        is_dry_run: Whether only to tell.
    """
    settings = context.maintenance_settings
    if not settings.prune_enabled or limit < 1:
        return Pruned()
    now = context.clock.now()
    unused_since = now - timedelta(days=settings.prune_unused_days)
    kept_since = now - timedelta(days=settings.prune_retention_days)
    with context.store.read(context.namespace) as reader:
        ids = reader.prunable(confidence=settings.prune_below, unused_since=unused_since, limit=limit)
        expired = reader.pruned_before(kept_since, limit=limit)
    if is_dry_run:
        return Pruned(episode_ids=ids)
    event_ids = _revoke(context, ids, at=now)
    receipt = None
    if expired:
        target = Target(item_ids=expired)
        receipt = context.store.erase(context.namespace, target, principal=context.principal)
    return Pruned(episode_ids=ids, event_ids=event_ids, receipt=receipt)


def _revoke(context: Context, ids: tuple[str, ...], *, at: datetime) -> tuple[str, ...]:
    if not ids:
        return ()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        standing = [one.id for one in writer.episodes(ids) if one.stands]
        members = writer.members(standing)
        return tuple(
            writer.apply(_change(id_, [one.id for one in members.get(id_, ())]), at=at).event_id for id_ in standing
        )


def _change(id_: str, members: Sequence[str]) -> Change:
    """Take an episode out of sight with what it stands for: else that would be lost without being told."""
    revoked = tuple(FieldChange(episode_id=one, state=EpisodeState.REVOKED) for one in (id_, *members))
    return Change(kind=ChangeKind.PRUNED, subject_id=id_, fields=revoked, reason=_REASON)
