"""Stated facts: what a statement says of the speaker or of a named thing, as a key and a value from the text.

A statement acts on another only where it is a plain fact: a question, a plan, a wish, hearsay, a quotation, a denial, a dream or
somebody else's affair yields nothing. Of one key the newer value takes the older one's place where the newer statement says that
something changed, or where the attribute holds one value at a time; what says that something ended ends what said that it was.

The grammar of a language is data, ``facts/LANGUAGE.toml``: how clauses part, what must not be in them, how a thing and its
value are worded, and some forty attributes of a speaker. The wordings were written by hand, before the label sets they are
measured on, and by other authors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import cast

from evolore.domain.fact import SPEAKER, FactKind, FactOrigin, StatedFact
from evolore.domain.language import Language
from evolore.text import changes
from evolore.text.tokens import analyse
from evolore.text.word_files import read_tables

MOST_READ = 1_000
_THEY = re.compile(r"^\W*(?:he|she|they|his|her|their)\b|^(?:彼女?|他|她|人家|あの人)", re.IGNORECASE)

LONGEST_SENTENCE = 240
_LONGEST_SUBJECT = 6
_REMEMBERED = 1 << 12


@lru_cache(maxsize=_REMEMBERED)
def stated_facts(text: str, language: Language) -> tuple[StatedFact, ...]:
    """Read what a statement says of keys, in the order of the text; nothing where it is not a plain fact.

    >>> [(fact.key, fact.value) for fact in stated_facts("I live in Berlin now.", Language.EN)]
    [(('speaker', 'home'), 'Berlin')]
    >>> stated_facts("I might move to Berlin.", Language.EN)
    ()
    """
    grammar = grammar_of(language)
    if grammar is None:
        return ()
    found: dict[tuple[str, str, FactKind], StatedFact] = {}
    for sentence in grammar.sentences(plain(text[:MOST_READ])):
        if len(sentence) > LONGEST_SENTENCE or grammar.is_not_told(sentence):
            continue
        for fact in grammar.facts(sentence):
            found.setdefault((*fact.key, fact.kind), fact)
    return tuple(found.values())


def grammar_of(language: Language) -> FactGrammar | None:
    """Return what reads a language; None where there is nothing."""
    return _read_grammar(read_as(language))


def read_as(language: Language) -> Language:
    """Return the language whose patterns read a text: English for one of an unknown language."""
    return Language.EN if language is Language.UND else language


def plain(text: str) -> str:
    """Return a text in NFKC with straight quotation marks."""
    return unicodedata.normalize("NFKC", text).replace("’", "'").replace("“", '"').replace("”", '"')


def fact_of(
    key: tuple[str, str],
    value: str,
    *,
    text: str,
    language: Language,
    kind: FactKind = FactKind.IS,
    origin: FactOrigin = FactOrigin.CHAT,
) -> StatedFact:
    """Make a fact that somebody else read in a text; the text shows whether something changed."""
    grammar = grammar_of(language)
    return StatedFact(
        subject=key[0],
        attribute=key[1],
        value=value,
        normal=frozenset(analyse(value)) or frozenset({_folded(value)}),
        kind=kind,
        is_update=grammar is not None and grammar.update.search(plain(text[:MOST_READ])) is not None,
        is_single=True,
        origin=origin,
    )


def subject_keys(name: str) -> tuple[str, ...]:
    """Return the subjects under which facts of a thing or person by this name lie, as each language spells them.

    >>> subject_keys("the billing service")
    ('bill servic', 'thebillingservice')
    """
    found = [_folded(name)]
    for grammar in (grammar_of(language) for language in _LANGUAGES):
        if grammar is not None:
            bare = grammar.light.sub(" ", name)
            words = grammar.stems(bare) if grammar.language is Language.EN else frozenset({_folded(bare)} - {""})
            found.append(" ".join(sorted(words)))
    return tuple(sorted({one for one in found if one and one != SPEAKER}))


def is_told_of(text: str, value: str, language: Language, *, subject: str | None) -> bool:
    """Return whether a sentence of a text states a value as plain fact: of the speaker, or of a subject in the text."""
    grammar = grammar_of(language)
    told, wanted = plain(text[:MOST_READ]).casefold(), plain(value).casefold()
    if grammar is None or (subject is not None and plain(subject).casefold() not in told):
        return False
    return any(
        wanted in one.casefold()
        and not grammar.not_told.search(one)
        and not any(
            grammar.denied.search(piece) or grammar.more.search(piece)
            for piece in grammar.pieces(one)
            if wanted in piece.casefold()
        )
        and (subject is not None or grammar.may_be_of_speaker(one))
        for one in grammar.sentences(plain(text[:MOST_READ]))
    )


def replaces(new: StatedFact, old: StatedFact) -> bool:
    """Return whether a newer fact of the same key leaves no room for an older one."""
    if old.kind is FactKind.ENDS:
        return False
    if new.kind is FactKind.ENDS:
        return bool(new.normal) and new.normal <= old.normal
    if new.normal <= old.normal or old.normal <= new.normal:
        return False
    if not (new.is_update or (new.is_single and old.is_single)):
        return False
    mine, theirs = dict(new.clues), dict(old.clues)
    return not any(not (mine[kind] & theirs[kind]) for kind in mine.keys() & theirs.keys())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attribute:
    name: str
    is_single: bool
    patterns: tuple[tuple[str, re.Pattern[str]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactGrammar:
    """A language's wordings, compiled."""

    language: Language  #: Which.
    splits: re.Pattern[str]  #: Where sentences part.
    clauses: re.Pattern[str]  #: Where clauses part.
    not_told: re.Pattern[str]  #: What makes a sentence no plain account.
    denied: re.Pattern[str]  #: What makes a clause say that something is not, or stays.
    update: re.Pattern[str]  #: What says that something changed.
    more: re.Pattern[str]  #: What says that something comes besides.
    #: A thing, its verb and the rest, as groups ``np``, ``verb`` and ``rest``.
    thing: tuple[re.Pattern[str], ...]
    change: re.Pattern[str]  #: Verbs that say by themselves that the value is new.
    origin: re.Pattern[str]  #: What a value was changed from.
    values: Mapping[str, re.Pattern[str]]  #: Patterns of values by their kinds, in the order they are tried.
    owners: tuple[re.Pattern[str], ...]  #: A person and what is theirs to run, as groups ``v`` and ``np``.
    ends: tuple[re.Pattern[str], ...]  #: What is over, as group ``v``.
    corrects: re.Pattern[str]  #: What says that something said before was wrong.
    turns_out: re.Pattern[str]  #: What says that something is otherwise than was thought; only beside a denial.
    slips: re.Pattern[str]  #: What may say so of something said shortly before.
    instead: re.Pattern[str]  #: What is denied in favour of something else, as group ``v``.
    happened: re.Pattern[str]  #: What reports something that was done or happened once.
    named: re.Pattern[str]  #: What begins with a thing that a number names, the number as group ``v``.
    topic: re.Pattern[str]  #: What a clause before is about, where that is not the speaker.
    attributes: tuple[_Attribute, ...]  #: Of the speaker.
    speaker: re.Pattern[str]  #: What a clause of the speaker begins with.
    light: re.Pattern[str]  #: Words of a thing's name without meaning.
    single: re.Pattern[str]  #: Things that hold one value at a time.
    plural: re.Pattern[str]  #: Things of which there are several.
    verbs: Mapping[str, re.Pattern[str]]  #: What distinguishes verbs whose values both hold, as patterns by name.
    drops: frozenset[str] = field(default=frozenset())
    little: frozenset[str] = field(default=frozenset())

    def sentences(self, text: str) -> Iterator[str]:
        """Yield the sentences, a question with its mark."""
        start = 0
        for mark in self.splits.finditer(text):
            yield text[start : mark.end()].strip()
            start = mark.end()
        if text[start:].strip():
            yield text[start:].strip()

    def is_not_told(self, sentence: str) -> bool:
        """Return whether it asks, plans, wishes, quotes, denies or reports what came to nothing."""
        if self.not_told.search(sentence) or self.denied.search(sentence):
            return True
        signs = changes.read_signs(sentence, self.language)
        return signs.quoted or (signs.dropped and not self.update.search(sentence))

    def is_of_speaker(self, sentence: str) -> bool:
        """Return whether a sentence is about its speaker."""
        return self.speaker.search(sentence) is not None

    def may_be_of_speaker(self, sentence: str) -> bool:
        """Return whether nothing says that a sentence is about somebody else than its speaker."""
        return self.is_of_speaker(sentence) or not (
            changes.read_signs(sentence, self.language).others or _THEY.search(sentence)
        )

    def stems(self, text: str) -> frozenset[str]:
        """Return the content words of a text in one spelling."""
        return frozenset(analyse(text)) - self.drops

    def facts(self, sentence: str) -> Iterator[StatedFact]:
        """Read a sentence of plain fact."""
        is_new = self.update.search(sentence) is not None
        is_more = self.more.search(sentence) is not None
        pieces = [piece for piece in self.clauses.split(sentence) if piece and piece.strip()]
        for piece in pieces:
            if not self.topic.search(sentence[: sentence.find(piece)]):
                yield from self._ends(piece.strip())
        for piece in pieces:
            if is_more:
                break
            clause = piece.strip()
            lead = sentence[: sentence.find(piece)]
            own = [] if self.topic.search(lead) else list(self._of_speaker(clause, is_new=is_new))
            yield from own
            if not own:
                yield from self._of_things(clause, is_new=is_new)

    def _ends(self, clause: str) -> Iterator[StatedFact]:
        for pattern in self.ends:
            found = pattern.search(clause)
            if found is None:
                continue
            value = found.group("v").strip()
            stems = self.stems(value)
            if stems and self.is_of_speaker(clause):
                yield StatedFact(
                    subject=SPEAKER, attribute="habit", value=value, normal=stems, kind=FactKind.ENDS, is_update=True
                )

    def _of_speaker(self, clause: str, *, is_new: bool) -> Iterator[StatedFact]:
        for attribute in self.attributes:
            for sign, pattern in attribute.patterns:
                found = pattern.search(clause)
                if found is None:
                    continue
                value = found.group("v").strip()
                normal = self._normal(value)
                if not normal:
                    continue
                yield StatedFact(
                    subject=SPEAKER,
                    attribute=attribute.name,
                    value=value,
                    normal=normal,
                    kind=FactKind.ENDS if sign == "-" else FactKind.IS,
                    is_update=sign == "+" or is_new,
                    is_single=attribute.is_single,
                )
                break

    def pieces(self, sentence: str) -> list[str]:
        """Return the clauses of a sentence."""
        return [piece.strip() for piece in self.clauses.split(sentence) if piece and piece.strip()]

    def _of_things(self, clause: str, *, is_new: bool) -> Iterator[StatedFact]:
        for pattern in self.owners:
            found = pattern.search(clause)
            if found:
                yield from self._fact(found.group("np"), "name", found.group("v"), is_new=is_new, rest=clause)
                return
        for pattern in self.thing:
            found = pattern.search(clause)
            if found is None:
                continue
            rest = found.group("rest")
            is_changed = self.change.search(found.group("verb") + rest) is not None
            yield from self._values(
                found.group("np"), found.group("verb"), self.origin.sub("", rest), is_new=is_new, is_changed=is_changed
            )
            return

    def _values(self, name: str, verb: str, rest: str, *, is_new: bool, is_changed: bool) -> Iterator[StatedFact]:
        found: dict[str, tuple[str, frozenset[str]]] = {}
        for kind, pattern in self.values.items():
            if value := self._read(kind, pattern, rest):
                found[kind] = value
                rest = (
                    pattern.sub(lambda found: "\0" * len(found.group()), rest) if kind not in {"name", "word"} else rest
                )
        exact = {kind: values for kind, values in found.items() if kind not in {"name", "word"}}
        if exact:
            found = exact
        elif "name" in found:
            found = {"name": found["name"]}
        for kind, (value, normal) in found.items():
            clues = tuple((other, more[1]) for other, more in found.items() if other != kind)
            told = is_changed or (is_new and kind not in {"name", "word"})
            yield from self._fact(name, kind, value, is_new=told, rest=verb, normal=normal, clues=clues)

    def _read(self, kind: str, pattern: re.Pattern[str], rest: str) -> tuple[str, frozenset[str]] | None:
        matches = list(pattern.finditer(rest))
        if not matches:
            return None
        if kind == "day":
            return matches[0].group(), frozenset(_folded(_value_of(one)) for one in matches)
        text = _value_of(matches[0])
        normal = self._normal(text) if kind in {"name", "word"} else frozenset({_folded(text)})
        return (text, normal) if normal else None

    def _fact(
        self,
        name: str,
        kind: str,
        value: str,
        *,
        is_new: bool,
        rest: str,
        normal: frozenset[str] | None = None,
        clues: tuple[tuple[str, frozenset[str]], ...] = (),
    ) -> Iterator[StatedFact]:
        if self.plural.search(name):
            return
        is_new = is_new or self.update.search(name) is not None
        bare = self.light.sub(" ", name)
        words = self.stems(bare) if self.language is Language.EN else frozenset({_folded(bare)} - {""})
        if not words or len(words) > _LONGEST_SUBJECT:
            return
        side = next((label for label, one in self.verbs.items() if one.search(rest)), "")
        normal = self._normal(value) if normal is None else normal
        if not normal or normal <= words:
            return
        yield StatedFact(
            subject=" ".join(sorted(words)),
            attribute=f"{kind}:{side}" if side else kind,
            value=value.strip(),
            normal=normal,
            is_update=is_new,
            is_single=self.single.search(name) is not None,
            clues=clues,
        )

    def _normal(self, value: str) -> frozenset[str]:
        return self.stems(value) or frozenset(one for one in [_folded(value)] if one)


def _value_of(found: re.Match[str]) -> str:
    """Return the value: the first group that is there."""
    return next(group for group in (*found.groups(), found.group()) if group).strip()


def _folded(value: str) -> str:
    return re.sub(r"[\s,]", "", value).casefold()


_LANGUAGES = (Language.EN, Language.JA, Language.ZH)
_NO_PATTERN = frozenset(("thing", "owners", "ends", "drops", "little"))


@cache
def _read_grammar(language: Language) -> FactGrammar | None:
    if language not in _LANGUAGES:
        return None
    tables = read_tables("evolore.episodes", f"facts/{language.value}.toml")
    signs = cast("Mapping[str, str]", tables["signs"])
    parts = cast("Mapping[str, str]", tables["parts"])

    def one(text: str) -> re.Pattern[str]:
        return re.compile(_filled(text, parts), re.IGNORECASE)

    attributes = cast("Mapping[str, Mapping[str, object]]", tables["attributes"])
    return FactGrammar(
        **{name: one(text) for name, text in signs.items() if name not in _NO_PATTERN},
        language=language,
        thing=tuple(one(line) for line in _lines(signs["thing"])),
        values={name: one(text) for name, text in cast("Mapping[str, str]", tables["values"]).items()},
        owners=tuple(one(line) for line in _lines(signs["owners"])),
        ends=tuple(one(line) for line in _lines(signs["ends"])),
        attributes=tuple(
            _Attribute(
                name=name,
                is_single=bool(about["single"]),
                patterns=tuple((line[0], one(line[1:].strip())) for line in _lines(str(about["says"]))),
            )
            for name, about in attributes.items()
        ),
        verbs={name: one(text) for name, text in cast("Mapping[str, str]", tables["verbs"]).items()},
        drops=frozenset(signs["drops"].split()),
        little=frozenset(signs["little"].split()),
    )


def _lines(text: str) -> list[str]:
    return [line for line in re.sub(r"\n {4}", "", text).strip().splitlines() if line.strip()]


def _filled(text: str, parts: Mapping[str, str]) -> str:
    """Put the named parts in place of ``{NAME}``; a line ends only to keep the file narrow."""
    flat = text.replace("\n", "")
    for _ in range(3):
        flat = re.sub(r"\{([A-Z]+)\}", lambda found: parts[found.group(1)].replace("\n", ""), flat)
    return flat
