"""A process that runs one background job: ``python -m serving.job_runner STORE [HANG]``.

With ``HANG`` it tells once it has done a part of its work, and waits to be killed.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from evolore.server.background import Background, Running
from evolore.server.reach import Reach
from serving.memories import Hands, memories_of


def main() -> None:
    store, *hang = sys.argv[1:]
    clock = Hands(datetime(2026, 3, 2, 9, 30, tzinfo=UTC))
    if hang:
        said = Running.step

        def step(self: Running, line: str, *, amount: tuple[int, int]) -> None:
            said(self, line, amount=amount)
            if line.startswith(hang[0]):
                sys.stdout.write("there\n")
                sys.stdout.flush()
                Event().wait()

        Running.step = step
    with memories_of(Path(store), clock=clock) as memories:
        Background(memories, now=clock, reach=Reach(add_from=(Path("/"),))).run_next()


if __name__ == "__main__":
    main()
