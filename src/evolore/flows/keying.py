"""What was stated of one explicit key, in the order of time: each statement ends the one before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.domain.episodes import Edge, EdgeKind, EpisodeState
from evolore.ports import Change, ChangeKind, FieldChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evolore.flows.world import Known


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOrder:
    """What follows from the order of time.

    Args:
        changes: One for each statement that another one ends, or ends earlier than it was known.
        superseded: Those statements that did hold before, each with the one that took its place.
        ties: Statements of one moment, of which nobody can tell which came later.
    """

    changes: tuple[Change, ...] = ()
    superseded: tuple[tuple[str, str], ...] = ()
    ties: tuple[tuple[str, str], ...] = ()


def order_key(stated: Sequence[Known]) -> KeyOrder:
    """Order statements about one subject and attribute by the time they are about.

    A later one ends what came before, whoever said it; what was revoked has no say. Statements of one moment end
    what came before them, and none of them the other.

    Args:
        stated: Those that stand, in any order.
    """
    order = sorted((one for one in stated if one.state is not EpisodeState.REVOKED), key=_when)
    moments = sorted({_since(one) for one in order})
    following = dict(pairwise(moments))
    first_of = {moment: next(one for one in order if _since(one) == moment) for moment in moments}
    changes: list[Change] = []
    superseded: list[tuple[str, str]] = []
    for one in order:
        ends = following.get(_since(one))
        if ends is None:
            continue
        newer = first_of[ends]
        if one.state is EpisodeState.SUPERSEDED and one.valid_to is not None and one.valid_to <= ends:
            continue
        changes.append(_ended(one, newer, ends))
        superseded.append((one.id, newer.id))
    last = [one for one in order if _since(one) == moments[-1]] if moments else []
    ties = tuple((first.id, second.id) for first, second in pairwise(last) if first.text != second.text)
    return KeyOrder(changes=tuple(changes), superseded=tuple(superseded), ties=ties)


def _ended(one: Known, newer: Known, ends: datetime) -> Change:
    return Change(
        kind=ChangeKind.SUPERSEDED,
        subject_id=newer.id,
        fields=(FieldChange(episode_id=one.id, state=EpisodeState.SUPERSEDED, valid_to=ends),),
        added=(Edge(source_id=newer.id, target_id=one.id, kind=EdgeKind.SUPERSEDES),),
        reason="explicit_key",
    )


def _since(one: Known) -> datetime:
    return one.valid_from or one.moment


def _when(one: Known) -> tuple[datetime, str]:
    return _since(one), one.id
