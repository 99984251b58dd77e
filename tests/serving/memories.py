"""A server's parts on a store of their own, with a clock that tests move."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import TYPE_CHECKING

from evolore.config import Settings
from evolore.models.offline import HashingEmbedder
from evolore.server.memories import Memories

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from evolore.evolution.settings import EvolutionSettings
    from evolore.ports import ChatModel

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_POLL_SECONDS = 0.01
_MOST_POLLS = 3000


class Hands:
    """A clock that stands still until it is moved."""

    def __init__(self, at: datetime = NOW) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def now(self) -> datetime:
        return self.at

    def move(self, **by: float) -> None:
        self.at += timedelta(**by)


@contextmanager
def memories_of(
    store: Path, *, clock: Hands, model: ChatModel | None = None, evolution: EvolutionSettings | None = None
) -> Generator[Memories]:
    """Open the memories of a store without a model of vectors that has to be read."""
    settings = Settings() if evolution is None else Settings(evolution=evolution)
    memories = Memories(store, embedder=HashingEmbedder(), chat_model=model, clock=clock, settings=settings)
    try:
        yield memories
    finally:
        memories.close()


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds, looking often; give up after half a minute."""
    pause = Event()
    for _ in range(_MOST_POLLS):
        if holds():
            return
        pause.wait(_POLL_SECONDS)
    raise AssertionError("it did not come to hold")
