"""An index is one thread's at a time: nobody reads it once it was given back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolore.domain.document import MediaType
from evolore.index.lexical import LexicalIndex
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def test_no_verb_reads_an_index_that_it_has_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as memory:
        opened: Any = memory._context.store
        read: list[str] = []

        def watched(name: str) -> None:
            method: Callable[..., Any] = getattr(LexicalIndex, name)

            def looked(self: LexicalIndex, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever it takes
                indexes = [entry.index for entry in opened._open.indexes._open.values()]
                owner = next((one for one in indexes if one._text is self), None)
                assert owner is None or owner.lock.locked(), f"{name} of an index that was given back"
                read.append(name)
                return method(self, *given, **named)

            monkeypatch.setattr(LexicalIndex, name, looked)

        for name in ("term_postings", "append", "remove", "compact", "state"):
            watched(name)
        text = "# Refunds\n\nRefunds take 7 business days.\n\n## Sale\n\nNo refunds in the sale.\n"
        memory.add(SourceText(source="refunds.md", text=text, media_type=MediaType.MARKDOWN))
        for number in range(30):
            memory.remember(f"Mika said that gate {number} opens with code {number}7.", speaker="Mika", session="s")
        memory.recall("How long do refunds take?", limit=3)
        said = memory.answer("How long do refunds take?")
        memory.rate(said.id, "good")
        memory.recall("Which code opens gate 7?", also=["other"], tokens=200, record=True)
        memory.answer("Which code opens gate 7?", also=["other"])
        memory.maintain()
        memory.store.doctor()
        assert {"term_postings", "append"} <= set(read)
