"""Claims: the sentences of a text with what each says, and which sentences of two texts say the same."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.knowledge import Span
from evolore.domain.language import Language
from evolore.text.protected import ProtectedSpan, SpanKind, protected_spans
from evolore.text.protected.denials import denials
from evolore.text.protected.folding import fold_text
from evolore.text.protected.marks import FENCE
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    Similar = Callable[[Sequence[str], Sequence[str]], npt.NDArray[np.float32]]

_HAN = re.compile(r"[\u3400-\u9fff]|[ァ-ヺー]{2,}|[A-Za-z][A-Za-z0-9]+|\d+")
_FILLERS = frozenset(
    "的了是在和与及等也就都把被将对从到为以其该此这那有可要会能可以中上下時際為方等者的性用行場合所事物何今次前後内外一人本"
)
_MARKS = re.compile(r"^[\s>#*+|-]+|[*_`|]+", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}\s")
_QUESTION = re.compile(r"[?？]|(?:です|ます|でしょう|ません|ました)か[。\s]*$|[吗呢][。\s]*$")
_LEAST_LIKE = 0.25
_BESIDE = 0.02
_NEARNESS = 0.15
"""What a similarity in meaning counts less than the same share of common words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence and what it says.

    Args:
        text: The sentence.
        span: Where it stands.
        words: Its content words: English stems; in Japanese and Chinese Han characters and words of katakana or letters.
        spans: What a rewrite must keep of it.
        denials: What denies or forbids in it.
        is_heading: Whether it is a heading.
        asks: Whether it is a question.
    """

    text: str
    span: Span
    words: tuple[str, ...]
    spans: tuple[ProtectedSpan, ...]
    denials: tuple[str, ...]
    is_heading: bool
    asks: bool

    @property
    def hard_values(self) -> frozenset[tuple[SpanKind, str]]:
        """What must not change of its spans."""
        return frozenset(
            (span.kind, span.value)
            for span in self.spans
            if not (span.is_soft or span.kind in {SpanKind.LIMIT, SpanKind.RATE, SpanKind.BODY})
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Sentences of two texts that say the same together: one and one, or one that was split, or several that were joined.

    Args:
        before: Those of the original, in order.
        after: Those of the rewrite, in order.
    """

    before: tuple[Claim, ...]
    after: tuple[Claim, ...]

    @property
    def share(self) -> float:
        """How much of the words of both sides they have in common, 0-1: Dice's measure."""
        return dice(words_of(self.before), words_of(self.after))


def read_claims(text: str, language: Language) -> tuple[Claim, ...]:
    """Cut a text into claims; listings are left to the span gate."""
    plain = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return tuple(_claims(plain, language))


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
            is_heading=_HEADING.match(sentence) is not None,
            asks=_QUESTION.search(bare) is not None,
        )


def content_words(text: str, language: Language) -> tuple[str, ...]:
    """Give the words that carry what a sentence says, repetitions included."""
    if language not in {Language.JA, Language.ZH}:
        return tuple(content_tokens(fold_text(text)))
    pieces = (piece.casefold().rstrip("ー") for piece in _HAN.findall(fold_text(text)))
    return tuple(piece for piece in pieces if piece not in _FILLERS)


def words_of(claims: Sequence[Claim]) -> Counter[str]:
    """Count the content words of several sentences."""
    return Counter(word for claim in claims for word in claim.words)


def dice(one: Counter[str], other: Counter[str]) -> float:
    """Give how much two bags of words have in common, 0-1."""
    total = one.total() + other.total()
    fewer, more = (one, other) if len(one) <= len(other) else (other, one)
    shared = sum(min(count, more[word]) for word, count in fewer.items() if word in more)
    return 2 * shared / total if total else 0.0


def changed_claims(before: Sequence[Claim], after: Sequence[Claim]) -> tuple[list[Claim], list[Claim]]:
    """Give the sentences of either text that do not stand word for word in the other."""
    kept = {claim.text for claim in before} & {claim.text for claim in after}
    return [one for one in before if one.text not in kept], [one for one in after if one.text not in kept]


def pair_claims(
    before: Sequence[Claim], after: Sequence[Claim], *, similar: Similar | None = None
) -> tuple[Group, ...]:
    """Put together the sentences that say the same, each with the one most like it, both ways; unchanged ones are left out.

    Args:
        before: Those of the original.
        after: Those of the rewrite.
        similar: How near sentences are in meaning; without it, their words alone tell.
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
        Group(
            before=tuple(before[index] for index in sorted(ours)), after=tuple(after[place] for place in sorted(theirs))
        )
        for ours, theirs in groups
    )


def similarities(
    ours: Sequence[Claim], theirs: Sequence[Claim], similar: Similar | None
) -> npt.NDArray[np.float32] | None:
    """Give how near the sentences of two texts are in meaning, shape (ours, theirs); None where nothing tells."""
    if similar is None or not ours or not theirs:
        return None
    return similar([claim.text for claim in ours], [claim.text for claim in theirs])


def _best(
    ours: Sequence[Claim], theirs: Sequence[Claim], near: npt.NDArray[np.float32] | None
) -> Iterator[tuple[int, int]]:
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
