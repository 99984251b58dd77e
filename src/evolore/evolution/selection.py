"""Selection as a value: what was asked, what was said, how everybody stands; each reply gives the next value.

Nothing is held outside it, so a job that is killed goes on from the last value that was kept, or from its trial and the
replies so far, which give the same value.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.lineage import TrialStage
from evolore.errors import InvalidValue
from evolore.evolution.judging import match_of
from evolore.evolution.settings import SelectionMode
from evolore.evolution.standing import Fate, Standing, best_by_seed_rule, passes_seed_rule
from evolore.evolution.tally import evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.judging import JudgeReply
    from evolore.domain.lineage import Match
    from evolore.evolution.judging import Judged, JudgeRequest, MatchKey
    from evolore.evolution.settings import EvolutionSettings
    from evolore.evolution.tally import Tally
    from evolore.evolution.trial import Trial


class Proof(StrEnum):
    """What the pairs so far say."""

    OPEN = "open"
    PROVED = "proved"
    HOPELESS = "hopeless"


def proof_of(tally: Tally, *, left: int, alpha: float, settings: EvolutionSettings) -> Proof:
    """Say what the pairs played so far prove.

    Args:
        tally: How they ended.
        left: How many may still be played.
        alpha: How likely a candidate that is no better may be taken for proved.
        settings: The bets, and what is hopeless: too little left of them, or no way to prove it by winning every other.
    """
    now = evidence(tally.wins, tally.losses, settings.bets)
    if now * alpha >= 1:
        return Proof.PROVED
    if now < settings.futility or evidence(tally.wins + left, tally.losses, settings.bets) * alpha < 1:
        return Proof.HOPELESS
    return Proof.OPEN


def pairs_before_proof(tally: Tally, *, left: int, alpha: float, settings: EvolutionSettings) -> int:
    """Say how many more pairs are needed whatever comes: the fewest in a row that would prove it or end it.

    So many may be judged at once, and none of them is ever judged for nothing.
    """
    for pairs in range(1, left):
        ends = (
            tally_after(tally, wins=pairs),
            tally_after(tally, losses=pairs),
        )
        if any(proof_of(end, left=left - pairs, alpha=alpha, settings=settings) is not Proof.OPEN for end in ends):
            return pairs
    return left


def tally_after(tally: Tally, *, wins: int = 0, losses: int = 0) -> Tally:
    """Give a tally with so many more won and lost."""
    return type(tally)(wins=tally.wins + wins, losses=tally.losses + losses, ties=tally.ties)


def shared_alpha(place: int, proved: Sequence[bool], settings: EvolutionSettings) -> float:
    """Give the alpha of the candidate at a place: an equal share, and that of the one before where it was proved.

    The chance that any candidate without improvement is proved stays at most ``alpha`` (fallback procedure, Wiens and
    Dmitrienko 2005), however the candidates depend on each other.

    Args:
        place: From 0, in the order in which they are confirmed.
        proved: For every one of them, whether it was proved; those from ``place`` on do not matter.
        settings: What is shared.
    """
    share = settings.alpha / len(proved)
    handed = 0.0
    for was_proved in proved[:place]:
        handed = share + handed if was_proved else 0.0
    return share + handed


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The state of a trial.

    Args:
        trial: Its plan.
        standings: Every candidate, in the order they were made.
        asked: The matches that are being played; every one of them is needed, whatever the others bring.
        heard: What was said of those so far.
        history: The matches that were played before, in an order that the order of replies does not change.
        queue: Candidates that are confirmed, by place in ``standings``, best first.
        turn: How many of those are done with.
    """

    trial: Trial
    standings: tuple[Standing, ...]
    asked: tuple[MatchKey, ...] = ()
    heard: tuple[Judged, ...] = ()
    history: tuple[Match, ...] = ()
    queue: tuple[int, ...] = ()
    turn: int = 0

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to ask."""
        return not self.asked

    @property
    def requests(self) -> tuple[JudgeRequest, ...]:
        """What the judge is still to be asked now; all of it may be asked at once."""
        told = {one.request for one in self.heard}
        return tuple(request for key in self.asked for request in key.requests if request not in told)


def begin(trial: Trial) -> Selection:
    """Give the state before the first question."""
    return _complaints(Selection(trial=trial, standings=tuple(Standing(contender=one) for one in trial.contenders)))


def tell(state: Selection, replies: Iterable[Judged]) -> Selection:
    """Give the state once more was said, in any order.

    Raises:
        InvalidValue: A reply is to what was not asked, or was answered before.
    """
    waiting, heard = set(state.requests), list(state.heard)
    for one in replies:
        if one.request not in waiting:
            raise InvalidValue(f"{one.request} is not waited for: answer what `requests` names, each once.")
        waiting.remove(one.request)
        heard.append(one)
    if waiting or state.is_done:
        return replace(state, heard=tuple(heard))
    return _played(replace(state, heard=tuple(heard)))


def _played(state: Selection) -> Selection:
    """Count the matches that are complete, and decide what comes next."""
    said: dict[MatchKey, dict[JudgeRequest, JudgeReply]] = defaultdict(dict)
    for one in state.heard:
        said[one.request.match][one.request] = one.reply
    matches = [match_of(key, tuple(said[key][request] for request in key.requests)) for key in state.asked]
    standings = {one.contender.candidate_id: one for one in state.standings}
    is_seed = state.trial.settings.mode is SelectionMode.SEED
    for match in matches:
        standings[match.candidate_id] = standings[match.candidate_id].after(match, counts_same=is_seed)
    counted = replace(
        state, standings=tuple(standings.values()), asked=(), heard=(), history=(*state.history, *matches)
    )
    stage = state.asked[0].stage
    follow = {
        TrialStage.SCREEN: _screen,
        TrialStage.CONFIRM: _after_pairs,
        TrialStage.COMPLAINTS: _after_complaints,
        TrialStage.REGRESSION: _after_regression,
    }
    return follow[stage](counted)


def _complaints(state: Selection) -> Selection:
    """Ask first what people complained of."""
    asked = tuple(
        key for one in state.standings for key in state.trial.keys(TrialStage.COMPLAINTS, one.contender.candidate_id)
    )
    return replace(state, asked=asked) if asked else _screen(state)


def _after_complaints(state: Selection) -> Selection:
    """Try no further what answers all of that with the same words as the original, and corrects nothing."""
    standings = (
        one if one.complaints.played or one.contender.corrects else replace(one, fate=Fate.UNMOVED)
        for one in state.standings
    )
    return _screen(replace(state, standings=tuple(standings)))


def _screen(state: Selection) -> Selection:
    """Ask on until every candidate answered enough questions otherwise than the original, or none is left."""
    is_seed = state.trial.settings.mode is SelectionMode.SEED
    size = len(state.trial.screen) if is_seed else state.trial.settings.evaluation_sample_size
    asked = tuple(
        key
        for one in state.standings
        if one.fate is Fate.OPEN
        for key in state.trial.keys(TrialStage.SCREEN, one.contender.candidate_id)[one.asked[0] :][
            : size - one.screen.played
        ]
    )
    return replace(state, asked=asked) if asked else _after_screen(state)


def _after_screen(state: Selection) -> Selection:
    settings = state.trial.settings
    if settings.mode is SelectionMode.SEED:
        return _chosen_by_seed(state)
    tried = [place for place, one in enumerate(state.standings) if one.fate is Fate.OPEN]
    passed = [place for place in tried if _passes_screen(state.standings[place], settings)]
    ranked = sorted(passed, key=lambda place: -state.standings[place].screen.win_rate)
    queue = tuple(ranked[: settings.confirm_candidates])
    fates = dict.fromkeys(tried, Fate.SCREENED_OUT)
    fates |= dict.fromkeys(passed, Fate.OUTRANKED) | dict.fromkeys(queue, Fate.OPEN)
    standings = tuple(replace(one, fate=fates.get(place, one.fate)) for place, one in enumerate(state.standings))
    return _confirm_next(replace(state, standings=standings, queue=queue))


def _passes_screen(one: Standing, settings: EvolutionSettings) -> bool:
    """Say whether the fresh questions are to decide: by the seed's rule, and where there was too little to screen by."""
    is_silent = one.screen.played < settings.evaluation_sample_size and not one.screen.decided
    return is_silent or passes_seed_rule(one.screen, settings)


def _chosen_by_seed(state: Selection) -> Selection:
    settings = state.trial.settings
    best = best_by_seed_rule(state.standings, settings)

    def fate(one: Standing) -> Fate:
        if one is best:
            return Fate.PROVED
        return Fate.OUTRANKED if passes_seed_rule(one.screen, settings) else Fate.SCREENED_OUT

    return replace(state, standings=tuple(replace(one, fate=fate(one)) for one in state.standings))


def _confirm_next(state: Selection) -> Selection:
    """Ask what the candidate whose turn it is needs, or go on to regression where all had theirs."""
    if state.turn == len(state.queue):
        return _regression(_left_to_a_person(state))
    place = state.queue[state.turn]
    one = state.standings[place]
    proved = [state.standings[other].fate is Fate.PROVED for other in state.queue]
    alpha = shared_alpha(state.turn, proved, state.trial.settings)
    if not state.trial.confirm:
        return _settled(state, place, Fate.TOO_FEW_QUESTIONS)
    keys = state.trial.keys(TrialStage.CONFIRM, one.contender.candidate_id)[one.asked[1] :]
    count = len(keys)
    if not state.trial.has_too_few_questions:
        count = pairs_before_proof(one.confirm, left=len(keys), alpha=alpha, settings=state.trial.settings)
    if not count:
        return _settled(state, place, _short_fate(state, one))
    return replace(state, standings=_with(state, place, replace(one, alpha=alpha)), asked=keys[:count])


def _after_pairs(state: Selection) -> Selection:
    place = state.queue[state.turn]
    one = state.standings[place]
    fate = _short_fate(state, one) if state.trial.has_too_few_questions else _proof_fate(state, one)
    return _confirm_next(state) if fate is Fate.OPEN else _settled(state, place, fate)


def _proof_fate(state: Selection, one: Standing) -> Fate:
    left = len(state.trial.confirm) - one.asked[1]
    proof = proof_of(one.confirm, left=left, alpha=one.alpha, settings=state.trial.settings)
    if proof is Proof.HOPELESS and _is_short(state, one, left):
        return _short_fate(state, one)
    return {Proof.OPEN: Fate.OPEN, Proof.PROVED: Fate.PROVED, Proof.HOPELESS: Fate.UNPROVED}[proof]


def _is_short(state: Selection, one: Standing, left: int) -> bool:
    """Tell whether too few fresh questions were answered otherwise than by the original for a proof."""
    return one.confirm.played + left < state.trial.settings.least_fresh_questions


def _short_fate(state: Selection, one: Standing) -> Fate:
    """Put before a person what few differing answers say nothing against; what nobody won says nothing."""
    tally = one.confirm if one.confirm.played else one.screen
    passes = not tally.decided or passes_seed_rule(replace(tally, ties=0), state.trial.settings)
    return Fate.TOO_FEW_QUESTIONS if passes else Fate.UNPROVED


def _settled(state: Selection, place: int, fate: Fate) -> Selection:
    standings = _with(state, place, replace(state.standings[place], fate=fate))
    return _confirm_next(replace(state, standings=standings, turn=state.turn + 1))


def _left_to_a_person(state: Selection) -> Selection:
    """Put before a person only what answers something better, a complaint or one of the few fresh questions, or corrects."""
    if not state.trial.complaints:
        return state
    standings = (
        replace(one, fate=Fate.UNPROVED) if one.fate is Fate.TOO_FEW_QUESTIONS and not one.is_worth_a_look else one
        for one in state.standings
    )
    return replace(state, standings=tuple(standings))


def _regression(state: Selection) -> Selection:
    asked = tuple(
        key
        for one in state.standings
        if one.still_stands
        for key in state.trial.keys(TrialStage.REGRESSION, one.contender.candidate_id)
    )
    return replace(state, asked=asked)


def _after_regression(state: Selection) -> Selection:
    """Have every loss played again until it is won once, or was lost as often as is set."""
    attempt = 1 + max(match.attempt for match in state.history if match.stage is TrialStage.REGRESSION)
    if attempt > state.trial.settings.regression_replays:
        standings = (replace(one, fate=Fate.REGRESSED) if one.lost else one for one in state.standings)
        return replace(state, standings=tuple(standings))
    again = tuple(
        replace(key, attempt=attempt)
        for one in state.standings
        for key in state.trial.keys(TrialStage.REGRESSION, one.contender.candidate_id)
        if key.question in one.lost
    )
    return replace(state, asked=again)


def _with(state: Selection, place: int, standing: Standing) -> tuple[Standing, ...]:
    return (*state.standings[:place], standing, *state.standings[place + 1 :])
