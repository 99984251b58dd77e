"""A memory with a document that three people complained of by answers, each with a question of its own."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from evolore.evolution.search_settings import Strategy
from evolore.evolution.settings import EvolutionSettings
from evolving.complaints import PEOPLE, filled, open_memory
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.memory import Memory
    from evolore.ports import ChatModel

GEPA = EvolutionSettings(strategy=Strategy.GEPA)
TRIGGERS = tuple(f"how long do refunds take for {who}?" for who in PEOPLE)


@cache
def _template() -> Path:
    """Fill a store once in a process, to be copied."""
    folder = Path(mkdtemp(prefix="evolore-searches-"))
    with open_memory(folder, model=ScriptedEditor()) as memory:
        document = filled(memory)
        for who, question in zip(PEOPLE, TRIGGERS, strict=True):
            memory.rate(memory.answer(question, principal=who).id, "bad", comment="It is longer.", principal=who)
        assert {one.document_id for one in memory.feedback()} >= {document.id}
        for who in PEOPLE:
            memory.rate(document.id, "bad", comment="It is longer.", principal=who)
    return folder


@contextmanager
def answered_badly(
    folder: Path, *, model: ChatModel | None = None, evolution: EvolutionSettings = GEPA, **settings: object
) -> Generator[Memory]:
    """Open such a memory; candidates come of a search unless the settings say otherwise."""
    if not (folder / "store").exists():
        copytree(_template() / "store", folder / "store")
    with open_memory(folder, model=model, evolution=evolution, **settings) as memory:
        yield memory
