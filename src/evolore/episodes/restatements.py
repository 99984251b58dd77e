"""Restatements: whether a newer statement says of the same thing that it is otherwise now, by words that stand in both.

Keys are exact and few. People say what changed in their own words, so two statements are also compared as wholes: the newer says in
a plain clause that something the older is about is over, was exchanged, or has another value of the same kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from evolore.domain.fact import FactUpdate
from evolore.domain.language import Language
from evolore.episodes.slots import Comparison, Mark, marks_of
from evolore.episodes.stated_facts import (
    LONGEST_SENTENCE,
    MOST_READ,
    Grammar,
    Told,
    grammar_of,
    plain,
    read_as,
    update_of,
)
from evolore.text.tokens import analyse, content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_RUN = re.compile(r"[\u3400-\u9fff\u30a1-\u30ffー]+|[A-Za-z0-9][\w.-]*")
_LETTER = re.compile(r"(?<![A-Za-z'])[A-HJ-Z](?![A-Za-z'])")
_VERBAL = re.compile(r"n't\b|'(?:m|ll|ve|re|d)\b|\b(?:i|it's|that's|there's|let's|you|he|she|they|we)\b", re.IGNORECASE)
_LATIN = re.compile(r"[A-Za-z0-9]")
_LIKE = "restated"
_REMEMBERED = 1 << 12
_FEWEST = 2
_LEAST_COVERED = 0.5
_LEAST_HELD = 0.6
_MOSTLY_COVERED = 0.7
_TAIL = 10
_MOST_BESIDES = 4
_MOST_BESIDES_CJK = 14
_APART = frozenset((Mark.OTHERS, Mark.APART))
_MOST_OLD = 160


def restated(old: Told, new: Told, language: Language) -> FactUpdate | None:
    """Tell whether a newer statement of the same speaker takes an older one's place, and what changed.

    >>> from evolore.domain.language import Language
    >>> old, new = (Told(text=text, facts=()) for text in ("CI runs on Jenkins.", "Jenkins was switched off."))
    >>> restated(old, new, Language.EN).old
    'Jenkins'
    """
    found = update_of(old, new, language)
    if found is not None:
        return found
    tidings = _tidings(new.text, read_as(language))
    if not tidings:
        return None
    pair = _Pair(old.text, new.text, read_as(language))
    change = next((one for tiding in tidings if (one := pair.change(tiding))), None)
    return change if change is not None and pair.is_of_one_matter() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tiding:
    """What a clause of a newer statement tells: that a thing is over or exchanged, or what values there are now.

    Args:
        clause: The clause.
        thing: What is over or exchanged; empty of values.
        lead: What stands before it in the clause.
        is_over: Whether it is over, else exchanged.
        values: The values by their kinds.
        around: The clause with gaps where they stand.
        is_new: Whether the clause says that something changed.
    """

    clause: str
    thing: str = ""
    lead: str = ""
    is_over: bool = False
    values: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    around: str = ""
    is_new: bool = True


@lru_cache(maxsize=_REMEMBERED)
def _tidings(text: str, language: Language) -> tuple[_Tiding, ...]:
    """Read what the plainly told clauses of a text tell, whatever was said before."""
    grammar = grammar_of(language)
    if grammar is None:
        return ()
    return tuple(
        tiding
        for sentence in grammar.sentences(plain(text[:MOST_READ]))
        if len(sentence) <= LONGEST_SENTENCE and not sentence.rstrip().endswith(("?", "？"))
        for clause in grammar.pieces(sentence)
        if not grammar.not_told.search(sentence[: sentence.find(clause) + len(clause)])
        and not grammar.more.search(clause)
        for tiding in _of_clause(clause, grammar)
    )


def _of_clause(clause: str, grammar: Grammar) -> Iterator[_Tiding]:
    for is_over, patterns in ((True, grammar.over), (False, grammar.swapped)):
        for found in (one for pattern in patterns for one in pattern.finditer(clause)):
            if not grammar.denied.search(clause.replace(found.group(), " ")):
                lead = clause[: found.start()]
                yield _Tiding(clause=clause, thing=found.group("v").strip(), lead=lead, is_over=is_over)
    if grammar.denied.search(clause) or grammar.once.search(clause):
        return
    values, around = grammar.exact_values(grammar.origin.sub("", clause))
    if values:
        is_new = bool(grammar.change.search(clause) or grammar.update.search(clause))
        yield _Tiding(clause=clause, values=values, around=around, is_new=is_new)


@lru_cache(maxsize=_REMEMBERED)
def _values(text: str, language: Language) -> tuple[dict[str, frozenset[str]], str]:
    grammar = grammar_of(language)
    return ({}, text) if grammar is None else grammar.exact_values(text)


class _Pair:
    """Two statements side by side."""

    def __init__(self, old: str, new: str, language: Language) -> None:
        grammar = grammar_of(language)
        assert grammar is not None
        self._before, self._after = (plain(text[:MOST_READ]) for text in (old, new))
        self._grammar = grammar
        self._language = language
        self._is_cjk = language is not Language.EN

    @cached_property
    def _words(self) -> frozenset[str]:
        return self._grammar.stems(self._before)

    def is_of_one_matter(self) -> bool:
        """Tell whether the older one is short and told, and both are about the same things and persons."""
        if len(self._before) > _MOST_OLD or self._grammar.asks.search(self._before):
            return False
        return not (marks_of(Comparison(self._before, self._after, self._language)).keys() & _APART)

    def change(self, tiding: _Tiding) -> FactUpdate | None:
        """Give what a tiding changes of the older statement; None where it is about something else."""
        if not tiding.thing:
            return self._valued(tiding)
        if not (self._holds(tiding.thing) and self._is_of_same(tiding.lead)):
            return None
        if not (self._is_mostly(tiding.thing) if tiding.is_over else self._is_subject(tiding.thing)):
            return None
        kind, new = ("over", "") if tiding.is_over else ("swapped", tiding.clause)
        return FactUpdate(key=(_LIKE, kind), old=tiding.thing, new=new)

    def _valued(self, tiding: _Tiding) -> FactUpdate | None:
        mine, rest = _values(self._before, self._language)
        theirs = tiding.values
        kinds = [kind for kind in theirs if kind in mine]
        if not kinds or any(theirs[kind] & mine[kind] for kind in kinds):
            return None
        is_one = all(len(theirs[kind]) == 1 == len(mine[kind]) for kind in kinds if kind != "day")
        if not is_one or (len(kinds) > 1 and set(kinds) - {"day", "clock"}):
            return None
        if kinds == ["person"] and not self._grammar.single.search(tiding.clause):
            return None
        if self._says_when() or self._is_lettered_apart() or self._is_said_again(mine, tiding.clause):
            return None
        is_told = self._covered(tiding.around, rest) >= _LEAST_COVERED and self._begins_alike(tiding.around)
        is_near = tiding.is_new and self._is_cjk and self._covered(_tail(tiding.around), rest) >= _MOSTLY_COVERED
        if not (is_told or is_near):
            return None
        old, new = min(mine[kinds[0]]), min(theirs[kinds[0]])
        return FactUpdate(key=(_LIKE, kinds[0]), old=old, new=new, is_told=tiding.is_new)

    def _is_mostly(self, thing: str) -> bool:
        """Tell whether the older statement says little besides a thing: else it may hold although that is over."""
        if self._is_cjk:
            rest = sum(len(run) for run in _RUN.findall(self._bare(self._before)))
            return rest - sum(len(run) for run in _RUN.findall(thing)) <= _MOST_BESIDES_CJK
        return len(self._words - _LITTLE - self._grammar.stems(thing)) <= _MOST_BESIDES

    def _is_subject(self, thing: str) -> bool:
        """Tell whether the older statement gives a value of just this thing, and not of something that is its."""
        found = next((one for pattern in self._grammar.thing if (one := pattern.search(self._before))), None)
        if found is None:
            return self._is_mostly(thing)
        name, wanted = (self._grammar.light.sub(" ", text).strip() for text in (found.group("np"), thing))
        if self._is_cjk:
            return bool(wanted) and (name.endswith(wanted) or wanted.endswith(name))
        mine, theirs = (self._grammar.stems(text) - _LITTLE for text in (name, wanted))
        return bool(theirs) and mine == theirs

    def _is_lettered_apart(self) -> bool:
        """Tell whether single letters tell two things apart: paper A and paper B."""
        ours, theirs = (frozenset(_LETTER.findall(text)) for text in (self._before, self._after))
        return bool(ours) and bool(theirs) and not ours & theirs

    def _says_when(self) -> bool:
        """Tell whether both name a part of the year, week or day, and not the same."""
        ours, theirs = (
            {one.casefold() for one in self._grammar.months.findall(text)} for text in (self._before, self._after)
        )
        return bool(ours) and bool(theirs) and not ours & theirs

    def _is_said_again(self, mine: Mapping[str, frozenset[str]], clause: str) -> bool:
        """Tell whether the newer one says elsewhere what the older did: it adds to it, unless it says that it ended."""
        rest = self._after.replace(clause, " ")
        again, _ = self._grammar.exact_values(rest)
        return any(again.get(kind, frozenset()) & values for kind, values in mine.items())

    def _begins_alike(self, clause: str) -> bool:
        """Tell whether the first thing a clause names stands in the older statement too."""
        bare = self._bare(clause)
        if self._is_cjk:
            run = next(iter(_RUN.findall(bare)), "")
            return not run or _held(run, self._before) > 0
        word = next((one for one in analyse(bare) if one not in _LITTLE), None)
        return word is None or word in self._words

    def _bare(self, clause: str) -> str:
        """Give a clause without words that name nothing."""
        return self._grammar.light.sub(" ", self._grammar.update.sub(" ", self._grammar.aside.sub(" ", clause)))

    def _holds(self, value: str) -> bool:
        """Tell whether the older statement holds all that a value says."""
        bare = self._grammar.light.sub(" ", value)
        if self._is_cjk:
            runs = [run for run in _RUN.findall(bare) if len(run) > 1 or _LATIN.match(run)]
            total = sum(len(run) for run in runs)
            return bool(total) and sum(_held(run, self._before) for run in runs) >= _LEAST_HELD * total
        words = self._grammar.stems(bare) - _LITTLE
        if not content_tokens(bare) or _VERBAL.search(bare):
            return False
        return bool(words) and len(words & self._words) >= _LEAST_HELD * len(words)

    def _is_of_same(self, lead: str) -> bool:
        """Tell whether what stands before in the clause names nobody and nothing the older statement does not."""
        bare = self._bare(lead)
        if self._is_cjk:
            return all(run in self._before for run in _RUN.findall(bare) if len(run) > 1)
        return self._grammar.stems(bare) - _LITTLE <= self._words

    def _covered(self, clause: str, rest: str) -> float:
        """Give the share of a clause, its values left out, that the older statement says too."""
        if self._is_cjk:
            runs = _RUN.findall(self._bare(clause))
            total = sum(len(run) for run in runs)
            shared = sum(_common(run, rest) for run in runs)
            return shared / total if total and shared > 1 else 0.0
        words = frozenset(analyse(self._bare(clause))) - _LITTLE
        shared = words & (frozenset(analyse(rest)) - _LITTLE)
        return len(shared) / len(words) if words else 0.0


_LITTLE = frozenset(
    [
        "it",
        "at",
        "on",
        "in",
        "to",
        "is",
        "are",
        "be",
        "by",
        "for",
        "with",
        "of",
        "and",
        "until",
        "that",
        "so",
        "up",
        "s",
        "we",
        "i",
        "us",
        "they",
        "has",
        "have",
    ]
)


def _tail(clause: str) -> str:
    """Give what stands right before the first value of a clause."""
    return clause[: clause.find("\0")][-_TAIL:]


def _held(run: str, text: str) -> int:
    """Count the characters of a run that stand in a text; of Latin letters and of one character only the whole run."""
    if _LATIN.match(run) or len(run) < _FEWEST:
        return len(run) if run in text else 0
    return _common(run, text)


def _common(run: str, text: str) -> int:
    """Count the characters of a run that stand in a text two in a row."""
    held = [False] * len(run)
    for start in range(len(run) - 1):
        if run[start : start + 2] in text:
            held[start] = held[start + 1] = True
    return sum(held)
