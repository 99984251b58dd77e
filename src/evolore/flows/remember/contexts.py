"""Find what lies around an episode, and measure how evenly it belongs to several contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from evolore.domain.checks import checked_word
from evolore.domain.episode import EdgeKind
from evolore.domain.language import Language
from evolore.episodes.calibration import Piece, log_odds_of, words_of
from evolore.flows.context import Context
from evolore.flows.embedding import embed
from evolore.flows.item_keys import vectors_of
from evolore.flows.remember.similarity import Likeness
from evolore.flows.remember.world import LIKE, Known, World, as_stored
from evolore.ports import QUERY_EDGES, IndexedText, TextRole
from evolore.queries.contexts import ContextEntropy, CountedQueries, context_entropy
from evolore.queries.settings import Phase
from evolore.recall.question import plain_question
from evolore.text.sentences import sentence_spans
from evolore.text.vectors import Floats, Vectors, logistic

MOST_SENTENCES = 64
_PER_SENTENCE = 3
_MOST_NEIGHBOURS = 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Around:
    """A neighbour of an episode."""

    known: Known  #: The neighbour.
    kind: EdgeKind  #: What joins them; of one that only lies near a sentence ``SEMANTIC``.
    is_joined: bool  #: Whether an edge does.


class Surroundings:
    """Finds what an episode says and what lies around it.

    Args:
        context: The ports; sentences are embedded here.
        world: Where it is.
    """

    def __init__(self, context: Context, world: World) -> None:
        self._context, self._world = context, world

    def sentences(self, one: Known, *, fewest: int = 1) -> list[Piece]:
        """Return the sentences of an episode in their order; none where there are fewer than asked for, or more than 64."""
        texts = self.texts(one)
        if not fewest <= len(texts) <= MOST_SENTENCES:
            return []
        return [Piece(text=text, vector=self._unspoken(text, one.language)) for text in texts]

    @staticmethod
    def texts(one: Known) -> list[str]:
        """Return the texts of the sentences of an episode, in their order."""
        texts = (span.of(one.text).strip() for span in sentence_spans(one.text, language=one.language))
        return [text for text in texts if text]

    def pieces(self, neighbours: Iterable[Known]) -> list[Piece]:
        """Return neighbours as they are weighed: without their speakers, who make all that one person says alike."""
        return [
            Piece(text=one.text, vector=one.vector if one.speaker is None else self._unspoken(one.text, one.language))
            for one in neighbours
        ]

    def _unspoken(self, text: str, language: Language) -> Vectors:
        # One at a time: a batch's vectors differ in the last digits, and the same words must lead to equal decisions.
        return as_stored(vectors_of(self._context.embedder, [IndexedText(text=text, language=language)])[0])

    def neighbours(self, one: Known, sentences: Sequence[Piece], *, kinds: frozenset[EdgeKind] = LIKE) -> list[Around]:
        """Return what edges have gathered around an episode and what it is made of, and what lies near its sentences.

        Only what is of its language: the heaviest edges first, then sentence by sentence.
        """
        own = {one.id: None, **dict.fromkeys(self._world.members(one.id))}
        joined: dict[str, EdgeKind] = {}
        for edge in sorted(
            self._world.edges(list(own), kinds=kinds), key=lambda edge: (-edge.weight, edge.source_id, edge.target_id)
        ):
            for end in (edge.source_id, edge.target_id):
                joined.setdefault(end, edge.kind)
        gathered = [id_ for id_ in joined if id_ not in own and self._world.stands(id_)]
        found = {id_: joined[id_] for id_ in gathered[: _MOST_NEIGHBOURS // 2]}
        for piece in sentences:
            for near in self._world.near(piece.vector, count=_PER_SENTENCE, but=own):
                found.setdefault(near.id, EdgeKind.SEMANTIC)
        return [
            Around(known=other, kind=found[id_], is_joined=id_ in joined)
            for id_, other in self._world.some(list(found)[:_MOST_NEIGHBOURS]).items()
            if other.language is one.language
        ]


_KINDS = LIKE | {EdgeKind.BRANCH}
_MOST_EDGES = 10_000
_FEWEST_ALIKE = 4
_SHARED_BY = 0.5
"""How many neighbours, and what share of them, must hold a word for it to make all of them alike."""

_MOST_QUESTIONS = 64
"""How many questions at an episode count at most, those asked last: each has to be embedded."""


def counted_queries(context: Context, queries: CountedQueries | str | None) -> CountedQueries:
    """Read which questions count; by default what the settings say.

    Raises:
        InvalidValue: It is another word.
    """
    if queries is not None:
        return checked_word(CountedQueries, queries, "queries")
    settings = context.settings.queries
    counts = settings.include_query_edges and settings.phase is Phase.WITH_BRANCHING
    return CountedQueries.CONFIRMED if counts else CountedQueries.NONE


class Contexts:
    """Measures contexts in a world.

    Args:
        context: The ports; questions and sentences are embedded here.
        world: Where the episodes are.
        likeness: Returns the scale of a language.
    """

    def __init__(self, context: Context, world: World, likeness: Likeness) -> None:
        self._context, self._world, self._likeness = context, world, likeness
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
            settings=self._context.settings.queries,
            fewest=self._context.settings.episodes.min_connections,
        )

    def _neighbours(self, one: Known) -> tuple[list[Around], Floats]:
        """Return what lies around an episode, and the probability of one matter of every two, as splitting weighs it.

        What no edge joins counts only where it is probably of one matter with a sentence: the nearest of all may be far.
        """
        sentences = self._around.sentences(one)
        around = self._around.neighbours(one, sentences, kinds=_KINDS)
        if not around:
            return [], np.zeros((0, 0))
        pieces = self._around.pieces(other.known for other in around)
        odds = log_odds_of(pieces, sentences, self._likeness.calibration(one))
        count = len(around)
        is_near = np.any(odds[:count, count:] > 0.0, axis=1).tolist()
        kept = [place for place, other in enumerate(around) if other.is_joined or is_near[place]]
        return [around[place] for place in kept], logistic(
            _apart(odds[np.ix_(kept, kept)], [pieces[place] for place in kept])
        )

    def _questions(self, one: Known, counted: CountedQueries) -> list[tuple[str, EdgeKind, str]]:
        """Return the questions that count at an episode, with the kinds of their edges and their texts."""
        reader = self._world.reader
        if counted is CountedQueries.NONE or reader is None:
            return []
        targets = (one.id, *(id_ for id_ in self._world.members(one.id) if id_ != one.id))
        there = reader.edges_around(targets, kinds=QUERY_EDGES, hidden=True, limit=_MOST_EDGES)
        kinds = {edge.source_id: edge.kind for edge in there}
        if counted is CountedQueries.WITH_PENDING:  # laid over what is in the graph, as if they were in it too
            touching = reader.touching(targets).values()
            kinds |= {edge.query_id: edge.kind for edges in touching for edge in edges if edge.waits}
        found = [reader.query(id_) for id_ in sorted(sorted(kinds, reverse=True)[:_MOST_QUESTIONS])]
        return [(record.id, kinds[record.id], record.text) for record in found if record is not None]

    def _nearness(self, one: Known, texts: Sequence[str], around: Sequence[Around]) -> Floats:
        vectors = np.concatenate(
            [embed(self._context.embedder, [plain_question(text)], role=TextRole.QUERY) for text in texts]
        )
        scale = self._likeness.calibration(one)
        return scale.probability(scale.cosines(vectors, np.stack([other.known.vector for other in around])))


def _apart(odds: Floats, pieces: Sequence[Piece]) -> Floats:
    """Return the log-odds of neighbours as they differ, where a word that most of them hold makes all of them alike.

    "Apple" draws the fruit and the company together; which of those that name it belong together depends on what they
    have in common beyond the mean of all.
    """
    count = len(pieces)
    held_by = Counter(chain.from_iterable(words_of(piece.text) for piece in pieces))
    if count < _FEWEST_ALIKE or max(held_by.values(), default=0) < _SHARED_BY * count:
        return odds
    found = odds - odds.sum() / (count * (count - 1))
    np.fill_diagonal(found, 0.0)
    return np.asarray(found, dtype=np.float64)
