"""A process that remembers what others remember too, and maintains: ``python -m crash.integrator STORE NAME EVERY``.

It begins at a line of input, and tells of each statement once it is remembered. Every EVERY statements it maintains a
little; 0 for never. With a fault point and a number behind, it stops at its n-th visit there and waits to be killed.
"""

from __future__ import annotations

import sys

from crash.worker import stop_at, tell
from evolore.config import Settings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.database import FaultPoint

STATEMENTS = 60
THINGS = ("ferry", "baker", "violin", "lantern", "bridge", "garden", "ladder", "kettle", "piano", "tractor")
ADDED = ("harbour", "orchard")


def sentence(number: int) -> str:
    """Give one of forty statements, half of which come back; half of them say more than the others."""
    thing, place = THINGS[number % 10], ADDED[number // 10 % 2]
    first = f"Mika paints a {thing} beside the {place} wall."
    return first if number % 40 < 20 else f"{first} Nobody at the {place} looks at her {thing}."


def main() -> None:
    store, name, every, *fault = sys.argv[1:]
    if fault:
        stop_at(FaultPoint(fault[0]), int(fault[1]))
    with Memory.open(store, namespace="crash", embedder=HashingEmbedder(), settings=Settings()) as memory:
        tell(ready=name)
        sys.stdin.readline()
        for number in range(STATEMENTS):
            said = memory.remember(sentence(number), session=name)
            tell(id=said.id, text=said.text)
            if int(every) and number % int(every) == int(every) - 1:
                memory.maintain(items=20)


if __name__ == "__main__":
    main()
