"""Which question is used for what: split by hash, so that no question ever proves what it helped to make."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from evolore.domain.trials import QuestionOrigin, QuestionSet, TrialQuestion
from evolore.evolution.hashing import hashed_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.evolution.settings import EvolutionSettings

_ORDER = {origin: place for place, origin in enumerate(QuestionOrigin)}
_ENDS = " ?？!！.。…"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSets:
    """Questions of one document by what they are for; none stands in two sets.

    Args:
        train: What whoever writes candidates may see: all that triggered the rewriting, and the share that is set.
        screen: By which candidates are sorted out, one of each claim.
        confirm: By which they are confirmed, fresh ones only, one of each claim.
        regression: What was answered well before, one of each claim.
    """

    train: tuple[TrialQuestion, ...] = ()
    screen: tuple[TrialQuestion, ...] = ()
    confirm: tuple[TrialQuestion, ...] = ()
    regression: tuple[TrialQuestion, ...] = ()

    def missing(self, settings: EvolutionSettings) -> int:
        """Say how many more questions are worth generating, until screen and confirm are likely to have all they take."""
        wanted = (
            (settings.evaluation_sample_size - len(self.screen), settings.screen_share),
            (settings.confirm_pairs - len(self.confirm), settings.confirm_share),
        )
        return max(0, *(round(lacking / share) for lacking, share in wanted if share > 0), 0)


def split_questions(questions: Iterable[TrialQuestion], settings: EvolutionSettings) -> QuestionSets:
    """Put questions into sets.

    A question's place is decided by its own words, case, width and closing marks aside, or by its claim where it was
    generated; so it stays where it is whatever comes beside it. Words that triggered the rewriting go to ``train`` whoever
    else asked them, and words that belong to two sets, asked by a person and generated too, go to none.

    Returns:
        Sets, each in the order ratings, past queries, generated; then in one that looks drawn at random.
    """
    known = sorted(questions, key=lambda one: words_of(one.text))
    placed: dict[QuestionSet, list[TrialQuestion]] = {one: [] for one in QuestionSet}
    for _, same in groupby(known, key=lambda one: words_of(one.text)):
        group = list(same)
        places = _sets_of(group, settings)
        if len(places) == 1:
            placed[places.pop()].append(_joined(group))
    return QuestionSets(
        train=tuple(_in_order(placed[QuestionSet.TRAIN])),
        screen=_one_of_each(placed[QuestionSet.SCREEN]),
        confirm=tuple(one for one in _one_of_each(placed[QuestionSet.CONFIRM]) if not one.is_used),
        regression=_one_of_each(one for one in placed[QuestionSet.REGRESSION] if one.was_good),
    )


def words_of(text: str) -> str:
    """Give what makes two questions the same: their words, case, width, spaces and closing marks aside."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return plain.rstrip(_ENDS) or plain


def set_of(question: TrialQuestion, settings: EvolutionSettings) -> QuestionSet:
    """Give the set that a question alone belongs to."""
    if question.origin is QuestionOrigin.TRIGGER:
        return QuestionSet.TRAIN
    place = hashed_share("evolore.questions", _key(question))
    bound = settings.train_share
    if place < bound:
        return QuestionSet.TRAIN
    if place < (bound := bound + settings.screen_share):
        return QuestionSet.SCREEN
    return QuestionSet.CONFIRM if place < bound + settings.confirm_share else QuestionSet.REGRESSION


def _key(question: TrialQuestion) -> str:
    return words_of(question.text) if question.claim is None else f"claim {words_of(question.claim)}"


def _sets_of(group: Sequence[TrialQuestion], settings: EvolutionSettings) -> set[QuestionSet]:
    if any(one.origin is QuestionOrigin.TRIGGER for one in group):
        return {QuestionSet.TRAIN}
    return {set_of(one, settings) for one in group}


def _joined(group: Sequence[TrialQuestion]) -> TrialQuestion:
    """Give one question for all with the same words: the first by origin, with what is known of any."""
    first = min(group, key=lambda one: (_ORDER[one.origin], one.text, one.claim or ""))
    return TrialQuestion(
        text=first.text,
        origin=first.origin,
        claim=first.claim,
        was_good=first.origin is not QuestionOrigin.TRIGGER and any(one.was_good for one in group),
        is_used=any(one.is_used for one in group),
    )


def _in_order(questions: Iterable[TrialQuestion]) -> list[TrialQuestion]:
    return sorted(questions, key=lambda one: (_ORDER[one.origin], hashed_share("evolore.order", words_of(one.text))))


def _one_of_each(questions: Iterable[TrialQuestion]) -> tuple[TrialQuestion, ...]:
    """Keep the first question of each claim: several of one are no independent proof.

    What was used stands first, so that a claim is not fresh because another question asks for it.
    """
    kept: dict[str, TrialQuestion] = {}
    for one in sorted(_in_order(questions), key=lambda one: not one.is_used):
        kept.setdefault(_key(one), one)
    return tuple(_in_order(kept.values()))
