"""Judges that do as they are told, and what a trial needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.contest import NoVerdict, Order, Scores, Side, Verdict
from evolore.domain.evolution import MatchOutcome, TrialStage
from evolore.evolution.contest import Contender, Trial, begin, tell
from evolore.evolution.matches import MatchKey
from evolore.evolution.settings import EvolutionSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evolore.domain.contest import JudgeReply
    from evolore.evolution.contest import Selection
    from evolore.evolution.matches import JudgeRequest

MIDDLING = Scores(helpfulness=3, correctness=3, coherence=3)
SETTINGS = EvolutionSettings()


def says(side: Side, *, first: int = 0, second: int = 0, judge: str = "j1") -> Verdict:
    return Verdict(
        preferred=side, first=MIDDLING, second=MIDDLING, first_characters=first, second_characters=second, judge=judge
    )


def verdict_for(request: JudgeRequest, outcome: MatchOutcome, *, original: int = 0, candidate: int = 0) -> Verdict:
    """Say, in either order, what makes this outcome."""
    is_original_first = request.order is Order.ORIGINAL_FIRST
    lengths = (original, candidate) if is_original_first else (candidate, original)
    if outcome is MatchOutcome.TIE:
        side = Side.TIE
    else:
        side = Side.FIRST if (outcome is MatchOutcome.A) is is_original_first else Side.SECOND
    return says(side, first=lengths[0], second=lengths[1])


def trial(
    *ids: str,
    screen: int = 5,
    confirm: int = 40,
    regression: int = 0,
    complaints: int = 0,
    settings: EvolutionSettings = SETTINGS,
    contenders: Iterable[Contender] = (),
) -> Trial:
    return Trial(
        contenders=tuple(contenders) or tuple(Contender(candidate_id=one) for one in ids),
        screen=tuple(f"screen {at}" for at in range(screen)),
        confirm=tuple(f"confirm {at}" for at in range(confirm)),
        regression=tuple(f"known {at}" for at in range(regression)),
        settings=settings,
        complaints=tuple(f"complaint {at}" for at in range(complaints)),
    )


def run(plan: Trial, outcome_of_match: Callable[[MatchKey], MatchOutcome]) -> Selection:
    """Play a trial to its end with given outcomes."""
    state = begin(plan)
    while not state.is_done:
        asked = state.requests
        state = tell(state, [(one, verdict_for(one, outcome_of_match(one.match))) for one in asked])
    return state


def run_judge(plan: Trial, judge: Callable[[JudgeRequest], JudgeReply]) -> Selection:
    """Play a trial to its end with a judge."""
    state = begin(plan)
    while not state.is_done:
        state = tell(state, [(one, judge(one)) for one in state.requests])
    return state


def key(question: str = "q", stage: TrialStage = TrialStage.CONFIRM) -> MatchKey:
    return MatchKey(stage=stage, candidate_id="c", question=question)


NOTHING = NoVerdict(reason="it did not answer")
