"""Ranking: from evidence to an order in which every score is the sum of named terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.recall.best import at_the_top
from evolore.recall.fusion import dense_weight
from evolore.recall.neighbours import shares_taken
from evolore.recall.replies import reply_term
from evolore.recall.spread import spread_similarity, spread_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.recall.evidence import Evidence
    from evolore.recall.settings import RecallSettings
from evolore.recall.spread import SpreadTerms


class Term(StrEnum):
    """What a score is the sum of."""

    LEXICAL = "lexical"
    LEXICAL_CONTEXT = "lexical_context"
    LEXICAL_GROUP = "lexical_group"
    DENSE = "dense"
    DENSE_CONTEXT = "dense_context"
    LIKENESS = "likeness"
    SPEAKER = "speaker"
    SUBJECT = "subject"
    REPLY = "reply"
    DATE = "date"
    GRAPH = "graph"
    LEARNED = "learned"
    AROUSAL = "arousal"
    RECENCY = "recency"
    RERANK = "rerank"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """The items in the order they should be read.

    Args:
        order: Item numbers, best first, ties by number; all items, or as many as were asked for. Shape (ranked,).
        score: Of every item, higher is better, float32, shape (items,); comparable within one ranking only.
        terms: What the score is the sum of, each float32 of shape (items,).
        dense_weight: What meaning weighed against words.
    """

    order: npt.NDArray[np.int32]
    score: npt.NDArray[np.float32]
    terms: Mapping[Term, npt.NDArray[np.float32]]
    dense_weight: float = 0.0

    def to(self, count: int) -> Ranking:
        """Give the same with so many places in order, at least 1, or all where there are fewer."""
        return replace(self, order=_best_first(self.score, count))

    def with_term(self, term: Term, values: npt.NDArray[np.float32], *, limit: int | None = None) -> Ranking:
        """Give the ranking with one more reason.

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
    settings: RecallSettings,
    limit: int | None = None,
    words: SpreadTerms | None = None,
    given: Mapping[Term, npt.NDArray[np.float32]] | None = None,
) -> Ranking:
    """Order all items by how well they answer the question.

    ``words ^ sharpness + w · meaning + bonus``: words are the share that an item holds of what the question's words could give,
    0–1, meaning is its cosine, w comes from ``fusion.dense_weight``. Both are said of an item alone, so that what else is
    remembered hardly moves a score: a deviation from the mean of few texts, or of long ones, says nothing.
    Scores are added and not ranks: ranks forget how far ahead the best words are, which cost dialogues dearly.

    Law: the terms of an item sum to its score, up to rounding in float32.

    Costs O(scores · 5 + items), plus sorting: all items, or about ``limit`` of them.

    Args:
        evidence: The question and the items; may be empty of terms, of items or of both.
        settings: What counts how much.
        limit: How many places of the order are wanted, at least 1; None for all.
        words: What ``spread_terms`` gives for this evidence, where it is known already.
        given: Further reasons, found elsewhere.
    """
    words = words or spread_terms(
        evidence.terms,
        evidence.neighbours,
        groups=evidence.groups,
        neighbour_share=shares_taken(
            evidence.is_passage, evidence.short, turn=settings.neighbour_share, passage=settings.passage_share
        ),
    )
    weight = dense_weight(vague=evidence.vague, settings=settings)
    found = {
        **_word_terms(words, evidence.terms.attainable, settings),
        **_meaning_terms(evidence, settings, weight=weight),
        Term.SPEAKER: np.float32(settings.speaker_bonus) * evidence.is_by_named_speaker,
    }
    if evidence.vague:
        bonus = np.float32(settings.subject_bonus * evidence.vague * weight)
        is_meant = evidence.is_by_named_speaker
        found[Term.SUBJECT] = bonus * (
            is_meant if evidence.names_subject is None else is_meant | evidence.names_subject
        )
    found |= given or {}
    terms = {term: found[term] for term in Term if term in found}
    score = np.zeros(evidence.count, dtype=np.float32)
    for values in terms.values():
        score += values
    if evidence.is_question is not None:
        terms[Term.REPLY] = reply_term(
            score, evidence.neighbours, is_question=evidence.is_question, short=evidence.short, settings=settings
        )
        score += terms[Term.REPLY]
    return Ranking(order=_best_first(score, limit), score=score, terms=terms, dense_weight=weight)


def _word_terms(words: SpreadTerms, attainable: float, settings: RecallSettings) -> dict[Term, npt.NDArray[np.float32]]:
    window = words.windowed - words.summed
    window *= settings.window_share
    window += words.summed
    group = (words.grouped - words.own) * np.float32(settings.group_share)
    # A text that holds a word or two of many by chance is told from one that holds what was asked for.
    share: npt.NDArray[np.float32] = np.maximum((window + group) / np.float32(attainable), np.float32(0.0))
    sharpened = np.power(share, np.float32(settings.sharpness - 1.0))
    per_unit: npt.NDArray[np.float32] = np.asarray(sharpened / np.float32(attainable), dtype=np.float32)
    return {
        Term.LEXICAL: words.own * per_unit,
        Term.LEXICAL_CONTEXT: (window - words.own) * per_unit,
        Term.LEXICAL_GROUP: group * per_unit,
    }


def _meaning_terms(
    evidence: Evidence, settings: RecallSettings, *, weight: float
) -> dict[Term, npt.NDArray[np.float32]]:
    own = evidence.similarity
    usual = np.float32(_mean(own if evidence.sample is None else own[evidence.sample]))
    if evidence.sample is not None:
        own = np.where(np.isnan(own), usual, own)  # what was not compared is taken to be like the rest
    turn, passage = settings.dense_neighbour_share, settings.dense_passage_share
    shares = shares_taken(evidence.is_passage, evidence.short, turn=turn, passage=passage)
    lent = spread_similarity(own - usual, evidence.neighbours, neighbour_share=shares)
    return {Term.DENSE: np.float32(weight) * own, Term.DENSE_CONTEXT: np.float32(weight) * lent}


def _mean(values: npt.NDArray[np.float32]) -> float:
    return float(values.sum(dtype=np.float64)) / max(values.size, 1)


def _best_first(score: npt.NDArray[np.float32], limit: int | None) -> npt.NDArray[np.int32]:
    """Sort only what can stand among the first ``limit``: items that tie with the last of them included."""
    candidates = at_the_top(score, score.size if limit is None else limit).astype(np.int32)
    return candidates[np.argsort(-score[candidates], kind="stable")][:limit]
