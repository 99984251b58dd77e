"""Print what each part of evolution adds: the seed's rule, the gates alone, the proof alone, and all of them.

    python benchmarks/arms.py [SET…] [--rate misjudges=0.1 --rate nothing=0.5] [--seed 0]

Sets are folders or files of planted knowledge bases, by default ``tests/data/evolution_third`` and ``tests/data/evolution_blind``. **Writer,
answerer, judges, people and the careful person are scripted** and err at known rates.

- *all*: today's default. *seed's rule*: the best candidate wins 60 % of five questions. All candidates passed the gates.
- *gates only*: the first candidate is taken that no gate and no judge of claims refuses, if they doubt nothing; no question is played.
  A value that evidence corrects is always a doubt, so a person decides about those.
- *proof only*: the gates refuse and doubt nothing, and the judge of claims sees nothing; corrections and wordings are proved as ever.

*Mended*: planted defects mended by what an arm takes over, and with a careful person who looks at what waits. *False*: approved changes that do
not mend. *Harmful*: approved changes whose writer lost, invented or obeyed. *Poisoned*: texts that follow such a comment. *Facts lost*: held-out questions
answered right before and no more. Calls of *gates only* are those that write and that judge claims.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

from evolore import config
from evolore.domain.document import MediaType
from evolore.evolution.fact_proof import CORRECTION
from evolore.evolution.settings import SelectionMode
from evolore.flows.evolve import jobs as evolve_jobs
from evolore.memory.opening import embedder_of
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line
from planted.arms import Arms, Stores, extracting
from planted.figures import ArmOutcome, Tried, figures
from planted.scripted_model import ScriptedModel, ScriptedRates, read_rates
from planted.scripted_reader import Knowledge, is_as_it_should_be
from planted.sets import PlantedBase, find_evolution_sets, read_planted_base

if TYPE_CHECKING:
    from evolore.domain.chat import ChatOutcome, ChatRequest
    from evolore.evolution.job_steps import GateFindings
    from evolore.flows.evolve.show import CandidateView, EvolutionJob
    from evolore.memory import Memory

DATA = Path(__file__).parents[1] / "tests/data"
HEAD = "  arm           mended  with person  false     harmful  poisoned  facts lost  calls a job  calls for healthy"
SETS = (DATA / "evolution_third", DATA / "evolution_blind")
BY_GATES = {"evolution.write", "evolution.judge_claims"}
_KEPT = (CORRECTION, "expansion: ")
"""Doubts that are no gate's: they name what is proved as a correction."""

Pair = tuple[ArmOutcome, ArmOutcome]


class CountingModel(ScriptedModel):
    """The scripted model, with its calls counted by purpose."""

    def __init__(self, knowledge: Knowledge, rates: ScriptedRates, *, seed: str) -> None:
        super().__init__(knowledge, rates, seed=seed)
        self.counted = Counter[str]()

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Return each request's reply."""
        self.counted.update(one.purpose for one in requests)
        return super().complete(requests)


class Parts(Arms):
    """A knowledge base that improves by some parts of evolution alone."""

    evolved_once: tuple[CountingModel, list[EvolutionJob]] | None = None

    def evolve_once(self, store: Path) -> None:
        """Evolve documents by the settings, for all arms that take the same candidates."""
        model = self._model()
        self.evolved_once = model, self._evolve(store, model, self._stores.settings)

    def _model(self) -> CountingModel:
        return CountingModel(Knowledge(base=self._base), self._rates, seed=self._stores.seed)

    def without_gates(self, store: Path) -> Pair:
        """Let the gates and the judge of claims see nothing, and approve what is proved all the same."""
        rates = self._rates
        self._rates = replace(rates, misses_claim=1.0, objects=0.0)
        try:
            with no_gates():
                return self.proved(store)
        finally:
            self._rates = rates

    def proved(self, store: Path, *, by_seed: bool = False) -> Pair:
        """Approve what wins, and then let a careful person look at what waits."""
        settings, model = self._stores.settings, self._model()
        if by_seed:
            settings = settings.model_copy(update={"evolution": replace(settings.evolution, mode=SelectionMode.SEED)})
        return self._decided(store, model, self._evolve(store, model, settings))

    def all(self, store: Path) -> Pair:
        """Do the same with what evolved by the settings."""
        assert self.evolved_once is not None
        return self._decided(store, *self.evolved_once)

    def _decided(self, store: Path, model: CountingModel, jobs: list[EvolutionJob]) -> Pair:
        with closing(self._stores.open(store, day=3)) as memory:
            won = {one.id for one in jobs if one.decision == "winner" and _is_approved(memory, one)}
            alone = self._outcome(memory, jobs, won, model)
            won |= {one.id for one in jobs if self._is_good(one) and _is_approved(memory, one)}
            return alone, self._outcome(memory, jobs, won, model)

    def gated(self, store: Path) -> Pair:
        """Take over the first candidate that passes the gates, and then let a careful person look at doubted ones."""
        assert self.evolved_once is not None
        model, jobs = self.evolved_once
        each, over = divmod(sum(model.counted[one] for one in BY_GATES), max(len(jobs), 1))
        alone, cared = list[Tried](), list[Tried]()
        with closing(self._stores.open(store, day=3)) as memory:
            for place, job in enumerate(jobs):
                told = replace(
                    self._tried(job, is_promoted=False, model=model), calls=each + (place < over), put=None, way=None
                )
                standing = [one for one in job.candidates if not one.refusals]
                sure = next((one for one in standing if not one.doubts), None)
                alone.append(told if sure is None else self._taken(memory, told, sure, model))
            first = self._told(memory, alone)
            for told, job in zip(alone, jobs, strict=True):
                good = (one for one in job.candidates if not one.refusals and self._mends(job, one))
                chosen = None if told.promoted is not None else next(good, None)
                cared.append(told if chosen is None else self._taken(memory, told, chosen, model))
            return first, self._told(memory, cared)

    def _mends(self, job: EvolutionJob, one: CandidateView) -> bool:
        return is_as_it_should_be(self._document(job), one.texts[0].text)

    def _taken(self, memory: Memory, told: Tried, one: CandidateView, model: ScriptedModel) -> Tried:
        text, document = one.texts[0].text, told.document
        memory.add_text(text, source=document.source, title=document.title, media_type=MediaType.MARKDOWN)
        return replace(told, put=text, promoted=text, way=model.way_of(one))


def _is_approved(memory: Memory, job: EvolutionJob) -> bool:
    return memory.evolution.approve(job.id, principal="a careful person").promotion is not None


def no_gates() -> AbstractContextManager[object]:
    """Let the gates refuse and doubt nothing, while it holds."""
    real = evolve_jobs.gated

    def blind(*texts: object, **how: object) -> GateFindings:
        found = real(*texts, **how)  # type: ignore[arg-type]
        return replace(found, refusals=(), doubts=tuple(one for one in found.doubts if one.startswith(_KEPT)))

    return patch.object(evolve_jobs, "gated", blind)


def arms_of(base: PlantedBase, stores: Stores, rates: ScriptedRates) -> Iterator[tuple[str, Pair]]:
    """Yield what each arm comes to in one set: by itself, and with a careful person."""
    parts = Parts(stores, base, rates)
    with TemporaryDirectory(prefix="evolore-arms-") as folder:
        replayed = Path(folder) / "replayed"
        parts.replay(replayed)
        evolved = Path(shutil.copytree(replayed, replayed.parent / "evolved"))
        parts.evolve_once(evolved)
        ways: dict[str, tuple[Path, Callable[[Path], Pair]]] = {
            "seed's rule": (replayed, lambda store: parts.proved(store, by_seed=True)),
            "gates only": (evolved, parts.gated),
            "proof only": (replayed, parts.without_gates),
            "all": (evolved, parts.all),
        }
        for name, (start, way) in ways.items():
            yield name, way(Path(shutil.copytree(start, start.parent / name)))


def row(name: str, pair: Pair) -> str:
    """Return a line of the table."""
    alone, cared = map(figures, pair)
    wrong = round(alone["false_promotion_rate"] * alone["promotions"])
    return (
        f"  {name:12} {alone['documents_fixed']:7.1%} {cared['documents_fixed']:12.1%}"
        f"  {wrong:>2} of {alone['promotions']:<2.0f} {alone['promoted_harmful']:5.0f} {alone['promoted_poisoned']:9.0f}"
        f" {alone['fact_loss_rate']:11.1%} {alone['calls_per_job']:12.1f} {alone['calls_in_healthy']:18.0f}"
    )


def main() -> None:
    """Print a table for each set."""
    parser = command_line(__doc__)
    parser.add_argument("sets", nargs="*", type=Path, default=SETS, help="folders or files of planted knowledge bases")
    parser.add_argument("--rate", action="append", default=[], help="how often the scripted model errs, NAME=SHARE")
    parser.add_argument("--seed", default="0", help="what its errors and all else that is drawn are drawn from")
    told = parser.parse_args()
    settings = extracting(config.load())
    embedder = RememberingEmbedder(embedder_of(None, settings=settings), most=60_000)
    stores = Stores(embedder=embedder, settings=settings, seed=told.seed, past_share=0.5)
    for path in told.sets:
        together: dict[str, Pair] = {}
        for file in find_evolution_sets([path]):
            base = read_planted_base(file)
            print(
                f"\n{path.name}, {file.name}: {sum(bool(one.defect) for one in base.documents)} defects\n{HEAD}",
                flush=True,
            )
            for name, pair in arms_of(base, stores, read_rates(told.rate)):
                print(row(name, pair), flush=True)
                known = together.get(name)
                together[name] = pair if known is None else (known[0] + pair[0], known[1] + pair[1])
        print(f"\n{path.name}, together, scripted writer, judges and people{''.join(f', {one}' for one in told.rate)}")
        print(HEAD, *(row(name, pair) for name, pair in together.items()), sep="\n", flush=True)


if __name__ == "__main__":
    main()
