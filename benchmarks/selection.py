"""Print how often selection confirms what is better and what is not, how judges that cheat fare, and when a canary trips.

    python benchmarks/selection.py [--jobs 2000] [--seed 0]

Everything is simulated; the states are those of ``evolore.evolution`` and only the verdicts are drawn. A candidate's *true
win rate* is the chance that it wins a pair that somebody wins. Answers of candidate and original differ in length, the
longer one being either as often, unless a row says otherwise.

- ``confirmed``: jobs with a winner. In rows without real improvement it is the share that must stay at or below alpha.
- ``no better``: jobs that would promote a candidate whose true win rate is not above one half.
- ``best``: jobs whose winner is the candidate with the highest true win rate.
- ``person``: jobs left to a person: too few questions, or a judge that is not believed.
- ``flagged``: jobs whose judge is not believed.
- ``pairs``: matches a job played, each judged in both orders.
- ``seed rule``: jobs with a winner by the seed's rule alone, on the same verdicts of the screen.

The canary's rows count answers from the new text; ``staged`` grows as soon as it may, ``held`` stays at a quarter of the
principals for up to 400 of them.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evolore.domain.contest import Order, Scores, Side, Verdict
from evolore.evolution.canary import GUARDRAIL_ALPHA, RATIOS, CanaryStatus, Guardrail, begin_canary
from evolore.evolution.contest import (
    REGRESSION_REPLAYS,
    Contender,
    Proof,
    Trial,
    begin,
    best_by_seed_rule,
    proof_of,
    tell,
)
from evolore.evolution.contest_plan import REGRESSION_QUESTIONS, Decision, outcome_of
from evolore.evolution.contest_questions import ALPHA, CONFIRM_PAIRS
from evolore.evolution.matches import Tally
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.shadows import sees_new

if TYPE_CHECKING:
    from evolore.evolution.contest import Selection
    from evolore.evolution.matches import HeardVerdict, JudgeRequest, MatchKey

Kind: TypeAlias = Literal["honest", "first", "second", "longer", "coin"]
SETTINGS = EvolutionSettings(auto_update=True)
SCORES = Scores(helpfulness=3, correctness=3, coherence=3)
HELD_FOR = 400
FEW = 10
"""Judges that cheat, and canaries, show what they do in a tenth of the jobs."""


@dataclass(frozen=True)
class World:
    """What is true in a row of the table.

    Args:
        name: What is printed.
        rates: True win rate of each candidate.
        ties: Share of pairs that nobody wins.
        kind: What the judge goes by: who is better, the first or second answer, the longer one, or nothing.
        longer: Share of questions on which the candidate's answer is the longer.
        slips: How often an honest judge says the opposite, in each order by itself.
        questions: How many fresh questions there are.
        part: One in how many of the jobs it is run.
    """

    name: str
    rates: tuple[float, ...]
    ties: float = 0.0
    kind: Kind = "honest"
    longer: float = 0.5
    slips: float = 0.0
    questions: int = 40
    part: int = 1


WORLDS = (
    World("no improvement: .5 .5 .5", (0.5, 0.5, 0.5)),
    World("the same with 40 % ties", (0.5, 0.5, 0.5), ties=0.4),
    World("worse: .4 .4 .4", (0.4, 0.4, 0.4), part=FEW),
    World("no rival: .8", (0.8,)),
    World("no rival: .8, 20 % ties", (0.8,), ties=0.2),
    World("no rival: .8, 1 slip in 10", (0.8,), slips=0.1, part=FEW),
    World("no rival: .8, always longer", (0.8,), longer=1.0, part=FEW),
    World("three: .5 .6 .8", (0.5, 0.6, 0.8)),
    World("no rival: .8, 12 questions", (0.8,), questions=12, part=FEW),
    World("judge: always A", (0.8, 0.8, 0.8), kind="first", part=FEW),
    World("judge: always B", (0.8, 0.8, 0.8), kind="second", part=FEW),
    World("judge: a coin", (0.8, 0.8, 0.8), kind="coin", part=FEW),
    World("judge: longer, lengths vary", (0.5, 0.5, 0.5), kind="longer", part=FEW),
    World("judge: longer, ours always is", (0.5, 0.5, 0.5), kind="longer", longer=1.0, part=FEW),
    World("judge: longer, 9 of 10 are ours", (0.5, 0.5, 0.5), kind="longer", longer=0.9, part=FEW),
)


@dataclass
class Judge:
    """Draws verdicts; both orders of a match are judged on the same two answers."""

    world: World
    rng: np.random.Generator
    drawn: dict[MatchKey, tuple[Side | None, bool]] = field(default_factory=dict)

    def judge(self, request: JudgeRequest) -> HeardVerdict:
        """Answer one request."""
        if request.match not in self.drawn:
            self.drawn[request.match] = self._draw(request.match)
        candidate_leads, candidate_is_longer = self.drawn[request.match]
        is_first = request.order is Order.CANDIDATE_FIRST
        lengths = (600, 400) if candidate_is_longer is is_first else (400, 600)
        side = self._side(candidate_leads, lengths, is_first=is_first)
        reply = Verdict(
            preferred=side, first=SCORES, second=SCORES, first_characters=lengths[0], second_characters=lengths[1]
        )
        return request, reply

    def _draw(self, key: MatchKey) -> tuple[Side | None, bool]:
        """Give whose answer is better, the candidate's being the first here, and whether it is the longer."""
        rate = self.world.rates[int(key.candidate_id)]
        tied, won, longer = self.rng.random(3)
        better = None if tied < self.world.ties else Side.FIRST if won < rate else Side.SECOND
        return better, bool(longer < self.world.longer)

    def _side(self, candidate_leads: Side | None, lengths: tuple[int, int], *, is_first: bool) -> Side:
        match self.world.kind:
            case "first":
                return Side.FIRST
            case "second":
                return Side.SECOND
            case "coin":
                return Side.FIRST if self.rng.random() < 1 / 2 else Side.SECOND
            case "longer":
                return Side.FIRST if lengths[0] > lengths[1] else Side.SECOND
            case "honest":
                if candidate_leads is None:
                    return Side.TIE
                sees_right = bool(self.rng.random() >= self.world.slips)
                leads = (candidate_leads is Side.FIRST) is is_first
                return Side.FIRST if leads is sees_right else Side.SECOND


def run_job(world: World, rng: np.random.Generator) -> Selection:
    """Run one job to its end."""
    trial = Trial(
        contenders=tuple(Contender(candidate_id=str(place)) for place in range(len(world.rates))),
        screen=tuple(f"s{place}" for place in range(SETTINGS.evaluation_sample_size)),
        confirm=tuple(f"c{place}" for place in range(world.questions)),
        regression=(),
        settings=SETTINGS,
    )
    judge, state = Judge(world, rng), begin(trial)
    while not state.is_done:
        state = tell(state, [judge.judge(request) for request in state.requests])
    return state


def share_of(hits: list[bool]) -> str:
    """Write a share as percent."""
    return f"{100 * sum(hits) / len(hits):.1f}"


def show_world(world: World, jobs: int, seed: int) -> None:
    """Run the jobs of a row, and print it."""
    rng, jobs = np.random.default_rng(seed), max(1, jobs // world.part)
    states = [run_job(world, rng) for _ in range(jobs)]
    outcomes = [outcome_of(state) for state in states]
    won = [one for one in outcomes if one.decision is Decision.WINNER]
    rate_of = [world.rates[int(one.candidate_id or 0)] for one in won]
    row = (
        str(jobs),
        share_of([one.decision is Decision.WINNER for one in outcomes]),
        f"{100 * sum(rate <= 1 / 2 for rate in rate_of) / jobs:.1f}",
        f"{100 * sum(rate == max(world.rates) for rate in rate_of) / jobs:.1f}",
        share_of([one.decision is Decision.NEEDS_PERSON for one in outcomes]),
        share_of([bool(one.doubts) for one in outcomes]),
        f"{np.mean([len(state.history) for state in states]):.1f}",
        share_of([best_by_seed_rule(state.standings, SETTINGS) is not None for state in states]),
    )
    assert all(one.may_auto_update is (one.decision is Decision.WINNER) for one in outcomes)
    print(f"  {world.name:32}" + "".join(f"{cell:>11}" for cell in row))


def exact_proof(rate: float) -> tuple[float, float]:
    """Compute how likely the confirm stage alone proves a candidate, and how many pairs it plays."""
    open_paths: dict[int, float] = {0: 1.0}
    proved, pairs = 0.0, 0.0
    for played in range(1, CONFIRM_PAIRS + 1):
        pairs += sum(open_paths.values())
        reached: dict[int, float] = {}
        for won, chance in open_paths.items():
            reached[won + 1] = reached.get(won + 1, 0.0) + chance * rate
            reached[won] = reached.get(won, 0.0) + chance * (1 - rate)
        open_paths = {}
        for won, chance in reached.items():
            tally, left = Tally(wins=won, losses=played - won), CONFIRM_PAIRS - played
            proof = proof_of(tally, left=left, alpha=ALPHA)
            proved += chance if proof is Proof.PROVED else 0.0
            open_paths |= {won: chance} if proof is Proof.OPEN else {}
    return proved, pairs


def show_regression(slips: float) -> None:
    """Compute how often a candidate that lost nothing is put out by a judge that errs, and print it."""
    asked, replays = REGRESSION_QUESTIONS, REGRESSION_REPLAYS
    once, again = (1 - (1 - slips**times) ** asked for times in (1, 1 + replays))
    print(
        f"  regression, computed, {100 * slips:.0f} % of matches lost by mistake, {asked} questions: put out "
        f"{100 * once:.1f} %; with {replays} replays {100 * again:.2f} %"
    )


def staged(rates: tuple[float, float], rng: np.random.Generator) -> tuple[bool, int]:
    """Let one canary grow as soon as it may; say whether it tripped and how many answers it gave."""
    canary = begin_canary("canary", SETTINGS.canary)
    while canary.status is CanaryStatus.RUNNING:
        who, what = rng.random(2)
        is_new = sees_new(canary.id, canary.percent, f"principal {int(1_000_000 * who)}")
        canary = canary.after(is_new=is_new, is_bad=bool(what < rates[is_new]))
        canary = canary.grown() if canary.may_grow else canary
    return canary.status is CanaryStatus.TRIPPED, canary.canary.asked


def held(rates: tuple[float, float], rng: np.random.Generator) -> tuple[bool, int]:
    """Keep one canary at a quarter; say whether it tripped and how many answers it gave."""
    rail, asked = Guardrail.begin(RATIOS), 0
    while asked < HELD_FOR:
        who, what = rng.random(2)
        is_canary = bool(who < 1 / 4)
        rail = rail.after(is_higher=is_canary, is_bad=bool(what < rates[is_canary]))
        asked += is_canary
        if rail.evidence * GUARDRAIL_ALPHA >= 1:
            return True, asked
    return False, asked


def show_canary(rates: tuple[float, float], runs: int, seed: int) -> None:
    """Run canaries with the BAD rates of control and canary, and print their row."""
    cells: list[str] = []
    for run in (staged, held):
        rng = np.random.default_rng(seed)
        ends = [run(rates, rng) for _ in range(runs)]
        asked = [count for has_tripped, count in ends if has_tripped]
        cells += [share_of([has_tripped for has_tripped, _ in ends]), f"{np.median(asked):.0f}" if asked else "-"]
    print(f"  {rates[0]:.2f} -> {rates[1]:.2f}{'':18}" + "".join(f"{cell:>15}" for cell in cells))


def main() -> None:
    """Read the options, and print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2_000, help="simulated jobs a row, or a tenth of it")
    parser.add_argument("--seed", type=int, default=0, help="what is drawn")
    options = parser.parse_args()
    print(f"selection: {CONFIRM_PAIRS} pairs at most, percent of jobs; alpha {ALPHA}")
    heads = ("jobs", "confirmed", "no better", "best", "person", "flagged", "pairs", "seed rule")
    print(f"  {'true win rates':32}" + "".join(f"{head:>11}" for head in heads))
    for world in WORLDS:
        show_world(world, options.jobs, options.seed)
    for rate in (0.5, 0.6, 0.7, 0.8, 0.9):
        proved, pairs = exact_proof(rate)
        print(
            f"  confirm alone, computed, true win rate {rate}: {100 * proved:.1f} % proved, {pairs:.1f} pairs on average"
        )
    show_regression(0.03)
    runs = max(1, options.jobs // FEW)
    print(f"canary: {runs} runs a row; percent that trip, and the median of answers from the new text until then")
    heads = ("staged: trip", "answers", "held: trip", "answers")
    print(f"  {'BAD rate, old -> new':30}" + "".join(f"{head:>15}" for head in heads))
    for rates in ((0.1, 0.1), (0.2, 0.2), (0.1, 0.2), (0.2, 0.4), (0.2, 0.6)):
        show_canary(rates, runs, options.seed)


if __name__ == "__main__":
    main()
