"""Reading of a question: its text as it is embedded, its intent, the state of things, the speaker and the subject it asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache, lru_cache

import numpy as np
from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.language import Language
from evolore.domain.query import Intent, Query
from evolore.text.changes import ChangeWording, pattern_of
from evolore.text.fences import Prompt, ReplyForm
from evolore.text.tokens import analyse
from evolore.text.vectors import Bools, Float32s, Float64s, Int32s
from evolore.text.word_files import read_words

_MARKS = re.compile(r'[\s"“”„«»‹›<>「」『』《》]+')


def plain_question(text: str) -> str:
    """Return a question without quotation marks, brackets and line ends: they move its vector, and mean nothing.

    Returns:
        One line; the text as it is where nothing else is in it.

    >>> plain_question('Ann: "I miss it."')
    'Ann: I miss it.'
    """
    return _MARKS.sub(" ", text).strip() or text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A question, and what is known of it before anything is ranked."""

    query: Query  #: As it was asked.
    vector: Float32s  #: It as a unit vector, shape (dimension,).
    intent: Intent  #: What it is after.
    now: datetime  #: The moment it is asked at, where it names none.
    #: What has the names and labels that its filter asks for; None where it asks for none.
    matching: Collection[str] | None


class AskedState(StrEnum):
    """Which of several accounts of one matter a question wants."""

    CURRENT = "current"
    PAST = "past"
    BEFORE = "before"
    FIRST = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMatter:
    """What a question asks for."""

    state: AskedState = AskedState.CURRENT  #: Which of several accounts.
    wants_account: bool = False  #: Whether it asks for an account of something, and not for a datum.


def read_question(text: str, language: Language) -> AskedMatter:
    """Read from a question's wording which state of things it is after.

    >>> from evolore.domain.language import Language
    >>> read_question("Where did we live before Leeds?", Language.EN).state
    <AskedState.BEFORE: 'before'>
    >>> read_question("Where do we live?", Language.EN).state
    <AskedState.CURRENT: 'current'>
    """
    wants_account = _asks(ChangeWording.ACCOUNT, text, language) and not _asks(ChangeWording.DATUM, text, language)
    return AskedMatter(state=_state(text, language), wants_account=wants_account)


def _state(text: str, language: Language) -> AskedState:
    if _asks(ChangeWording.FIRST, text, language):
        return AskedState.FIRST
    if _asks(ChangeWording.BEFORE, text, language):
        return AskedState.BEFORE
    if _asks(ChangeWording.PAST, text, language) and not _asks(ChangeWording.PRESENT, text, language):
        return AskedState.PAST
    return AskedState.CURRENT


def _asks(wording: ChangeWording, text: str, language: Language) -> bool:
    return pattern_of(wording, language).search(text) is not None


def match_speakers(question: str, speakers: Int32s, names: Sequence[str]) -> Bools:
    """Return which items were said by someone the question names.

    A speaker is named when every token of the name is in the question, in any order. Costs a comparison with each name,
    and a pass over the items.

    Args:
        question: The question as it was asked.
        speakers: The number of the name of who said each item, -1 if unnamed, shape (items,).
        names: Who they are.

    Returns:
        A flag per item, shape (items,).

    >>> match_speakers("What did Ann buy?", np.array([0, 1, -1]), ["Ann", "Bob"]).tolist()
    [True, False, False]
    """
    asked = set(analyse(question))
    # The last flag answers for the name that is none.
    is_named = np.zeros(len(names) + 1, dtype=np.bool_)
    is_named[[number for number, name in enumerate(names) if _is_named(name, asked)]] = True
    return is_named[speakers]


def _is_named(name: str, asked: set[str]) -> bool:
    tokens = _tokens(name)
    return bool(tokens) and asked.issuperset(tokens)


@lru_cache(maxsize=1 << 14)
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(analyse(name))


INTENTS = tuple(Intent)

_PROTOTYPE_WEIGHT = 8.0
"""What a full point of likeness to an intent's prototypes weighs, in the unit of the cues; 6 to 10 do about as well."""

_ASK_SHARE = 0.5
_ASK_WEIGHT = 1.5
_LEAST_ASK = 4
_LEAST_ENGLISH_ASK = 8
"""A last clause of fewer characters, such as "ok?", does not hold the question."""

_MOST_READ = 1000
_JAPANESE_HAN = re.compile("[気働込駅図読売検査応対関価発変円広帰権様歳経済続転険験払]")
_CLAUSE_END = re.compile(r"[，,。；;.!?？！…、:：—\n]+ ?")


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentGuess:
    """What a question is taken to be after."""

    intent: Intent  #: The likeliest intent.
    confidence: float  #: How likely, above 0.2 and at most 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentSpace:
    """Where the intents lie among the vectors of a model."""

    centre: Float32s  #: The mean of the prototypes, shape (dimension,).
    #: What a vector's difference from it says for each intent, shape (dimension, intents).
    directions: Float32s

    def likeness(self, vector: Float32s) -> Float32s:
        """Return how much a vector of shape (dimension,) is like each intent's prototypes: about 0 to 1, in their order."""
        return np.asarray((vector - self.centre) @ self.directions, dtype=np.float32)

    @classmethod
    def from_array(cls, array: Float32s) -> IntentSpace:
        """Read an array: the centre, then a direction an intent, shape (1 + intents, dimension)."""
        return cls(centre=array[0], directions=array[1:].T)


def rules_language(text: str, detected: Language) -> Language:
    """Return the language whose rules and prototypes a question is held against: English where there are none.

    A question in Han characters alone is Japanese where one of them is written so in Japan only.

    >>> rules_language("hola", Language.UND)
    <Language.EN: 'en'>
    """
    if detected is Language.ZH and _JAPANESE_HAN.search(text):
        return Language.JA
    return Language.EN if detected is Language.UND else detected


def classify_intent(text: str, vector: Float32s, *, space: IntentSpace | None, language: Language) -> IntentGuess:
    """Return what a question is after.

    Costs a product with five vectors and some thirty searches in at most 1,000 characters.
    """
    points = cue_points(text, language)
    if space is not None:
        points = points + _PROTOTYPE_WEIGHT * space.likeness(vector)
    shares = np.exp(points - points.max())
    best = int(shares.argmax())
    return IntentGuess(intent=INTENTS[best], confidence=float(shares[best] / shares.sum()))


def cue_points(text: str, language: Language) -> Float64s:
    """Return how loudly a question's wording speaks for each intent, in their order; at least 0.

    Where it has several clauses, the last, which mostly asks, counts as much again as the whole.
    """
    read = text if len(text) <= _MOST_READ else f"{text[: _MOST_READ // 2]}\n{text[-_MOST_READ // 2 :]}"
    whole = _points(read, language)
    least = _LEAST_ENGLISH_ASK if language is Language.EN else _LEAST_ASK
    clauses = [clause for clause in _CLAUSE_END.split(read) if len(clause) >= least]
    ask = clauses[-1] if len(clauses) > 1 else None
    return whole if ask is None else (1 - _ASK_SHARE) * whole + _ASK_SHARE * _ASK_WEIGHT * _points(ask, language)


def _points(text: str, language: Language) -> Float64s:
    points = np.zeros(len(INTENTS))
    for index, weight, pattern in _intent_patterns(language):
        if pattern.search(text):
            points[index] += weight
    return points


@cache
def _intent_patterns(language: Language) -> tuple[tuple[int, float, re.Pattern[str]], ...]:
    """Compile a language's cues; on first use, since it takes some 20 ms."""
    rows = (line.split(" ; ", 2) for line in read_words("evolore.recall", "cues", language).lines("wordings"))
    return tuple(
        (INTENTS.index(Intent(intent)), float(weight), re.compile(pattern, re.IGNORECASE))
        for intent, weight, pattern in rows
    )


PROMPT_VERSION = 2
"""Raised with every change of the words that are asked, ``say_intent_2.md``: figures and caches name it."""

_MOST_TOKENS = 64


class IntentReply(ReplyForm):
    """What a reply must be."""

    intent: Intent
    confidence: float = Field(ge=0.0, le=1.0, strict=True)


_PROMPT = Prompt(version=PROMPT_VERSION, purpose="recall.intent", marks="question", form=IntentReply)


def intent_prompt(instructions: str, question: str) -> ChatRequest:
    """Ask what a question is after.

    Args:
        instructions: The words of the prompt. What the question says never becomes part of them.
        question: What is asked.
    """
    return _PROMPT.request(instructions, {"question": question}, most_tokens=_MOST_TOKENS)


def read_intent(reply: str) -> tuple[Intent, float] | None:
    """Read the intent and its confidence from a reply; None where it is of another form or out of range."""
    said = IntentReply.read(reply)
    return said and (said.intent, said.confidence)
