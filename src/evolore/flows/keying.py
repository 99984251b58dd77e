"""What was stated of one explicit key, in the order of time: each statement ends the one before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.domain.episodes import Edge, EdgeKind, EpisodeState
from evolore.episodes.keys import KeyedStatement, states_of_key
from evolore.ports import Change, ChangeKind, FieldChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.episodes.keys import KeyedState
    from evolore.flows.known import Known


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOrder:
    """What follows from the order of time.

    Args:
        superseded: Each statement that another one ends now, or earlier than it was known, with the change that says so.
        ties: Statements of one moment that say different things: nobody can tell which came later.
    """

    superseded: tuple[tuple[str, str, Change], ...] = ()
    ties: tuple[tuple[str, str], ...] = ()


def order_key(stated: Sequence[Known]) -> KeyOrder:
    """Order statements about one subject and attribute by the time from which they hold.

    Args:
        stated: Those that stand, in any order; what was revoked has no say.
    """
    known = {one.id: one for one in stated if one.state is not EpisodeState.REVOKED}
    states = states_of_key(
        KeyedStatement(id=one.id, text=one.text, at=one.valid_from or one.moment, is_dated=one.valid_from is not None)
        for one in known.values()
    )
    ended = [
        (state.id, state.superseded_by, _ended(state, state.superseded_by))
        for state in states
        if state.superseded_by is not None and _is_news(known[state.id], state)
    ]
    tied = [state.id for state in states if state.state is EpisodeState.CONFLICT_PENDING]
    return KeyOrder(superseded=tuple(ended), ties=tuple(pairwise(tied)))


def _is_news(one: Known, state: KeyedState) -> bool:
    """Tell whether it is not known yet that something ends a statement, or that it does so early."""
    if one.state is not EpisodeState.SUPERSEDED or one.valid_to is None or state.valid_to is None:
        return True
    return state.valid_to < one.valid_to


def _ended(state: KeyedState, newer: str) -> Change:
    return Change(
        kind=ChangeKind.SUPERSEDED,
        subject_id=state.id,
        fields=(FieldChange(episode_id=state.id, state=EpisodeState.SUPERSEDED, valid_to=state.valid_to),),
        added=(Edge(source_id=newer, target_id=state.id, kind=EdgeKind.SUPERSEDES),),
        reason="explicit_key",
    )
