"""A canary as its answers and ratings have it: folded anew whenever somebody looks, so that late ratings count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evolore.evolution.canary import Canary, begin_canary
from evolore.evolution.guardrail import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from evolore.domain.trial_answers import TrialAnswer
    from evolore.evolution.settings import CanarySettings


def folded_canary(
    canary_id: str, settings: CanarySettings, *, moves: Sequence[datetime], answers: Iterable[TrialAnswer]
) -> Canary:
    """Give a canary as it stands after what was answered.

    Answers count in the order in which they were asked for, those for which a passage of either text was handed over, and
    of each principal from each text the first ``answers_per_principal``. All principals count in the check of the split,
    whatever they asked: whether one asks about the document must not depend on the text, and whether it is found may.

    Args:
        canary_id: What names it.
        settings: Its stages and bounds.
        moves: When it was brought to each stage after the first.
        answers: To known principals, in the order of asking.
    """
    return _Folding(begin_canary(canary_id, settings), moves).after(answers)


class _Folding:
    def __init__(self, canary: Canary, moves: Sequence[datetime]) -> None:
        self._canary = canary
        self._moves = list(moves)
        self._counted: Counter[tuple[str, bool]] = Counter()
        self._seen: set[str] = set()

    def after(self, answers: Iterable[TrialAnswer]) -> Canary:
        for one in answers:
            self._grow(one.at)
            self._see(one)
            if one.is_about:
                self._count(one)
        self._grow(None)
        return self._canary

    def _grow(self, at: datetime | None) -> None:
        """Go on to the stage of a moment, or to the last."""
        while self._moves and (at is None or self._moves[0] < at):
            del self._moves[0]
            self._seen.clear()
            self._canary = self._canary.at_stage(self._canary.stage + 1)

    def _see(self, one: TrialAnswer) -> None:
        if one.principal not in self._seen:
            self._seen.add(one.principal)
            canary = self._canary.canary_principals + one.is_new
            self._canary = self._canary.counted(canary=canary, total=len(self._seen))

    def _count(self, one: TrialAnswer) -> None:
        key = (one.principal, one.is_new)
        if self._counted[key] < self._canary.settings.answers_per_principal:
            self._counted[key] += 1
            arm = Arm.CANARY if one.is_new else Arm.CONTROL
            self._canary = self._canary.after(arm, is_bad=one.is_bad)
