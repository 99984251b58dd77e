"""Tiers 2 to 4: cut a stretch that is too long and in which tier 1 finds no boundary."""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from evolore.chunking import requests
from evolore.chunking.division import UnitRun, Wish, cut
from evolore.chunking.hard_split import hard_split
from evolore.chunking.perplexity import MODEL_CHARACTERS, Curve, log_prob_curve, ngram_curve
from evolore.chunking.settings import Sizes, TierSettings
from evolore.domain.document import Attempt, AttemptOutcome, BoundaryReason, Span, Tier
from evolore.domain.language import Language
from evolore.text.alignment import align
from evolore.text.sentences import sentence_starts

_TAG = r"<br\s*/?>|</?(?:p|div|li|ul|ol|tr|td|th|h[1-6])\b[^<>]{0,200}>"
_ESCAPE = r"\\r\\n|\\n"
_BULLET = r"[•●▪■◆★※‣⁃¦|\t\v\f\x1c-\x1e\x85\u2028\u2029]"
_DASH = r"(?<=\s)[-–—*](?=\s)"
_BEFORE_STAMP = r"\s(?=\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s)"
_BEFORE_NUMBER = r"\s(?=(?:\(\d{1,3}\)|\d{1,3}[.)]|[①-⑳])\s)"
_SEMICOLON = r"(?<=;)\s|；"
_MISSING_SPACE = r"(?<=[a-z]{3})[.!?](?=[A-Z][a-z])"
_BREAK = re.compile(
    f"{_TAG}|{_ESCAPE}|{_BULLET}|{_DASH}|{_BEFORE_STAMP}|{_BEFORE_NUMBER}|{_SEMICOLON}|{_MISSING_SPACE}"
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)\s*")

_LOG_PROB_CALLS = 2
"""The most calls for log-probabilities for one stretch; more show hardly more than n-grams."""

_LEAST_ALIGNED = 0.4
"""Where less of a rewrite is in the original, it is another text."""

_SHARE_OF_MOST = 0.75
"""How long the pieces of tier 2 should be, as a share of what they may be."""

_NEEDS_NO_WORD = frozenset((AttemptOutcome.NO_MODEL, AttemptOutcome.NOT_OFFERED))
"""Why log-probabilities are missing where none were promised."""


def normalise(text: str) -> str:
    r"""Write line breaks for what separates without being one: tags, escapes, bullets, semicolons, time stamps.

    Every character stays at its place, so that a place in the result is the same place in the text.

    >>> normalise("milk; eggs<br>bread")
    'milk;\neggs\n   bread'
    """
    return _BREAK.sub(lambda found: "\n" + " " * (len(found[0]) - 1), text)


def normalised_starts(text: str, language: Language, *, is_prose: bool) -> list[int]:
    """Return where the units of a normalised text start, ascending; the first is 0.

    Args:
        text: Not empty.
        language: Whose rules of sentences apply.
        is_prose: Whether its lines hold sentences; the lines of code are units as they are.
    """
    whole = normalise(text)
    edges = list(dict.fromkeys(line.end() for line in _LINE.finditer(whole)))
    starts: list[int] = [0]
    for start, end in pairwise([0, *edges]):
        inner = sentence_starts(whole[start:end], language) if is_prose and end > start else [0]
        starts += [start + place for place in inner if start + place > starts[-1]]
    return [start for start in starts if start < len(text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutPiece:
    """A part of a stretch that was cut."""

    span: Span  #: Where it lies.
    tier: Tier = Tier.CODE_LENGTH  #: The tier that set its left boundary.
    #: Why it begins where it does; None for the first, which begins where the stretch does.
    reason: BoundaryReason | None = None
    attempts: tuple[Attempt, ...] = ()  #: The tiers that were tried on what it was cut from, in order.
    gain_bits: float | None = None  #: What the cut before it saves, where a tier weighed it.

    @property
    def is_cut_hard(self) -> bool:
        """Whether tier 4 had to cut it out."""
        return any(attempt.tier is Tier.HARD_SPLIT for attempt in self.attempts)

    def tried(self, tier: Tier, outcome: AttemptOutcome) -> CutPiece:
        """Return the piece with the record that a tier was tried on it."""
        return replace(self, attempts=(*self.attempts, Attempt(tier, outcome)))

    def divided(self, tier: Tier, reason: BoundaryReason, cuts: Sequence[tuple[int, float | None]]) -> list[CutPiece]:
        """Return the pieces that a tier cuts it into."""
        whole = self.tried(tier, AttemptOutcome.FOUND)
        edges = [self.span.start, *(place for place, _ in cuts), self.span.end]
        spans = [Span(start, end) for start, end in pairwise(edges)]
        rest = [
            replace(whole, span=span, tier=tier, reason=reason, gain_bits=gain)
            for span, (_, gain) in zip(spans[1:], cuts, strict=True)
        ]
        return [replace(whole, span=spans[0]), *rest]


PieceSteps: TypeAlias = "Generator[requests.ChunkRequest, requests.ChunkAnswer, list[CutPiece]]"


@dataclass(slots=True)
class Allowance:
    """What one document may still take of something slow, in characters."""

    left: int

    def take(self, characters: int) -> bool:
        """Deduct so many, or none where fewer are left; return whether there were enough."""
        is_enough = characters <= self.left
        self.left -= characters if is_enough else 0
        return is_enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """Cuts stretches of one document that are too long."""

    text: str  #: The document.
    language: Language  #: The language it is in.
    sizes: Sizes  #: How long stretches of it are.
    wish: Wish  #: How long pieces should and may be, and how they are weighed.
    least: int  #: The shortest piece that tier 3 makes, in the unit of ``sizes``.
    settings: TierSettings  #: The numbers of tiers 2 and 3.
    allowance: Allowance  #: How many characters are left to count the n-grams of.

    @property
    def most(self) -> int:
        """The longest piece, in the unit of ``sizes``."""
        assert self.wish.most_characters is not None
        return self.wish.most_characters

    def settle(self, span: Span, *, is_prose: bool) -> PieceSteps:
        """Cut a stretch until every piece fits: always succeeds, for any answers.

        Args:
            span: A stretch that is too long.
            is_prose: Whether it is text a model can rewrite; code and tables are not.
        """
        whole = CutPiece(span=span).tried(Tier.CODE_LENGTH, AttemptOutcome.NO_BOUNDARY)
        pieces = yield from self._rewritten(self._normalised(whole, is_prose=is_prose), is_prose=is_prose)
        settled: list[CutPiece] = []
        for piece in pieces:
            parts = (yield from self._by_perplexity(piece)) if self._is_too_long(piece) else [piece]
            settled += [part for each in parts for part in self._cut_hard(each)]
        return settled

    def _is_too_long(self, piece: CutPiece) -> bool:
        return self.sizes.between(piece.span.start, piece.span.end) > self.most

    def _normalised(self, piece: CutPiece, *, is_prose: bool) -> list[CutPiece]:
        starts = normalised_starts(piece.span.of(self.text), self.language, is_prose=is_prose)
        cuts = self._divided(piece.span, [piece.span.start + start for start in starts])
        return piece.divided(Tier.REWRITE, BoundaryReason.NORMALISED, cuts) if cuts else [piece]

    def _rewritten(self, pieces: list[CutPiece], *, is_prose: bool) -> PieceSteps:
        """Ask for a rewrite of the first piece that is still too long, in one call."""
        found: list[CutPiece] = []
        later: AttemptOutcome | None = None
        for piece in pieces:
            if not self._is_too_long(piece):
                found.append(piece)
                continue
            outcome = self._unasked(piece, is_prose=is_prose) or later
            if outcome is not None:
                found.append(piece.tried(Tier.REWRITE, outcome))
                continue
            answer = yield requests.RewriteRequest(text=piece.span.of(self.text), language=self.language)
            later = answer.outcome if isinstance(answer, requests.Unanswered) else AttemptOutcome.OUT_OF_BUDGET
            found += self._along(answer, piece)
        return found

    def _unasked(self, piece: CutPiece, *, is_prose: bool) -> AttemptOutcome | None:
        """Return why a piece is not to be rewritten; None where it is."""
        if not is_prose:
            return AttemptOutcome.NOT_PROSE
        return AttemptOutcome.TOO_LONG if len(piece.span) > MODEL_CHARACTERS else None

    def _along(self, answer: requests.ChunkAnswer, piece: CutPiece) -> list[CutPiece]:
        """Cut a piece of the original where the sentences of its rewrite begin, as tier 1 weighs them."""
        if not isinstance(answer, requests.Rewritten):
            return [piece.tried(Tier.REWRITE, _outcome(answer))]
        alignment = align(piece.span.of(self.text), answer.text)
        if alignment.share < _LEAST_ALIGNED:
            return [piece.tried(Tier.REWRITE, AttemptOutcome.OTHER_TEXT)]
        places = alignment.places(normalised_starts(answer.text, self.language, is_prose=True))
        cuts = self._divided(piece.span, [piece.span.start + place for place in (0, *places)])
        if not cuts:
            return [piece.tried(Tier.REWRITE, AttemptOutcome.NO_BOUNDARY)]
        return piece.divided(Tier.REWRITE, BoundaryReason.REWRITTEN, cuts)

    def _divided(self, span: Span, starts: list[int]) -> list[tuple[int, float | None]]:
        """Run tier 1 over units that begin at the places given, the first where the span does."""
        if len(starts) < 2:  # noqa: PLR2004 - one unit has no boundary
            return []
        edges = [*starts, span.end]
        texts = [self.text[start:end] for start, end in pairwise(edges)]
        run = UnitRun.read(lambda: texts, self.sizes.steps(np.array(edges, np.int64)), self.wish.settings)
        # Where no end of a sentence is seen, any cut may fall inside one: few are made.
        found = cut(run, replace(self.wish, target_characters=_SHARE_OF_MOST * self.most))
        return [(starts[unit], gain) for unit, gain in zip(found.boundaries, found.gains_bits, strict=True)]

    def _by_perplexity(self, piece: CutPiece) -> PieceSteps:
        curve, piece = yield from self._model_curve(piece)
        reason = BoundaryReason.LOG_PROBS
        if curve is None:
            if not self.allowance.take(len(piece.span)):
                return [piece.tried(Tier.PERPLEXITY, AttemptOutcome.OUT_OF_BUDGET)]
            curve = ngram_curve(self.text, piece.span.start, piece.span.end, self.settings)
            reason = BoundaryReason.NGRAMS
        # The curve counts characters; where sizes are in something else, what is still too long is cut hard.
        per_size = len(piece.span) / self.sizes.between(piece.span.start, piece.span.end)
        most, least = max(1, int(self.most * per_size)), max(1, int(max(1, min(self.least, self.most // 4)) * per_size))
        cuts = curve.split(piece.span.start, piece.span.end, most=most, least=least)
        if not cuts:
            return [piece.tried(Tier.PERPLEXITY, AttemptOutcome.NO_BOUNDARY)]
        window = self.settings.window_characters
        return piece.divided(Tier.PERPLEXITY, reason, [(place, rise * window) for place, rise in cuts])

    def _model_curve(
        self, piece: CutPiece
    ) -> Generator[requests.ChunkRequest, requests.ChunkAnswer, tuple[Curve | None, CutPiece]]:
        """Ask how likely a piece is, in a few calls; the curve is None where that is unknown."""
        size = MODEL_CHARACTERS
        text = piece.span.of(self.text)
        if math.ceil(len(text) / size) > _LOG_PROB_CALLS:
            return None, piece
        parts: list[requests.LogProbs] = []
        for start in range(0, len(text), size):
            answer = yield requests.LogProbsRequest(text=text[start : start + size])
            if not isinstance(answer, requests.LogProbs):
                outcome = _outcome(answer)
                return None, piece if outcome in _NEEDS_NO_WORD else piece.tried(Tier.PERPLEXITY, outcome)
            parts.append(answer)
        curve = log_prob_curve(self.text, piece.span.start, piece.span.end, parts, self.settings)
        if curve is None:
            piece = piece.tried(Tier.PERPLEXITY, AttemptOutcome.UNUSABLE_REPLY)
        return curve, piece

    def _cut_hard(self, piece: CutPiece) -> list[CutPiece]:
        if not self._is_too_long(piece):
            return [piece]
        cuts, falls_in_word = hard_split(self.text, piece.span.start, piece.span.end, most=self.most, sizes=self.sizes)
        if not cuts:  # one character that a tokenizer makes many tokens of
            return [piece]
        reason = BoundaryReason.INSIDE_WORD if falls_in_word else BoundaryReason.GAP
        return piece.divided(Tier.HARD_SPLIT, reason, [(place, None) for place in cuts])


def _outcome(answer: requests.ChunkAnswer) -> AttemptOutcome:
    return answer.outcome if isinstance(answer, requests.Unanswered) else AttemptOutcome.UNUSABLE_REPLY


def side_by_side(
    several: Sequence[PieceSteps],
) -> Generator[tuple[requests.ChunkRequest, ...], tuple[requests.ChunkAnswer, ...], list[list[CutPiece]]]:
    """Run several generators at once: what they ask at one time is asked together."""
    results: dict[int, list[CutPiece]] = {}
    waiting: dict[int, requests.ChunkRequest] = {}

    def go_on(index: int, answer: requests.ChunkAnswer | None) -> None:
        try:
            waiting[index] = several[index].send(answer) if answer is not None else next(several[index])
        except StopIteration as ended:
            results[index] = ended.value

    for index in range(len(several)):
        go_on(index, None)
    while waiting:
        asked = dict(waiting)
        waiting.clear()
        answers = yield tuple(asked.values())
        for index, answer in zip(asked, answers, strict=True):
            go_on(index, answer)
    return [results[index] for index in range(len(several))]
