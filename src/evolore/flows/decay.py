"""What time and feeling do to a ranking: the best candidates are read and weighed against each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

import numpy as np

from evolore.domain.influences import Suppressed
from evolore.flows.seen import superseded_by
from evolore.recall.asked_state import read_question
from evolore.recall.decay_settings import Decay
from evolore.recall.intent import rules_language
from evolore.recall.matter import MatterSpace
from evolore.recall.ranking import Term
from evolore.recall.rivals import Candidates, weigh_rivals
from evolore.recall.seed_ranking import SEED_CANDIDATES, weigh_by_cost
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    import numpy.typing as npt

    from evolore.domain.answers import Intent
    from evolore.domain.episodes import Episode
    from evolore.flows.reading import ReadItems
    from evolore.ports import EmbeddingModel, IndexView
    from evolore.recall.decay_settings import DecaySettings
    from evolore.recall.intent_settings import IntentSettings
    from evolore.recall.ranking import Ranking

    Floats = npt.NDArray[np.float32]

_SECONDS_PER_DAY = 86_400.0


def no_matter(model: EmbeddingModel) -> Mapping[str, npt.NDArray[np.float32]]:  # noqa: ARG001 - stands in for one that looks
    """Say of every model that nobody looked where it puts texts."""
    return {}


class MatterSpaces:
    """Where models put texts of each language, each read when the first question is asked by it.

    Args:
        shipped: Gives what was found beforehand for a model, as ``MatterSpace.from_arrays`` takes it.
    """

    def __init__(self, shipped: Callable[[EmbeddingModel], Mapping[str, npt.NDArray[np.float32]]] = no_matter) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, MatterSpace] = {}

    def of(self, model: EmbeddingModel) -> MatterSpace:
        """Give that of a model."""
        if model not in self._known:
            self._known[model] = MatterSpace.from_arrays(self._shipped(model))
        return self._known[model]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A question as far as it was read.

    Args:
        text: What is asked.
        vector: It as a unit vector, shape (dimension,).
        intent: What it is taken to be after.
        at: The moment ages are counted to, in seconds: what is later is of today.
        as_of: The moment whose state is asked for; None for now.
    """

    text: str
    vector: npt.NDArray[np.float32]
    intent: Intent
    at: float
    as_of: datetime | None = None


class TimeWeigher:
    """Weighs the best of a ranking by time and feeling.

    Args:
        asked: The question.
        view: The indexes.
        items: What it may see, as episodes.
        numbers: Each item's number in the index, shape (items,).
        settings: How much counts.
        weights: By intent.
        space: How near two texts about one matter lie.
    """

    def __init__(
        self,
        asked: Asked,
        *,
        view: IndexView,
        items: ReadItems,
        numbers: npt.NDArray[np.int32],
        settings: DecaySettings,
        weights: IntentSettings,
        space: MatterSpace,
    ) -> None:
        self._asked = asked
        self._view = view
        self._items = items
        self._numbers = numbers
        self._settings = settings
        self._weights = weights.weights(asked.intent)
        self._space = space
        self.suppressed: tuple[Suppressed, ...] = ()

    @property
    def looks_at(self) -> int:
        """How many of the best are weighed."""
        match self._settings.decay:
            case Decay.NONE:
                return 0
            case Decay.SEED:
                return SEED_CANDIDATES
            case Decay.RIVAL:
                return self._settings.candidates
        assert_never(self._settings.decay)

    def weigh(self, ranking: Ranking, *, count: int) -> Ranking:
        """Order anew; of the ranking given, the first ``count + looks_at`` places must be right."""
        items = ranking.order[: self.looks_at]
        if not items.size:
            return replace(ranking, order=ranking.order[:count])
        found = self._items.episodes(items.tolist())
        candidates = self._candidates(ranking, items, found)
        by_cost = self._settings.decay is Decay.SEED
        arousal, recency = self._weigh_by_cost(candidates) if by_cost else self._weigh_rivals(candidates, found)
        return _with_terms(ranking, items, arousal, recency, count=count)

    def _weigh_by_cost(self, candidates: Candidates) -> tuple[Floats, Floats]:
        age_days = (self._asked.at - candidates.times) / _SECONDS_PER_DAY
        age_days[~candidates.has_time] = np.nan
        return weigh_by_cost(
            candidates.scores,
            arousal=candidates.arousal,
            age_days=age_days,
            weights=self._weights,
            rate=self._settings.rate,
        )

    def _weigh_rivals(self, candidates: Candidates, found: Sequence[Episode]) -> tuple[Floats, Floats]:
        text = self._asked.text
        rivalry = weigh_rivals(
            candidates,
            question=text,
            vector=self._asked.vector,
            asked=read_question(text, rules_language(text, detect_language(text))),
            intent=self._asked.intent,
            weights=self._weights,
            space=self._space,
            settings=self._settings,
        )
        self.suppressed = tuple(
            Suppressed(
                episode_id=found[one.candidate].id,
                rival_id=None if one.rival is None else found[one.rival].id,
                penalty=one.penalty,
                reason=one.reason.value,
            )
            for one in rivalry.pushed
        )
        return rivalry.arousal, rivalry.recency

    def _candidates(self, ranking: Ranking, items: npt.NDArray[np.int32], found: Sequence[Episode]) -> Candidates:
        numbers, view = self._numbers[items], self._view
        return Candidates(
            scores=ranking.score[items],
            vectors=view.vectors.rows_of(numbers),
            times=view.times[numbers],
            numbers=numbers,
            has_time=~view.is_passage[numbers] | (view.days[numbers] > 0),
            # By estimates, nothing was won.
            arousal=np.where(view.is_arousal_given[numbers], view.arousal[numbers], np.float32(np.nan)),
            speakers=view.speakers[numbers],
            groups=view.groups[numbers],
            names=[one.speaker for one in found],
            subjects=view.subjects[numbers],
            is_superseded=superseded_by(self._asked.as_of, view, numbers),
            languages=[one.language for one in found],
            texts=[one.text for one in found],
        )


def _with_terms(
    ranking: Ranking,
    items: npt.NDArray[np.int32],
    arousal: npt.NDArray[np.float32],
    recency: npt.NDArray[np.float32],
    *,
    count: int,
) -> Ranking:
    for term, values in ((Term.AROUSAL, arousal), (Term.RECENCY, recency)):
        gained = np.zeros_like(ranking.score)
        gained[items] = values
        ranking = ranking.with_term(term, gained, limit=count)
    return ranking
