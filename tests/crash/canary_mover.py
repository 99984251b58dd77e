"""A process that moves a canary: ``python -m crash.canary_mover FOLDER MOVE [POINT VISIT]``.

With a fault point it stops at its n-th visit there, says so, and waits to be killed; without, it makes the move and tells
how often it came by each point.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from crash.worker import stop_at, tell
from evolore.domain.outcome import Rating
from evolore.evolution.settings import CanarySettings
from evolore.store import database
from evolore.store.database import FaultPoint
from evolving.canaries import HOW_LONG, begun, crowd, people, reopened, waiting

if TYPE_CHECKING:
    from evolore.domain.evolution import Promotion
    from evolore.memory import Memory

MOVES = ("begin", "grow", "complete", "trip", "rollback")
STAGES = CanarySettings(stages=(50, 60, 100), least_questions=6)


def fill(memory: Memory, promotion: Promotion, *, percent: int, bad: bool = False) -> None:
    """Have people ask, and maybe complain of the new text, without a rating that moves the canary by itself."""
    new = set(people(promotion, is_new=True, percent=percent, count=100))
    for who in crowd(promotion, percent=percent, new=30 if bad else 8):
        answer = memory.answer(HOW_LONG, principal=who)
        if bad and who in new:
            with memory._context.store.write(memory.namespace, principal=who) as writer:
                assert answer.query_id is not None
                writer.rate_query(answer.query_id, Rating.BAD, comment=None, at=memory._context.clock.now())


def prepared(folder: Path, move: str) -> Path:
    """Give a folder with a store in which a move is due; it is made once."""
    place = folder / move
    if place.exists():
        return place
    with waiting(place, STAGES) as (memory, job_id):
        if move != "begin":
            promotion = begun(memory, job_id)
            if move != "rollback":
                fill(memory, promotion, percent=50, bad=move == "trip")
            if move == "complete":
                memory.evolution.canary(promotion.id, grow=True)
                fill(memory, promotion, percent=60)
    return place


def make(memory: Memory, move: str) -> None:
    """Make a move."""
    (job,) = memory.evolution.jobs()
    if move == "begin":
        memory.evolution.approve(job.id, canary=True)
    elif move == "trip":
        memory.evolution.canaries(step=True)
    elif move == "rollback":
        memory.evolution.rollback(job.id, reason="no")
    else:
        memory.evolution.canary(job.id, grow=True)


def main() -> None:
    folder, move, fault = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    visits: Counter[FaultPoint] = Counter()
    with reopened(folder, STAGES, hours=2) as memory:
        if fault:
            stop_at(FaultPoint(fault[0]), int(fault[1]))
        else:
            database.listeners.append(lambda point: visits.update([point]))
        make(memory, move)
    tell(visits=[[point.value, times] for point, times in visits.items()])


if __name__ == "__main__":
    main()
