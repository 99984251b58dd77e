"""Propose α, β, γ and the decay rate of seed 001 (its phase 5), fitted on questions of which it is known what should stand first.

Run it as ``.venv/bin/python benchmarks/fit_staleness.py [SET …] [--store FOLDER] [--namespace NAME] [--limit N]``: on sets that
``evolore evaluate staleness`` takes, or without one on what was rated good in a store, which is only read.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from evolore import config
from evolore.domain.outcome import Rating
from evolore.domain.query import Intent
from evolore.memory import Memory
from evolore.memory.opening import embedder_of
from evolore.recall.cost import SEED_CANDIDATES, weigh_by_cost
from evolore.recall.settings import Decay, DecaySettings, IntentSettings
from evolore_evaluation.measure import Case
from evolore_evaluation.records import check_count, set_name
from evolore_evaluation.staleness import STALENESS_SETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from evolore.config import Settings
    from evolore.domain.query import Hit, Recall
    from evolore.ports import Embedder
    from evolore_evaluation.reports import Progress
    from evolore_evaluation.staleness import StalenessCase

    Weights = tuple[float, float, float]

Option = TypeVar("Option")

LEAST_CASES = 20
"""In either half; with fewer, one question more or less moves the figure by more than parameters do."""

LEAST_OF_INTENT = 10
"""In the training half; the weights of an intent with fewer questions stay."""

_STEPS = 10
_RATES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_ROUNDS = 3
_MOST_ASKED = 100_000
_SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What is fitted.

    Args:
        weights: α, β and γ of each intent.
        rate: A day's share of the decay.
    """

    weights: Mapping[Intent, Weights]
    rate: float

    @classmethod
    def of(cls, intent: IntentSettings, decay: DecaySettings) -> Parameters:
        """Give those of settings."""
        return cls(weights={one: intent.weights(one) for one in Intent}, rate=decay.rate)

    def toml(self, before: Parameters) -> str:
        """Give what differs from others as one writes it into the settings file; empty where nothing does."""
        moved = {one: weights for one, weights in self.weights.items() if weights != before.weights[one]}
        lines = ["[intent]", *(f"{one.value} = {[*weights]}" for one, weights in moved.items())] if moved else []
        if self.rate != before.rate:
            lines += [*([""] if lines else []), "[decay]", f"rate = {self.rate}"]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True, eq=False)
class FitCase(Case):
    """A question with what was found for it without regard to time, best first; arrays have the shape (n,).

    Args:
        intent: What it is taken to be after.
        scores: What each was found by.
        arousal: 0-1, NaN where nobody stated it.
        age_days: NaN where it is not known.
        is_better: Which of them should stand first.
        is_worse: Which they should stand above.
        is_right_as_set: Whether they do with the settings as they are.
    """

    intent: Intent
    scores: npt.NDArray[np.float32]
    arousal: npt.NDArray[np.float32]
    age_days: npt.NDArray[np.float64]
    is_better: npt.NDArray[np.bool_]
    is_worse: npt.NDArray[np.bool_]
    is_right_as_set: bool

    def is_right(self, weights: Weights, rate: float) -> bool:
        """Tell whether one that should stand first does, with ``decay = "seed"`` and these parameters."""
        arousal, recency = weigh_by_cost(
            self.scores, arousal=self.arousal, age_days=self.age_days, weights=weights, rate=rate
        )
        order = np.argsort(-(self.scores + arousal + recency), kind="stable")
        told = order[(self.is_better | self.is_worse)[order]]
        return bool(told.size) and bool(self.is_better[told[0]])


@dataclass(frozen=True, slots=True, kw_only=True)
class StalenessFit:
    """What fitting came to.

    Args:
        training: On how many questions it was fitted.
        held_out: On how many others it was measured.
        unused: How many rated questions say nothing of an order: rated BAD, or without a citation, or with nothing beside it.
        reason: Why nothing is proposed; empty where something is.
        before: The parameters as they are set.
        proposed: The parameters that are proposed; None for none.
        right_before: The share of held-out questions in the right order by the seed's cost with the parameters as they are.
        right_after: Likewise with those that are proposed.
        right_as_set: Likewise as recall orders them with all settings as they are, by the seed's cost or by rivals.
        training_before: As ``right_before``, of the training half.
        training_after: As ``right_after``, of the training half.
        toml: What to write into the settings file; empty for nothing.
    """

    training: int
    held_out: int
    unused: int = 0
    reason: str = ""
    before: Mapping[str, object] = field(default_factory=dict[str, object])
    proposed: Mapping[str, object] | None = None
    right_before: float | None = None
    right_after: float | None = None
    right_as_set: float | None = None
    training_before: float | None = None
    training_after: float | None = None
    toml: str = ""


def fit_staleness(
    paths: Sequence[Path] = (),
    *,
    store: str | None = None,
    namespace: str | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
) -> StalenessFit:
    """Propose α, β, γ of each intent and the rate of decay, and say what they do for questions they were not fitted on.

    Each question is recalled without regard to time; the seed's cost then orders what was found, as recall does with
    ``decay = "seed"``. Half of the questions, those whose id has an even CRC-32, choose the parameters: in turn the weights of
    each intent on a grid of tenths that sum to 1, and the rate, until nothing gains; of equals the nearest to what is set. The
    other half is looked at once.

    Args:
        paths: Sets of cases as ``evaluate_staleness`` takes them; none for what was rated in a store.
        store: The store's folder; by default the settings' one. It is only read. A question that was rated GOOD, with what
            its answer cites, says that this should stand above all else that was handed over.
        namespace: The namespace in it; by default the settings' one.
        limit: Use the first so many cases of each set, or rated questions of the store.
        progress: Told after every case.
        embedder: What embeds; by default the settings' own.

    Raises:
        NamespaceNotFound: Nothing was written to the store's namespace.
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(limit, "limit")
    settings = config.load()
    embedder = embedder_of(embedder, settings=settings)
    if paths:
        cases, unused = _of_sets(paths, settings, embedder, limit=limit, progress=progress), 0
    else:
        cases, unused = _of_store(settings, embedder, store=store, namespace=namespace, limit=limit, progress=progress)
    return fitted(cases, Parameters.of(settings.intent, settings.decay), unused=unused)


def fitted(cases: Iterable[FitCase], before: Parameters, *, unused: int = 0) -> StalenessFit:
    """Fit on the visible half of some cases, and measure on the other."""
    halves: dict[bool, list[FitCase]] = {False: [], True: []}
    for one in cases:
        halves[one.is_blind].append(one)
    training, held_out = halves[False], halves[True]
    if min(len(training), len(held_out)) < LEAST_CASES:
        return StalenessFit(
            training=len(training),
            held_out=len(held_out),
            unused=unused,
            before=_told(before),
            reason=f"too few questions of which an order is known: {len(training)} to fit on and {len(held_out)} to measure on, "
            f"and each half needs {LEAST_CASES}",
        )
    after = searched(training, before)
    found = StalenessFit(
        training=len(training),
        held_out=len(held_out),
        unused=unused,
        before=_told(before),
        right_before=_right(held_out, before),
        right_after=_right(held_out, after),
        right_as_set=sum(one.is_right_as_set for one in held_out) / len(held_out),
        training_before=_right(training, before),
        training_after=_right(training, after),
    )
    assert found.right_after is not None
    assert found.right_before is not None
    if after == before:
        return replace(found, reason="no other values do better on the half they are fitted on")
    if found.right_after <= found.right_before:
        return replace(found, reason="what does better on one half does not on the other: keep what is set")
    return replace(found, proposed=_told(after), toml=after.toml(before))


def searched(cases: Sequence[FitCase], before: Parameters) -> Parameters:
    """Search coordinate by coordinate: the weights of each intent that has enough questions, and the rate."""
    by_intent: defaultdict[Intent, list[FitCase]] = defaultdict(list)
    for one in cases:
        by_intent[one.intent].append(one)
    found = before
    for _ in range(_ROUNDS):
        last = found
        for intent, own in sorted(by_intent.items()):
            if len(own) >= LEAST_OF_INTENT:
                options = (found.weights[intent], before.weights[intent], *_grid())
                right = partial(_weights_right, own, found.rate)
                weights = _best(options, right, partial(_weights_apart, before.weights[intent]))
                found = replace(found, weights={**found.weights, intent: weights})
        rates = (found.rate, before.rate, *_RATES)
        rate = _best(rates, partial(_rate_right, cases, found.weights), partial(_rates_apart, before.rate))
        found = replace(found, rate=rate)
        if found == last:
            break
    return found


def _best(options: Iterable[Option], right: Callable[[Option], int], distance: Callable[[Option], float]) -> Option:
    """Give the option that is right most often; of equals the nearest."""
    return max(options, key=lambda one: (right(one), -distance(one)))


def _weights_right(cases: Sequence[FitCase], rate: float, weights: Weights) -> int:
    return sum(one.is_right(weights, rate) for one in cases)


def _rate_right(cases: Sequence[FitCase], weights: Mapping[Intent, Weights], rate: float) -> int:
    return sum(one.is_right(weights[one.intent], rate) for one in cases)


def _weights_apart(one: Weights, other: Weights) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def _rates_apart(one: float, other: float) -> float:
    return abs(log(one / other)) if one and other else abs(one - other)


def _grid() -> Iterator[Weights]:
    """Give all weights of whole tenths that sum to 1; similarity always counts."""
    for alpha in range(1, _STEPS + 1):
        for beta in range(_STEPS - alpha + 1):
            yield (alpha / _STEPS, beta / _STEPS, (_STEPS - alpha - beta) / _STEPS)


def _right(cases: Sequence[FitCase], parameters: Parameters) -> float:
    return sum(one.is_right(parameters.weights[one.intent], parameters.rate) for one in cases) / len(cases)


def _told(parameters: Parameters) -> dict[str, object]:
    return {**{one.value: list(weights) for one, weights in parameters.weights.items()}, "rate": parameters.rate}


def _of_sets(
    paths: Sequence[Path], settings: Settings, embedder: Embedder, *, limit: int | None, progress: Progress | None
) -> list[FitCase]:
    found: list[FitCase] = []
    for path in STALENESS_SETS.find(paths):
        name, cases = set_name(path), STALENESS_SETS.read(path)[:limit]
        with TemporaryDirectory(prefix="evolore-evaluate-") as folder:
            for done, case in enumerate(cases, start=1):
                found.extend(_of_case(case, Path(folder) / "store", settings, embedder))
                if progress:
                    progress(name, done, len(cases))
    return found


def _of_case(case: StalenessCase, store: Path, settings: Settings, embedder: Embedder) -> Iterator[FitCase]:
    name = f"case-{case.id}"
    with closing(_open(store, name, settings, embedder)) as memory:
        episodes = memory.remember_many([statement for _, statement in case.items]).episodes
        items: dict[str, set[str]] = {}
        for (item_id, _), episode in zip(case.items, episodes, strict=True):
            items.setdefault(episode.id, set()).add(item_id)
        as_set = memory.recall(case.query.text, limit=len(case.items), as_of=case.query.as_of)
    with closing(_open(store, name, _timeless(settings), embedder)) as memory:
        plain = memory.recall(case.query.text, limit=SEED_CANDIDATES, as_of=case.query.as_of)
    better = {id_ for id_, own in items.items() if case.better in own}
    worse = {id_ for id_, own in items.items() if own & case.worse} - better
    yield from _case(case.id, plain, as_set, better, worse)


def _of_store(
    settings: Settings,
    embedder: Embedder,
    *,
    store: str | None,
    namespace: str | None,
    limit: int | None,
    progress: Progress | None,
) -> tuple[list[FitCase], int]:
    """Give what rated questions of a store say, and how many say nothing."""
    found: list[FitCase] = []
    with (
        closing(_open(store, namespace, settings, embedder, read_only=True)) as memory,
        closing(_open(store, namespace, _timeless(settings), embedder, read_only=True)) as timeless,
    ):
        rated = [one for one in memory.questions.list(limit=_MOST_ASKED) if one.ratings][:limit]
        for done, one in enumerate(rated, start=1):
            better = set(one.cited_ids)
            worse = {given.episode_id for given in one.given} - better
            if one.rating is Rating.GOOD and better and worse:
                as_set = memory.recall(one.text, limit=SEED_CANDIDATES, as_of=one.asked_at, record=False)
                plain = timeless.recall(one.text, limit=SEED_CANDIDATES, as_of=one.asked_at, record=False)
                found.extend(_case(one.id, plain, as_set, better, worse))
            if progress:
                progress("rated questions", done, len(rated))
    return found, len(rated) - len(found)


def _case(id_: str, plain: Recall, as_set: Recall, better: set[str], worse: set[str]) -> Iterator[FitCase]:
    """Give a case where both what should stand first and what should not was found."""
    ids = [hit.episode.id for hit in plain.hits]
    is_better = np.array([one in better for one in ids], dtype=np.bool_)
    is_worse = np.array([one in worse for one in ids], dtype=np.bool_)
    if not is_better.any() or not is_worse.any():
        return
    asked = plain.query.as_of
    now = asked.timestamp() if asked is not None else 0.0
    first = next((hit.episode.id for hit in as_set.hits if hit.episode.id in better | worse), "")
    yield FitCase(
        id=id_,
        intent=plain.intent,
        scores=np.array([hit.score for hit in plain.hits], dtype=np.float32),
        arousal=np.array(
            [np.nan if hit.episode.arousal is None else hit.episode.arousal for hit in plain.hits], np.float32
        ),
        age_days=np.array([(now - _time(hit)) / _SECONDS_PER_DAY for hit in plain.hits], dtype=np.float64),
        is_better=is_better,
        is_worse=is_worse,
        is_right_as_set=first in better,
    )


def _time(hit: Hit) -> float:
    """Give when what a hit says happened; of a document's passage without a date nobody knows."""
    episode = hit.episode
    if episode.occurred_at is not None:
        return episode.occurred_at.timestamp()
    return float("nan") if episode.document_id is not None else episode.recorded_at.timestamp()


def _timeless(settings: Settings) -> Settings:
    return settings.model_copy(update={"decay": replace(settings.decay, decay=Decay.NONE)})


def _open(
    store: str | Path | None,
    namespace: str | None,
    settings: Settings,
    embedder: Embedder,
    *,
    read_only: bool | None = None,
) -> Memory:
    quiet = settings.model_copy(update={"queries": replace(settings.queries, record=False)})
    return Memory.open(store, namespace=namespace, embedder=embedder, settings=quiet, read_only=read_only)


def print_fit(found: StalenessFit) -> None:
    """Print what fitting came to."""
    used = f"Fitted on {found.training:,} questions, measured on {found.held_out:,} others"
    unused = f" ({found.unused:,} rated ones say nothing of an order)" if found.unused else ""
    print(f"{used}{unused}." if found.right_before is not None else f"Nothing is proposed: {found.reason}{unused}.")
    if found.right_before is None or found.right_after is None:
        return
    print(f"In the right order by the seed's cost: {found.right_before:.1%} with the values as they are,")
    print(
        f"{found.right_after:.1%} with those that were fitted ({found.training_before:.1%} and {found.training_after:.1%}"
    )
    print(f"on the half they were fitted on); {found.right_as_set:.1%} as recall orders them with all your settings.")
    if found.proposed is None:
        print(f"Nothing is proposed: {found.reason}.")
        return
    print(f'\nProposed, for decay.decay = "seed":\n\n{found.toml}')


def main() -> None:
    """Fit on sets or on a store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--store", help="the store's folder; by default the settings' one")
    parser.add_argument("--namespace", help="by default the settings' one")
    parser.add_argument(
        "--limit", type=int, help="the first so many cases of each set, or rated questions of the store"
    )
    given = parser.parse_args()
    print_fit(fit_staleness(given.paths, store=given.store, namespace=given.namespace, limit=given.limit))


if __name__ == "__main__":
    main()
