"""A chat model as the judge of claims: what a rewrite lost, what it invented, and what of the reply is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.contest import EvidenceText
from evolore.domain.document import Span
from evolore.domain.language import Language, language_name
from evolore.evolution.edits import place_of
from evolore.evolution.gates.verdicts import Concern
from evolore.evolution.requests import Unusable, one_line, read_reply, shown_evidence
from evolore.text.alignment import find_quote
from evolore.text.fences import Data, Prompt, ReplyForm
from evolore.text.sections import Section, read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import estimate_tokens

LONGEST_CHANGED = 40_000
"""Characters of the changed sections of both texts together; more is not judged, because it would be cut off."""

LONGEST_CONTEXT = 12_000
"""Characters of unchanged sections that are shown too; of those left out only the headings are shown."""

_MOST_ITEMS = 40
_MOST_DOUBTS = 20
_LONGEST_QUOTE = 2_000
_LONGEST_REASON = 500
_REPLY_TOKENS = 2_000
_TOKENS_AROUND = 400


class ClaimReply(ReplyForm):
    """One claim that a reply objects to."""

    quote: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)]
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]


class ClaimsReply(ReplyForm):
    """What a reply must be."""

    lost: Annotated[list[ClaimReply], Field(max_length=_MOST_ITEMS)]
    invented: Annotated[list[ClaimReply], Field(max_length=_MOST_ITEMS)]


CLAIMS_PROMPT = Prompt(
    name="judge_claims", version=1, purpose="evolution.judge_claims", marks="rewrite", form=ClaimsReply
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadClaims:
    """What a chat model objects to in a rewrite, each with its place; nothing where nothing differs."""

    lost: tuple[Concern, ...] = ()  #: Claims of the text before that the text after does not make.
    invented: tuple[Concern, ...] = ()  #: Claims of the text after that neither the text before nor the evidence makes.


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSections:
    """Two texts by what differs."""

    before: tuple[Section, ...]  #: Sections of the first text that are not word for word in the second.
    after: tuple[Section, ...]  #: Sections of the second that are not in the first.
    same: tuple[Section, ...]  #: Sections of the second that are in both.

    @property
    def is_too_long(self) -> bool:
        """Whether what changed cannot be shown whole."""
        return sum(len(one.text) for one in (*self.before, *self.after)) > LONGEST_CHANGED


def changed_sections(before: str, after: str) -> ChangedSections:
    """Separate the sections of two texts that differ from those that both have."""
    ours, theirs = read_sections(before), read_sections(after)
    old, new = Counter(one.text.strip() for one in ours), Counter(one.text.strip() for one in theirs)
    return ChangedSections(
        before=tuple(one for one in ours if one.text.strip() not in new),
        after=tuple(one for one in theirs if one.text.strip() not in old),
        same=tuple(one for one in theirs if one.text.strip() in old),
    )


def claims_request(
    instructions: str,
    changed: ChangedSections,
    *,
    language: Language,
    evidence: Sequence[EvidenceText],
    doubts: Sequence[str],
) -> ChatRequest:
    """Ask which claims a rewrite lost and which it invented.

    The data between ``<rewrite>`` and ``</rewrite>``: ``language`` (its English name); ``before`` and ``after``, the
    sections that differ, each with ``path`` (titles joined by " > ") and ``text``; ``unchanged``, sections that are in
    both, of which those beyond ``LONGEST_CONTEXT`` have an empty text; ``evidence``, each with ``id``, ``source`` and
    ``text``; ``doubts``, what a rule suspects. The reply is ``ClaimsReply``.
    """
    differing = (*changed.before, *changed.after)
    data: Data = {
        "language": language_name(language),
        "before": [_shown(one) for one in changed.before],
        "after": [_shown(one) for one in changed.after],
        "unchanged": _context(changed.same),
        "evidence": shown_evidence(evidence),
        "doubts": list(doubts[:_MOST_DOUBTS]),
    }
    return CLAIMS_PROMPT.request(
        instructions,
        data,
        most_tokens=min(_REPLY_TOKENS, _TOKENS_AROUND + sum(estimate_tokens(one.text) for one in differing)),
        seed=0,
    )


def _shown(section: Section, *, is_whole: bool = True) -> Data:
    text = section.text.strip() if is_whole else ""
    return {"path": " > ".join(section.path) or place_of(section), "text": text}


def _context(sections: Sequence[Section]) -> list[Data]:
    left = LONGEST_CONTEXT
    shown: list[Data] = []
    for one in sections:
        left -= len(one.text)
        shown.append(_shown(one, is_whole=left >= 0))
    return shown


def read_claim_reply(
    reply: str, before: str, after: str, *, language: Language, evidence: Sequence[EvidenceText]
) -> ReadClaims | Unusable:
    """Return what a reply objects to, or why the reply is not used.

    A quote that is not in the text it is taken from shows that the texts were not read, and counts against all of
    the reply: without a verdict nothing is approved. What is named as lost and is in the other text word for word,
    as a whole sentence, is left out, and so is what is named as invented and is in the text before or the evidence.
    """
    read = read_reply(reply, ClaimsReply)
    if isinstance(read, Unusable):
        return read
    lost = _placed(read.lost, before, (after,), language=language, is_before=True)
    if isinstance(lost, Unusable):
        return lost
    known = (before, *(one.text for one in evidence))
    invented = _placed(read.invented, after, known, language=language, is_before=False)
    return invented if isinstance(invented, Unusable) else ReadClaims(lost=lost, invented=invented)


def _placed(
    items: Sequence[ClaimReply], text: str, others: Sequence[str], *, language: Language, is_before: bool
) -> tuple[Concern, ...] | Unusable:
    found: dict[Span, Concern] = {}
    for item in items:
        span = find_quote(item.quote, text)
        if span is None:
            where = "the text before" if is_before else "the text after"
            return Unusable(reason=f"The reply quotes what is not in {where}: {one_line(item.quote)[:80]!r}.")
        sentence = _sentences_around(span, text, language)
        if any(find_quote(sentence, other) for other in others):
            continue
        reason, quote = one_line(item.reason), span.of(text)
        given = Concern(reason=reason, before=span, quote=quote) if is_before else None
        found.setdefault(span, given or Concern(reason=reason, after=span, quote=quote))
    return tuple(found.values())


def _sentences_around(span: Span, text: str, language: Language) -> str:
    """Return the whole sentences that a quote is part of: a number alone is in many places."""
    touched = [one for one in sentence_spans(text, language=language) if one.start < span.end and span.start < one.end]
    return text[touched[0].start : touched[-1].end].strip() if touched else span.of(text)
