"""What the indexes say about a question, gathered for the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.flows.meaning import Meaning, Seen
from evolore.flows.seen import neighbours_by, there_by
from evolore.recall.evidence import Evidence, TermScores
from evolore.recall.fusion import best_coverage, vagueness
from evolore.recall.neighbours import near_neighbours, shares_taken, shortness
from evolore.recall.speakers import match_speakers
from evolore.recall.spread import spread_terms
from evolore.recall.subjects import labels_in, names_subject
from evolore.text.names import find_names
from evolore.text.scripts import detect_language
from evolore.text.token_weights import token_weights
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.ports import IndexView
    from evolore.recall.settings import RecallSettings
    from evolore.recall.spread import SpreadTerms


_LEAST_ATTAINABLE = 1e-6
"""Where a question has no words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Evidence about the items that a question may see.

    Args:
        evidence: As the ranking takes it.
        words: What words say, with what neighbours lend.
        meaning: Compares them with vectors.
        seen: Which they are, and their numbers in the index.
    """

    evidence: Evidence
    words: SpreadTerms
    meaning: Meaning
    seen: Seen


def gather(
    view: IndexView,
    query: Query,
    vector: npt.NDArray[np.float32],
    *,
    seen: Seen,
    settings: RecallSettings,
) -> Gathered:
    """Ask the indexes about a question; costs a pass over the items that hold its words, and a few over all.

    Args:
        view: The indexes.
        query: The question.
        vector: It as a unit vector, shape (dimension,).
        seen: The items it may see.
        settings: How hits are ranked.
    """
    tokens = query_tokens(query.text)
    terms = word_scores(tokens, view, among=there_by(query, view))
    neighbours = near_neighbours(*neighbours_by(query, view), max_gap_days=settings.neighbour_gap_days)
    flags = _Flags(
        groups=view.groups,
        named=match_speakers(query.text, view.speakers, view.speaker_names),
        questions=view.is_question,
        passages=view.is_passage,
        lengths=view.text.lengths,
    )
    if not seen.is_all:
        terms = terms.renumbered(seen.new_numbers)
        neighbours = seen.new_numbers[neighbours[seen.numbers]]
        flags = flags.of(seen.numbers)
    short = shortness(flags.lengths, settings.short_words)
    shares = shares_taken(flags.passages, short, turn=settings.neighbour_share, passage=settings.passage_share)
    words = spread_terms(terms, neighbours, groups=flags.groups, neighbour_share=shares)
    vague = vagueness(best_coverage(words.own, terms.attainable), settings=settings)
    meaning = Meaning(view, vector, seen, words, neighbours=neighbours, limit=query.limit)
    evidence = Evidence(
        terms=terms,
        similarity=meaning.seen_from_centre(vague * settings.vague_centre),
        neighbours=neighbours,
        groups=flags.groups,
        is_by_named_speaker=flags.named,
        is_passage=flags.passages,
        is_question=flags.questions,
        names_subject=names_subject(_named(query) if vague else (), tokens=tokens, terms=terms, count=flags.named.size),
        vague=vague,
        short=short,
        sample=meaning.sample,
    )
    return Gathered(evidence=evidence, words=words, meaning=meaning, seen=seen)


def word_scores(tokens: Sequence[str], view: IndexView, *, among: npt.NDArray[np.bool_] | None) -> TermScores:
    """Ask the lexical index what some words say of the items.

    Args:
        tokens: As ``query_tokens`` gives them.
        view: The indexes.
        among: The items that count, as ``there_by`` gives them.
    """
    starts, items, scores, rarities = view.text.term_postings(tokens, among=among)
    weights = token_weights(tokens)
    return TermScores(
        starts=starts,
        items=items,
        scores=scores * np.repeat(weights, np.diff(starts)),
        attainable=max(float(weights @ rarities), _LEAST_ATTAINABLE),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flags:
    groups: npt.NDArray[np.int32]
    named: npt.NDArray[np.bool_]
    questions: npt.NDArray[np.bool_]
    passages: npt.NDArray[np.bool_]
    lengths: npt.NDArray[np.float32]

    def of(self, numbers: npt.NDArray[np.int32]) -> _Flags:
        return _Flags(
            groups=self.groups[numbers],
            named=self.named[numbers],
            questions=self.questions[numbers],
            passages=self.passages[numbers],
            lengths=self.lengths[numbers],
        )


def _named(query: Query) -> tuple[str, ...]:
    """Give whom a question is about: who speaks in it, else who or what it names."""
    return labels_in(query.text) or find_names(query.text, language=detect_language(query.text))
