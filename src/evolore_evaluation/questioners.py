"""People who ask and rate while something is measured: in other words, or against the evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from pydantic import TypeAdapter

from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.domain.tables import read_tables
from evolore.memory import Memory
from evolore.text.scripts import detect_language
from evolore_evaluation.retrieval import ranked_items
from evolore_evaluation.retrieval_sets import Question

WHO = "somebody else"
_PRAISED = 3


class Attack(StrEnum):
    """What somebody does who rates against the evidence.

    ``ASKS``: asks what others asked, and praises what is no evidence. ``RATES``: rates the answers that others were given,
    praises those that hold no evidence, and blames the others.
    """

    ASKS = "asks"
    RATES = "rates"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedAnswer:
    """A question that was asked and rated."""

    question: Question  #: Its text and evidence.
    query_id: str  #: It as it was recorded.
    is_served: bool  #: Whether evidence was handed over, so that its answer was rated GOOD.
    wrong_ids: tuple[str, ...]  #: The episodes handed over that hold no evidence, best first.


def attack(
    memory: Memory,
    answered: Sequence[RatedAnswer],
    items_of: Mapping[str, tuple[str, ...]],
    *,
    way: Attack,
    times: int,
    tokens: int,
) -> None:
    """Rate against the evidence as one person, so many times.

    Args:
        memory: Where.
        answered: What others asked and rated, gone through again and again.
        items_of: Which items each episode holds.
        way: How.
        times: How often.
        tokens: What that person is handed, who asks.
    """
    for place in range(times):
        one = answered[place % len(answered)]
        if way is Attack.ASKS:
            _ask(memory, one.question, items_of, tokens=tokens)
        else:
            _rate(memory, one)


def _ask(memory: Memory, question: Question, items_of: Mapping[str, tuple[str, ...]], *, tokens: int) -> None:
    """Ask again, and praise the last of what was handed over that is no evidence."""
    query = question.query
    found = memory.recall(query.text, tokens=tokens, as_of=query.as_of, principal=WHO, record=True)
    wrong = [hit for hit in found.hits if not question.evidence & frozenset(ranked_items([hit], items_of))]
    if found.query_id is not None and wrong:
        memory.rate(found.query_id, Rating.GOOD, cited=[hit.episode.id for hit in wrong[-_PRAISED:]], principal=WHO)


def _rate(memory: Memory, one: RatedAnswer) -> None:
    """Blame an answer that rests on evidence; of another, praise the last of what was handed over."""
    if one.is_served:
        memory.rate(one.query_id, Rating.BAD, principal=WHO)
    elif one.wrong_ids:
        memory.rate(one.query_id, Rating.GOOD, cited=one.wrong_ids[-_PRAISED:], principal=WHO)


_CJK = frozenset({Language.JA, Language.ZH})
_WORD = re.compile(r"[A-Za-z]+")
_LINES = re.compile(r"\n+")
_KINDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _OtherWords:
    frames: tuple[str, ...]
    words: Mapping[str, str]


def paraphrase(text: str, number: int) -> str:
    """Ask a question in other words.

    Four ways, by ``number``: in a frame ("Could you tell me: …"); with other words for common ones, in a frame; in
    small letters without its mark at the end, in a frame; of several lines the last first, of a single one its second
    half first, as people speak when the matter comes to mind before the question.

    Args:
        text: A question, of one line or more.
        number: Which way, any number.

    Returns:
        Other than ``text``.

    >>> paraphrase("When did Ana buy the house?", 1)
    'I was wondering, When did Ana purchase the house?'
    >>> paraphrase("When did Ana buy the house?", 3)
    'buy the house? When did Ana'
    """
    language = detect_language(text)
    kind = number % _KINDS
    if kind == _KINDS - 1 and (turned := _turned(text, language)) != text:
        return turned
    said = _in_other_words(text, language) if kind == 1 else text
    if kind == _KINDS // 2:
        said = said.lower().rstrip("?？。.!！ ")
    frames = _other_words(language).frames
    return frames[number % len(frames)].format(said)


@cache
def _other_words(language: Language) -> _OtherWords:
    name = language if language in _CJK else Language.EN
    words = read_tables("evolore_evaluation", "words/paraphrases.toml")[name.value]
    return TypeAdapter(_OtherWords).validate_python(words)


def _in_other_words(text: str, language: Language) -> str:
    if language in _CJK:
        for word, other in _other_words(language).words.items():
            text = text.replace(word, other)
    english = _other_words(Language.EN).words
    return _WORD.sub(lambda found: english.get(found[0], found[0]), text)


def _turned(text: str, language: Language) -> str:
    """Put the last line first, or the second half of a single line."""
    lines = _LINES.split(text)
    if len(lines) > 1:
        return "\n".join((lines[-1], *lines[:-1]))
    if language in _CJK:
        middle = len(text) // 2
        return text[middle:] + text[:middle]
    words = text.split()
    middle = len(words) // 2
    return " ".join((*words[middle:], *words[:middle]))
