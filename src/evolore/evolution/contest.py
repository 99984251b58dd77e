"""The contest as a value: candidates, questions, replies and scores; each reply makes the next value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from evolore.domain.checks import check_above_zero
from evolore.domain.evolution import Match, MatchOutcome, TrialStage
from evolore.errors import InvalidValue
from evolore.evolution.contest_questions import ALPHA, BETS, LEAST_FRESH_QUESTIONS, words_of
from evolore.evolution.matches import HeardVerdict, JudgeRequest, MatchKey, Tally, evidence, match_of
from evolore.evolution.settings import EvolutionSettings, SelectionMode

_CONFIRM_CANDIDATES = 3
"""How many of those that passed the screen are confirmed, best first; they share alpha."""

_FUTILITY = 0.05
"""Confirming ends as hopeless once what the bets came to is below this."""

REGRESSION_REPLAYS = 2
"""How often a lost question is played again; only what is lost every time counts: at 3 % noise of the judge, .05 % of runs fail by
chance, where 46 % would without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A candidate that passed the gates, with what counts besides winning.

    Raises:
        InvalidValue: The length is outside its range.
    """

    candidate_id: str  #: Which.
    length_ratio: float = 1.0  #: Its length, with that of the original as 1; above 0.
    doubts: int = 0  #: How many things it leaves open for a person to look at.
    #: Whether it corrects a value, as evidence says: a person is to see that even if no answer shows it.
    corrects: bool = False

    def __post_init__(self) -> None:
        check_above_zero(length_ratio=self.length_ratio)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Who is tried, on what, and by which rules.

    Raises:
        InvalidValue: There is no contender, two have one id, or a question is in two sets.
    """

    contenders: tuple[Contender, ...]  #: In the order they were made; ids are different.
    screen: tuple[str, ...]  #: Questions of the screen, in their order.
    confirm: tuple[str, ...]  #: Fresh questions, in their order.
    regression: tuple[str, ...]  #: Questions that were answered well, in their order.
    settings: EvolutionSettings  #: The rules.
    #: Questions that people complained of. The writer of the candidates saw them, so they prove nothing.
    complaints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ids = [one.candidate_id for one in self.contenders]
        if not ids or len(set(ids)) < len(ids):
            raise InvalidValue(f"The contenders are {ids}: use at least one, each with an id of its own.")
        known = set[str]()
        for text in (*self.screen, *self.confirm, *self.regression, *self.complaints):
            words = words_of(text)
            if words in known:
                raise InvalidValue(f"{text!r} is asked twice: ask every question once, in one set.")
            known.add(words)

    @property
    def has_too_few_questions(self) -> bool:
        """Whether a candidate can only be put before a person."""
        return len(self.confirm) < LEAST_FRESH_QUESTIONS

    def keys(self, stage: TrialStage, candidate_id: str) -> tuple[MatchKey, ...]:
        """Return every match of a candidate in a stage, in its order."""
        asked: tuple[str, ...] = getattr(self, stage.value)
        return tuple(MatchKey(stage=stage, candidate_id=candidate_id, question=question) for question in asked)


class Proof(StrEnum):
    """What the pairs so far say."""

    OPEN = "open"
    PROVED = "proved"
    HOPELESS = "hopeless"


def proof_of(tally: Tally, *, left: int, alpha: float) -> Proof:
    """Return what the pairs played so far prove."""
    now = evidence(tally.wins, tally.losses, BETS)
    if now * alpha >= 1:
        return Proof.PROVED
    if now < _FUTILITY or evidence(tally.wins + left, tally.losses, BETS) * alpha < 1:
        return Proof.HOPELESS
    return Proof.OPEN


def pairs_before_proof(tally: Tally, *, left: int, alpha: float) -> int:
    """Return how many more pairs are needed in any case: the fewest in a row that would prove it or end it.

    So many may be judged at once, and all of them are needed.
    """
    for pairs in range(1, left):
        ends = (replace(tally, wins=tally.wins + pairs), replace(tally, losses=tally.losses + pairs))
        if any(proof_of(end, left=left - pairs, alpha=alpha) is not Proof.OPEN for end in ends):
            return pairs
    return left


def shared_alpha(place: int, proved: Sequence[bool]) -> float:
    """Return the alpha of the candidate at a place: an equal share, and that of the one before where it was proved.

    The chance that any candidate without improvement is proved stays at most ``alpha`` (fallback procedure, Wiens and
    Dmitrienko 2005), however the candidates depend on each other.

    Args:
        place: From 0, in the order in which they are confirmed.
        proved: For every one of them, whether it was proved; those from ``place`` on do not matter.
    """
    share = ALPHA / len(proved)
    handed = 0.0
    for was_proved in proved[:place]:
        handed = share + handed if was_proved else 0.0
    return share + handed


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The state of a trial."""

    trial: Trial  #: Its plan.
    standings: tuple[Chances, ...]  #: Every candidate, in the order they were made.
    #: The matches that are being played; every one of them is needed, however the others end.
    asked: tuple[MatchKey, ...] = ()
    heard: tuple[HeardVerdict, ...] = ()  #: What was said of those so far.
    #: The matches that were played before, in an order that the order of replies does not change.
    history: tuple[Match, ...] = ()
    queue: tuple[int, ...] = ()  #: Candidates that are confirmed, by place in ``standings``, best first.
    turn: int = 0  #: How many of those are done with.

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to ask."""
        return not self.asked

    @property
    def requests(self) -> tuple[JudgeRequest, ...]:
        """What the judge is still to be asked now; all of it may be asked at once."""
        told = {request for request, _ in self.heard}
        return tuple(request for key in self.asked for request in key.requests if request not in told)


def begin(trial: Trial) -> Selection:
    """Return the state before the first question."""
    return _complaints(Selection(trial=trial, standings=tuple(Chances(contender=one) for one in trial.contenders)))


def tell(state: Selection, replies: Iterable[HeardVerdict]) -> Selection:
    """Return the state once more was said, in any order.

    Raises:
        InvalidValue: A reply is to what was not asked, or was answered before.
    """
    waiting, heard = set(state.requests), list(state.heard)
    for request, reply in replies:
        if request not in waiting:
            raise InvalidValue(f"{request} is not waited for: answer what `requests` names, each once.")
        waiting.remove(request)
        heard.append((request, reply))
    if waiting or state.is_done:
        return replace(state, heard=tuple(heard))
    return _played(replace(state, heard=tuple(heard)))


def _played(state: Selection) -> Selection:
    """Count the matches that are complete, and decide what comes next."""
    said = dict(state.heard)
    matches = [match_of(key, [said[request] for request in key.requests]) for key in state.asked]
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
    queue = tuple(sorted(passed, key=lambda place: -state.standings[place].screen.win_rate)[:_CONFIRM_CANDIDATES])
    fates = dict.fromkeys(tried, Fate.SCREENED_OUT)
    fates |= dict.fromkeys(passed, Fate.OUTRANKED) | dict.fromkeys(queue, Fate.OPEN)
    standings = tuple(replace(one, fate=fates.get(place, one.fate)) for place, one in enumerate(state.standings))
    return _confirm_next(replace(state, standings=standings, queue=queue))


def _passes_screen(one: Chances, settings: EvolutionSettings) -> bool:
    """Return whether the fresh questions are to decide: by the seed's rule, and where there was too little to screen by."""
    is_silent = one.screen.played < settings.evaluation_sample_size and not one.screen.decided
    return is_silent or passes_seed_rule(one.screen, settings)


def _chosen_by_seed(state: Selection) -> Selection:
    settings = state.trial.settings
    best = best_by_seed_rule(state.standings, settings)

    def fate(one: Chances) -> Fate:
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
    alpha = shared_alpha(state.turn, [state.standings[other].fate is Fate.PROVED for other in state.queue])
    if not state.trial.confirm:
        return _settled(state, place, Fate.TOO_FEW_QUESTIONS)
    keys = state.trial.keys(TrialStage.CONFIRM, one.contender.candidate_id)[one.asked[1] :]
    count = len(keys)
    if not state.trial.has_too_few_questions:
        count = pairs_before_proof(one.confirm, left=len(keys), alpha=alpha)
    if not count:
        return _settled(state, place, _short_fate(state, one))
    return replace(state, standings=_with(state, place, replace(one, alpha=alpha)), asked=keys[:count])


def _after_pairs(state: Selection) -> Selection:
    place = state.queue[state.turn]
    one = state.standings[place]
    fate = _short_fate(state, one) if state.trial.has_too_few_questions else _proof_fate(state, one)
    return _confirm_next(state) if fate is Fate.OPEN else _settled(state, place, fate)


def _proof_fate(state: Selection, one: Chances) -> Fate:
    left = len(state.trial.confirm) - one.asked[1]
    proof = proof_of(one.confirm, left=left, alpha=one.alpha)
    # Of those that are answered otherwise than by the original.
    is_short = one.confirm.played + left < LEAST_FRESH_QUESTIONS
    if proof is Proof.HOPELESS and is_short:
        return _short_fate(state, one)
    return {Proof.OPEN: Fate.OPEN, Proof.PROVED: Fate.PROVED, Proof.HOPELESS: Fate.UNPROVED}[proof]


def _short_fate(state: Selection, one: Chances) -> Fate:
    """Leave a candidate with few differing answers to a person unless they speak against it; ties do not count."""
    tally = one.confirm if one.confirm.played else one.screen
    passes = not tally.decided or passes_seed_rule(replace(tally, ties=0), state.trial.settings)
    return Fate.TOO_FEW_QUESTIONS if passes else Fate.UNPROVED


def _settled(state: Selection, place: int, fate: Fate) -> Selection:
    standings = _with(state, place, replace(state.standings[place], fate=fate))
    return _confirm_next(replace(state, standings=standings, turn=state.turn + 1))


def _left_to_a_person(state: Selection) -> Selection:
    """Leave to a person only what corrects, or answers a complaint or one of the few fresh questions better."""
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
    """Replay every lost match until it is won once, or was lost as often as is set."""
    attempt = 1 + max(match.attempt for match in state.history if match.stage is TrialStage.REGRESSION)
    if attempt > REGRESSION_REPLAYS:
        standings = (replace(one, fate=Fate.REGRESSED) if one.lost else one for one in state.standings)
        return replace(state, standings=tuple(standings))
    again = tuple(
        replace(key, attempt=attempt)
        for one in state.standings
        for key in state.trial.keys(TrialStage.REGRESSION, one.contender.candidate_id)
        if key.question in one.lost
    )
    return replace(state, asked=again)


def _with(state: Selection, place: int, standing: Chances) -> tuple[Chances, ...]:
    return (*state.standings[:place], standing, *state.standings[place + 1 :])


class Fate(StrEnum):
    """What became of a candidate."""

    OPEN = "open"
    UNMOVED = "unmoved"
    SCREENED_OUT = "screened_out"
    OUTRANKED = "outranked"
    UNPROVED = "unproved"
    PROVED = "proved"
    TOO_FEW_QUESTIONS = "too_few_questions"
    REGRESSED = "regressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """What is known of one candidate so far."""

    contender: Contender  #: Which.
    screen: Tally = field(default_factory=Tally)  #: Its matches of the screen.
    confirm: Tally = field(default_factory=Tally)  #: Its matches on fresh questions.
    regression: Tally = field(default_factory=Tally)  #: Its first matches on what was answered well.
    complaints: Tally = field(default_factory=Tally)  #: Its matches on what people complained of; they prove nothing.
    #: How many questions of the screen, and of the fresh ones, both answered with the same words.
    same: tuple[int, int] = (0, 0)
    lost: tuple[str, ...] = ()  #: Those of these questions that it lost, each time it was asked.
    alpha: float = 0.0  #: How likely it may be proved though it is no better; 0 until it is confirmed.
    fate: Fate = Fate.OPEN  #: What became of it.

    @property
    def asked(self) -> tuple[int, int]:
        """How many questions of the screen, and of the fresh ones, it was asked."""
        return self.screen.played + self.same[0], self.confirm.played + self.same[1]

    @property
    def still_stands(self) -> bool:
        """Whether it may yet be taken."""
        return self.fate in {Fate.PROVED, Fate.TOO_FEW_QUESTIONS}

    @property
    def win_rate(self) -> Fraction:
        """The rate that counts: on fresh questions, or of the screen where it was asked no other."""
        return (self.confirm if self.confirm.played else self.screen).win_rate

    @property
    def is_worth_a_look(self) -> bool:
        """Whether it won more than it lost, of complaints and all else but what was answered well; or as much, and corrects."""
        ahead = sum(tally.wins - tally.losses for tally in (self.screen, self.confirm, self.complaints))
        return ahead > 0 or (ahead == 0 and self.contender.corrects)

    @property
    def merit(self) -> Fraction:
        """By what it is compared with others: its win rate where it was proved; else that of all it was asked.

        One win and one loss are added to that, so that of two that lost nothing the one that won more is ahead.
        """
        if self.fate is Fate.PROVED:
            return self.win_rate
        played = (self.screen, self.confirm, self.complaints, Tally(wins=1, losses=1))
        return Fraction(sum(2 * tally.wins + tally.ties for tally in played), 2 * sum(tally.played for tally in played))

    def after(self, match: Match, *, counts_same: bool = False) -> Chances:
        """Count one more match; one with the same answers says nothing, and only leads to the next question.

        Args:
            match: Which.
            counts_same: Whether it is a tie like any other instead, as the seed has it.
        """
        screened, confirmed = self.same
        if match.is_same and match.stage is TrialStage.SCREEN and not counts_same:
            return replace(self, same=(screened + 1, confirmed))
        if match.is_same and match.stage is TrialStage.CONFIRM:
            return replace(self, same=(screened, confirmed + 1))
        if match.stage is TrialStage.REGRESSION:
            return self._after_regression(match)
        if match.stage is TrialStage.COMPLAINTS and match.is_same:
            return self
        tally: Tally = getattr(self, match.stage.value)
        return replace(self, **{match.stage.value: tally.after(match.outcome)})

    def _after_regression(self, match: Match) -> Chances:
        has_lost = match.outcome is MatchOutcome.A
        if match.attempt == 0:
            lost = (*self.lost, match.question) if has_lost else self.lost
            return replace(self, regression=self.regression.after(match.outcome), lost=lost)
        if has_lost:
            return self
        return replace(self, lost=tuple(question for question in self.lost if question != match.question))


def passes_seed_rule(tally: Tally, settings: EvolutionSettings) -> bool:
    """Return whether a win rate is at least one half and the margin, exactly, as decimals are written.

    Nothing played passes nothing.
    """
    return tally.played > 0 and tally.win_rate >= Fraction(1, 2) + Fraction(str(settings.min_win_margin))


def best_by_seed_rule(standings: Sequence[Chances], settings: EvolutionSettings) -> Chances | None:
    """Return the candidate of the highest win rate in the screen, the first of equals, if it passes; else None."""
    best = max(standings, key=lambda one: one.screen.win_rate)
    return best if passes_seed_rule(best.screen, settings) else None


def best_of(standings: Sequence[Chances]) -> Chances:
    """Choose the highest win rate, then the fewest losses of what was answered well and doubts, the shortest, the first."""
    return max(
        standings,
        key=lambda one: (one.merit, one.regression.win_rate, -one.contender.doubts, -one.contender.length_ratio),
    )
