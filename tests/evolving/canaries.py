"""A memory with a change that is before some people, for tests of canaries."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from evolore.config import Settings
from evolore.domain.evolution import JobState, Operator
from evolore.evolution.settings import CanarySettings, EvolutionSettings
from evolore.flows.shadows import sees_new
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolving.complaints import DAY, complained
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.domain.evolution import Promotion

HOW_LONG = "how long do refunds take?"
QUICK = CanarySettings(stages=(20, 50, 100), least_questions=6)


def with_canary(canary: CanarySettings) -> EvolutionSettings:
    return EvolutionSettings(operators=(Operator.MUTATION_DETAIL,), canary=canary)


@cache
def _waiting() -> Path:
    """Make a store with a job that waits for a person once in a process, to be copied."""
    folder = Path(mkdtemp(prefix="evolore-canaries-"))
    with complained(folder, model=ScriptedEditor(), evolution=with_canary(QUICK)) as memory:
        (job,) = memory.evolve()
        assert job.state is JobState.WAITING
    return folder


@contextmanager
def waiting(folder: Path, canary: CanarySettings = QUICK) -> Generator[tuple[Memory, str]]:
    """Open a memory with a job that waits for a person, and give the job's id."""
    if not (folder / "store").exists():
        copytree(_waiting() / "store", folder / "store")
    with reopened(folder, canary) as memory:
        (job,) = memory.evolution.jobs()
        yield memory, job.id


@contextmanager
def reopened(folder: Path, canary: CanarySettings = QUICK, *, hours: int = 1) -> Generator[Memory]:
    """Open it so many hours after it was filled, with a clock that goes on."""
    clock = SteppingClock(DAY + timedelta(hours=hours), step=timedelta(milliseconds=1))
    settings = Settings(evolution=with_canary(canary))
    with Memory.open(folder / "store", embedder=HashingEmbedder(), clock=clock, settings=settings) as memory:
        yield memory


def begun(memory: Memory, job_id: str, *, candidate: str = "", text: str | None = None) -> Promotion:
    promotion = memory.evolution.approve(
        job_id, candidate=candidate, text=text, canary=True, principal="boss"
    ).promotion
    assert promotion is not None
    return promotion


def people(promotion: Promotion, *, is_new: bool, percent: int = 20, count: int = 40) -> list[str]:
    """Give principals that a canary puts before one of both texts."""
    names = (f"person {number}" for number in range(10_000))
    return list(islice((one for one in names if sees_new(promotion.id, percent, one) is is_new), count))


def ask(memory: Memory, who: str | None, *, bad: bool = False, question: str = HOW_LONG) -> str:
    """Ask and maybe complain; give what was answered."""
    answer = memory.answer(question, principal=who)
    if bad:
        memory.rate(answer.id, "bad", principal=who)
    return answer.text


def crowd(promotion: Promotion, *, percent: int, new: int = 8) -> list[str]:
    """Give principals of whom so many see the new text, in the share told: who comes by chance may all see one text."""
    every, others = people(promotion, is_new=True, percent=percent, count=new), (100 - percent) / percent
    old = people(promotion, is_new=False, percent=percent, count=round(new * others))
    groups = [old[round(place * others) : round((place + 1) * others)] for place in range(new)]
    return [one for place, group in enumerate(groups) for one in (*group, every[place])]
