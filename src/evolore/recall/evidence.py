"""Evidence: everything the ranking knows about a question and the items, gathered from the indexes as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evolore.domain.language import Language
from evolore.domain.query import Query
from evolore.errors import InvalidValue
from evolore.ports import IndexView
from evolore.recall import ranking
from evolore.recall.dense import Meaning, Seen
from evolore.recall.question import match_speakers
from evolore.recall.visibility import neighbours_by, there_by
from evolore.text.forms import asked_forms, form_weights
from evolore.text.tokens import query_tokens, token_weights
from evolore.text.vectors import Bools, Float32s, Int32s, Int64s

_MOST_GAP_DAYS = 1.0
"""How far apart in time two turns of a session may lie and still be neighbours: a night, not a week."""

SHORT_WORDS = 100.0
"""Up to how many words an item is short; a longer one takes the less of its neighbours the longer it is. With messages of
2,000 characters the spread of neighbours cost 7 to 9 points of recall at 10 until it was so."""

NEIGHBOURS = 4
"""Columns of the neighbour links: two before, one before, one after, two after."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TermScores:
    """Each query term's score on the items that hold it, row after row."""

    #: Where each term's row begins, and the end of the last: from 0, never falling, int64, shape (terms + 1,).
    starts: Int64s
    items: Int32s  #: Item numbers, each at most once in a row, int32, shape (scores,).
    scores: Float32s  #: Above 0, float32, shape (scores,).
    #: An upper bound of an item's scores: the sum for one that holds every word everywhere, also the words that no
    #: item holds. Above 0.
    attainable: float = 1.0

    def __post_init__(self) -> None:
        rows_fit = self.starts.size > 0 and self.starts[0] == 0 and self.starts[-1] == self.items.size
        if not (rows_fit and np.all(np.diff(self.starts) >= 0)):
            raise InvalidValue(
                f"starts {self.starts.tolist()} do not cut {self.items.size} scores into rows: begin with 0, "
                "never fall, and end with the number of scores."
            )
        if self.items.shape != self.scores.shape:
            raise InvalidValue(f"{self.items.size} items have {self.scores.size} scores: pass one for each.")

    def renumbered(self, number: Int32s) -> TermScores:
        """Return the items their new numbers and leave out those whose new number is -1."""
        items = number[self.items]
        stays = items >= 0
        starts = np.concatenate(([0], np.cumsum(stays)))[self.starts].astype(np.int64, copy=False)
        return TermScores(starts=starts, items=items[stays], scores=self.scores[stays], attainable=self.attainable)

    def rows(self) -> Iterator[tuple[Int32s, Float32s]]:
        """Yield each term's items and scores, in the order of the terms; terms without any are passed over."""
        for start, end in pairwise(self.starts.tolist()):
            if start < end:
                yield self.items[start:end], self.scores[start:end]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """What is known of one question and every item; all arrays share the items' order."""

    terms: TermScores  #: The question's words on the items.
    #: How near in meaning each item's own vector is to the question's, in any unit, float32, shape (items,); where a
    #: sample is given, NaN for items that were not compared.
    similarity: Float32s
    #: Item numbers two before, one before, one after and two after in the same session or document, -1 for none; links
    #: are mutual. int32, shape (items, 4).
    neighbours: Int32s
    #: A number from 0 per session or document, without large gaps; items in neither have one of their own. int32,
    #: shape (items,).
    groups: Int32s
    is_by_named_speaker: Bools  #: Whether the question names who said it, shape (items,).
    #: How much of what neighbours lend an item takes, 0–1, from ``neighbours.shortness``, shape (items,).
    short: Float32s | None = None
    #: Whether it is in a document, shape (items,); None where none does.
    is_passage: Bools | None = None
    #: Whether it ends by asking, shape (items,); None where none does.
    is_question: Bools | None = None
    #: Which part of its score and likelihood an item keeps, 0–1, shape (items,): less than 1 for a question without a
    #: reply. None where all keep theirs.
    kept: Float32s | None = None
    #: Whether its words are of another language than the question's, shape (items,); None where none is.
    is_foreign: Bools | None = None
    vague: float = 0.0  #: How little the question's words say, 0–1, from ``fusion.vagueness``.
    #: The sample where only some items were compared: these and the items next to them. None where all
    #: were.
    sample: Int32s | None = None

    def __post_init__(self) -> None:
        count = self.similarity.size
        shapes = {
            "similarity": (self.similarity.shape, (count,)),
            "neighbours": (self.neighbours.shape, (count, NEIGHBOURS)),
            "groups": (self.groups.shape, (count,)),
            "is_by_named_speaker": (self.is_by_named_speaker.shape, (count,)),
        }
        for name in ("is_passage", "is_question", "kept", "is_foreign", "short"):
            flags: Bools | Float32s | None = getattr(self, name)
            if flags is not None:
                shapes[name] = (flags.shape, (count,))
        for name, (shape, wanted) in shapes.items():
            if shape != wanted:
                raise InvalidValue(f"{name} has the shape {shape}: {count} items need {wanted}.")
        if not np.isfinite(self.similarity if self.sample is None else self.similarity[self.sample]).all():
            raise InvalidValue("similarity holds a value that is not a number: use cosines of unit vectors.")
        _check_numbers(self.terms.items, "terms.items", lowest=0, highest=count - 1)
        _check_numbers(self.neighbours, "neighbours", lowest=-1, highest=count - 1)
        _check_numbers(self.groups, "groups", lowest=0, highest=np.iinfo(np.int32).max)

    @property
    def count(self) -> int:
        """How many items there are."""
        return self.similarity.size


def _check_numbers(numbers: Int32s, name: str, *, lowest: int, highest: int) -> None:
    if numbers.size and not (lowest <= numbers.min() and numbers.max() <= highest):
        raise InvalidValue(
            f"{name} runs from {numbers.min()} to {numbers.max()}: numbers from {lowest} to {highest} are known."
        )


_OWN_SCRIPT = {one: place for place, one in enumerate(Language) if one in {Language.JA, Language.ZH}}
_LEAST_ATTAINABLE = 1e-6
"""Where a question has no words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Evidence about the items that a question may see."""

    evidence: Evidence  #: As the ranking takes it.
    words: ranking.SpreadTerms  #: What words say, with what neighbours lend.
    meaning: Meaning  #: Compares them with vectors.
    seen: Seen  #: Which they are, and their numbers in the index.


def gather(
    view: IndexView, query: Query, vector: Float32s, *, language: Language, seen: Seen, weights: ranking.MeaningWeights
) -> Gathered:
    """Ask the indexes about a question; costs a pass over the items that hold its words, and a few over all."""
    terms = word_scores(query_tokens(query.text), view, among=there_by(query, view), others=asked_forms(query.text))
    neighbours = ranking.near_neighbours(*neighbours_by(query, view), max_gap_days=_MOST_GAP_DAYS)
    flags = _Flags(
        groups=view.groups,
        named=match_speakers(query.text, view.speakers, view.speaker_names),
        questions=view.is_question,
        passages=view.is_passage,
        lengths=view.text.lengths,
        foreign=is_in_another(view.languages, language),
        speakers=view.speakers,
    )
    if not seen.is_all:
        terms = terms.renumbered(seen.new_numbers)
        neighbours = seen.new_numbers[neighbours[seen.numbers]]
        flags = flags.of(seen.numbers)
    groups, is_open = flags.groups, None
    if flags.questions.any():
        is_open = ranking.unanswered(flags.questions, neighbours, groups=groups, speakers=flags.speakers)
        is_open &= flags.lengths <= SHORT_WORDS
        groups, neighbours = ranking.alone(is_open, groups, neighbours)
    short = ranking.shortness(flags.lengths, SHORT_WORDS)
    shares = ranking.shares_taken(flags.passages, short, turn=ranking.NEIGHBOUR_SHARE, passage=ranking.PASSAGE_SHARE)
    words = ranking.spread_terms(terms, neighbours, groups=groups, neighbour_share=shares)
    vague = ranking.vagueness(ranking.best_coverage(words.own, terms.attainable), weights=weights)
    meaning = Meaning(view, vector, seen, words, neighbours=neighbours, limit=query.limit)
    evidence = Evidence(
        terms=terms,
        similarity=meaning.seen_from_centre(vague * weights.centre),
        neighbours=neighbours,
        groups=flags.groups,
        is_by_named_speaker=flags.named,
        is_passage=flags.passages,
        is_question=flags.questions,
        kept=None
        if is_open is None
        else ranking.kept_share(is_open, words.own / min(terms.attainable, ranking.ENOUGH_NATS)),
        is_foreign=flags.foreign if flags.foreign.any() else None,
        vague=vague,
        short=short,
        sample=meaning.sample,
    )
    return Gathered(evidence=evidence, words=words, meaning=meaning, seen=seen)


def word_scores(
    tokens: Sequence[str], view: IndexView, *, among: Bools | None, others: Mapping[str, str] | None = None
) -> TermScores:
    """Ask the lexical index what some words say of the items.

    Another written form of its own counts where any item holds it; one that writes a token otherwise, in the items that do not
    hold that token.
    """
    others = others or {}
    starts, items, scores, rarities = view.text.term_postings([*tokens, *others], among=among)
    counts = np.diff(starts)
    weights = np.concatenate([token_weights(tokens), *([form_weights([*others])] if others else [])])
    adds = np.array([True] * len(tokens) + [not token for token in others.values()], dtype=np.bool_)
    adds[len(tokens) :] &= counts[len(tokens) :] > 0
    scores = scores * np.repeat(weights, counts)
    place = {token: row for row, token in enumerate(tokens)}
    for row, token in enumerate(others.values(), len(tokens)):
        if token in place and counts[row]:
            other, known = slice(*starts[row : row + 2]), slice(*starts[place[token] : place[token] + 2])
            scores[other][np.isin(items[other], items[known])] = 0.0
    kept = scores > 0.0
    return TermScores(
        starts=np.concatenate(([0], np.cumsum(kept)))[starts].astype(np.int64, copy=False),
        items=items[kept],
        scores=scores[kept],
        attainable=max(float((weights * adds) @ rarities), _LEAST_ATTAINABLE),
    )


def is_in_another(languages: npt.NDArray[np.uint8], asked: Language) -> Bools:
    """Return which items' words are of another language than a question's; all that is in neither Japanese nor Chinese is of one.

    Args:
        languages: The place of each item's language in ``Language``, shape (items,).
        asked: The question's.
    """
    if asked in _OWN_SCRIPT:
        return languages != _OWN_SCRIPT[asked]
    return np.logical_or.reduce([languages == place for place in _OWN_SCRIPT.values()])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flags:
    groups: Int32s
    named: Bools
    questions: Bools
    passages: Bools
    lengths: Float32s
    foreign: Bools
    speakers: Int32s

    def of(self, numbers: Int32s) -> _Flags:
        return _Flags(**{flag.name: getattr(self, flag.name)[numbers] for flag in fields(self)})
