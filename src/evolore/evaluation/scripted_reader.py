"""A scripted reader: it answers, compares answers, checks claims and asks questions, and errs at known rates."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.evaluation.scripted_knowledge import LANGUAGES, PHRASES, drawn, items_of, picked, plain, sentences, text_of
from evolore.evolution.questions import words_of
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.evaluation.scripted_knowledge import Knowledge, Task
    from evolore.evaluation.scripted_rates import ScriptedRates
    from evolore.text.fences import Data

_LONG = {Language.EN: 250, Language.JA: 100, Language.ZH: 80}
"""From how many characters a sentence is one that answers are overlooked in."""

_MUCH_SHORTER = 0.6
_FULL, _POOR = 5, 3
_WORDS_ASKED = 8
_SIGNS_ASKED = 16


class ScriptedReader:
    """Reads.

    Args:
        knowledge: What it knows besides what it is shown.
        rates: How often it errs.
        seed: What its errors are drawn from.
    """

    def __init__(self, knowledge: Knowledge, rates: ScriptedRates, seed: str) -> None:
        self._knowledge = knowledge
        self._rates = rates
        self._seed = seed

    def answer(self, task: Task) -> Data:
        """Answer from passages: with the sentences that hold what is wanted, else with the nearest."""
        question = text_of(task, "question")
        said = [
            (number, sentence)
            for number, passage in enumerate(items_of(task, "passages"), 1)
            for sentence in sentences(text_of(passage, "text"))
        ]
        if not said:
            return {"in_sources": False, "sentences": []}
        words = frozenset(analyse(question))
        ranked = sorted(said, key=lambda one: -len(words & frozenset(analyse(one[1]))))
        chosen = self._wanted(question, ranked)
        share = drawn(self._seed, "answer", question, json.dumps(chosen))
        if chosen and share < self._overlooking([sentence for _, sentence in chosen]):
            ranked, chosen = [one for one in ranked if one not in chosen] or ranked, []
        listed: list[Data] = [{"text": sentence, "passages": [number]} for number, sentence in chosen or ranked[:1]]
        return {"in_sources": True, "sentences": listed}

    def _wanted(self, question: str, ranked: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
        """Give the sentences that hold all that a good answer says; none where not all of it is there."""
        known = self._knowledge.question(question)
        if known is None:
            asked = self._knowledge.asked_claims.get(words_of(question), "")
            claims = [plain(self._knowledge.right_claim(asked)), plain(asked)]
            return [one for claim in claims for one in ranked if plain(one[1]) == claim][:1]
        whole = sorted((one for one in ranked if known.is_answered_by(one[1])), key=lambda one: len(one[1]))
        if whole:
            return whole[:1]
        parts = [
            next((one for one in ranked if any(way.casefold() in one[1].casefold() for way in ways)), None)
            for ways in known.all_of
        ]
        found = dict.fromkeys(one for one in parts if one is not None)
        return list(found) if None not in parts else []

    def _overlooking(self, chosen: Sequence[str]) -> float:
        is_long = any(len(one) > _LONG[_language(one)] for one in chosen)
        return self._rates.overlooks_long if is_long else self._rates.overlooks

    def judge(self, task: Task) -> Data:
        """Prefer one of two answers."""
        first, second = text_of(task, "first"), text_of(task, "second")
        preferred = self._preferred(task, first, second)
        scores = {"first": (_FULL, _POOR), "second": (_POOR, _FULL)}.get(preferred, (4, 4))
        names = ("helpfulness", "correctness", "coherence")
        return {
            "reason": "It says what was asked.",
            "first": dict.fromkeys(names, scores[0]),
            "second": dict.fromkeys(names, scores[1]),
            "preferred": preferred,
        }

    def _preferred(self, task: Task, first: str, second: str) -> str:
        question, rates = text_of(task, "question"), self._rates
        attempt = text_of(task, "attempt")
        key = (question, first, second, attempt)
        better = self._better(question, first, second)
        if drawn(self._seed, "first", *key) < rates.prefers_first:
            return "first"
        if len(first) != len(second) and drawn(self._seed, "longer", *key) < rates.prefers_longer:
            return "first" if len(first) > len(second) else "second"
        if better != "tie" and drawn(self._seed, "judge", *key) < rates.misjudges:
            return {"first": "second", "second": "first"}[better]
        return better

    def _better(self, question: str, first: str, second: str) -> str:
        marks = self._is_right(question, first), self._is_right(question, second)
        if marks[0] != marks[1]:
            return "first" if marks[0] else "second"
        short, long = sorted((first, second), key=len)
        is_short = all(marks) and len(short) < _MUCH_SHORTER * len(long)
        # Drawn from both answers in one order, so that the taste is the same whichever is shown first.
        if is_short and drawn(self._seed, "short", question, short, long) < self._rates.prefers_short:
            return "first" if short == first else "second"
        return "tie"

    def _is_right(self, question: str, answer: str) -> bool:
        known = self._knowledge.question(question)
        if known is not None:
            return known.is_answered_by(answer)
        asked = self._knowledge.asked_claims.get(words_of(question), "")
        claim = plain(self._knowledge.right_claim(asked)) if asked else ""
        return bool(claim) and claim in plain(answer)

    def check_claims(self, task: Task) -> Data:
        """Say which sentences were lost, and which nothing supports, as far as it sees them."""
        before, after = _sentences_of(task, "before"), _sentences_of(task, "after")
        there = {plain(one) for one in (*after, *_sentences_of(task, "unchanged"))}
        known = {plain(one) for one in (*before, *_sentences_of(task, "unchanged"), *_sentences_of(task, "evidence"))}
        good = self._knowledge.all_good
        lost = [one for one in before if plain(one) not in there and plain(one) in good]
        invented = [one for one in after if plain(one) not in known | good]
        seen_lost = [one for one in lost if self._sees(one)]
        seen_invented = [one for one in invented if self._sees(one)]
        gone = [one for one in before if plain(one) not in there]
        if gone and drawn(self._seed, "objects", *before, *after) < self._rates.objects:
            seen_lost.append(picked(gone, drawn(self._seed, "objected", *before, *after)))
        return {
            "lost": [{"quote": one, "reason": "It is not said any more."} for one in dict.fromkeys(seen_lost)],
            "invented": [{"quote": one, "reason": "Nothing says so."} for one in dict.fromkeys(seen_invented)],
        }

    def _sees(self, sentence: str) -> bool:
        return drawn(self._seed, "claim", sentence) >= self._rates.misses_claim

    def ask(self, task: Task) -> Data:
        """Ask for each claim by words of it, values left out."""
        language = LANGUAGES.get(text_of(task, "language"), Language.EN)
        asking = PHRASES.get(language, PHRASES[Language.EN]).asking
        questions: list[Data] = []
        for one in items_of(task, "claims"):
            claim = text_of(one, "claim")
            question = asking.format(_piece(claim))
            self._knowledge.asked_claims[words_of(question)] = claim
            questions.append({"number": one["number"], "question": question})
        return {"questions": questions}


def _sentences_of(task: Task, key: str) -> list[str]:
    return [sentence for one in items_of(task, key) for sentence in sentences(text_of(one, "text"))]


def _piece(claim: str) -> str:
    """Give the beginning of a claim up to its first value, so that the question does not give it away."""
    told = re.split(r"\d", claim)[0].strip(" ,、，。.") or re.sub(r"\d", "", claim)
    if re.search("[぀-鿿]", told):
        return told[:_SIGNS_ASKED]
    return " ".join(told.split()[:_WORDS_ASKED])


def _language(text: str) -> Language:
    if re.search("[぀-ヿ]", text):
        return Language.JA
    return Language.ZH if re.search("[一-鿿]", text) else Language.EN
