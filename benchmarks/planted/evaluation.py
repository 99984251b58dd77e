"""Measuring how documents improve from feedback, by the protocol of docs/protocols.md."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory

from evolore import config
from evolore.domain.checks import check_share
from evolore.errors import InvalidValue
from evolore.memory.opening import embedder_of
from evolore.ports import Embedder
from evolore_evaluation.measure import ALL_VISIBLE, RememberingEmbedder, Run, WritePrediction
from evolore_evaluation.records import check_count, set_name
from evolore_evaluation.reports import Json, Report, SetResult, snake_case
from planted.arms import Arms, Stores, extracting
from planted.figures import ArmOutcome, figures
from planted.injections import measure_injections
from planted.scripted_model import ScriptedRates
from planted.sets import find_evolution_sets, read_planted_base

_REMEMBERED = 60_000
_DEFAULT_RATES = ScriptedRates()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionPlan:
    """What is measured of evolution, and how.

    Raises:
        InvalidValue: A value out of range.
    """

    rates: ScriptedRates = _DEFAULT_RATES  #: How often the scripted model errs.
    seed: str = "0"  #: What its errors and all else that is drawn are drawn from.
    #: Which share of the questions that no rating refers to was asked before, 0-1; the others are held out.
    past_share: float = 0.5
    ratings: tuple[int, ...] = ()  #: Also with so many ratings of each document.
    baselines: bool = True  #: Whether the seed's rule and a free rewrite are measured too.
    repeats: bool = True  #: Whether documents evolve once more, to check whether the history is the same.
    #: A set of ``{id, lang, where, text, ok, what}``: what its texts come to is measured too, with a policy that may
    #: approve by itself; only the half that rules are made on.
    injections: Path | None = None

    def __post_init__(self) -> None:
        check_share(past_share=self.past_share)
        for one in self.ratings:
            check_count(one, "ratings")


_DEFAULT_PLAN = EvolutionPlan()


def evaluate_evolution(
    paths: Sequence[Path],
    run: Run = ALL_VISIBLE,
    *,
    plan: EvolutionPlan = _DEFAULT_PLAN,
    embedder: Embedder | None = None,
) -> Report:
    """Measure on planted knowledge bases which defects are mended once people complained, and what is damaged.

    Documents are added; people ask, and rate as the set says; ``evolve`` runs with a scripted chat model that errs at
    known rates; what is proved is approved. Questions that the memory never saw are asked before and after, without any
    model.

    Args:
        paths: Files, or folders of them.
        run: How many documents of each set are rated, all of which are added, and how many planted texts are measured;
            predictions are a line for every job, and for every planted text.
        plan: What is measured.
        embedder: What embeds; by default the settings' own.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    chosen = extracting(config.load())
    embedder = RememberingEmbedder(embedder_of(embedder, settings=chosen), most=_REMEMBERED)
    stores = Stores(embedder=embedder, settings=chosen, seed=plan.seed, past_share=plan.past_share)
    with run.writing_predictions() as write:
        found = {set_name(path): _of_set(path, stores, plan, run, write) for path in find_evolution_sets(paths)}
        results = [_result(name, arms) for name, arms in found.items()]
        if len(found) > 1:
            results.append(_result("together", reduce(_Measured.added, found.values())))
        if plan.injections is not None:
            results.append(measure_injections(stores, run.limit).of_set(plan.injections, run, write))
    settings: dict[str, Json] = {
        "embedder": embedder.model.id,
        "seed": plan.seed,
        "past_share": plan.past_share,
        "ratings": list(plan.ratings),
        "limit": run.limit,
        "rates": asdict(plan.rates),
    }
    return Report(system="evolution", settings=settings, sets=tuple(results))


def read_counts(text: str) -> tuple[int, ...]:
    """Read counts as an option passes them.

    Raises:
        InvalidValue: One is no whole number.

    >>> read_counts("3, 5,10")
    (3, 5, 10)
    """
    parts = [one.strip() for one in text.split(",") if one.strip()]
    if not all(one.isascii() and one.isdigit() for one in parts):
        raise InvalidValue(f"ratings is {text!r}: give whole numbers with commas between, such as 3,5,10.")
    return tuple(map(int, parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """The result of a set, by the way in which its documents were let improve."""

    outcomes: dict[str, ArmOutcome]
    same_history: bool | None = None

    def joined(self, other: _Measured) -> _Measured:
        """Return the result of the same set in further ways."""
        same = self.same_history if other.same_history is None else other.same_history
        return _Measured(outcomes=self.outcomes | other.outcomes, same_history=same)

    def added(self, other: _Measured) -> _Measured:
        """Return the result of two sets in the same ways."""
        same = None if self.same_history is None else self.same_history and bool(other.same_history)
        together = {label: one + other.outcomes[label] for label, one in self.outcomes.items()}
        return _Measured(outcomes=together, same_history=same)


def _of_set(path: Path, stores: Stores, plan: EvolutionPlan, run: Run, write: WritePrediction) -> _Measured:
    """Replay a set, and let its documents improve in every way."""
    name, base = set_name(path), read_planted_base(path)
    arms = Arms(stores, base, plan.rates, limit=run.limit)
    found, stages = _Measured(outcomes={}), _stages(plan, arms)
    with TemporaryDirectory(prefix="evolore-evaluate-") as folder:
        replayed = Path(folder) / "replayed"
        arms.replay(replayed)
        for done, stage in enumerate(stages, start=1):
            run.tell(name, done, len(stages) + 1)
            found = found.joined(stage(replayed))
        run.tell(name, len(stages) + 1, len(stages) + 1)
    for line in arms.lines:
        write({"set": name, **line})
    return found


def _stages(plan: EvolutionPlan, arms: Arms) -> list[Callable[[Path], _Measured]]:
    """Return what is done with the replayed store, which is not changed."""
    stages: list[Callable[[Path], _Measured]] = [
        lambda store: _Measured(outcomes=arms.evolved(_copy(store, "evolved")))
    ]
    if plan.repeats:
        stages.append(lambda store: _Measured(outcomes={}, same_history=arms.has_same_history(_copy(store, "again"))))
    if plan.baselines:
        stages.append(lambda store: _Measured(outcomes={"seed_rule": arms.seed_rule(_copy(store, "seed"))}))
        stages.append(lambda store: _Measured(outcomes={"free_rewrite": arms.free_rewrite(_copy(store, "free"))}))
    stages.extend(partial(_with_ratings, arms, count) for count in plan.ratings)
    return stages


def _with_ratings(arms: Arms, count: int, store: Path) -> _Measured:
    return _Measured(outcomes={f"ratings_{count}": arms.with_ratings(store.parent / f"ratings-{count}", count)})


def _copy(replayed: Path, name: str) -> Path:
    return Path(shutil.copytree(replayed, replayed.parent / name))


def _result(name: str, measured: _Measured) -> SetResult:
    found = measured.outcomes
    main = found["evolved"]
    same = {} if measured.same_history is None else {"same_history": float(measured.same_history)}
    categories = {label: figures(outcome) for label, outcome in found.items() if label != "evolved"}
    for kind in dict.fromkeys(one.defect or "healthy" for one in main.documents):
        some = main.of(lambda document, kind=kind: (document.defect or "healthy") == kind)
        categories[f"what_{snake_case(kind)}"] = figures(some)
    languages = dict.fromkeys(one.language for one in main.documents)
    for language in languages if len(languages) > 1 else ():
        some = main.of(lambda document, language=language: document.language == language)
        categories[snake_case(language)] = figures(some)
    return SetResult(name=name, metrics={**figures(main), **same}, categories=categories)
