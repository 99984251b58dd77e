"""Print what evolution proves where the judge is wrong in a tenth of its verdicts and half of the writer's replies are useless.

    python benchmarks/noise.py [SET…] [--blind] [--seeds 4] [--rate misjudges=0.1 --rate nothing=0.2]

Sets are folders of planted knowledge bases, by default ``tests/data/evolution_second`` and ``tests/data/evolution_third``; with ``--blind``
``tests/data/evolution_blind``. **Writer, answerer, judges, people and the careful person are scripted.** What they err in is drawn again for
each seed, from the same ratings.

- *rates*: those of ``ScriptedRates``, but of the writer's replies 20 % see nothing, so that half are useless: 10 % change words only, 10 % drop
  a sentence, 10 % invent one. Verdicts are wrong in 10 %, and besides prefer what comes first in 5 %, and the longer answer in 5 %.
- *proved*: planted defects mended by what is proved; *with person*: with a careful person who looks at what waits.
- *false*: proved changes that do not mend; *poisoned*: proved texts that follow a comment which must not be followed.
- *calls*: a job, and in all for documents without a defect. *stays*: defects left after the person, by the last stage that a mending candidate
  reached, as ``python benchmarks/planted_defects.py`` counts them.
"""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evolore import config
from evolore.memory.opening import embedder_of
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line
from planted.arms import Arms, Stores, ask_past, extracting, rate, take_in
from planted.figures import Loss, Tried
from planted.scripted_model import ScriptedModel, ScriptedRates, read_rates
from planted.scripted_reader import Knowledge, Way
from planted.sets import PlantedBase, find_evolution_sets, read_planted_base

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.flows.evolve.show import EvolutionJob
    from evolore.memory import Memory

DATA = Path(__file__).parents[1] / "tests/data"
SEEN, BLIND = (DATA / "evolution_second", DATA / "evolution_third"), (DATA / "evolution_blind",)
RATES = ["misjudges=0.1", "nothing=0.2"]
HEAD = "  seed   proved with person     false  poisoned  calls a job  calls for healthy"


@dataclass(slots=True)
class Sums:
    """What jobs came to."""

    planted: int = 0
    proved: int = 0
    cared: int = 0
    promoted: int = 0
    false: int = 0
    poisoned: int = 0
    jobs: int = 0
    calls: int = 0
    healthy: int = 0
    stays: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: Sums) -> None:
        """Add the sums of other jobs."""
        for name in ("planted", "proved", "cared", "promoted", "false", "poisoned", "jobs", "calls", "healthy"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.stays += other.stays

    def row(self, name: str) -> str:
        """Return a line of the table."""
        planted, jobs = max(self.planted, 1), max(self.jobs, 1)
        return (
            f"  {name:4} {self.proved / planted:8.1%} {self.cared / planted:11.1%} {self.false:>3} of {self.promoted:<3}"
            f" {self.poisoned:8} {self.calls / jobs:12.1f} {self.healthy:18}"
        )


class Noisy(Arms):
    """A knowledge base that improves though those who judge and write err."""

    def replay(self, store: Path) -> None:
        """Add the documents, and let people ask and rate."""
        with closing(self._stores.open(store, day=0)) as memory:
            ids = take_in(memory, self._base)
            ask_past(memory, self._past())
            rate(memory, self._base, self._ratings, ids)

    def sums(self, store: Path, seed: str) -> Sums:
        """Evolve documents with errors drawn from a seed, approve what is proved, and then let a careful person look."""
        model = ScriptedModel(Knowledge(base=self._base), self._rates, seed=seed)
        jobs = self._evolve(store, model, self._stores.settings)
        with closing(self._stores.open(store, day=3)) as memory:
            proved = {one.id for one in jobs if one.decision == "winner" and _is_approved(memory, one)}
            cared = proved | {one.id for one in jobs if self._is_good(one) and _is_approved(memory, one)}
        alone = [self._tried(one, one.id in proved, model) for one in jobs]
        return self._counted(alone, [self._tried(one, one.id in cared, model) for one in jobs])

    def _counted(self, alone: list[Tried], cared: list[Tried]) -> Sums:
        promoted = [one for one in alone if one.promoted is not None]
        stays = {one.id: Loss.NO_JOB for one in self._documents if one.defect}
        for one in cared:
            if one.has_fixed:
                stays.pop(one.document.id, None)
            elif one.document.id in stays:
                stays[one.document.id] = max(one.lost_at, stays[one.document.id])
        return Sums(
            planted=sum(bool(one.defect) for one in self._documents),
            proved=len({one.document.id for one in promoted if one.has_fixed}),
            cared=len({one.document.id for one in cared if one.has_fixed}),
            promoted=len(promoted),
            false=sum(not one.has_fixed for one in promoted),
            poisoned=sum(one.way is Way.POISONED for one in promoted),
            jobs=len(alone),
            calls=sum(one.calls for one in alone),
            healthy=sum(one.calls for one in alone if not one.document.defect),
            stays=Counter(one.name.lower() for one in stays.values()),
        )


def _is_approved(memory: Memory, job: EvolutionJob) -> bool:
    return memory.evolution.approve(job.id, principal="a careful person").promotion is not None


def sums_of(base: PlantedBase, stores: Stores, rates: ScriptedRates, seeds: int) -> Iterator[tuple[str, Sums]]:
    """Yield what jobs come to in one knowledge base, for each seed."""
    arms = Noisy(stores, base, rates)
    with TemporaryDirectory(prefix="evolore-noise-") as folder:
        replayed = Path(folder) / "replayed"
        arms.replay(replayed)
        for seed in map(str, range(seeds)):
            store = Path(shutil.copytree(replayed, replayed.parent / seed))
            yield seed, arms.sums(store, seed)
            shutil.rmtree(store)


def main() -> None:
    """Print a table for each set."""
    parser = command_line(__doc__)
    parser.add_argument("sets", nargs="*", type=Path, help="folders or files of planted knowledge bases")
    parser.add_argument("--blind", action="store_true", help="the set kept aside, on which nothing is tuned")
    parser.add_argument("--seeds", type=int, default=4, help="how often errors are drawn")
    parser.add_argument("--rate", action="append", default=[], help="how often the scripted model errs, NAME=SHARE")
    told = parser.parse_args()
    settings = extracting(config.load())
    embedder = RememberingEmbedder(embedder_of(None, settings=settings), most=60_000)
    stores = Stores(embedder=embedder, settings=settings, seed="0", past_share=0.5)
    rates = read_rates([*RATES, *told.rate])
    useless = rates.nothing + rates.cosmetic + rates.loses + rates.invents
    for path in told.sets or (BLIND if told.blind else SEEN):
        of_seed, together = dict[str, Sums](), Sums()
        for file in find_evolution_sets([path]):
            for seed, one in sums_of(read_planted_base(file), stores, rates, told.seeds):
                of_seed.setdefault(seed, Sums()).add(one)
                together.add(one)
        print(f"\n{path.name}: a judge wrong in {rates.misjudges:.0%}, a writer useless in {useless:.0%}; all scripted")
        print(HEAD, *(one.row(seed) for seed, one in of_seed.items()), together.row("all"), sep="\n")
        print("  stays:", ", ".join(f"{name} {count}" for name, count in together.stays.most_common()), flush=True)


if __name__ == "__main__":
    main()
