"""A memory with a document that people complain of, for tests of jobs."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
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
from evolving.scripted import NEW, OLD

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.domain.document import Document
    from evolore.ports import ChatModel

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
TEXT = f"# Refunds\n\nHow money comes back.\n\n## Time\n\n{OLD} They go to the card that paid.\n\n## Who\n\nThe desk decides. Call it at noon.\n"
BETTER = TEXT.replace(OLD, NEW)
NEWS = "# News of May\n\n## Refunds\n\nSince May refunds take 10 business days.\n"
PEOPLE = ("ann", "ben", "cy")
QUESTIONS = 60


@contextmanager
def open_memory(
    folder: Path, *, model: ChatModel | None = None, evolution: EvolutionSettings | None = None, **settings: object
) -> Generator[Memory]:
    """Open a memory whose chat model is a script."""
    made = Settings(evolution=evolution or EvolutionSettings(), **settings)  # pyright: ignore[reportArgumentType]
    clock = SteppingClock(DAY)
    with Memory.open(
        folder / "store", embedder=HashingEmbedder(), chat_model=model, clock=clock, settings=made
    ) as memory:
        yield memory


@cache
def _template() -> Path:
    """Fill a store once in a process, to be copied."""
    folder = Path(mkdtemp(prefix="evolore-complaints-"))
    with open_memory(folder) as memory:
        complain(memory, filled(memory))
    return folder


@contextmanager
def complained(
    folder: Path, *, model: ChatModel | None = None, evolution: EvolutionSettings | None = None, **settings: object
) -> Generator[Memory]:
    """Open a memory in which three people complained of a document of which sixty questions were asked."""
    if not (folder / "store").exists():
        copytree(_template() / "store", folder / "store")
    with open_memory(folder, model=model, evolution=evolution, **settings) as memory:
        yield memory


def filled(memory: Memory, *, questions: int = QUESTIONS, source: str = "refunds.md") -> Document:
    """Add a document, another that knows better, and questions that people asked of it."""
    document = memory.add_text(TEXT, source=source, media_type=MediaType.MARKDOWN)
    memory.add_text(NEWS, source="news.md", media_type=MediaType.MARKDOWN)
    for number in range(questions):
        memory.recall(f"how long do refunds take in case {number}?", record=True, principal=f"p{number}")
    return document


def complain(memory: Memory, document: Document, people: tuple[str, ...] = PEOPLE) -> None:
    """Have people rate a document BAD."""
    for who in people:
        memory.rate(document.id, "bad", comment="I was told otherwise.", principal=who)


def text_of(memory: Memory, source: str = "refunds.md") -> str:
    """Give what a document says now."""
    with memory._context.store.read(memory.namespace) as reader:
        document = reader.document_by_source(source)
        assert document is not None
        text = reader.document_text(document.id)
        assert text is not None
        return text
