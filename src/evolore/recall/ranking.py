"""Ranking: what neighbours and groups lend an item, and from evidence an order in which every score is the sum of named terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evolore.text.vectors import Bools, Float32s, Float64s, Int32s, Intps

if TYPE_CHECKING:
    from evolore.recall.evidence import Evidence, TermScores

_BEFORE_AND_AFTER = (1, 2)
"""Columns of the neighbour links that are next to the item."""

_DENSE_FROM = 16
"""A pass over this many numbers costs about as much as finding one of them."""

_HELD_BY_MANY = 12
"""A term that one of so many items holds is looked for in the neighbours of all items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpreadTerms:
    """The question's words seen four ways, each float32 of shape (items,), at least 0."""

    own: Float32s  #: Sum of the item's own scores.
    summed: Float32s  #: ``own`` plus a share of each neighbour's ``own``.
    #: Sum over the terms of the larger of the item's own score and the best lent one.
    windowed: Float32s
    #: Sum over the terms of the best score anywhere in the item's group; at least ``own``.
    grouped: Float32s


def spread_terms(
    terms: TermScores, neighbours: Int32s, *, groups: Int32s, neighbour_share: float | Float32s
) -> SpreadTerms:
    """Lend each item's words to its neighbours and gather those of its group.

    With s(t, i) the score of term t on item i, N(i) its neighbours, G(i) its group and λ(i) the share it takes::

        summed(i)   = Σ_t s(t, i) + λ(i) · Σ_{j ∈ N(i)} Σ_t s(t, j)
        windowed(i) = Σ_t max(s(t, i), λ(i) · max_{j ∈ N(i)} s(t, j))
        grouped(i)  = Σ_t max_{j ∈ G(i)} s(t, j)

    Costs O(scores · 5 + terms · items): where a term is in few items, it touches only those and their neighbours;
    where it is in many, a pass over all is faster than finding each.
    """
    items = terms.items.astype(np.intp)  # numpy finds places fastest by its own kind of number
    own = np.bincount(items, weights=terms.scores, minlength=groups.size).astype(np.float32)
    shares = np.asarray(neighbour_share, dtype=np.float32)
    taken = np.append(np.broadcast_to(shares, groups.size), np.float32(0.0))
    windowed, by_group = _BestSum(groups.size), _BestSum(int(groups.max(initial=-1)) + 1)
    in_windows = windowed.total
    held = np.zeros(groups.size + 1, dtype=np.float32)  # the last answers for the neighbour that is none
    for start, end in pairwise(terms.starts.tolist()):
        places, scores = items[start:end], terms.scores[start:end]
        if places.size * _HELD_BY_MANY > groups.size:
            held[places] = scores
            in_windows += np.maximum(held[:-1], shares * np.take(held, neighbours.T, mode="wrap").max(axis=0))
            held[places] = 0.0
        else:  # of one column, no two items have one neighbour
            near = [np.take(column, places).astype(np.intp) for column in neighbours.T]
            windowed.add((places, scores), *((column, scores * taken[column]) for column in near))
        by_group.add(_best_of_each(np.take(groups, places).astype(np.intp), scores))
    summed = _lent(own, neighbours, share=neighbour_share, columns=range(neighbours.shape[1]))
    summed += own
    return SpreadTerms(own=own, summed=summed, windowed=in_windows, grouped=by_group.total[groups])


def spread_similarity(similarity: Float32s, neighbours: Int32s, *, neighbour_share: float | Float32s) -> Float32s:
    """Return what the items before and after lend to each item's similarity.

    Args:
        similarity: Centred, so that having neighbours is no advantage by itself, shape (items,).
        neighbours: Links, -1 for none, shape (items, 4).
        neighbour_share: Part that is taken, 0–1; or one for each item, shape (items,).
    """
    return _lent(similarity, neighbours, share=neighbour_share, columns=_BEFORE_AND_AFTER)


def _lent(values: Float32s, neighbours: Int32s, *, share: float | Float32s, columns: Iterable[int]) -> Float32s:
    """Add up a share of the values of each item's neighbours."""
    padded = np.append(values, np.float32(0.0))  # the last answers for the neighbour that is none
    lent = np.zeros_like(values)
    for column in columns:
        lent += np.take(padded, neighbours[:, column], mode="wrap")  # twice as fast as indexing
    lent *= np.asarray(share, dtype=np.float32)
    return lent


class _BestSum:
    """Adds, term after term, the largest value each place was given for it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._totals = np.zeros(size + 1, dtype=np.float32)  # the last takes what is given to the place -1
        self._best = np.zeros(size + 1, dtype=np.float32)

    @property
    def total(self) -> Float32s:
        """The sums, shape (places,)."""
        return self._totals[: self._size]

    def add(self, *given: tuple[Intps, Float32s]) -> None:
        """Add one term's largest values; of one array a place is given once, and -1, which is no place, as often as need be."""
        for places, values in given:
            self._best[places] = np.maximum(self._best[places], values)  # a tenth of what `maximum.at` takes
        if sum(places.size for places, _ in given) * _DENSE_FROM > self._size:
            self._totals += self._best
            self._best.fill(0.0)
        else:
            touched = np.concatenate([places for places, _ in given])
            # A place that occurs twice is assigned twice with the same sum, and so counted once.
            self._totals[touched] += self._best[touched]
            self._best[touched] = 0.0


def _best_of_each(places: Intps, values: Float32s) -> tuple[Intps, Float32s]:
    """Return each place once, rising, with its largest value; first of runs, which most groups are, so that little is sorted."""
    while (places[1:] <= places[:-1]).any():
        first = np.flatnonzero(np.diff(places, prepend=-1))
        places, values = places[first], np.maximum.reduceat(values, first)
        if (places[1:] < places[:-1]).any():
            order = np.argsort(places, kind="stable")
            places, values = places[order], values[order]
    return places, values


_SECONDS_A_DAY = 86_400.0


def near_neighbours(neighbours: Int32s, gaps: Float64s, *, max_gap_days: float) -> Int32s:
    """Keep the links between items that lie close in time.

    Turns of one conversation speak for each other; notes that merely share a session's name, weeks apart, do not.

    Args:
        neighbours: Item numbers, -1 for none, shape (items, 4).
        gaps: Seconds between each item and its neighbours, at least 0, shape (items, 4).
        max_gap_days: How far apart two linked items may lie, at least 0.

    Returns:
        The same links, with -1 for those that reach too far; mutual links stay mutual.

    >>> links = np.array([[-1, -1, 1, -1], [-1, 0, -1, -1]], dtype=np.int32)
    >>> gaps = np.where(links >= 0, 90_000.0, 0.0)
    >>> near_neighbours(links, gaps, max_gap_days=1.0).max()
    np.int32(-1)
    """
    longest = max_gap_days * _SECONDS_A_DAY
    if gaps.max(initial=0.0) <= longest:
        return neighbours
    # Transposed, because each column is contiguous in memory and is read whole.
    return np.where(longest >= gaps.T, neighbours.T, np.int32(-1)).T


def shortness(lengths: Float32s, short_words: float) -> Float32s:
    """Return how much of what its neighbours lend an item takes: all while it is short, the less the longer it is.

    ``min(1, short_words / length)``. A line of a chat is understood by the lines around it; a page speaks for itself.

    Args:
        lengths: How many words each item holds, shape (items,).
        short_words: Up to how many an item is short, above 0.

    >>> shortness(np.array([10, 400]), 100.0).tolist()
    [1.0, 0.25]
    """
    return np.minimum(1.0, short_words / np.maximum(lengths, 1)).astype(np.float32)


def shares_taken(is_passage: Bools | None, short: Float32s | None, *, turn: float, passage: float) -> Float32s | float:
    """Return what part of its neighbours' evidence each item takes: turns of a conversation more than passages.

    Returns:
        One number where it is the same for all, else one for each, float32, shape (items,).
    """
    shares = turn if is_passage is None else np.where(is_passage, np.float32(passage), np.float32(turn))
    return shares if short is None else np.asarray(shares * short, dtype=np.float32)


QUESTION_COST = 0.042
"""What a short turn loses that ends by asking, in the unit of scores."""

_REPLY_SHARE = 0.12
"""Part of such a turn's score that the short turn behind it gains. With the cost, LoCoMo's recall at 1 rose by 4 points
(39.2 to 43.2 %, what vague questions gain included)."""

_UNANSWERED = 0.6
"""Part of its score and likelihood that a question keeps that no reply follows: by its form alone it is like any other. In chats that keep
their questions and no replies, the message that answers is the first hit for 75, 92 and 83 instead of 42, 52 and 46 % of plain facts and, of facts
inside a question, for 88, 83 and 88 instead of 75 % each (en, ja, zh). With 0.5 the latter are 75, 71 and 83 %."""

_BELOW = 0.1
"""What such a question loses in any case, so that it is below a statement of no score too."""

_ECHO = 0.7
"""Part of the asked words from which on such a question is the one that is asked, and keeps nothing."""

_BEFORE, _AFTER = 1, 2
"""Columns of the neighbour links that are next before and next after the item."""


def unanswered(is_question: Bools, neighbours: Int32s, *, groups: Int32s, speakers: Int32s) -> Bools:
    """Return which items ask where only one person speaks, so that a reply was never kept.

    If that person is not named, the turn behind a question may be the reply, unless it asks too.
    """
    before, after = neighbours[:, _BEFORE], neighbours[:, _AFTER]
    is_mixed = np.zeros(int(groups.max()) + 1, dtype=np.bool_)
    is_mixed[groups[(before >= 0) & (speakers != speakers[before])]] = True
    return is_question & ~is_mixed[groups] & ((speakers >= 0) | (after < 0) | is_question[after])


def alone(is_alone: Bools, groups: Int32s, neighbours: Int32s) -> tuple[Int32s, Int32s]:
    """Return groups and neighbours as if some items were in no session.

    Args:
        is_alone: Which items, shape (items,).
        groups: The session or document of each, shape (items,).
        neighbours: Links, -1 for none, shape (items, 4).
    """
    groups, neighbours = groups.copy(), neighbours.copy()
    numbers = np.flatnonzero(is_alone).astype(np.int32)
    groups[numbers] = groups.max() + 1 + np.arange(numbers.size, dtype=np.int32)
    neighbours[np.append(is_alone, False)[neighbours] | is_alone[:, None]] = -1
    return groups, neighbours


def kept_share(is_open: Bools, share: Float32s) -> Float32s:
    """Return which part of its score and likelihood each item keeps, float32, shape (items,).

    Args:
        is_open: Whether it asks and gets no reply, shape (items,).
        share: Which part of the asked words it holds, 0–1, shape (items,).
    """
    return np.where(is_open, np.where(share > _ECHO, 0.0, _UNANSWERED), 1.0).astype(np.float32)


def reply_term(score: Float32s, neighbours: Int32s, *, is_question: Bools, short: Float32s | None) -> Float32s:
    """Return what items gain by replying to a turn that asks, and lose by asking.

    A turn that asks loses ``QUESTION_COST``; one that does not, and comes right after one that does, gains
    ``_REPLY_SHARE`` of the other's score where that is above 0. Both count as far as the turn is short: a long text says more than its last line.
    """
    if not is_question.any():
        return np.zeros_like(score)
    before = neighbours[:, _BEFORE]
    lent = np.append(np.where(is_question, np.maximum(score, 0.0), 0.0), 0.0).astype(np.float32)
    term = np.float32(_REPLY_SHARE) * np.take(lent, before, mode="wrap")
    term[is_question] = -np.float32(QUESTION_COST)
    return term if short is None else term * short


# What follows was chosen together, one configuration for all development sets: LoCoMo, MADial-Bench (en, zh), HotpotQA,
# MuSiQue, TimeQA, JSQuAD, JaQuAD and CMRC; docs/figures.md has the figures.
NEIGHBOUR_SHARE = 0.4
PASSAGE_SHARE = 0.25
"""Part of its neighbours' words that a short turn takes, from each of four; the same between the passages of a document.
Context at query time took LoCoMo's recall at 10 from 58 to 77 %."""

WINDOW_SHARE = 0.8
"""Weight of the reading "each word counts once in an item and its neighbours, where it is strongest"; the rest goes to the
plain sum over them."""

GROUP_SHARE = 0.2
"""Weight of the words found elsewhere in the item's session or document."""

DENSE_NEIGHBOUR_SHARE = 0.5
DENSE_PASSAGE_SHARE = 0.1
"""Part of the similarity of the one before and the one after that a short turn takes; the same between passages."""

SHARPNESS = 1.5
"""To which power the share of the question's words is raised, at least 1: what holds a word or two of many by chance counts
for the less the higher it is."""

ENOUGH_NATS = 25.0
"""Words worth so much, about five rare ones, are as good as all of a longer question: what a turn of three sentences is to bring back
shares the words of one of them. With the sharpness, which was 1.25 where all words counted, MADial's recall at 5 rose by 2 to 3 points."""

ALONE = 2.5
"""How many times as much meaning counts in a statement without neighbours: what one says in one sentence is asked for in other words, and a
question's one word in another sentence is mostly chance. Of facts asked for in other words 62 instead of 53 % are the first of 40 (en)."""

SPEAKER_BONUS = 0.056
"""What an item gains when the question names its speaker, in the unit of scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningWeights:
    """What meaning counts for beside words: the numbers that are an embedder's own.

    The defaults were chosen for USE, on the same sets as the constants above.
    """

    dense: float = 0.4  #: What a cosine of 1 counts for beside holding all of the question's words, at least 0.
    #: A question is vague, and meaning is trusted more, where the best item holds less than this share of its words,
    #: 0–1; wholly vague 0.1 below.
    vague_below: float = 0.22
    vague: float = 1.0  #: How much more meaning counts in a wholly vague question, as a part of its weight, at least 0.
    #: How far what all vectors have in common is taken out of them in a wholly vague question, 0–1.
    centre: float = 1.0
    #: What likeness to the best items counts for in a wholly vague question, as a part of the weight of meaning, at
    #: least 0.
    likeness: float = 0.4


_AS_NEAR = 0.04
_NEAR_ENOUGH = 8
"""So near in cosine, and so many items at least, are as near in meaning as another."""


class Term(StrEnum):
    """What a score is the sum of."""

    LEXICAL = "lexical"
    LEXICAL_CONTEXT = "lexical_context"
    LEXICAL_GROUP = "lexical_group"
    UNMATCHED = "unmatched"
    DENSE = "dense"
    DENSE_CONTEXT = "dense_context"
    LIKENESS = "likeness"
    SPEAKER = "speaker"
    REPLY = "reply"
    DATE = "date"
    GRAPH = "graph"
    LEARNED = "learned"
    AROUSAL = "arousal"
    RECENCY = "recency"
    RERANK = "rerank"
    DEPTH = "depth"
    ROW = "row"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """The items in the order they should be read."""

    #: Item numbers, best first, ties by number; all items, or as many as were asked for. Shape (ranked,).
    order: Int32s
    #: Of every item, higher is better, float32, shape (items,); comparable within one ranking only.
    score: Float32s
    terms: Mapping[Term, Float32s]  #: What the score is the sum of, each float32 of shape (items,).
    dense_weight: float = 0.0  #: What meaning weighed against words.

    def to(self, count: int) -> Ranking:
        """Return the same with so many places in order, at least 1, or all where there are fewer."""
        return replace(self, order=_best_first(self.score, count))

    def with_term(self, term: Term, values: Float32s, *, limit: int | None = None) -> Ranking:
        """Return the ranking with one more reason.

        Args:
            term: Which; one that is there already is added to.
            values: What each item gains or loses, shape (items,).
            limit: How many places of the order are wanted, at least 1; None for all.
        """
        score = self.score + values
        terms = {**self.terms, term: self.terms[term] + values if term in self.terms else values}
        ordered = {name: terms[name] for name in Term if name in terms}
        return replace(self, order=_best_first(score, limit), score=score, terms=ordered)


def rank(
    evidence: Evidence,
    *,
    weights: MeaningWeights,
    limit: int | None = None,
    words: SpreadTerms | None = None,
    given: Mapping[Term, Float32s] | None = None,
) -> Ranking:
    """Order all items by how well they answer the question.

    ``words ^ SHARPNESS + w · meaning + bonus``: words are the share that an item holds of what the question's words could score,
    0–1, meaning is its cosine, w comes from ``dense_weight``. Both depend on the item alone, so that what else is
    remembered hardly moves a score: a deviation from the mean of few texts, or of long ones, says nothing.
    Scores are added and not ranks: ranks forget how far ahead the best words are, which cost dialogues dearly.

    Law: the terms of an item sum to its score, up to rounding in float32.

    Costs O(scores · 5 + items), plus sorting: all items, or about ``limit`` of them.
    """
    words = words or spread_terms(
        evidence.terms,
        evidence.neighbours,
        groups=evidence.groups,
        neighbour_share=shares_taken(evidence.is_passage, evidence.short, turn=NEIGHBOUR_SHARE, passage=PASSAGE_SHARE),
    )
    weight = dense_weight(vague=evidence.vague, weights=weights)
    found = {
        **_word_terms(words, min(evidence.terms.attainable, ENOUGH_NATS)),
        **_meaning_terms(evidence, weight=weight, alone=max(ALONE * weights.dense, weight)),
        Term.SPEAKER: np.float32(SPEAKER_BONUS) * evidence.is_by_named_speaker,
    }
    if evidence.is_foreign is not None:
        words_say = found[Term.LEXICAL] + found[Term.LEXICAL_CONTEXT] + found[Term.LEXICAL_GROUP]
        found[Term.UNMATCHED] = unmatched_term(words_say, evidence.similarity, is_foreign=evidence.is_foreign)
    score = np.zeros(evidence.count, dtype=np.float32)
    for values in found.values():
        score += values
    for term, values in (given or {}).items():
        found[term] = _as_far_as_relevant(values, score)
        score += found[term]
    terms = {term: found[term] for term in Term if term in found and (term is not Term.UNMATCHED or found[term].any())}
    if evidence.is_question is not None:
        terms[Term.REPLY] = reply_term(
            score, evidence.neighbours, is_question=evidence.is_question, short=evidence.short
        )
        if evidence.kept is not None:
            terms[Term.REPLY] -= (1 - evidence.kept) * (np.maximum(score, 0.0) + np.float32(_BELOW))
        score += terms[Term.REPLY]
    return Ranking(order=_best_first(score, limit), score=score, terms=terms, dense_weight=weight)


def unmatched_term(words: Float32s, similarity: Float32s, *, is_foreign: Bools) -> Float32s:
    """Return what words would probably say of items whose words are of another language than the question's.

    What they say on average of items in the question's language that are as near in meaning, of the ``_NEAR_ENOUGH`` nearest at least; what
    lacks of those says nothing. The nearer item never gains less, so that the order among those that hold no word stays.
    """
    is_known = ~np.isnan(similarity)
    own, others = np.flatnonzero(is_known & ~is_foreign), np.flatnonzero(is_known & is_foreign)
    own = own[np.argsort(similarity[own], kind="stable")]
    near, at = similarity[own], similarity[others]
    sums = np.concatenate(([0.0], np.cumsum(words[own], dtype=np.float64)))
    first = np.minimum(
        np.searchsorted(near, at - _AS_NEAR), np.maximum(np.searchsorted(near, at) - _NEAR_ENOUGH // 2, 0)
    )
    last = np.maximum(np.searchsorted(near, at + _AS_NEAR), np.minimum(first + _NEAR_ENOUGH, own.size))
    first = np.minimum(first, np.maximum(last - _NEAR_ENOUGH, 0))
    usual = (sums[last] - sums[first]) / np.maximum(last - first, _NEAR_ENOUGH)
    found = np.zeros_like(words)
    rising = np.argsort(at, kind="stable")
    usual[rising] = np.maximum.accumulate(usual[rising])
    found[others] = np.maximum(usual - words[others], 0.0)
    return found


def _as_far_as_relevant(values: Float32s, score: Float32s) -> Float32s:
    """Return half of what items gain, and the other half as far as they come near the best without it."""
    best = float(score.max(initial=0.0))
    return (
        values if best <= 0.0 else values * (0.5 + 0.5 * np.clip(score / np.float32(best), 0.0, 1.0)).astype(np.float32)
    )


def _word_terms(words: SpreadTerms, attainable: float) -> dict[Term, Float32s]:
    window = words.windowed - words.summed
    window *= WINDOW_SHARE
    window += words.summed
    group = (words.grouped - words.own) * np.float32(GROUP_SHARE)
    # Separates a text that holds a word or two of many by chance from one that holds what was asked for.
    share: Float32s = np.maximum((window + group) / np.float32(attainable), np.float32(0.0))
    sharpened = np.power(share, np.float32(SHARPNESS - 1.0))
    per_unit: Float32s = np.asarray(sharpened / np.float32(attainable), dtype=np.float32)
    return {
        Term.LEXICAL: words.own * per_unit,
        Term.LEXICAL_CONTEXT: (window - words.own) * per_unit,
        Term.LEXICAL_GROUP: group * per_unit,
    }


def _meaning_terms(evidence: Evidence, *, weight: float, alone: float) -> dict[Term, Float32s]:
    own = evidence.similarity
    values = own if evidence.sample is None else own[evidence.sample]
    usual = np.float32(float(values.sum(dtype=np.float64)) / max(values.size, 1))
    if evidence.sample is not None:
        own = np.where(np.isnan(own), usual, own)  # what was not compared is taken to be like the rest
    shares = shares_taken(evidence.is_passage, evidence.short, turn=DENSE_NEIGHBOUR_SHARE, passage=DENSE_PASSAGE_SHARE)
    lent = spread_similarity(own - usual, evidence.neighbours, neighbour_share=shares)
    is_alone = (evidence.neighbours < 0).all(axis=1)
    if evidence.is_passage is not None:
        is_alone &= ~evidence.is_passage
    more = np.float32(alone - weight) * is_alone * (own - usual)
    return {Term.DENSE: np.float32(weight) * own + more, Term.DENSE_CONTEXT: np.float32(weight) * lent}


def _best_first(score: Float32s, limit: int | None) -> Int32s:
    """Sort only what can be among the first ``limit``: items that tie with the last of them included."""
    candidates = at_the_top(score, score.size if limit is None else limit).astype(np.int32)
    return candidates[np.argsort(-score[candidates], kind="stable")][:limit]


_VAGUE_WIDTH = 0.1
"""So far below where a question begins to be vague it is wholly so."""


def best_coverage(own: Float32s, attainable: float) -> float:
    """Return how much of the question's words the item that holds most of them holds, 0–1.

    Args:
        own: Sum of each item's own scores, shape (items,).
        attainable: What no item reaches, from ``TermScores``.
    """
    return float(own.max(initial=0.0)) / attainable


def vagueness(coverage: float, *, weights: MeaningWeights) -> float:
    """Return how little a question's words say about what it wants: 0 for one that is asked in the words of its answer."""
    return min(1.0, max(0.0, (weights.vague_below - coverage) / _VAGUE_WIDTH))


def dense_weight(*, weights: MeaningWeights, vague: float = 0.0) -> float:
    """Return the weight of meaning against words: ``dense · (1 + vague weight · vague)``."""
    return weights.dense * (1.0 + weights.vague * vague)


_BLOCKS_FOR_EACH = 8
"""With so many blocks for each value that is wanted, few others pass the bound."""


def at_the_top(values: Float32s, count: int) -> Intps:
    """Return the places of the ``count`` largest values and of those that tie with the least of them.

    The ``count``-th best of the blocks' largest values is at most the ``count``-th best value, so a smaller value is
    passed over: a third of the time of a partition of all.

    Args:
        values: Numbers, shape (values,).
        count: How many, at least 1.

    Returns:
        Places, rising; all where there are not more.

    >>> at_the_top(np.array([1.0, 3.0, 2.0, 3.0], dtype=np.float32), 1).tolist()
    [1, 3]
    """
    if count >= values.size:
        return np.arange(values.size)
    size = values.size // (_BLOCKS_FOR_EACH * count)
    places = np.arange(values.size)
    if size > 1:
        blocks = np.maximum.reduceat(values, np.arange(0, values.size, size))
        places = np.flatnonzero(values >= np.partition(blocks, -count)[-count])
    best = values[places]
    return places[best >= np.partition(best, -count)[-count]]
