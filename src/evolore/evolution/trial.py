"""The plan of one job's trial: who is tried on which questions, in which order; made once, before the first verdict."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from evolore.domain.lineage import TrialStage
from evolore.domain.trials import QuestionOrigin
from evolore.errors import InvalidValue
from evolore.evolution.hashing import hashed_share
from evolore.evolution.judging import MatchKey
from evolore.evolution.questions import words_of
from evolore.evolution.settings import SelectionMode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.trials import TrialQuestion
    from evolore.evolution.questions import QuestionSets
    from evolore.evolution.settings import EvolutionSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A candidate that passed the gates, with what counts besides winning.

    Args:
        candidate_id: Which.
        length_ratio: Its length, with that of the original as 1; above 0.
        cost: What an answer from it costs, in any unit that is the same for all; 0 or more.
        doubts: How many things it leaves open for a person to look at.
        corrects: Whether it puts a value right, as evidence says: a person is to see that though no answer tells of it.

    Raises:
        InvalidValue: A number is outside its range.
    """

    candidate_id: str
    length_ratio: float = 1.0
    cost: float = 0.0
    doubts: int = 0
    corrects: bool = False

    def __post_init__(self) -> None:
        if not (isfinite(self.length_ratio) and self.length_ratio > 0):
            raise InvalidValue(f"length_ratio is {self.length_ratio}: give a number above 0.")
        if not (isfinite(self.cost) and self.cost >= 0):
            raise InvalidValue(f"cost is {self.cost}: give a number from 0 on.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Who is tried, on what, and by which rules.

    Args:
        contenders: In the order they were made; ids are different.
        screen: Questions of the screen, in their order.
        confirm: Fresh questions, in their order.
        regression: Questions that were answered well, in their order.
        settings: The rules.
        complaints: Questions that people complained of. Whoever wrote the candidates saw them, so they prove nothing.

    Raises:
        InvalidValue: There is no contender, two have one id, or a question stands in two sets.
    """

    contenders: tuple[Contender, ...]
    screen: tuple[str, ...]
    confirm: tuple[str, ...]
    regression: tuple[str, ...]
    settings: EvolutionSettings
    complaints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ids = [one.candidate_id for one in self.contenders]
        if not ids or len(set(ids)) < len(ids):
            raise InvalidValue(f"The contenders are {ids}: give at least one, each with an id of its own.")
        known = set[str]()
        for text in (*self.screen, *self.confirm, *self.regression, *self.complaints):
            words = words_of(text)
            if words in known:
                raise InvalidValue(f"{text!r} is asked twice: give every question once, in one set.")
            known.add(words)

    @property
    def has_too_few_questions(self) -> bool:
        """Whether a candidate can only be put before a person."""
        return len(self.confirm) < self.settings.least_fresh_questions

    def keys(self, stage: TrialStage, candidate_id: str) -> tuple[MatchKey, ...]:
        """Give every match of a candidate in a stage, in its order."""
        asked = {
            TrialStage.SCREEN: self.screen,
            TrialStage.CONFIRM: self.confirm,
            TrialStage.COMPLAINTS: self.complaints,
            TrialStage.REGRESSION: self.regression,
        }[stage]
        return tuple(MatchKey(stage=stage, candidate_id=candidate_id, question=question) for question in asked)


def plan_trial(
    contenders: Iterable[Contender], sets: QuestionSets, settings: EvolutionSettings, *, seed: str = ""
) -> Trial:
    """Choose the questions of a trial.

    Each set gives its first, in the order ratings, past queries, generated; of the screen all, of which as many are asked
    as it takes until enough are answered otherwise than by the original. Those chosen to confirm are then mixed by
    ``seed``: in the order of their origins, an early proof would be one for ratings alone. In the seed's mode the questions
    are the triggers and then what was answered well, and nothing is confirmed.
    """
    is_seed = settings.mode is SelectionMode.SEED
    screened = _seed_sample(sets) if is_seed else sets.screen
    confirmed = () if is_seed else sets.confirm[: settings.confirm_pairs]
    asked_again = () if is_seed else sets.regression[: settings.regression_questions]
    complained = () if is_seed else [one for one in sets.train if one.origin is QuestionOrigin.TRIGGER]
    mixed = sorted(confirmed, key=lambda one: hashed_share("evolore.confirm", seed, words_of(one.text)))
    return Trial(
        contenders=tuple(contenders),
        screen=_texts(screened[: settings.evaluation_sample_size] if is_seed else screened),
        confirm=_texts(mixed),
        regression=_texts(asked_again),
        settings=settings,
        complaints=_texts(complained[: settings.evaluation_sample_size]),
    )


def _seed_sample(sets: QuestionSets) -> tuple[TrialQuestion, ...]:
    others = (*sets.regression, *sets.screen, *sets.confirm)
    return (*sets.train, *(one for one in others if one.was_good))


def _texts(questions: Sequence[TrialQuestion]) -> tuple[str, ...]:
    return tuple(one.text for one in questions)
