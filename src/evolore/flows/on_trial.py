"""Texts on trial: whose question is answered from which, and what a question may see of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.evolution.canary import arm_of
from evolore.evolution.guardrail import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evolore.domain.answers import Query
    from evolore.domain.shadows import Shadow
    from evolore.ports import IndexView


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What a question sees of the texts on trial.

    Args:
        canaries: The promotions on trial, each with whether the new text is before who asks; those that had not begun at the
            moment of the question are left out.
        hidden: The documents that take no part: the new texts, or those in whose place they stand.
    """

    canaries: tuple[tuple[str, bool], ...] = ()
    hidden: tuple[str, ...] = ()


def split(query: Query, shadows: Iterable[Shadow]) -> Split:
    """Say what a question sees of the texts on trial: of each promotion all the new texts, or none.

    Args:
        query: The question; a moment before a trial began is answered from the old text, as it was then.
        shadows: The texts on trial.
    """
    canaries: dict[str, bool] = {}
    hidden: list[str] = []
    for one in shadows:
        has_begun = query.as_of is None or query.as_of >= one.begun_at
        is_new = has_begun and arm_of(one.promotion_id, one.percent, query.principal) is Arm.CANARY
        if has_begun and one.percent:
            canaries[one.promotion_id] = is_new
        if not is_new:
            hidden.append(one.document_id)
        elif one.original_id is not None:
            hidden.append(one.original_id)
    return Split(canaries=tuple(canaries.items()), hidden=tuple(hidden))


def as_seen(query: Query, view: IndexView) -> IndexView:
    """Give the view of a question: without new texts that are not before who asks, and without what others replace."""
    return view if not view.shadows else view.without(split(query, view.shadows).hidden)
