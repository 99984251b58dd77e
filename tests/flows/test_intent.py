"""``recall`` says what a question is after, whoever embeds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.answers import Intent
from evolore.domain.language import Language
from evolore.errors import EmbedderBroken
from evolore.flows.intent import IntentSpaces, guess_intent
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.recall.intent import prototype_texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.ports import TextRole, Vectors


class Counting(HashingEmbedder):
    """Counts what it embeds."""

    texts = 0

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts, role=role)


class Broken(HashingEmbedder):
    """Gives vectors that are not of unit length."""

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        return 2 * super().embed(texts, role=role)


def test_prototypes_are_embedded_once_a_language_and_never_where_they_ship() -> None:
    embedder, spaces = Counting(16), IntentSpaces()
    space = spaces.of(embedder, Language.EN)
    in_english = len(prototype_texts(Language.EN)[0])
    assert embedder.texts == in_english
    assert spaces.of(embedder, Language.EN) is space
    assert embedder.texts == in_english
    spaces.of(embedder, Language.JA)
    both = in_english + len(prototype_texts(Language.JA)[0])
    assert embedder.texts == both
    shipped = IntentSpaces({(embedder.model.id, Language.EN): space.to_array()})
    assert (shipped.of(embedder, Language.EN).to_array() == space.to_array()).all()
    assert embedder.texts == both
    assert spaces.of(HashingEmbedder(32), Language.EN).centre.shape == (32,)


def test_an_embedder_that_is_broken_is_said() -> None:
    with pytest.raises(EmbedderBroken):
        guess_intent("When?", np.zeros(16, dtype=np.float32), embedder=Broken(16), spaces=IntentSpaces())


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
