"""A memory in which three readers were told what newer evidence corrects, for tests of proofs by a fact."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.evolution.settings import EvolutionSettings
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolving.complaints import DAY, NEWS, PEOPLE, TEXT

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.ports import ChatModel


@contextmanager
def opened(
    folder: Path,
    *,
    model: ChatModel | None = None,
    evolution: EvolutionSettings | None = None,
    hours: int = 0,
    **settings: object,
) -> Generator[Memory]:
    """Open a memory with a clock that goes on; all else is as it is by default."""
    made = Settings(evolution=evolution or EvolutionSettings(), **settings)  # pyright: ignore[reportArgumentType]
    clock = SteppingClock(DAY + timedelta(hours=hours), step=timedelta(milliseconds=1))
    with Memory.open(
        folder / "store", embedder=HashingEmbedder(), chat_model=model, clock=clock, settings=made
    ) as memory:
        yield memory


def ask_and_complain(memory: Memory, question: str = "how long do refunds take in case {}?") -> None:
    """Have three people ask, with their names in the question, and call the answer bad."""
    for who in PEOPLE:
        answer = memory.answer(question.format(who), principal=who)
        memory.rate(answer.id, "bad", principal=who)


def add(memory: Memory, text: str, source: str, *, principal: str | None = None) -> None:
    memory.add_text(text, source=source, media_type=MediaType.MARKDOWN, principal=principal)


@cache
def _template() -> Path:
    folder = Path(mkdtemp(prefix="evolore-corrections-"))
    with opened(folder) as memory:
        add(memory, TEXT, "refunds.md")
        ask_and_complain(memory)
        add(memory, NEWS, "news.md")
    return folder


@contextmanager
def outdated(
    folder: Path, *, model: ChatModel | None = None, evolution: EvolutionSettings | None = None, **settings: object
) -> Generator[Memory]:
    """Open a memory of two pages: three people complained of the one, and the other says since then what holds."""
    if not (folder / "store").exists():
        copytree(_template() / "store", folder / "store")
    with opened(folder, model=model, evolution=evolution, hours=1, **settings) as memory:
        yield memory
