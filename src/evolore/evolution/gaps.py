"""Gaps: questions that were not served, sorted into matters, with how many people and weeks each of them cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np

from evolore.domain.result import Result
from evolore.text.vectors import Bools, Floats, Intps, agglomerate

SAME = 0.2
"""From this likeness on, on average, questions are of one matter (``benchmarks/gaps.py``: .15 joins parking for bicycles
with parking for guests, .25 breaks most matters in two)."""

NEAR = 0.45
"""So near to a question that was served, one that was not is a matter of wording."""

_FEWEST = 20
"""So many questions show what all have in common."""
_ALMOST_THE_SAME = 0.8
_WITHOUT_COMMON = 0.15
"""So much more alike questions are while that is not taken out."""

UNCERTAIN = 0.4
"""A question with a likelier answer is compared over documents that may disagree."""

TREATED = 0.8
"""From here on a document treats the matter: the mean likelihood of an answer, and the share of questions that find the same
document first."""


class Missing(StrEnum):
    """The reason why people are not served.

    ``NO_DOCUMENT``: no document says anything that helps. ``NEARLY``: one treats the matter and leaves this out.
    ``DISAGREE``: two documents contradict each other. ``NOTHING``: people mean something else.
    """

    NO_DOCUMENT = "no_document"
    NEARLY = "nearly"
    DISAGREE = "disagree"
    NOTHING = "nothing"


class GapState(StrEnum):
    """The state of a gap: ``OPEN``, ``TAKEN`` by a person, or ``CLOSED`` by later askers who were served, or by a person."""

    OPEN = "open"
    TAKEN = "taken"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPassage:
    """A passage or statement that bears most on a gap."""

    source: str  #: The document's source, or who said it; empty if unknown.
    quote: str  #: What it says nearest to the questions.
    likelihood: float  #: How likely it bears on them, 0-1.
    document_id: str | None = None  #: The document; None for a statement.


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Result):
    """A matter that people asked about and were not served."""

    id: str  #: That of its first question; the id of any of its questions names it.
    state: GapState  #: Whether it is open, taken or closed.
    questions: tuple[str, ...]  #: What was asked, each wording once, the most typical first.
    question_ids: tuple[str, ...]  #: The recorded questions, oldest first.
    people: int  #: How many people asked; all without a name count as one.
    weeks: int  #: In how many weeks.
    bad: int  #: How many people rated an answer BAD.
    cost: int  #: What it is ranked by: pairs of a person and a week, and once more each person who rated BAD.
    first_at: datetime  #: When it was asked first.
    last_at: datetime  #: When somebody was last not served.
    is_reopened: bool = False  #: Whether it was closed before.
    served: int = 0  #: How many later askers were served.
    taken_by: str = ""  #: Who took it; empty for nobody.
    note: str = ""  #: Why it was closed by hand; empty for none.
    missing: Missing | None = None  #: What is missing; None where that was not looked at.
    near: tuple[NearPassage, ...] = ()  #: What bears on it most, best first; of two that disagree, these two first.
    draft: str = ""  #: An outline of the document that is missing, in Markdown, marked as a draft; empty for none.


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """Questions of one matter, by their places among all."""

    unserved: tuple[int, ...]  #: Those that were not served, oldest first; at least one.
    served: tuple[int, ...]  #: Those that were, after the first of them.


def likeness(vectors: Floats, centres: Floats) -> Floats:
    """Return how alike questions are, in the order given, at most 1, shape (n, n).

    What they have in common is taken out: their mean and the first principal component, or of fewer than 20 the centre
    of their language. Questions in almost the same words count as one there.

    Args:
        vectors: Unit vectors of questions, shape (n, dimension).
        centres: The centre of the language of each, shape (n, dimension).
    """
    weights = 1.0 / np.maximum((vectors @ vectors.T >= _ALMOST_THE_SAME).sum(axis=1), 1)
    is_known = weights.sum() >= _FEWEST
    centred = vectors - (np.average(vectors, axis=0, weights=weights) if is_known else centres)
    if is_known:
        _, axes = np.linalg.eigh(centred.T @ (weights[:, None] * centred))
        centred -= np.outer(centred @ axes[:, -1], axes[:, -1])
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    return centred @ centred.T - (0.0 if is_known else _WITHOUT_COMMON)


def matters(alike: Floats, is_served: Sequence[bool]) -> tuple[Matter, ...]:
    """Sort the questions that were not served into matters, in the order of their first questions.

    A matter is left out where most of its questions lie nearer to an earlier one that was served than to each other:
    the documents answer it, in other words.

    Args:
        alike: How alike the questions are, oldest first, shape (n, n).
        is_served: Which of them were served.
    """
    served = np.asarray(is_served, dtype=np.bool_)
    unserved = np.flatnonzero(~served)
    if not unserved.size:
        return ()
    labels = agglomerate(alike[np.ix_(unserved, unserved)] - SAME, linkage=1.0)
    groups = [unserved[labels == label] for label in range(int(labels.max()) + 1)]
    near = _near_served(alike, served, unserved)
    return tuple(
        Matter(unserved=tuple(group.tolist()), served=_later(near, group))
        for group in groups
        if 2 * sum(_is_worded_otherwise(alike, served, unserved, place) for place in group) <= len(group)
    )


def _is_worded_otherwise(alike: Floats, served: Bools, unserved: Intps, place: int) -> bool:
    earlier = np.flatnonzero(served[:place])
    others = unserved[unserved != place]
    best = alike[place, earlier].max(initial=-1.0)
    return bool(best >= NEAR and best > alike[place, others].max(initial=-1.0))


def _near_served(alike: Floats, served: Bools, unserved: Intps) -> dict[int, int]:
    """Return the question that was not served which lies nearest to each that was, where one lies near."""
    nearest = {int(place): int(unserved[alike[place, unserved].argmax()]) for place in np.flatnonzero(served)}
    return {place: other for place, other in nearest.items() if alike[place, other] >= NEAR}


def _later(near: dict[int, int], group: Intps) -> tuple[int, ...]:
    members = set(group.tolist())
    return tuple(sorted(place for place, other in near.items() if other in members and place > min(members)))
