"""A process that writes to a store until it is killed, and says what it does: ``worker.py STORE SEED [POINT VISIT]``.

Each line it prints is a JSON object, flushed: ``begin`` before a verb, ``done`` once the verb has returned, which is
when its ids count as acknowledged. With a fault point it stops at its n-th visit there, says so, and waits to be killed.
"""

from __future__ import annotations

import json
import random
import signal
import sys
from hashlib import sha256
from itertools import count
from typing import NoReturn

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.errors import NamespaceNotFound
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import database
from evolore.store.database import FaultPoint

SOURCES = tuple(f"page-{number}.md" for number in range(6))
LARGE = "large.md"
SETTINGS = Settings(max_leaves_at_once=64)
WORDS = ("harbour", "ledger", "猫", "犬が好き", "velvet", "timber", "orchard", "signal", "marble", "copper", "lantern")


def tell(**line: object) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=True) + "\n")
    sys.stdout.flush()


def stop_at(point: FaultPoint, visit: int) -> None:
    visits = count(1)

    def listen(reached: FaultPoint) -> None:
        if reached is point and next(visits) == visit:
            tell(at=point.value)
            signal.pause()

    database.listeners.append(listen)


class Worker:
    """Remembers, adds and forgets in a seeded order."""

    def __init__(self, memory: Memory, seed: int) -> None:
        self._memory = memory
        self._random = random.Random(seed)
        self._seed = seed
        self._said = 0

    def run(self) -> NoReturn:
        verbs = (self.remember, self.remember_many, self.add_page, self.add_page, self.add_large, self.forget)
        while True:
            self._random.choice(verbs)()

    def remember(self) -> None:
        text = self._sentence()
        tell(begin="remember")
        episode = self._memory.remember(text, session=self._random.choice([None, "a", "b"]))
        tell(done="remember", statements=[[episode.id, text]])

    def remember_many(self) -> None:
        texts = [self._sentence() for _ in range(self._random.randint(2, 20))]
        tell(begin="remember_many")
        made = self._memory.remember_many(Statement(text=text, session="c") for text in texts).episodes
        tell(done="remember_many", statements=[[episode.id, episode.text] for episode in made])

    def add_page(self) -> None:
        self._add(self._random.choice(SOURCES), sections=self._random.randint(2, 9))

    def add_large(self) -> None:
        self._add(LARGE, sections=self._random.randint(90, 140))

    def forget(self) -> None:
        try:
            listing = self._memory.list(limit=500)
        except NamespaceNotFound:
            return
        held = [*(document.id for document in listing.documents), *(item.id for item in listing.statements)]
        if held:
            chosen = self._random.choice(held)
            tell(begin="forget", id=chosen)
            self._memory.forget(chosen)
            tell(done="forget", id=chosen)

    def _add(self, source: str, *, sections: int) -> None:
        parts = [
            f"Part {number}\n\n{self._sentence()} " + f"{WORDS[number % 11]} stays. " * 30 for number in range(sections)
        ]
        text = "\n\n".join(parts)
        tell(begin="add", source=source)
        document = self._memory.add_text(text, source=source)
        tell(done="add", source=source, id=document.id, sha256=sha256(text.encode()).hexdigest())

    def _sentence(self) -> str:
        self._said += 1
        return f"{' '.join(self._random.choices(WORDS, k=7))} {self._seed}-{self._said}."


def main() -> None:
    store, seed, *fault = sys.argv[1:]
    if fault:
        stop_at(FaultPoint(fault[0]), int(fault[1]))
    with Memory.open(store, namespace="crash", embedder=HashingEmbedder(), settings=SETTINGS) as memory:
        Worker(memory, int(seed)).run()


if __name__ == "__main__":
    main()
