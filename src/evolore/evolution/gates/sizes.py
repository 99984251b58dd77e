"""The size gate: a rewrite that shrinks or swells is no edit any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.gates.verdicts import Finding, Gate, Verdict

if TYPE_CHECKING:
    from evolore.evolution.gate_settings import GateSettings


def size_gate(before: str, after: str, settings: GateSettings, *, evidence: int = 0) -> Verdict:
    """Say whether a candidate is about as long as its original.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        settings: How much it may differ.
        evidence: How many characters of cited evidence it may draw on besides.
    """
    least = len(before) * settings.least_size - settings.size_slack
    most = (len(before) + evidence) * settings.most_size + settings.size_slack
    if least <= len(after) <= most:
        return Verdict(gate=Gate.SIZE)
    how = "shorter than the least" if len(after) < least else "longer than the most"
    reason = (
        f"The candidate has {len(after):,} characters and the original {len(before):,}, which is {how} that is let pass "
        f"({max(0, round(least)):,} to {round(most):,})"
    )
    return Verdict(gate=Gate.SIZE, findings=(Finding(reason=reason),))
