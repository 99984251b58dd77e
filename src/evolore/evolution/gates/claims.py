"""Claims: the sentences of a text with what each says, and readings of their clauses as they are compared.

What ``turned_claims`` and ``roles`` read; without these, a quarter of the refusals go (``docs/decisions/0015``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TypeAlias

from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.evolution.gates.verdicts import Concern, Grade
from evolore.text.protected import protected_spans
from evolore.text.protected.polarity import denials, polarity_of
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import content_tokens
from evolore.text.values import SpanKind, Value
from evolore.text.values.marks import FENCE
from evolore.text.values.spans import fold_text
from evolore.text.vectors import Float32s
from evolore.text.word_files import read_words

Similar: TypeAlias = Callable[[Sequence[str], Sequence[str]], Float32s]

_HAN = re.compile(r"[\u3400-\u9fff]|[ァ-ヺー]{2,}|[A-Za-z][A-Za-z0-9]+|\d+")
_FILLERS = frozenset(
    "的了是在和与及等也就都把被将对从到为以其该此这那有可要会能可以中上下時際為方等者的性用行場合所事物何今次前後内外一人本"
)
_MARKS = re.compile(r"^[\s>#*+|-]+|[*_`|]+", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}\s")
_TABLE_HEAD = re.compile(r"\s*\|[^\n]*\n\s*\|[ \t:|-]*-[ \t:|-]*(?:\n|$)")
_QUESTION = re.compile(r"[?？]|(?:です|ます|でしょう|ません|ました)か[。\s]*$|[吗呢][。\s]*$")
_LEAST_LIKE = 0.25
_BESIDE = 0.02
_NEARNESS = 0.15
"""What a similarity in meaning counts less than the same share of common words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence and what it says."""

    text: str  #: The sentence.
    span: Span  #: Where it is.
    #: Its content words: English stems; in Japanese and Chinese Han characters and words of katakana or letters.
    words: tuple[str, ...]
    spans: tuple[Value, ...]  #: What a rewrite must keep of it.
    denials: tuple[str, ...]  #: What denies or forbids in it.
    is_heading: bool  #: Whether it is a heading.
    asks: bool  #: Whether it is a question.

    @property
    def hard_values(self) -> frozenset[tuple[SpanKind, str]]:
        """What must not change of its spans."""
        return frozenset(
            (span.kind, span.canonical)
            for span in self.spans
            if not (span.is_soft or span.kind in {SpanKind.LIMIT, SpanKind.RATE, SpanKind.BODY})
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimGroup:
    """Sentences of two texts that say the same together: one and one, or one that was split, or several that were joined."""

    before: tuple[Claim, ...]  #: Those of the original, in order.
    after: tuple[Claim, ...]  #: Those of the rewrite, in order.

    @property
    def share(self) -> float:
        """How much of the words of both sides they have in common, 0-1: Dice's measure."""
        return dice(words_of(self.before), words_of(self.after))


def read_claims(text: str, language: Language) -> tuple[Claim, ...]:
    """Cut a text into claims; listings are left to the span gate."""
    return tuple(_claims(FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text), language))


def _claims(text: str, language: Language) -> Iterator[Claim]:
    for span in sentence_spans(text, language=language):
        sentence = span.of(text)
        bare = _MARKS.sub(" ", sentence).strip()
        if not any(sign.isalnum() for sign in bare):
            continue
        yield Claim(
            text=sentence.strip(),
            span=Span(span.start, span.start + len(sentence.rstrip())),
            words=content_words(bare, language),
            spans=protected_spans(sentence, language),
            denials=denials(bare, language),
            is_heading=_HEADING.match(sentence) is not None or _TABLE_HEAD.match(text, span.start) is not None,
            asks=_QUESTION.search(bare) is not None,
        )


def content_words(text: str, language: Language) -> tuple[str, ...]:
    """Return the words that carry what a sentence says, repetitions included."""
    if language not in {Language.JA, Language.ZH}:
        return tuple(content_tokens(fold_text(text)))
    pieces = (piece.casefold().rstrip("ー") for piece in _HAN.findall(fold_text(text)))
    return tuple(piece for piece in pieces if piece not in _FILLERS)


def words_of(claims: Sequence[Claim]) -> Counter[str]:
    """Count the content words of several sentences."""
    return Counter(word for claim in claims for word in claim.words)


def dice(one: Counter[str], other: Counter[str]) -> float:
    """Return how much two bags of words have in common, 0-1."""
    total = one.total() + other.total()
    fewer, more = (one, other) if len(one) <= len(other) else (other, one)
    return 2 * sum(min(count, more[word]) for word, count in fewer.items() if word in more) / total if total else 0.0


def changed_claims(before: Sequence[Claim], after: Sequence[Claim]) -> tuple[list[Claim], list[Claim]]:
    """Return the sentences of either text that are not word for word in the other."""
    kept = {claim.text for claim in before} & {claim.text for claim in after}
    return [one for one in before if one.text not in kept], [one for one in after if one.text not in kept]


def pair_claims(
    before: Sequence[Claim], after: Sequence[Claim], *, similar: Similar | None = None
) -> tuple[ClaimGroup, ...]:
    """Put together the sentences that say the same, each with the one most like it, both ways; unchanged ones are left out.

    Args:
        before: Those of the original.
        after: Those of the rewrite.
        similar: How near sentences are in meaning; without it, their words alone decide.
    """
    before, after = changed_claims(before, after)
    near = similarities(before, after, similar)
    links = set(_best(before, after, near))
    links |= {(index, place) for place, index in _best(after, before, None if near is None else near.T)}
    groups: list[tuple[set[int], set[int]]] = []
    for index, place in sorted(links):
        ours, theirs = {index}, {place}
        for group in [group for group in groups if index in group[0] or place in group[1]]:
            ours |= group[0]
            theirs |= group[1]
            groups.remove(group)
        groups.append((ours, theirs))
    return tuple(
        ClaimGroup(
            before=tuple(before[index] for index in sorted(ours)), after=tuple(after[place] for place in sorted(theirs))
        )
        for ours, theirs in groups
    )


def similarities(ours: Sequence[Claim], theirs: Sequence[Claim], similar: Similar | None) -> Float32s | None:
    """Return how near the sentences of two texts are in meaning, shape (ours, theirs); None if nothing measures it."""
    if similar is None or not ours or not theirs:
        return None
    return similar([claim.text for claim in ours], [claim.text for claim in theirs])


def _best(ours: Sequence[Claim], theirs: Sequence[Claim], near: Float32s | None) -> Iterator[tuple[int, int]]:
    bags = [Counter(claim.words) for claim in theirs]
    values = [claim.hard_values for claim in theirs]
    for index, claim in enumerate(ours):
        bag = Counter(claim.words)
        scores = [
            max(dice(bag, other), float(near[index, place]) - _NEARNESS if near is not None else 0.0)
            + _BESIDE * len(claim.hard_values & value)
            - _BESIDE * abs(index / len(ours) - place / len(theirs))
            for place, (other, value) in enumerate(zip(bags, values, strict=True))
        ]
        if scores and max(scores) >= _LEAST_LIKE:
            yield index, scores.index(max(scores))


_READING_MARKS = re.compile(r"^[\s>#*+|・■-]+|[*_`|]+", re.MULTILINE)
_CUT = re.compile(
    r"(?<!\d),(?!\d)|(?<=\d), |[;；:：、，。．!?！？…（）()|]|(?<=[a-z)])\.(?=\s|$)| - |——|(?<![A-Za-z])(?:but|though)(?![A-Za-z])",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+(?:[.,:]\d+)*|[^\sA-Za-z\d]")
_FEWEST_PIECES = 3


@dataclass(frozen=True)
class ClaimReading:
    """A text and which way it points."""

    text: str
    language: Language

    @cached_property
    def plain(self) -> str:
        """Its words in one width, without what only looks like a denial."""
        return polarity_of(self.language).only_looks.sub(lambda match: " " * len(match.group()), fold_text(self.text))

    @cached_property
    def words(self) -> Counter[str]:
        """Its content words."""
        return Counter(content_words(self.text, self.language))

    @cached_property
    def pieces(self) -> list[str]:
        """Its words in small letters, of texts without spaces its characters, and its signs."""
        return pieces_of(self.text)

    @cached_property
    def grams(self) -> Counter[str]:
        """Its pairs of neighbouring characters, white space left out."""
        plain = "".join(fold_text(self.text).split()).casefold()
        return Counter(plain[place : place + 2] for place in range(len(plain) - 1))

    @cached_property
    def denials(self) -> tuple[str, ...]:
        """What denies in it."""
        return tuple(match.group() for match in polarity_of(self.language).denies.finditer(self.plain))

    @cached_property
    def softeners(self) -> Counter[str]:
        """Words that may express a denial, by stem."""
        return Counter(
            _stem(match.group().casefold()) for match in polarity_of(self.language).softens.finditer(self.plain)
        )

    @cached_property
    def other_softeners(self) -> Counter[str]:
        """Words that may express a denial and are not among those that were read."""
        words = polarity_of(self.language)
        taken = [match.span() for match in words.denies.finditer(self.plain)]
        found = list(words.softens.finditer(self.plain))
        free = [one for one in found if not any(start < one.end() and one.start() < end for start, end in taken)]
        return Counter(_stem(match.group().casefold()) for match in free)

    @cached_property
    def sides(self) -> tuple[frozenset[int], ...]:
        """Of each group of words that exclude one another, the sides it names."""
        plain = fold_text(self.text)
        return tuple(
            frozenset(number for number, side in enumerate(group) if side.search(plain))
            for group in word_groups(self.language, "opposed")
        )

    @cached_property
    def is_restricted(self) -> bool:
        """Whether it holds "only", "except" or the like."""
        return _restriction(self.language).search(fold_text(self.text)) is not None

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of words it holds, such as ``permits``."""
        plain, words = fold_text(self.text), polarity_of(self.language)
        patterns: dict[str, re.Pattern[str]] = {kind: getattr(words, kind) for kind in KINDS}
        return frozenset(kind for kind, pattern in patterns.items() if pattern.search(plain))


KINDS = ("permits", "requires", "eases", "doubles", "absents", "supposes", "includes", "conditions")
"""The kinds of words that show which way a claim points; see ``Polarity``."""


@lru_cache(maxsize=4096)
def reading_of(text: str, language: Language) -> ClaimReading:
    """Return the reading of a text; the same one each time, so that nothing is read twice."""
    return ClaimReading(text, language)


def pieces_of(text: str) -> list[str]:
    """Cut a text into words, numbers and signs, in small letters and one width."""
    return [piece.casefold() for piece in _PIECE.findall(fold_text(text))]


def joined(pieces: Sequence[str]) -> str:
    """Return pieces as a text."""
    return "".join(f"{piece} " if piece.isascii() else piece for piece in pieces).strip()


def clauses_of(claim: Claim) -> list[str]:
    """Cut a sentence where it pauses; a piece of one or two words stays with its neighbour."""
    bare = _READING_MARKS.sub(" ", claim.text).strip()
    parts = [part.strip() for part in _CUT.split(bare) if sum(sign.isalnum() for sign in part) > 1]
    return _with_neighbours(parts) or ([bare] if bare else [])


def _with_neighbours(parts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if found and len(pieces_of(part)) < _FEWEST_PIECES:
            found[-1] = f"{found[-1]}, {part}"
        else:
            found.append(part)
    if len(found) > 1 and len(pieces_of(found[0])) < _FEWEST_PIECES:
        found[:2] = [f"{found[0]}, {found[1]}"]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause and the sentence it is in."""

    reading: ClaimReading
    claim: Claim

    @property
    def bare(self) -> str:
        """Its characters in small letters and one width, without white space."""
        return "".join(fold_text(self.reading.text).split()).casefold()

    def concern(self, other: Clause, reason: str, level: Grade) -> Concern:
        """Object to, or doubt, what the other makes of it."""
        quote = f"{self.reading.text} / {other.reading.text}"
        return Concern(reason=reason, before=self.claim.span, after=other.claim.span, quote=quote, level=level)


def read_clauses(claims: Sequence[Claim], language: Language) -> list[Clause]:
    """Cut sentences into clauses, each with its reading."""
    return [Clause(reading=reading_of(part, language), claim=claim) for claim in claims for part in clauses_of(claim)]


def _stem(word: str) -> str:
    """Cut a word so that its forms are one; characters of other scripts stay."""
    return word[:4] if word.isascii() else word


@cache
def word_groups(language: Language, name: str) -> tuple[tuple[re.Pattern[str], ...], ...]:
    """Return groups of words, each with its sides: words on one side do not mean those on another."""
    lines = read_words("evolore.evolution", "claims", language).lines(name)
    return tuple(tuple(_compiled(side, language) for side in line.split(" / ")) for line in lines)


@cache
def _restriction(language: Language) -> re.Pattern[str]:
    """Return what restricts a claim: "only", "unless", のみ, 仅."""
    return _compiled(read_words("evolore.evolution", "claims", language).pattern("only"), language)


def _compiled(words: str, language: Language) -> re.Pattern[str]:
    is_spaced = language not in {Language.JA, Language.ZH}
    return re.compile(rf"(?<![A-Za-z-])(?:{words})(?![A-Za-z-])" if is_spaced else words, re.IGNORECASE)


_UNLESS = re.compile(r"(?<![a-z])(?:unless|without)(?![a-z])|除非", re.IGNORECASE)
_EXCEPTS = re.compile(
    r"(?<![a-z])(?:except(?:ing)?|excluding|but not|unless|other than|apart from)(?![a-z])|除[きくい]て?|以外|除[^,。]{1,8}外|除外|除非|例外",
    re.IGNORECASE,
)
_ONLY = re.compile(r"(?<![a-z])(?:only|until)(?![a-z])|だけ|のみ|しか|はじめて|仅|只|才", re.IGNORECASE)
_CLAUSE = re.compile(r"[,、，.。;；:：]| but | and ")
_SCOPE = 16


def find_opposed(one: ClaimReading, other: ClaimReading) -> tuple[str, str, bool] | None:
    """Return a word of the one, its opposite in the other, and whether nothing else may make up for it."""
    for first, second in polarity_of(one.language).opposites:
        for side, against in ((first, second), (second, first)):
            ours = side.search(one.plain)
            theirs = against.search(other.plain) if ours else None
            if not ours or not theirs or _is_kept(one, other, side, against):
                continue
            is_exception = _EXCEPTS.search(ours.group()) is not None
            parity = _is_denied(one, ours) + _is_denied(other, theirs) + count_unless(one) + count_unless(other)
            if is_exception or parity % 2 == 0:
                return ours.group(), theirs.group(), is_exception or _reservations(one) == _reservations(other)
    return None


def is_freed(one: ClaimReading, other: ClaimReading) -> bool:
    """Return whether a word is denied in the one and free in the other, which denies nothing near it."""
    if len(one.denials) != 1 or other.denials or one.kinds & {"doubles", "supposes"}:
        return False
    words = polarity_of(one.language)
    for side in (side for pair in words.opposites for side in pair):
        ours = side.search(one.plain)
        theirs = side.search(other.plain) if ours else None
        if not (ours and theirs) or words.softens.search(ours.group()):
            continue
        if _is_denied(one, ours) and not _is_denied(other, theirs):
            return True
    return False


def _is_kept(one: ClaimReading, other: ClaimReading, side: re.Pattern[str], against: re.Pattern[str]) -> bool:
    """Return whether either text names both sides."""
    return bool(against.search(side.sub(" ", one.plain)) or side.search(against.sub(" ", other.plain)))


def _reservations(reading: ClaimReading) -> tuple[bool, bool]:
    """Return whether a text makes an exception, and whether it holds for some alone."""
    return bool(_EXCEPTS.search(reading.plain) or _UNLESS.search(reading.plain)), bool(_ONLY.search(reading.plain))


def _is_denied(reading: ClaimReading, word: re.Match[str]) -> bool:
    """Return whether a word is denied: by a denial before it, in Japanese behind it, in its own clause."""
    text = reading.plain
    reach = 2 * _SCOPE if reading.language is Language.EN else _SCOPE
    before = _CLAUSE.split(text[max(0, word.start() - reach) : word.start()])[-1]
    behind = _CLAUSE.split(text[word.end() : word.end() + _SCOPE])[0]
    denies = polarity_of(reading.language).denies
    return any(denies.search(part) for part in (before, behind))


def count_unless(reading: ClaimReading) -> int:
    """Count what denies by a condition: "unless", "without"."""
    return len(_UNLESS.findall(reading.plain))
