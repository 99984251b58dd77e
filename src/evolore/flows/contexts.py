"""``contexts``: whether an episode belongs to several contexts, without questions or with them."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.checks import checked_word
from evolore.domain.episodes import EdgeKind
from evolore.episodes.evidence import Piece, log_odds_of, words_of
from evolore.flows.embedding import embed
from evolore.flows.surroundings import LIKE, Surroundings
from evolore.ports import QUERY_EDGES, TextRole
from evolore.queries.contexts import ContextEntropy, CountedQueries, context_entropy
from evolore.recall.question import plain_question
from evolore.text.vectors import logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.flows.context import Context
    from evolore.flows.known import Known
    from evolore.flows.likeness import Likeness
    from evolore.flows.surroundings import Around
    from evolore.flows.world import World
    from evolore.text.vectors import Floats

_KINDS = LIKE | {EdgeKind.BRANCH}
_MOST_EDGES = 10_000
_FEWEST_ALIKE = 4
_SHARED_BY = 0.5
"""From how many neighbours on, and in what share of them, a word stands that all are alike by."""

_MOST_QUESTIONS = 64
"""How many questions at an episode count at the most, those asked last: each has to be embedded."""


def counted_queries(context: Context, queries: CountedQueries | str | None) -> CountedQueries:
    """Read which questions count; by default what the settings say.

    Raises:
        InvalidValue: It is another word.
    """
    if queries is not None:
        return checked_word(CountedQueries, queries, "queries")
    return CountedQueries.CONFIRMED if context.query_settings.include_query_edges else CountedQueries.NONE


class Contexts:
    """Measures contexts in a world.

    Args:
        context: The ports; questions and sentences are embedded here.
        world: Where episodes stand.
        likeness: Gives the scale of a language.
    """

    def __init__(self, context: Context, world: World, likeness: Likeness) -> None:
        self._context = context
        self._world = world
        self._likeness = likeness
        self._around = Surroundings(context, world)

    def of(self, one: Known, *, counted: CountedQueries) -> ContextEntropy:
        """Measure how evenly an episode belongs to several contexts."""
        around, alike = self._neighbours(one)
        neighbours = [(other.known.id, other.kind) for other in around]
        asked = self._questions(one, counted) if around else []
        return context_entropy(
            neighbours,
            alike,
            questions=[(id_, kind) for id_, kind, _ in asked],
            nearness=self._nearness(one, [text for _, _, text in asked], around) if asked else None,
            fewest=self._context.episode_settings.min_connections,
        )

    def _neighbours(self, one: Known) -> tuple[list[Around], Floats]:
        """Give what lies around an episode, and the probability of one matter of every two, as splitting weighs it.

        What no edge joins counts only where it is probably of one matter with a sentence: the nearest of all may be far.
        """
        sentences = self._around.sentences(one)
        around = self._around.neighbours(one, sentences, kinds=_KINDS)
        if not around:
            return [], np.zeros((0, 0))
        pieces = [Piece(text=other.known.text, vector=other.known.vector) for other in around]
        odds = log_odds_of(pieces, sentences, self._likeness.calibration(one))
        count = len(around)
        is_near = np.any(odds[:count, count:] > 0.0, axis=1).tolist()
        kept = [place for place, other in enumerate(around) if other.is_joined or is_near[place]]
        return [around[place] for place in kept], logistic(
            _apart(odds[np.ix_(kept, kept)], [pieces[place] for place in kept])
        )

    def _questions(self, one: Known, counted: CountedQueries) -> list[tuple[str, EdgeKind, str]]:
        """Give the questions that count at an episode, with the kinds of their edges and their texts."""
        reader = self._world.reader
        if counted is CountedQueries.NONE or reader is None:
            return []
        targets = (one.id, *(id_ for id_ in self._world.members(one.id) if id_ != one.id))
        there = reader.edges_around(targets, kinds=QUERY_EDGES, hidden=True, limit=_MOST_EDGES)
        kinds = {edge.source_id: edge.kind for edge in there}
        if counted is CountedQueries.WITH_PENDING:  # laid over what is in the graph, as if they were in it too
            touching = reader.touching(targets).values()
            kinds |= {edge.query_id: edge.kind for edges in touching for edge in edges if edge.waits}
        last = sorted(kinds, reverse=True)[:_MOST_QUESTIONS]
        found = [reader.query(id_) for id_ in sorted(last)]
        return [(record.id, kinds[record.id], record.text) for record in found if record is not None]

    def _nearness(self, one: Known, texts: Sequence[str], around: Sequence[Around]) -> Floats:
        vectors = np.concatenate(
            [embed(self._context.embedder, [plain_question(text)], role=TextRole.QUERY) for text in texts]
        )
        scale = self._likeness.calibration(one)
        return scale.probability(scale.cosines(vectors, np.stack([other.known.vector for other in around])))


def _apart(odds: Floats, pieces: Sequence[Piece]) -> Floats:
    """Give the log-odds of neighbours as they differ, where a word that most of them hold makes all of them alike.

    "Apple" draws the fruit and the company together; which of those that name it belong together is told by what they
    have in common beyond the mean of all.
    """
    count = len(pieces)
    held_by = Counter(chain.from_iterable(words_of(piece.text) for piece in pieces))
    if count < _FEWEST_ALIKE or max(held_by.values(), default=0) < _SHARED_BY * count:
        return odds
    found = odds - odds.sum() / (count * (count - 1))
    np.fill_diagonal(found, 0.0)
    return np.asarray(found, dtype=np.float64)
