"""Lessons of questions: gains of items in recall, waiting edges, reconsidered outcomes, and ``unlearn``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_name
from evolore.domain.episode import EdgeKind
from evolore.domain.outcome import Outcome, QueryRecord, Rating
from evolore.domain.query import EarlierQuestion, Query
from evolore.flows.question_lookup import lie_apart
from evolore.flows.shadows import twins
from evolore.ports import Entering, IndexView, Lessons, QueryEdge, Reconsidered, Withdrawn
from evolore.queries.edges import Evaluation, at_once, edges_of, enters_at_once, evaluate
from evolore.queries.lessons import Taught, gains, left_by_age, same_matter, shared_words
from evolore.queries.outcomes import rated_outcome, rests_on
from evolore.recall.dense import MatterSpace, Seen
from evolore.recall.pipeline import Learned
from evolore.text.scripts import detect_language
from evolore.text.tokens import query_tokens
from evolore.text.vectors import centred

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.queries.settings import QuerySettings
    from evolore.store.reading import StoreReader
    from evolore.store.writing import StoreWriter

    Vector = npt.NDArray[np.float32]


_INSIGHT_DISTANCE = 2
"""More than so many edges of content apart two cited episodes must lie for an insight."""


def outcome_by_ratings(reader: StoreReader, record: QueryRecord) -> Outcome:
    """Return what a question led to, as its ratings say."""
    used = [one.episode_id for one in rests_on(record.given)]
    return rated_outcome(
        record.outcome,
        is_stated=record.is_stated,
        rating=record.rating,
        used=len(used),
        lies_apart=record.rating is Rating.GOOD and lie_apart(reader, used, distance=_INSIGHT_DISTANCE),
    )


def reconsidered(reader: StoreReader, principal: str | None, *, settings: QuerySettings) -> tuple[Reconsidered, ...]:
    """Return what becomes of the questions that somebody rated without having asked, had that never been.

    A question of which the others' ratings say the same, and on which as much rests, stays as it is.
    """
    found: list[Reconsidered] = []
    for query_id in reader.rated_by(principal):
        before = reader.query(query_id)
        assert before is not None
        after = _without(reader, before, principal)
        if (after.rating, after.given) == (before.rating, before.given):
            continue
        outcome = outcome_by_ratings(reader, after)
        edges = edges_of(query_id, after.given, outcome)
        found.append(
            Reconsidered(
                query_id=query_id,
                outcome=outcome,
                edges=edges,
                entering=tuple(at_once(edge) for edge in edges if enters_at_once(edge, settings)),
                is_uncited=after.given != before.given,
            )
        )
    return tuple(found)


def _without(reader: StoreReader, record: QueryRecord, principal: str | None) -> QueryRecord:
    """Return a question without what somebody said of it: the rating, and, if only they said it, the evidence."""
    ratings = tuple(one for one in record.ratings if one.principal != principal)
    said = reader.cited_by(record.id)
    if said is None or said & {record.principal, *(one.principal for one in ratings)}:
        return replace(record, ratings=ratings)
    return replace(record, ratings=ratings, given=tuple(replace(one, is_cited=False) for one in record.given))


def unlearn(context: Context, principal: str | None, *, erase: bool = False, is_dry_run: bool = False) -> Withdrawn:
    """Withdraw everything one principal taught: edges, ratings, and what they did to confidence and arousal.

    Questions that others asked and the principal rated count as if unrated by that one: outcome and edges follow
    from the other ratings. What then waits in numbers is evaluated by the next question or ``maintain``.
    """
    check_name(principal, "principal")
    settings = context.settings.queries
    context.store.require(context.namespace)  # it would be made by writing to it
    if is_dry_run:
        with context.store.read(context.namespace) as reader:
            anew = reconsidered(reader, principal, settings=settings)
            return reader.foresee_withdrawal(principal, anew, erase=erase)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        anew = reconsidered(writer, principal, settings=settings)
        withdrawn = writer.withdraw(principal, anew, erase=erase, at=context.clock.now())
    if not (erase and withdrawn.has_taught):
        return withdrawn
    return replace(withdrawn, lingering_in=context.store.take_out_erased())


INSIGHT = "insight"
"""The reason of an event by which edges of an insight enter the graph at once."""

_SHARE = "share"

Standing: TypeAlias = "Mapping[str, tuple[str, ...]]"
"""What represents each of some episodes now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """An episode that was evaluated by the questions that touched it."""

    episode_id: str  #: The episode.
    share: float  #: The share of these questions that led to insight, 0–1.
    is_high: bool  #: Whether it is worth much: what waited entered the graph; else it is kept beside it.
    edges: int  #: How many edges waited.
    event_ids: tuple[str, ...]  #: The events that say so.


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What the edges of a question caused."""

    event_ids: tuple[str, ...] = ()  #: The events by which edges entered the graph, and those of evaluations.
    evaluated: tuple[Evaluated, ...] = ()  #: The episodes that were evaluated.


def leave_edges(
    writer: StoreWriter,
    edges: Collection[QueryEdge],
    *,
    settings: QuerySettings,
    at: datetime,
    standing: Standing | None = None,
) -> Left:
    """Add the edges of a question to the graph or keep them waiting, and evaluate every episode at which enough have gathered."""
    writer.put_query_edges(edges, at=at)
    entered = [
        writer.enter_query_edges(edge.target_id, [at_once(edge)], evaluated=False, reason=INSIGHT, at=at)
        for edge in edges
        if enters_at_once(edge, settings)
    ]
    targets = [edge.target_id for edge in edges]
    evaluated = evaluate_targets(writer, targets, settings=settings, at=at, standing=standing)
    return Left(
        event_ids=(*(id_ for id_ in entered if id_), *(id_ for one in evaluated for id_ in one.event_ids)),
        evaluated=evaluated,
    )


def evaluate_targets(
    writer: StoreWriter,
    target_ids: Iterable[str],
    *,
    settings: QuerySettings,
    at: datetime,
    standing: Standing | None = None,
) -> tuple[Evaluated, ...]:
    """Evaluate those of some episodes at which enough edges wait; nothing in the phases that do not evaluate.

    An episode that was merged or split since counts with all that what represents it now was made of: those were asked
    about the same.
    """
    wanted = tuple(dict.fromkeys(target_ids))
    if not settings.phase.evaluates or not wanted:
        return ()
    families = _families(writer, wanted, standing=standing)
    met = {id_ for family in families.values() for id_ in family}
    known, found = writer.touching(met), list[Evaluated]()
    for head, family in families.items():
        one = _evaluate(writer, head, _among(known, family), settings=settings, at=at)
        if one is not None:
            known = writer.touching(met)  # what several represent is evaluated with the first
            found.append(one)
    return tuple(found)


def _families(
    reader: StoreReader, target_ids: Sequence[str], *, standing: Standing | None = None
) -> dict[str, tuple[str, ...]]:
    """Return what represents some episodes now, each with all it represents; an unrepresented episode alone."""
    standing = reader.standing_for(target_ids) if standing is None else standing
    heads = dict.fromkeys(head for id_ in target_ids for head in (standing.get(id_) or (id_,)))
    members = reader.member_ids(tuple(heads))
    return {head: tuple(dict.fromkeys((head, *members.get(head, ())))) for head in heads}


def _evaluate(
    writer: StoreWriter, head: str, touching: Sequence[QueryEdge], *, settings: QuerySettings, at: datetime
) -> Evaluated | None:
    found = _judged(head, touching, settings)
    if found is None:
        return None
    evaluated, verdict = found
    return replace(evaluated, event_ids=_write(writer, verdict, touching, at=at))


def _judged(head: str, touching: Sequence[QueryEdge], settings: QuerySettings) -> tuple[Evaluated, Evaluation] | None:
    """Evaluate an episode without writing anything; None where too few edges wait."""
    waiting = [edge for edge in touching if edge.waits]
    if len(waiting) < settings.gather:
        return None
    verdict = evaluate(touching, waiting, settings=settings)
    share, is_high = verdict.share, verdict.is_high
    return Evaluated(episode_id=head, share=share, is_high=is_high, edges=len(waiting), event_ids=()), verdict


def _write(writer: StoreWriter, verdict: Evaluation, touching: Iterable[QueryEdge], *, at: datetime) -> tuple[str, ...]:
    """Write what an evaluation found, and return its events.

    Edges of insights are one event a question: each leaves the graph with its own insight, and not with another's.
    """
    by_share: dict[str, list[Entering]] = defaultdict(list)
    event_ids: list[str | None] = []
    for one in verdict.entering:
        target = one.edge.target_id
        if one.edge.kind is EdgeKind.QUERY_INSIGHT:
            event_ids.append(writer.enter_query_edges(target, [one], evaluated=False, reason=INSIGHT, at=at))
        else:
            by_share[target].append(one)
    for target in dict.fromkeys(edge.target_id for edge in touching):
        if verdict.is_high:
            entered = writer.enter_query_edges(target, by_share[target], evaluated=True, reason=_SHARE, at=at)
            event_ids.append(entered)
        else:
            event_ids.append(writer.dismiss_query_edges(target, at=at))
    return tuple(id_ for id_ in event_ids if id_)


def evaluate_gathered(context: Context, *, limit: int, is_dry_run: bool = False) -> tuple[Evaluated, ...]:
    """Evaluate what is left over: episodes at which enough edges wait, because the phase changed or others gathered.

    What was merged or split counts with what represents it. Each transaction checks again: each is evaluated once.
    """
    settings = context.settings.queries
    if not settings.phase.evaluates or limit < 1:
        return ()
    with context.store.read(context.namespace) as reader:
        gathered = tuple(islice(_gathered(reader, settings), limit))
    if is_dry_run:
        return gathered
    found: list[Evaluated] = []
    for one in gathered:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            found += evaluate_targets(writer, [one.episode_id], settings=settings, at=context.clock.now())
    return tuple(found)


def _gathered(reader: StoreReader, settings: QuerySettings) -> Generator[Evaluated]:
    """Yield the visible episodes that would be evaluated, each with all it represents, in the order it would be."""
    done: set[str] = set()  # what several parts represent is evaluated with the first
    for head, family in sorted(_families(reader, reader.gathered(least=settings.gather)).items()):
        ids = [id_ for id_ in family if id_ not in done]
        found = _judged(head, _among(reader.touching(ids), ids), settings)
        if found is not None:
            done.update(family)
            yield found[0]


def _among(touching: Mapping[str, tuple[QueryEdge, ...]], target_ids: Iterable[str]) -> tuple[QueryEdge, ...]:
    return tuple(edge for id_ in sorted(set(target_ids)) for edge in touching.get(id_, ()))


_FEW = 4
_DEEPER = 16
"""So many times as many questions are examined where fewer people than ``_FEW`` taught all the nearest."""


NEAR_PROBABILITY = 0.5
"""How likely a question must be about the same matter as an earlier one to inherit from it."""

_MOST_NEAR = 16
"""How many near questions are examined."""

_HALF_LIFE_DAYS = 180.0
"""After how many days a lesson counts half."""

_PRINCIPAL_SHARE = 0.5
"""Which share of the gain one principal can contribute: one alone cannot promote an episode."""


def learned(
    query: Query,
    vector: Vector,
    seen: Seen,
    now: float,
    *,
    view: IndexView,
    reader: StoreReader,
    space: MatterSpace,
    settings: QuerySettings,
) -> Learned | None:
    """Return what each item that a question may see gains from earlier questions about the same matter.

    Args:
        query: The question; of one as of a moment, what was taught after that teaches nothing.
        vector: It as a unit vector, shape (dimension,).
        seen: The items it may see.
        now: The moment ages are counted to, seconds since 1970 UTC: lessons fade by how long before it they were asked for.
        view: The indexes.
        reader: Where is read what represents what was merged or split since.
        space: How near questions lie.
        settings: How much lessons count.

    Returns:
        None where nothing is gained.
    """
    if not (view.queries.count and settings.learned_weight):
        return None
    as_of = None if query.as_of is None else query.as_of.timestamp()
    numbers, likely = _near(query.text, vector, as_of=as_of, view=view, space=space)
    if not numbers.size:
        return None
    lessons = view.queries.lessons_of(numbers, as_of=as_of)
    ages = left_by_age(now - view.queries.times[numbers], half_life_days=_HALF_LIFE_DAYS)
    strengths = (likely * ages)[lessons.rows] * lessons.weights
    gained = gains(_standing(lessons, strengths, view, reader), principal_share=_PRINCIPAL_SHARE)
    gain = _by_item(gained, view, seen, weight=settings.learned_weight)
    if not gain.any():
        return None
    questions = (
        EarlierQuestion(query_id=view.queries.ids[int(numbers[row])], probability=round(float(likely[row]), 4))
        for row in sorted(set(lessons.rows.tolist()))
    )
    return Learned(gain=gain, questions=tuple(sorted(questions, key=lambda one: (-one.probability, one.query_id))))


def _near(
    text: str, vector: Vector, *, as_of: float | None, view: IndexView, space: MatterSpace
) -> tuple[npt.NDArray[np.int32], Vector]:
    """Return the questions about the same matter, and how likely each is.

    Where all that are examined are near and few people taught them, more are read: asking one thing over and over must
    not hide what others taught.
    """
    count = _MOST_NEAR
    numbers, likely = _likely(text, vector, count=count, as_of=as_of, view=view, space=space)
    if numbers.size == count and np.unique(view.queries.lessons_of(numbers, as_of=as_of).principals).size < _FEW:
        count *= _DEEPER
        numbers, likely = _likely(text, vector, count=count, as_of=as_of, view=view, space=space)
    return numbers, likely


def _likely(
    text: str, vector: Vector, *, count: int, as_of: float | None, view: IndexView, space: MatterSpace
) -> tuple[npt.NDArray[np.int32], Vector]:
    """Return those of the nearest questions that are about the same matter."""
    index = view.queries
    numbers = index.nearest(vector, count=count, as_of=as_of)[0]
    if not numbers.size:
        return numbers, np.zeros(0, dtype=np.float32)
    centre = space.centres.get(detect_language(text))
    centre = index.centre if centre is None else centre
    rows = np.vstack((vector[None, :], index.rows_of(numbers)))
    rows = rows if centre is None else centred(rows, centre)
    likely = same_matter(rows[1:] @ rows[0], shared_words(frozenset(query_tokens(text)), index.tokens_of(numbers)))
    is_near = likely >= NEAR_PROBABILITY
    return numbers[is_near], likely[is_near]


def _standing(lessons: Lessons, strengths: Vector, view: IndexView, reader: StoreReader) -> Taught:
    """Apply lessons about merged or split episodes also to what represents them now: the past sees the original.

    Of two texts of a document, one on trial, the passages that are the same teach of each other.
    """
    holders, same = _holders(lessons.target_ids, view, reader), twins(lessons.target_ids, view, reader)
    ids: list[str] = []
    places: list[int] = []
    for place, id_ in enumerate(lessons.target_ids):
        for holder in (id_, *holders.get(id_, ()), *same.get(id_, ())):
            ids.append(holder)
            places.append(place)
    return Taught(episode_ids=ids, strengths=strengths[places], principals=lessons.principals[places])


def _holders(ids: Sequence[str], view: IndexView, reader: StoreReader) -> Mapping[str, tuple[str, ...]]:
    """Return what represents those that are hidden."""
    if not view.has_hidden:
        return {}
    known = {id_: view.numbers[id_] for id_ in ids if id_ in view.numbers}
    hidden = sorted(id_ for id_, number in known.items() if not np.isinf(view.stands_until[number]))
    return reader.standing_for(hidden) if hidden else {}


def _by_item(gained: Mapping[str, float], view: IndexView, seen: Seen, *, weight: float) -> Vector:
    values = np.zeros(seen.numbers.size, dtype=np.float32)
    for id_, share in gained.items():
        number = view.numbers.get(id_)
        place = -1 if number is None else int(seen.new_numbers[number])
        if place >= 0:
            values[place] = weight * share
    return values
