"""``recall`` says what a question is after, whoever embeds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.answers import Intent
from evolore.domain.language import Language
from evolore.flows.intent import IntentSpaces
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from evolore.ports import TextRole, Vectors


class Counting(HashingEmbedder):
    """Counts what it embeds."""

    texts = 0

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts, role=role)


def test_what_shipped_is_read_once_and_when_it_is_first_asked_for() -> None:
    read: list[str] = []

    def shipped() -> dict[Language, npt.NDArray[np.float32]]:
        read.append("read")
        return {Language.EN: np.eye(6, 16, dtype=np.float32)}

    spaces = IntentSpaces(shipped)
    assert not read
    assert spaces.of(Language.EN) is spaces.of(Language.EN) is not None
    assert spaces.of(Language.JA) is None
    assert read == ["read"]


def test_a_question_is_all_that_an_embedder_of_ones_own_is_given(tmp_path: Path) -> None:
    embedder = Counting(16)
    with Memory.open(tmp_path / "m.evolore", embedder=embedder) as memory:
        memory.remember("We moved in May.")
        before = embedder.texts
        memory.recall("When did we move?")
        assert embedder.texts == before + 1


def test_recall_carries_the_intent_and_its_confidence(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.evolore", embedder=HashingEmbedder(16)) as memory:
        memory.remember("We moved in May.")
        asked = {
            "When did we move?": Intent.TEMPORAL,
            "どんな気持ちで引っ越した？": Intent.EMOTIONAL,
            "怎么安装打印机驱动？": Intent.TECHNICAL,
        }
        for text, intent in asked.items():
            found = memory.recall(text)
            assert found.intent is intent
            assert 0.2 < found.intent_confidence <= 1.0
            assert len(found.hits) == 1
