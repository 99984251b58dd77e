"""Outcomes of questions (seed 004), and how a rating moves the confidence of what the answer rests on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from evolore.domain.episode import Edge, EdgeKind
from evolore.domain.feedback import Effect, stepped
from evolore.domain.outcome import Given, Outcome, Rating

CONTENT_EDGES = frozenset(kind for kind in EdgeKind if not kind.value.startswith("query_"))
"""Along these two episodes are near; an edge of a question says nothing of what they are about."""


def first_outcome(given: Sequence[Given], *, best_probability: float | None, least: float) -> Outcome:
    """Return what a question led to, if unstated and before any rating of its answer.

    It was a bypass where one episode was surely meant: it alone was cited, or nothing was and it alone was handed over.
    """
    used = rests_on(given)
    is_best = len(used) == 1 and used[0].rank == min(one.rank for one in given)
    is_sure = best_probability is not None and best_probability >= least
    return Outcome.BYPASS if is_best and is_sure else Outcome.RETRIEVAL


def rated_outcome(before: Outcome, *, is_stated: bool, rating: Rating | None, used: int, lies_apart: bool) -> Outcome:
    """Return what a question led to after somebody rated its answer.

    An answer that most rated good and that joined what lay apart is an insight; where that is no longer so, it was a
    retrieval: a bypass rests on one episode, and joins nothing.

    Args:
        before: What it had led to.
        is_stated: Whether the caller said so; then that stays.
        rating: What most say of the answer.
        used: How many episodes it rests on.
        lies_apart: Whether two of them lie apart.

    >>> rated_outcome(Outcome.RETRIEVAL, is_stated=False, rating=Rating.GOOD, used=2, lies_apart=True)
    <Outcome.INSIGHT: 'insight'>
    >>> rated_outcome(Outcome.INSIGHT, is_stated=False, rating=None, used=2, lies_apart=True)
    <Outcome.RETRIEVAL: 'retrieval'>
    """
    if is_stated:
        return before
    if rating is Rating.GOOD and lies_apart:
        return Outcome.INSIGHT
    return Outcome.BYPASS if before is Outcome.BYPASS and used == 1 else Outcome.RETRIEVAL


def rests_on(given: Sequence[Given]) -> tuple[Given, ...]:
    """Return what an answer rests on: what is cited, else all that was handed over; best first."""
    return tuple(sorted([one for one in given if one.is_cited] or given, key=lambda one: one.rank))


def some_lie_apart(ids: Collection[str], edges: Iterable[Edge], *, distance: int) -> bool:
    """Return whether two episodes lie more than so many edges of content apart.

    Args:
        ids: The episodes.
        edges: All edges at them and, from a distance of 3, at their neighbours; other kinds are passed over.
        distance: How many edges still count as near, at least 1.

    >>> from evolore.domain.episode import Edge
    >>> path = [Edge(source_id=a, target_id=b, kind=EdgeKind.SEMANTIC) for a, b in ("ab", "bc", "cd")]
    >>> some_lie_apart("ac", path, distance=2), some_lie_apart("ad", path, distance=2)
    (False, True)
    """
    around: dict[str, set[str]] = {}
    for edge in edges:
        if edge.kind in CONTENT_EDGES:
            around.setdefault(edge.source_id, set()).add(edge.target_id)
            around.setdefault(edge.target_id, set()).add(edge.source_id)
    wanted = set(ids)
    return any(not wanted <= _within(one, around, distance) for one in wanted)


def _within(start: str, around: Mapping[str, set[str]], distance: int) -> set[str]:
    """Return what lies at most so many edges from an episode, itself included."""
    met, frontier = {start}, {start}
    for _ in range(distance):
        frontier = {end for id_ in frontier for end in around.get(id_, ())} - met
        met |= frontier
    return met


def effect_of(rating: Rating, *, is_helpful: bool) -> Effect:
    """Return what a rating does to what the answer rests on."""
    if rating is Rating.BAD:
        return Effect.UNHELPFUL
    return Effect.HELPFUL if is_helpful else Effect.SELECTED


def trusted(confidence: float, effect: Effect) -> float:
    """Return a confidence after an effect: a tenth more, half as much again where it helped, or a tenth less; 0.1–1.

    >>> [trusted(0.5, effect) for effect in Effect]
    [0.6, 0.65, 0.4]
    >>> trusted(0.95, Effect.SELECTED), trusted(0.15, Effect.UNHELPFUL)
    (1.0, 0.1)
    """
    return stepped(confidence, effect.step)
