"""The novelty gate: a candidate that says nothing new need not be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.gates.verdicts import Finding, Gate, Verdict
from evolore.text.signatures import likeness, text_signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.evolution.settings import GateSettings


def novelty_gate(before: str, after: str, settings: GateSettings, *, earlier: Sequence[str] = ()) -> Verdict:
    """Say whether a candidate changes anything, and whether it nearly is a candidate that was made before.

    Args:
        before: The original.
        after: The candidate.
        settings: How alike two candidates may be.
        earlier: Other candidates of this document, also rejected ones.
    """
    if _bare(before) == _bare(after):
        return _refused("The candidate changes nothing but white space")
    signature = text_signature(after)
    for number, text in enumerate(earlier, start=1):
        if _bare(text) == _bare(after):
            return _refused(f"The candidate is the earlier candidate {number} again")
        alike = likeness(signature, text_signature(text))
        if alike >= settings.nearly_same and len(signature ^ text_signature(text)) <= _FEW_WORDS:
            return _refused(
                f"The candidate is nearly the earlier candidate {number}: {alike:.0%} of the words are the same"
            )
    return Verdict(gate=Gate.NOVELTY)


_FEW_WORDS = 4


def _bare(text: str) -> str:
    return "".join(text.split())


def _refused(reason: str) -> Verdict:
    return Verdict(gate=Gate.NOVELTY, findings=(Finding(reason=reason),))
