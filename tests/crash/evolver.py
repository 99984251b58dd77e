"""A process that takes a job to its end: ``python -m crash.evolver FOLDER [POINT VISIT]``.

It goes on with what was begun, has it approved, and tells how it ended, what it asked and how often it came by each fault
point. With a fault point it stops at its n-th visit there, says so, and waits to be killed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from crash.worker import stop_at, tell
from evolore.domain.evolution import JobState, Operator
from evolore.evolution.settings import EvolutionSettings
from evolore.store import database
from evolore.store.database import FaultPoint
from evolving.complaints import open_memory
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from evolore.memory import Memory

DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))


def finish(memory: Memory) -> JobState:
    """Go on with the job, and approve it once it waits for that."""
    found = memory.evolve() or memory.evolution.jobs()
    job = memory.evolution.show(found[0].id)
    return memory.evolution.approve(job.id).job.state if job.state is JobState.WAITING else job.state


def main() -> None:
    folder, *fault = sys.argv[1:]
    visits: Counter[FaultPoint] = Counter()
    database.listeners.append(lambda point: visits.update([point]))
    if fault:
        stop_at(FaultPoint(fault[0]), int(fault[1]))
    editor = ScriptedEditor()
    with open_memory(Path(folder), model=editor, evolution=DETAIL) as memory:
        state = finish(memory)
    tell(state=state.value, calls=len(editor.asked), visits=[[point.value, times] for point, times in visits.items()])


if __name__ == "__main__":
    main()
