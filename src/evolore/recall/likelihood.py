"""Likelihood: how likely an item is relevant to a question or a turn, judged by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from evolore.domain.language import Language
from evolore.ports import IndexView
from evolore.recall.evidence import Gathered
from evolore.recall.question import Asked, rules_language
from evolore.recall.ranking import Ranking, Term
from evolore.text.question_words import ends_with_question
from evolore.text.vectors import Vectors, centred, logistic
from evolore.text.word_files import read_words

# The first three were fitted by logistic regression on the visible half of tests/data/everyday: texts with the questions they answer
# (facts, both_hold, changes), and foreign questions to stores of 1 to 40 of them; the constant so that the best hit of a recall bears as
# often as it says where every second question has an answer: said 0.18, 0.40, 0.80 and 0.96, it was 0.09, 0.33, 0.78 and 0.94. Fitted with
# USE, they serve E5 as well, on which nothing was fitted: centred, embedders are alike.
_MEANING = 20.6
"""What a centred cosine of 1 counts for, in log-odds."""

_WORDS = 16.7
"""What holding all of a question's words counts for."""

_CONSTANT = -9.2

_ENOUGH_NATS = 20.0
"""Holding words worth so much is as good as holding all of a longer turn, about four rare words. On MADial's turns of two
sentences it keeps 73 instead of 52 % (en) and 97 instead of 84 % (zh) of what they are to bring back; short questions do not change.
A text beyond 100 words takes the square root of its length less, since BM25 holds the length against it: asked for each of 30 facts in one
message, 3, 0 and 13 instead of 27, 30 and 47 % find nothing (en, ja, zh), and foreign questions still do, in zh 90 % of them."""

_BESIDE_MEANING, _BESIDE_WORDS, _BESIDE = 5.4, 4.4, -2.2
"""What a short turn takes from those next to it: the nearer one's cosine and the words that they lend; and
what it loses by having them, since small talk has them too. In 60 turns of LoCoMo 20 instead of 25 are kept, with 95 % of the evidence."""

_OF_ONESELF = 5.5
"""What a question about the asker counts for: it is after a statement, often in other words ("I moved to Osaka", "Where do I
live?"). In stores of 20 changes 96 instead of 89 % of the old and new accounts are kept (en). A way to do something ("How do I boil an
egg?") is no question about oneself unless something is called one's own: of blind foreign questions to 40 facts, 91 instead of 82 % find
nothing (en). Japanese leaves persons out, so that asking for what is now (今) counts: 95 instead of 82 % of the accounts are kept."""

_DATE_ALONE = 1.0
"""The least that an item gains by its date where a question asks for a time and nothing else: it is relevant then."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Likelihoods:
    """Finds how likely items are relevant to a question."""

    asked: Asked  #: The question.
    language: Language  #: The question's.
    view: IndexView  #: The indexes.
    gathered: Gathered  #: What the indexes say of what it may see.
    #: Returns the mean vector of texts of a language by the embedder, shape (dimension,).
    centre_of: Callable[[Language], Vectors]

    def of(self, items: Sequence[int], languages: Sequence[Language], ranking: Ranking) -> list[float]:
        """Return the likelihood of each item, 0–1: by the words it holds, by its meaning, and by the turns next to it.

        ``logistic(a · cosine + b · words + c)``; costs a look at the vectors of the items and of those
        next to them.
        """
        if not items:
            return []
        chosen, evidence, words = np.array(items, dtype=np.int32), self.gathered.evidence, self.gathered.words
        beside = np.ascontiguousarray(evidence.neighbours[chosen, 1:3].T)
        centres = {one: self.centre_of(one) for one in {self.language, *languages}}
        asked = centred(self.asked.vector, centres[self.language])
        compared = np.vstack([chosen, beside])  # each item, and those before and after it
        rows = self.view.vectors.rows_of(self.gathered.seen.numbers[compared.ravel()])
        products = centred(rows, np.tile(np.stack([centres[one] for one in languages]), (len(compared), 1))) @ asked
        cosines = np.where(compared < 0, np.float32(0.0), products.reshape(compared.shape))
        enough = min(evidence.terms.attainable, _ENOUGH_NATS)
        short = np.float32(1.0) if evidence.short is None else evidence.short[chosen]
        own, lent = words.own[chosen] / (enough * np.sqrt(short)), (words.windowed - words.own)[chosen] / enough
        question = self.asked.query.text
        of_oneself = _oneself(rules_language(question, self.language)).search(question)
        constant = _CONSTANT + _OF_ONESELF * (of_oneself is not None and ends_with_question(question))
        log_odds = _MEANING * cosines[0] + _WORDS * np.minimum(own, 1.0) + constant
        near = _BESIDE_MEANING * np.maximum(cosines[1:], 0.0).max(axis=0) + _BESIDE_WORDS * lent + _BESIDE
        is_turn = (beside >= 0).any(axis=0)
        if evidence.is_passage is not None:
            is_turn &= ~evidence.is_passage[chosen]
        log_odds += near * is_turn * short
        found = logistic(log_odds)
        if evidence.kept is not None:
            found *= evidence.kept[chosen]
        if Term.DATE in ranking.terms:
            found[ranking.terms[Term.DATE][chosen] >= _DATE_ALONE] = 1.0
        return [round(one, 4) for one in found.tolist()]


@cache
def _oneself(language: Language) -> re.Pattern[str]:
    return re.compile(read_words("evolore.recall", "oneself", language).pattern("asking"), re.IGNORECASE)
