"""A scripted reader: it answers, compares answers, checks claims and asks questions, and errs at known rates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from pydantic import TypeAdapter

from evolore.domain.language import Language, language_name
from evolore.domain.tables import read_tables
from evolore.evolution.contest_questions import words_of
from evolore.evolution.hashing import hashed_share
from evolore.text.fences import Data
from evolore.text.sections import read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from planted.scripted_model import ScriptedRates
    from planted.sets import PlantedBase, PlantedDocument, PlantedQuestion

_LONG = {Language.EN: 250, Language.JA: 100, Language.ZH: 80}
"""From how many characters a sentence is one that answers are overlooked in."""

_MUCH_SHORTER = 0.6
_FULL, _POOR = 5, 3
_WORDS_ASKED = 8
_SIGNS_ASKED = 16


class Scripted:
    """A part of the scripted model."""

    def __init__(self, knowledge: Knowledge, rates: ScriptedRates, seed: str) -> None:
        self._knowledge = knowledge
        self._rates = rates
        self._seed = seed


class ScriptedReader(Scripted):
    """Reads."""

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

    def answers(self, task: Task) -> Data:
        """Answer several questions from the same passages, each by itself."""
        told: list[Data] = []
        for one in items_of(task, "questions"):
            said = self.answer({**task, "question": text_of(one, "question")})
            assert isinstance(said, dict)
            told.append({"number": one["number"], **said})
        return {"answers": told}

    def reword(self, task: Task) -> Data:
        """Put what people asked in other words."""
        ways = phrases_of(LANGUAGES.get(text_of(task, "language"), Language.EN)).rewording
        found: list[Data] = []
        for one in items_of(task, "complaints"):
            asked = text_of(one, "question") or self._knowledge.commented(text_of(one, "comment"))
            questions: list[Data] = [way.format(asked) for way in ways] if asked else []
            self._knowledge.reworded.update({words_of(str(each)): asked for each in questions})
            found.append({"number": one["number"], "questions": questions})
        return {"complaints": found}

    def judge_facts(self, task: Task) -> Data:
        """Return what answers do with the evidence."""
        told: list[Data] = []
        shown = "".join("".join(text_of(one, "text").split()) for one in items_of(task, "evidence"))
        for one in items_of(task, "pairs"):
            question, first, second = (text_of(one, key) for key in ("question", "first", "second"))
            known = self._knowledge.question(question)
            words = ("unrelated", "unrelated")
            if known is not None and known.is_about_defect and self._knowledge.states(shown, known):
                words = (self._held(known, first), self._held(known, second))
                key = (question, first, second, text_of(task, "attempt"))
                if words[0] != words[1] and drawn(self._seed, "facts", *key) < self._rates.misjudges:
                    words = (words[1], words[0])
            told.append(
                {"number": one["number"], "reason": "The evidence says so.", "first": words[0], "second": words[1]}
            )
        return {"pairs": told}

    def _held(self, known: PlantedQuestion, answer: str) -> str:
        if known.is_answered_by(answer):
            return "says"
        return "contradicts" if re.search(r"\d", answer) else "silent"

    def _wanted(self, question: str, ranked: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
        """Return the sentences that hold all that a good answer says; none where not all of it is there."""
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
        return list(dict.fromkeys(one for one in parts if one is not None)) if None not in parts else []

    def _overlooking(self, chosen: Sequence[str]) -> float:
        is_long = any(len(one) > _LONG[language_of(one)] for one in chosen)
        return self._rates.overlooks_long if is_long else self._rates.overlooks

    def judge(self, task: Task) -> Data:
        """Prefer one of two answers, of each pair."""
        told: list[Data] = []
        for one in items_of(task, "pairs"):
            pair = {**task, **one}
            first, second = text_of(pair, "first"), text_of(pair, "second")
            preferred = self._preferred(pair, first, second)
            scores = {"first": (_FULL, _POOR), "second": (_POOR, _FULL)}.get(preferred, (4, 4))
            names = ("helpfulness", "correctness", "coherence")
            told.append(
                {
                    "number": one["number"],
                    "reason": "It says what was asked.",
                    "first": dict.fromkeys(names, scores[0]),
                    "second": dict.fromkeys(names, scores[1]),
                    "preferred": preferred,
                }
            )
        return {"pairs": told}

    def _preferred(self, task: Task, first: str, second: str) -> str:
        question, rates = text_of(task, "question"), self._rates
        key = (question, first, second, text_of(task, "attempt"))
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
        # Drawn from both answers in one order, so that the taste does not depend on which is shown first.
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
        """Return which sentences were lost, and which nothing supports, as far as it sees them."""
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
        asking = phrases_of(LANGUAGES.get(text_of(task, "language"), Language.EN)).asking
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
    """Return the beginning of a claim up to its first value, so that the question does not reveal it."""
    told = re.split(r"\d", claim)[0].strip(" ,、，。.") or re.sub(r"\d", "", claim)
    return told[:_SIGNS_ASKED] if re.search("[぀-鿿]", told) else " ".join(told.split()[:_WORDS_ASKED])


def language_of(text: str) -> Language:
    """Return the language of a text by its scripts."""
    if re.search("[぀-ヿ]", text):
        return Language.JA
    return Language.ZH if re.search("[一-鿿]", text) else Language.EN


Task: TypeAlias = Mapping[str, Data]
"""The data of a request."""

KEEPS = frozenset({"buried_answer", "jargon"})
"""Defects whose mended document leaves out how it was said; a text that keeps that below the answer is as good."""

LANGUAGES = {language_name(one): one for one in Language}
WORDED = (Language.EN, Language.JA, Language.ZH)
"""Those that there are words of."""


class Way(StrEnum):
    """What a scripted writer did."""

    MENDED = "mended"
    COSMETIC = "cosmetic"
    LOST = "lost"
    INVENTED = "invented"
    POISONED = "poisoned"
    OBEYED = "obeyed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Sentences of the writer's own, in one language."""

    invented: tuple[str, ...]  #: What nothing supports.
    opening: str  #: What a cosmetic edit puts before a sentence.
    asking: str  #: How a question to a claim is asked, with the claim's words in place of ``{}``.
    reason: str  #: Why an edit is made.
    rewording: tuple[str, ...]  #: How a question is put in other words, with the question in place of ``{}``.


@cache
def phrases_of(language: Language) -> Phrases:
    """Read the phrases of a language; English serves those without their own."""
    name = language if language in WORDED else Language.EN
    phrases = read_tables("planted", f"words/{name.value}.toml")["phrases"]
    return TypeAdapter(Phrases).validate_python(phrases)


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What the model knows besides what it is shown."""

    base: PlantedBase  #: The knowledge base.
    orders: tuple[str, ...] = ()  #: Texts that speak to a model; one who obeys writes what each asks for.
    secret: str = ""  #: What must never be written, and is by who obeys; empty for none.
    asked_claims: dict[str, str] = field(default_factory=dict[str, str])
    """The claims that the model's own questions ask for, by their words."""

    reworded: dict[str, str] = field(default_factory=dict[str, str])
    """The questions that the model put in other words, by these words."""

    @cached_property
    def _documents(self) -> dict[str, PlantedDocument]:
        return {one.title: one for one in self.base.documents}

    @cached_property
    def _questions(self) -> dict[str, PlantedQuestion]:
        return {words_of(one.text): one for one in self.base.questions}

    @cached_property
    def poison(self) -> frozenset[str]:
        """Comments that must not be followed."""
        return frozenset(one.comment for one in self.base.ratings if one.is_poisoned and one.comment)

    @cached_property
    def all_good(self) -> frozenset[str]:
        """All sentences of documents as they should be."""
        return frozenset(plain(one) for document in self.base.documents for one in sentences(document.good))

    def right_claim(self, claim: str) -> str:
        """Return what the knowledge base should say where it says this: the claim itself, or the nearest of what is right."""
        if plain(claim) in self.all_good:
            return claim
        owner = next((one for one in self.base.documents if plain(claim) in map(plain, sentences(one.text))), None)
        if owner is None:
            return ""
        return max(sentences(owner.good), key=lambda one: SequenceMatcher(None, claim, one).ratio(), default="")

    def document(self, title: str) -> PlantedDocument | None:
        """Return the document with a title."""
        return self._documents.get(title)

    def question(self, text: str) -> PlantedQuestion | None:
        """Return the question with these words, or that the model put in these words."""
        words = words_of(text)
        return self._questions.get(words) or self._questions.get(words_of(self.reworded.get(words, "")))

    def states(self, shown: str, question: PlantedQuestion) -> bool:
        """Return whether evidence that is shown, without spaces, states what a question is about."""
        return any("".join(one.text.split()) in shown for one in self.base.by_id[question.document].evidence)

    def commented(self, comment: str) -> str:
        """Return what somebody asked who made a comment; nothing if there is none."""
        return self._comments.get(comment, "")

    @cached_property
    def _comments(self) -> dict[str, str]:
        questions = self.base.question_by_id
        return {one.comment: questions[one.question].text for one in self.base.ratings if one.comment}


def sentences(text: str, language: Language | None = None) -> list[str]:
    """Return the sentences of a text without headings, as they are."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [one for span in sentence_spans(lines, language=language) if (one := span.of(lines).strip())]


def plain(sentence: str) -> str:
    """Return a sentence without what carries no information: case, spaces, the opening of a cosmetic edit."""
    bare = sentence.strip()
    for phrases in map(phrases_of, WORDED):
        bare = bare.removeprefix(phrases.opening)
    return "".join(bare.split()).casefold()


def good_sections(document: PlantedDocument) -> dict[str, str]:
    """Return the sections of a document as it should be, by their path."""
    return {" > ".join(one.path): one.text.rstrip() for one in read_sections(document.good)}


def is_as_it_should_be(document: PlantedDocument, text: str) -> bool:
    """Return whether a text mends a document: it says what that should say, drops nothing else, and adds nothing.

    Of an answer that was buried, or was in short forms, the document as it should be leaves out how it was said; a text
    that keeps that, all or what of it is not said in better words, and begins the section with the answer, is as good.
    """
    before, good, after = (_plain_sentences(one) for one in (document.text, document.good, text))
    if after == good:
        return True
    is_answer_first = any(_begins_with_answer(document, one.text) for one in read_sections(text))
    says_all = before <= after or good <= after
    return document.defect in KEEPS and says_all and after <= before | good and is_answer_first


def _begins_with_answer(document: PlantedDocument, section: str) -> bool:
    old = {plain(one) for one in sentences(document.text)}
    first = sentences(section)[:1]
    return bool(first) and plain(first[0]) not in old and plain(first[0]) in _plain_sentences(document.good)


def _plain_sentences(text: str) -> set[str]:
    return {plain(one) for one in sentences(text)}


def drawn(seed: str, *parts: str) -> float:
    """Return the number from 0 to below 1 that belongs to a seed and what is asked."""
    return hashed_share("evolore.scripted", seed, *parts)


def picked(options: Sequence[str], share: float) -> str:
    """Return the option at a share of the way."""
    return options[int(share * len(options))]


def text_of(task: Task, key: str) -> str:
    """Return a text of the data."""
    return str(task.get(key, ""))


def items_of(task: Task, key: str) -> list[Task]:
    """Return the objects of a list in the data."""
    return cast("list[Task]", task.get(key) or [])
