"""Print what it costs that neighbours speak for each other when asked, beside keys that hold them.

    python benchmarks/spreading.py SET…

A set is a file of memories as ``evolore evaluate retrieval`` reads it: statements in sessions. Three indexes answer:

- ``bare``: the key of each item alone, nothing lent;
- ``stored``: keys that hold three times the item's own key and once those of the two items before and the two after,
  indexed as any text is, the usual length seven times as long; nothing is lent by words when a question is asked;
- ``asked``: bare keys, words lent by neighbours when a question is asked, as recall does it.

First the scores of words alone: those of the window, and with those found anywhere in the session. Then the ranking
with meaning, speakers and replies; there ``stored`` and ``asked`` differ in their words alone: the weight of meaning
and what neighbours lend in meaning are the same. What recall does beyond that (names, dates, vague questions) is left
out of all. Printed beside: postings, their number a bare key has, and milliseconds of CPU a question from its tokens
to the scores of words.
"""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from evolore.domain.episode import Statement
from evolore.index.lexical import Bm25, LexicalIndex
from evolore.models.embedders import embedder_named
from evolore.ports import TextRole
from evolore.recall.evidence import NEIGHBOURS, SHORT_WORDS, Evidence, TermScores
from evolore.recall.indexed_texts import dense_key, lexical_key
from evolore.recall.question import match_speakers, plain_question
from evolore.recall.ranking import (
    GROUP_SHARE,
    NEIGHBOUR_SHARE,
    PASSAGE_SHARE,
    WINDOW_SHARE,
    MeaningWeights,
    SpreadTerms,
    rank,
    shares_taken,
    shortness,
    spread_terms,
)
from evolore.text.question_words import ends_with_question
from evolore.text.scripts import detect_language
from evolore.text.tokens import analyse, query_tokens, token_weights
from evolore_evaluation.records import set_name
from evolore_evaluation.retrieval_sets import average, read_collections, score_ranking, score_sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.ports import Embedder
    from evolore_evaluation.retrieval_sets import Collection

OWN_TIMES = 3
STEPS = (-2, -1, 1, 2)
OF_MANY_KEYS = Bm25(usual_length=(OWN_TIMES + len(STEPS)) * Bm25().usual_length)
"""A key that holds seven is not long for that."""
DEEPEST = 50
LEAST_ATTAINABLE = 1e-6
SHOWN = ("recall_at_5", "recall_at_10", "session_any_at_5")
WEIGHTS = MeaningWeights()
ALONE: dict[str, Any] = {"GROUP_SHARE": 0.0, "DENSE_NEIGHBOUR_SHARE": 0.0}
WAYS = ("bare", "stored", "asked")
KINDS = ("words", "words + session", "ranking")


@dataclass
class Held:
    """A memory's statements, indexed both ways."""

    names: list[str]
    sessions: dict[str, str]
    statements: list[Statement]
    vectors: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        keys = [key_tokens(statement) for statement in self.statements]
        wide = [self._wide(keys, place) for place in range(len(keys))]
        self.postings = [sum(len(set(key)) for key in keys), sum(len(set(key)) for key in wide)]
        self.bare, self.wide = LexicalIndex(keys), LexicalIndex(wide, bm25=OF_MANY_KEYS)
        self.short = shortness(self.bare.lengths, SHORT_WORDS)
        self.asks = np.array([ends_with_question(statement.text) for statement in self.statements])
        speakers = sorted({statement.speaker for statement in self.statements if statement.speaker})
        number_of = {name: number for number, name in enumerate(speakers)}
        self.speaker_names = speakers
        self.speakers = np.array([number_of.get(one.speaker or "", -1) for one in self.statements], dtype=np.int32)

    def _wide(self, keys: list[list[str]], place: int) -> list[str]:
        near: list[int] = self.neighbours[place].tolist()
        return [*keys[place] * OWN_TIMES, *(token for other in near if other >= 0 for token in keys[other])]

    @cached_property
    def groups(self) -> npt.NDArray[np.int32]:
        """A number per session."""
        numbers: dict[str, int] = {}
        keys = [self.sessions.get(name, f"alone {name}") for name in self.names]
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int32)

    @cached_property
    def neighbours(self) -> npt.NDArray[np.int32]:
        """Items two before to two after in the same session."""
        links = np.full((len(self.names), NEIGHBOURS), -1, dtype=np.int32)
        for number in range(int(self.groups.max(initial=-1)) + 1):
            items = np.flatnonzero(self.groups == number)
            for column, step in enumerate(STEPS):
                ends = np.arange(items.size) + step
                there = (ends >= 0) & (ends < items.size)
                links[items[there], column] = items[ends[there]]
        return links


def key_tokens(statement: Statement) -> list[str]:
    """Give the tokens that are indexed of a statement."""
    language = detect_language(statement.text)
    key = lexical_key(statement.text, language=language, speaker=statement.speaker, occurred_at=statement.occurred_at)
    return list(analyse(key))


def held(collection: Collection, embedder: Embedder) -> Held:
    """Take a memory in."""
    items = [item for item in collection.items if isinstance(item.content, Statement)]
    statements = [item.content for item in items if isinstance(item.content, Statement)]
    keys = [dense_key(statement.text, speaker=statement.speaker) for statement in statements]
    return Held(
        names=[item.id for item in items],
        sessions={item.id: item.session for item in items if item.session is not None},
        statements=statements,
        vectors=embedder.embed(keys, role=TextRole.PASSAGE),
    )


def word_scores(tokens: Sequence[str], index: LexicalIndex) -> TermScores:
    """Score the tokens on the items."""
    starts, items, scores, rarities = index.term_postings(tokens)
    weights = token_weights(tokens)
    return TermScores(
        starts=starts,
        items=items,
        scores=scores * np.repeat(weights, np.diff(starts)),
        attainable=max(float(weights @ rarities), LEAST_ATTAINABLE),
    )


def own_sum(terms: TermScores, count: int) -> npt.NDArray[np.float32]:
    """Add up the scores of each item."""
    return np.bincount(terms.items, weights=terms.scores, minlength=count).astype(np.float32)


@dataclass(frozen=True)
class Asked:
    """Scores of every item, by way and kind, and what they took."""

    scores: dict[tuple[str, str], npt.NDArray[np.float32]]
    milliseconds: dict[str, float]


def ask(memory: Held, question: str, vector: npt.NDArray[np.float32]) -> Asked:
    """Answer one question all ways; the times are those of words alone, with what is found in the session."""
    tokens, count = query_tokens(question), len(memory.names)
    began = [time.process_time()]
    bare = word_scores(tokens, memory.bare)
    own = own_sum(bare, count)
    began.append(time.process_time())
    wide = word_scores(tokens, memory.wide)
    stored = own_sum(wide, count) * np.float32(bare.attainable / wide.attainable)  # in the unit of the bare keys
    began.append(time.process_time())
    # Asked from the beginning, so that each way pays for all of its own.
    terms = word_scores(tokens, memory.bare)
    shares = shares_taken(None, memory.short, turn=NEIGHBOUR_SHARE, passage=PASSAGE_SHARE)
    lent = spread_terms(terms, memory.neighbours, groups=memory.groups, neighbour_share=shares)
    began.append(time.process_time())
    window = (lent.summed + WINDOW_SHARE * (lent.windowed - lent.summed)).astype(np.float32)
    session = (GROUP_SHARE * (lent.grouped - lent.own)).astype(np.float32)
    scores = {("bare", "words"): own, ("stored", "words"): stored, ("asked", "words"): window}
    scores |= {(way, "words + session"): scores[way, "words"] + session for way in WAYS[1:]}
    evidence = Evidence(
        terms=bare,
        similarity=memory.vectors @ vector,
        neighbours=memory.neighbours,
        groups=memory.groups,
        is_by_named_speaker=match_speakers(question, memory.speakers, memory.speaker_names),
        is_question=memory.asks,
        short=memory.short,
    )
    ways = {
        "bare": SpreadTerms(own=own, summed=own, windowed=own, grouped=lent.grouped),
        "stored": SpreadTerms(own=own, summed=stored, windowed=stored, grouped=lent.grouped),
        "asked": lent,
    }
    for way, words in ways.items():
        with patch.multiple("evolore.recall.ranking", **ALONE) if way == "bare" else nullcontext():
            scores[way, "ranking"] = rank(evidence, weights=WEIGHTS, words=words).score
    spent = {way: 1000 * (after - before) for way, (before, after) in zip(WAYS, pairwise(began), strict=True)}
    return Asked(scores=scores, milliseconds=spent)


def measure(path: Path, embedder: Embedder) -> None:
    """Ask every question of a set and print."""
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    spent: dict[str, list[float]] = {way: [] for way in WAYS}
    postings = np.zeros(2)
    for collection in read_collections(path):
        memory = held(collection, embedder)
        postings += memory.postings
        for question in collection.questions:
            text = question.query.text
            vector = embedder.embed([plain_question(text)], role=TextRole.QUERY)[0]
            asked = ask(memory, text, vector)
            for way, scores in asked.scores.items():
                order = np.argsort(-scores, kind="stable")[:DEEPEST]
                places: list[int] = order.tolist()
                ranking = [memory.names[place] for place in places]
                figures = score_ranking(ranking, question.evidence)
                figures |= score_sessions(ranking, question.evidence, memory.sessions)
                found.setdefault(way, []).append(figures)
            for way in WAYS:
                spent[way].append(asked.milliseconds[way])
    show(set_name(path), found, spent, postings)


def show(
    name: str,
    found: dict[tuple[str, str], list[dict[str, float]]],
    spent: dict[str, list[float]],
    postings: npt.NDArray[np.float64],
) -> None:
    """Print a table."""
    print(f"{name}: {len(spent['bare'])} questions")
    print(f"  {'':24}{'recall@5':>10}{'recall@10':>11}{'session any@5':>15}")
    for kind in KINDS:
        for way in WAYS:
            if (way, kind) in found:
                means = average(found[way, kind])
                first, second, third = (f"{100 * means[figure]:.1f}" if figure in means else "-" for figure in SHOWN)
                print(f"  {kind:16}{way:8}{first:>10}{second:>11}{third:>15}")
    for way, count in zip(WAYS, (postings[0], postings[1], postings[0]), strict=True):
        size = f"{count:,.0f} postings ({count / postings[0]:.2f} times)"
        print(f"  {way:8}{size:36} {np.median(spent[way]):.3f} ms a question")


def main(paths: Sequence[str]) -> None:
    """Measure each set."""
    if not paths:
        print(__doc__, file=sys.stderr)
        print("python benchmarks/spreading.py SET…", file=sys.stderr)
        sys.exit(2)
    embedder = embedder_named("use")
    for path in paths:
        measure(Path(path), embedder)


if __name__ == "__main__":
    main(sys.argv[1:])
