"""Contradictions by wording, how a person reads of them, and what a chat model says of them. Never settled here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.episode import Episode
from evolore.domain.language import Language
from evolore.domain.review import ReviewCategory
from evolore.episodes.differences import (
    Difference,
    DifferenceKind,
    differences_of_mode,
    differences_of_words,
    number_difference,
)
from evolore.episodes.shared_sentences import pairings
from evolore.text.contrasts import words_of
from evolore.text.contrasts.reading import MOST_READ, Reading, content_stems, is_definite, left_over, read
from evolore.text.fences import Data, Prompt, ReplyForm, once_each
from evolore.text.scripts import detect_language
from evolore.text.word_files import read_words

_UNCERTAIN = frozenset((DifferenceKind.QUESTION, DifferenceKind.SUPPOSED, DifferenceKind.TIME, DifferenceKind.ORDER))
_MOST_ON_ONE_SIDE = {Language.ZH: 0.25}
_MOST_ON_ENGLISH_SIDE = 0.5
_MOST_ON_BOTH = 0.2
_MOST_OF_DEFINITE = 0.67
_MOST_OF_ANY = 0.34
_PERSONS = frozenset("我你他她您咱私僕俺彼")
"""Of somebody, two things of a kind may be true: a cat and a dog, tea and coffee."""

_LEAST_DONE = 2
_LEAST_SHARED = 2
"""With fewer words in common, such as a name that is called, one does not deny what the other says."""

_LEAST_SHARE_DONE = 0.4


def contradiction(a: str, b: str, language: Language) -> Difference | None:
    """Return in what two statements contradict each other by their wording; None where nothing says so.

    Meant to be right when it speaks, at the price of silence: most contradictions use other words. Sentences
    with the same words are compared, of which one denies what the other says, or both hold opposites that rule each
    other out. Another number, name, day or colour counts only of something definite ("my rent", "the office",
    「会議は」): of "a man" and "a woman", both may be true.

    >>> contradiction("The shop is open on Sunday.", "The shop isn't open on Sunday.", Language.EN).reason
    'one denies it ("not")'
    >>> contradiction("A man plays the flute.", "A woman plays the flute.", Language.EN) is None
    True
    """
    if max(len(a), len(b)) > MOST_READ:
        return None
    if found := never_done(a, b, language) or never_done(b, a, language):
        return found
    for pairing in pairings(a, b, language):
        if found := _contradiction(pairing.ours, pairing.theirs, language):
            return found.as_written(a, b)
    return None


def never_done(a: str, b: str, language: Language) -> Difference | None:
    """Return whether the first text says that something was never done which the second reports as done."""
    denial = re.search(words_of(language).never, read(a, language).text)
    other = read(b, language)
    if not denial or re.search(words_of(language).never, other.text) or not is_definite(other, language):
        return None
    done = read(next(group for group in denial.groups() if group), language).words
    held = [word for word in done if word in other.words]
    if len(held) < _LEAST_DONE or len(held) < _LEAST_SHARE_DONE * len(done):
        return None
    return Difference(kind=DifferenceKind.NEGATION, ours=denial.group().strip(), theirs=" ".join(held))


def _contradiction(a: Reading, b: Reading, language: Language) -> Difference | None:
    """Compare two sentences; values, which take the longest to read, last and only where they can decide."""
    if min(len(a.words), len(b.words)) < 1:
        return None
    mode: list[Difference] = []
    words: list[Difference] = []
    for found, those in ((mode, differences_of_mode(a, b)), (words, differences_of_words(a, b, language))):
        for one in those:
            if one.kind in _UNCERTAIN:
                return None
            found.append(one)
    both = (*mode, *words)
    if len({(one.ours, one.theirs) for one in both}) > 1:  # what differs in two things may be about two things
        return None
    if not _says_of_one_thing(a, b, language) and not (both and _is_told(both[0], both[:1], a, b, language)):
        return None
    number = number_difference(a, b)
    both = (*mode, *([] if number is None else [number]), *words)
    if len({(one.ours, one.theirs) for one in both}) != 1:
        return None
    one = both[0]
    return one if _is_told(one, (one,), a, b, language) else None


def _is_told(one: Difference, found: tuple[Difference, ...], a: Reading, b: Reading, language: Language) -> bool:
    """Return whether a difference means that both cannot hold."""
    if one.kind is DifferenceKind.NEGATION:
        if len(set(a.words) & set(b.words)) < _LEAST_SHARED:
            return False
        return len(found) == 1 and bool(a.negations) != bool(b.negations) and _is_denied(a, b, language)
    if any(other.kind is DifferenceKind.NEGATION for other in found):
        return False
    if any(other.is_apart or (other.kind is DifferenceKind.NAME and other is not one) for other in found):
        return False
    is_plain = one.kind is DifferenceKind.OPPOSITE and one.is_strict
    return (is_plain or _is_of_one_thing(one, a, b, language)) and _is_rest_shared(a, b, found, language)


def _is_rest_shared(a: Reading, b: Reading, found: tuple[Difference, ...], language: Language) -> bool:
    """Return whether both say the same apart from what differs, one of them perhaps more."""
    ours, theirs = _rest(a, b, found)
    if ours and theirs:
        return False
    most = _MOST_OF_DEFINITE if is_definite(a, language) or is_definite(b, language) else _MOST_OF_ANY
    return max(len(ours) / max(len(a.words), 1), len(theirs) / max(len(b.words), 1)) <= most


def _is_denied(a: Reading, b: Reading, language: Language) -> bool:
    """Return whether what one denies is what the other says: the denial may leave out, but not add."""
    ours, theirs = left_over(a, b)
    denied, said = (ours, theirs) if a.negations else (theirs, ours)
    denial, telling = (a, b) if a.negations else (b, a)
    if not denied:
        return len(said) <= _MOST_ON_ONE_SIDE.get(language, _MOST_ON_ENGLISH_SIDE) * len(telling.words)
    if not said:
        return len(denied) <= _MOST_ON_BOTH * len(denial.words)
    return 2 * (len(denied) + len(said)) <= _MOST_ON_BOTH * (len(denial.words) + len(telling.words))


def _rest(a: Reading, b: Reading, found: tuple[Difference, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is left over on either side besides the differing words themselves."""
    ours, theirs = left_over(a, b)
    mine = content_stems(" ".join(one.ours for one in found))
    other = content_stems(" ".join(one.theirs for one in found))
    return tuple(word for word in ours if word not in mine), tuple(word for word in theirs if word not in other)


def _is_of_one_thing(one: Difference, a: Reading, b: Reading, language: Language) -> bool:
    """Return whether both speak of the same definite thing, which is not itself what differs."""
    if not _says_of_one_thing(a, b, language):
        return False
    first = a.words[0]
    if first in _PERSONS and one.kind is not DifferenceKind.NUMBER:
        return False
    return first not in content_stems(one.ours)


def _says_of_one_thing(a: Reading, b: Reading, language: Language) -> bool:
    return a.words[0] == b.words[0] and is_definite(a, language) and is_definite(b, language)


_LONGEST_SIDE = 400

SAME_TIME = "both are stated for the same time"
_SIDES = re.compile(r': "(?P<ours>.*)" / "(?P<theirs>.*)"|\("(?P<only>.*)"\)', re.DOTALL)


def conflict_reason(older: str, newer: str, why: str, language: Language) -> str:
    """Quote both sides, each at most 400 characters long, and say what differs."""
    return (
        _text("reason", language)
        .replace("{why}", conflict_words(why, language))
        .replace("{older}", _quoted(older))
        .replace("{newer}", _quoted(newer))
    )


def conflict_words(why: str, language: Language) -> str:
    """Explain in a language why two statements do not fit together; what there is no word for stays English.

    >>> conflict_words('another number: "7" / "8"', Language.JA)
    '数が違う:「7」/「8」'
    """
    if language not in {Language.JA, Language.ZH}:
        return why
    sides = _SIDES.search(why)
    named = _phrase(language).findall(why[: sides.start()] if sides else why)
    if not named:
        return why
    words = read_words("evolore.episodes", "conflict_words", language).texts
    comma, colon, left, right = (_text(sign, language) for sign in ("comma", "colon", "left", "right"))
    told = comma.join(words[phrase] for phrase in named)
    if sides is None:
        return told
    quotes = [f"{left}{side}{right}" for side in (sides["ours"], sides["theirs"], sides["only"]) if side]
    return f"{told}{colon}{'/'.join(quotes)}"


def disagreement_reason(sides: Sequence[tuple[str, str]], language: Language) -> str:
    """Quote two sides that cannot both hold, each behind its document; a statement has none."""
    statement = _text("statement", language)
    lines = (_text("side", language).format(source=source or statement, text=_quoted(text)) for source, text in sides)
    return "\n".join((_text("disagree", language), *lines))


def suggestion_for(category: ReviewCategory, language: Language, *, source: str = "") -> str:
    """Return what a person can do about a contradiction, a disagreement of a source, or a procedure."""
    return _text(f"{category.value}_suggestion", language).replace("{source}", source)


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SIDE else line[: _LONGEST_SIDE - 1] + "…"


def _text(name: str, language: Language) -> str:
    return read_words("evolore.episodes", "conflicts", language).texts[name]


@cache
def _phrase(language: Language) -> re.Pattern[str]:
    """Return the phrases that may report a conflict, in English: the longest first."""
    phrases = sorted(read_words("evolore.episodes", "conflict_words", language).texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, phrases)))


PROMPT_VERSION = 1
"""Raised with every change of the words that are asked: a new file, and what was asked before is asked again."""

LONGEST_SHOWN = 4_000
"""Characters of one statement. Longer ones are not asked about: a judge needs the whole text."""

_LONGEST_REASON = 500
_TOKENS_PER_PAIR = 220
_TOKENS_AROUND = 64
_NAMES = {Language.JA: "Japanese", Language.ZH: "Chinese"}
_LATIN = re.compile("[A-Za-z]")
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class ConflictVerdict(StrEnum):
    """What a chat model says of two statements that do not fit together."""

    NEWER_HOLDS = "newer_holds"
    OLDER_HOLDS = "older_holds"
    BOTH_HOLD = "both_hold"
    UNSURE = "unsure"


class VerdictReply(ReplyForm):
    """What a reply says of one pair."""

    pair: Annotated[int, Field(ge=1)]
    verdict: ConflictVerdict
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]


class VerdictsReply(ReplyForm):
    """What a reply must be."""

    verdicts: list[VerdictReply]


_PROMPT = Prompt(version=PROMPT_VERSION, purpose="episodes.confirm", marks="pairs", form=VerdictsReply)


class UnusableVerdict(StrEnum):
    """Why a reply has no verdict on a pair that can be used."""

    UNUSABLE_REPLY = "unusable_reply"
    NO_VERDICT = "no_verdict"
    OTHER_LANGUAGE = "other_language"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsableVerdict:
    """A verdict that can be used."""

    verdict: ConflictVerdict  #: Which.
    reason: str  #: The model's sentence, on one line.


def is_shown_whole(older: Episode, newer: Episode) -> bool:
    """Return whether both statements are short enough to be shown whole."""
    return max(len(older.text), len(newer.text)) <= LONGEST_SHOWN


def confirm_prompt(instructions: str, pairs: Sequence[tuple[Episode, Episode]]) -> ChatRequest:
    """Ask which of two statements hold, the older of each pair first.

    Args:
        instructions: The words of the prompt. What the statements say never becomes part of them.
        pairs: At least one; numbered from 1.
    """
    shown: Data = [
        {
            "pair": number,
            "language": _NAMES.get(newer.language, "English"),
            "earlier": _shown(older),
            "later": _shown(newer),
        }
        for number, (older, newer) in enumerate(pairs, 1)
    ]
    return _PROMPT.request(instructions, shown, most_tokens=_TOKENS_PER_PAIR * len(pairs) + _TOKENS_AROUND)


def read_confirmations(
    reply: str, pairs: Sequence[tuple[Episode, Episode]]
) -> tuple[UsableVerdict | UnusableVerdict, ...]:
    """Return for each pair what a reply says of it, or why that cannot be used.

    A reply of another form counts for nothing as a whole. A pair that is named twice got no verdict, even if both
    agree, and a reason in another language than the newer statement's shows that the pair was not understood.
    """
    read = VerdictsReply.read(reply)
    if read is None:
        return (UnusableVerdict.UNUSABLE_REPLY,) * len(pairs)
    said = once_each(read.verdicts, lambda one: one.pair)
    return tuple(_read(said.get(number), newer.language) for number, (_, newer) in enumerate(pairs, 1))


def _read(said: VerdictReply | None, language: Language) -> UsableVerdict | UnusableVerdict:
    if said is None:
        return UnusableVerdict.NO_VERDICT
    reason = " ".join(_UNSHOWN.sub(" ", said.reason).split())
    if not _is_in(reason, language):
        return UnusableVerdict.OTHER_LANGUAGE
    return UsableVerdict(verdict=said.verdict, reason=reason)


def _is_in(text: str, language: Language) -> bool:
    if language in _NAMES:
        return detect_language(text) is language
    return bool(_LATIN.search(text)) and detect_language(text) in {Language.EN, Language.UND}


def _shown(one: Episode) -> Data:
    """Return what is known of a statement; who said it and when only if stated."""
    facts = {
        "text": one.text,
        "said_at": one.occurred_at and one.occurred_at.isoformat(timespec="minutes"),
        "noted_at": one.recorded_at.isoformat(timespec="minutes"),
        "holds_from": one.valid_from and one.valid_from.isoformat(timespec="minutes"),
        "speaker": one.speaker,
    }
    return {name: value for name, value in facts.items() if value is not None}
