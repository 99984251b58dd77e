"""The claim gate's second part: a chat model says what a rewrite lost and what it invented."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure, ChatUsage
from evolore.domain.judging import NoVerdict
from evolore.evolution.chat_requests import Unusable
from evolore.evolution.claim_judging import CLAIMS_PROMPT, changed_sections, claims_request, read_claim_reply
from evolore.flows.prompt_words import prompt_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.language import Language
    from evolore.domain.proposing import EvidenceText
    from evolore.evolution.gates.verdicts import Finding
    from evolore.flows.asking import Asker


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsJudged:
    """What a chat model says of the claims of a rewrite.

    Args:
        lost: What the original says and the rewrite does not; each with its place in the original.
        invented: What the rewrite says, and neither the original nor the evidence; each with its place in the rewrite.
        judge: Name and version of the model and its words; empty where nothing differs and nobody was asked.
        usage: What it cost.
    """

    lost: tuple[Finding, ...] = ()
    invented: tuple[Finding, ...] = ()
    judge: str = ""
    usage: ChatUsage = field(default_factory=ChatUsage)

    @property
    def passes(self) -> bool:
        """Whether nothing is lost and nothing invented."""
        return not (self.lost or self.invented)


def judge_claims(
    asker: Asker,
    before: str,
    after: str,
    *,
    language: Language,
    evidence: Sequence[EvidenceText] = (),
    doubts: Sequence[str] = (),
) -> ClaimsJudged | NoVerdict:
    """Have a rewrite's claims judged in one call; nothing the model does raises.

    Args:
        asker: Asks the chat model within its budget.
        before: The original; of a crossover, all of them joined.
        after: The rewrite; likewise.
        language: What they are written in.
        evidence: What the rewrite may say besides. Feedback is none.
        doubts: What the free gates suspect, in their words; the model decides.

    Returns:
        What is lost and invented, or why there is no verdict: the rewrite then is not approved by itself.
    """
    changed = changed_sections(before, after)
    if not (changed.before or changed.after):
        return ClaimsJudged()
    if changed.is_too_long:
        return NoVerdict(reason="too_long")
    usage = asker.usage
    words = prompt_words(CLAIMS_PROMPT.name, CLAIMS_PROMPT.version)
    request = claims_request(words, changed, language=language, evidence=evidence, doubts=doubts)
    (outcome,) = asker.complete([request])
    if isinstance(outcome, ChatFailure):
        return NoVerdict(reason=f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value)
    read = read_claim_reply(outcome.text, before, after, language=language, evidence=evidence)
    if isinstance(read, Unusable):
        return NoVerdict(reason=read.reason)
    return ClaimsJudged(
        lost=read.lost,
        invented=read.invented,
        judge=f"{asker.model_id}/{CLAIMS_PROMPT}",
        usage=asker.usage - usage,
    )
