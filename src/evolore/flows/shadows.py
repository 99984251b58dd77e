"""Texts on trial: whose question is answered from which, and what a question may see of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.evolution import Shadow
from evolore.evolution.hashing import hashed_share
from evolore.evolution.settings import WHOLE_PERCENT

if TYPE_CHECKING:
    from evolore.domain.query import Query
    from evolore.ports import IndexView
    from evolore.store.reading import StoreReader


def sees_new(canary_id: str, percent: int, principal: str | None) -> bool:
    """Return whether a principal is answered from the new text while ``percent`` of all principals are.

    It is always the same within a stage, and what is new to somebody stays so as stages grow. The unknown are answered
    from the old text until the last stage, because no stage could be kept for them.
    """
    if percent in {0, WHOLE_PERCENT}:
        return percent == WHOLE_PERCENT
    return bool(principal) and WHOLE_PERCENT * hashed_share("evolore.canary", canary_id, principal) < percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What a question sees of the texts on trial."""

    #: The promotions on trial, each with whether the new text is before who asks; those that had not begun at the
    #: moment of the question are left out.
    canaries: tuple[tuple[str, bool], ...] = ()
    hidden: tuple[str, ...] = ()  #: The documents that take no part: the new texts, or those they replace.


def split(query: Query, shadows: Iterable[Shadow]) -> Split:
    """Return what a question sees of the texts on trial: of each promotion all the new texts, or none.

    Args:
        query: The question; a moment before a trial began is answered from the old text, as it was then.
        shadows: The texts on trial.
    """
    canaries: dict[str, bool] = {}
    hidden: list[str] = []
    for one in shadows:
        has_begun = query.as_of is None or query.as_of >= one.begun_at
        is_new = has_begun and sees_new(one.promotion_id, one.percent, query.principal)
        if has_begun and one.percent:
            canaries[one.promotion_id] = is_new
        if not is_new:
            hidden.append(one.document_id)
        elif one.original_id is not None:
            hidden.append(one.original_id)
    return Split(canaries=tuple(canaries.items()), hidden=tuple(hidden))


def as_seen(query: Query, whole: IndexView, *, is_own: bool) -> IndexView:
    """Return the view of a question: without new texts that are not before who asks, and without what others replace.

    Args:
        query: The question.
        whole: The index of a namespace.
        is_own: Whether the question is asked in it; in another, no text on trial is seen.
    """
    shadows = whole.shadows
    return whole.without(split(query, shadows).hidden if is_own else [one.document_id for one in shadows])


def twins(ids: Iterable[str], view: IndexView, reader: StoreReader) -> Mapping[str, tuple[str, ...]]:
    """Return for passages that take no part those of the same words under the same headings in the text that does.

    Costs a look at these passages, and where there are any, at the texts they are of.
    """
    hidden = _withheld(ids, view)
    if not hidden:
        return {}
    pairs = [(one.document_id, one.original_id) for one in view.shadows if one.original_id is not None]
    other = {**dict(pairs), **{original: shadow for shadow, original in pairs}}
    found: dict[str, tuple[str, ...]] = {}
    same: dict[str, dict[tuple[str, tuple[str, ...]], str]] = {}
    for one in reader.episodes(hidden):
        beside = other.get(one.document_id or "")
        if beside is not None:
            if beside not in same:
                same[beside] = {(leaf.text, leaf.heading_path): leaf.id for leaf in reader.leaf_episodes(beside)}
            twin = same[beside].get((one.text, one.heading_path))
            found |= {} if twin is None else {one.id: (twin,)}
    return found


def _withheld(ids: Iterable[str], view: IndexView) -> Sequence[str]:
    if view.withheld is None:
        return ()
    known = ((id_, view.numbers.get(id_)) for id_ in ids)
    return [id_ for id_, number in known if number is not None and view.withheld[number]]
