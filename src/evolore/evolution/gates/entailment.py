"""Doubts as pairs of texts, and what becomes of them once somebody said whether one text follows from the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.document import Span
from evolore.domain.language import Language, language_name
from evolore.evolution.gates.claims import Claim, dice, read_claims
from evolore.evolution.gates.verdicts import Concern, Gate, Grade, Ruling
from evolore.evolution.requests import Unusable, read_reply
from evolore.ports import EntailmentLabel
from evolore.text.fences import Data, Prompt, ReplyForm
from evolore.text.vectors import Float32s

MOST_PAIRS = 40
"""So many doubts are asked about; more than these are left as they are."""

_SURE = 0.9
"""From this probability on a label is believed. Chosen before any model was tried: raise it for one that is often wrong."""

_ASKED_ABOUT = frozenset({Gate.SPANS, Gate.CLAIMS})
_NEIGHBOURS = 2
_TOKENS_A_PAIR = 12
_TOKENS_AROUND = 40
_LABELS = tuple(EntailmentLabel)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtedPair:
    """A doubt, and the passages it is about."""

    finding: Concern
    before: str
    after: str


def doubted_pairs(verdicts: Sequence[Ruling], before: str, after: str, language: Language) -> tuple[DoubtedPair, ...]:
    """Return what the span and the claim gate doubt as pairs of passages: whole sentences, at most ``MOST_PAIRS``.

    Of a doubt about one text alone the other passage is the two sentences of the other text that share most words.
    """
    ours, theirs = read_claims(before, language), read_claims(after, language)
    doubts = [one for verdict in verdicts if verdict.gate in _ASKED_ABOUT for one in verdict.doubts]
    found: list[DoubtedPair] = []
    for finding in doubts[:MOST_PAIRS]:
        mine, other = _around(finding.before, ours), _around(finding.after, theirs)
        mine, other = mine or _nearest(other, ours), other or _nearest(mine, theirs)
        if mine and other:
            found.append(DoubtedPair(finding=finding, before=_joined(mine), after=_joined(other)))
    return tuple(found)


def both_ways(pairs: Sequence[DoubtedPair]) -> list[tuple[str, str]]:
    """Return premise and hypothesis of each pair, and then of each turned round."""
    return [(one.before, one.after) for one in pairs] + [(one.after, one.before) for one in pairs]


def settled(verdict: Ruling, pairs: Sequence[DoubtedPair], judged: Float32s, judge: str) -> Ruling:
    """Return a verdict without the doubts that are cleared up, and with those that are confirmed as refusals.

    A doubt is dropped where each passage follows from the other; of a sentence that was lost or put in, where it follows
    from the other text. It becomes a refusal where either contradicts the other.

    Args:
        verdict: What a gate said.
        pairs: The doubts that were asked about.
        judged: What ``both_ways`` of them was judged to be, shape (2 · pairs, 3).
        judge: Who said so, for the reason.
    """
    kept: list[Concern] = []
    by_doubt = {id(pair.finding): place for place, pair in enumerate(pairs)}
    for finding in verdict.findings:
        place = by_doubt.get(id(finding))
        if place is None:
            kept.append(finding)
            continue
        ways = judged[[place, place + len(pairs)]]
        if ways[:, _LABELS.index(EntailmentLabel.CONTRADICTION)].max() >= _SURE:
            kept.append(replace(finding, level=Grade.REFUSE, reason=f"{finding.reason}; a contradiction, {judge} says"))
        elif not _follows(finding, ways[:, _LABELS.index(EntailmentLabel.ENTAILMENT)]):
            kept.append(finding)
    return replace(verdict, findings=tuple(kept))


def _follows(finding: Concern, entailed: Float32s) -> bool:
    if finding.after is None:
        return bool(entailed[1] >= _SURE)
    if finding.before is None:
        return bool(entailed[0] >= _SURE)
    return bool(entailed.min() >= _SURE)


def _around(span: Span | None, claims: Sequence[Claim]) -> list[Claim]:
    if span is None:
        return []
    return [one for one in claims if one.span.start < max(span.end, span.start + 1) and span.start < one.span.end]


def _nearest(claims: Sequence[Claim], others: Sequence[Claim]) -> list[Claim]:
    """Return the two sentences that share most words with these, in their order."""
    words = Counter(word for one in claims for word in one.words)
    shares = [dice(words, Counter(other.words)) for other in others]
    best = sorted(range(len(others)), key=lambda place: (-shares[place], place))[:_NEIGHBOURS]
    return [others[place] for place in sorted(best)] if claims else []


def _joined(claims: Sequence[Claim]) -> str:
    return " ".join(" ".join(one.text.split()) for one in claims)


class EntailmentReply(ReplyForm):
    """What a reply must be: a label a pair, in their order."""

    labels: Annotated[list[Literal["entailment", "neutral", "contradiction"]], Field(max_length=2 * MOST_PAIRS)]


ENTAILMENT_PROMPT = Prompt(
    name="judge_entailment", version=1, purpose="evolution.judge_entailment", marks="pairs", form=EntailmentReply
)


def entailment_request(
    instructions: str, pairs: Sequence[tuple[str, str]], *, language: Language | None
) -> ChatRequest:
    """Ask what each hypothesis is to its premise, all in one call.

    The data between ``<pairs>`` and ``</pairs>``: ``language`` (its English name, or empty) and ``pairs``, each with
    ``premise`` and ``hypothesis``. The reply is ``EntailmentReply``.
    """
    shown: list[Data] = [{"premise": premise, "hypothesis": hypothesis} for premise, hypothesis in pairs]
    return ENTAILMENT_PROMPT.request(
        instructions,
        {"language": language_name(language) if language else "", "pairs": shown},
        most_tokens=_TOKENS_AROUND + _TOKENS_A_PAIR * len(pairs),
        seed=0,
    )


def read_entailment_reply(reply: str, count: int) -> Float32s | Unusable:
    """Return the labels of a reply as probabilities of 0 and 1, shape (count, 3), or why the reply is not used."""
    read = read_reply(reply, EntailmentReply)
    if isinstance(read, Unusable):
        return read
    if len(read.labels) != count:
        return Unusable(reason=f"The reply has {len(read.labels)} labels for {count} pairs.")
    found = np.zeros((count, len(_LABELS)), dtype=np.float32)
    found[np.arange(count), [_LABELS.index(EntailmentLabel(label)) for label in read.labels]] = 1.0
    return found
