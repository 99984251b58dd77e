"""Lessons of earlier questions for recall: items that served a question about the same matter gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.domain.query import EarlierQuestion, Query
from evolore.flows.shadows import twins
from evolore.ports import IndexView, Lessons
from evolore.queries.lessons import Taught, gains, left_by_age, same_matter, shared_words
from evolore.recall.dense import MatterSpace, Seen
from evolore.recall.pipeline import Learned
from evolore.text.scripts import detect_language
from evolore.text.tokens import query_tokens
from evolore.text.vectors import centred

if TYPE_CHECKING:
    from evolore.queries.settings import QuerySettings
    from evolore.store.reading import StoreReader

    Vector = npt.NDArray[np.float32]


_FEW = 4
_DEEPER = 16
"""So many times as many questions are looked at where fewer people than ``_FEW`` taught all the nearest."""


NEAR_PROBABILITY = 0.5
"""How likely a question must be about the same matter as an earlier one to inherit from it."""

_MOST_NEAR = 16
"""How many near questions are looked at."""

_HALF_LIFE_DAYS = 180.0
"""After how many days a lesson counts half."""

_PRINCIPAL_SHARE = 0.5
"""Which share of the gain one principal can give: nobody promotes an episode alone."""


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
        reader: Where is read what stands for what was merged or split since.
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
    rows = sorted(set(lessons.rows.tolist()))
    questions = (
        EarlierQuestion(query_id=view.queries.ids[int(numbers[row])], probability=round(float(likely[row]), 4))
        for row in rows
    )
    return Learned(gain=gain, questions=tuple(sorted(questions, key=lambda one: (-one.probability, one.query_id))))


def _near(
    text: str, vector: Vector, *, as_of: float | None, view: IndexView, space: MatterSpace
) -> tuple[npt.NDArray[np.int32], Vector]:
    """Return the questions about the same matter, and how likely each is.

    Where all that are looked at are near and few people taught them, more are looked at: who asks one thing over and over must
    not hide what others taught.
    """
    count = _MOST_NEAR
    numbers, likely = _likely(text, vector, count=count, as_of=as_of, view=view, space=space)
    if numbers.size == count and np.unique(view.queries.lessons_of(numbers, as_of=as_of).principals).size < _FEW:
        count *= _DEEPER
        numbers, likely = _likely(text, vector, count=count, as_of=as_of, view=view, space=space)
    return numbers, likely


def _likely(
    text: str,
    vector: Vector,
    *,
    count: int,
    as_of: float | None,
    view: IndexView,
    space: MatterSpace,
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
    shared = shared_words(frozenset(query_tokens(text)), index.tokens_of(numbers))
    likely = same_matter(rows[1:] @ rows[0], shared)
    is_near = likely >= NEAR_PROBABILITY
    return numbers[is_near], likely[is_near]


def _standing(lessons: Lessons, strengths: Vector, view: IndexView, reader: StoreReader) -> Taught:
    """Apply lessons about what was merged or split since also to what stands for it now: a moment in the past sees the original.

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
    """Return what stands for those that do not stand themselves."""
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
