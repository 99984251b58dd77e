"""``recall`` says what a question is after, whoever embeds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.config import Settings
from evolore.domain.language import Language
from evolore.domain.query import Intent
from evolore.errors import InvalidValue
from evolore.flows.intent import ChatIntents, IntentSpaces
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault
from evolore.ports import EmbeddingModel
from evolore.recall.settings import IntentSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from evolore.domain.query import Recall
    from evolore.ports import TextRole, Vectors


class Counting(HashingEmbedder):
    """Counts what it embeds."""

    texts = 0

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts, role=role)


def test_what_shipped_is_read_once_and_when_it_is_first_asked_for() -> None:
    read: list[EmbeddingModel] = []

    def shipped(model: EmbeddingModel) -> dict[Language, npt.NDArray[np.float32]]:
        read.append(model)
        return {Language.EN: np.eye(6, model.dimension, dtype=np.float32)}

    spaces = IntentSpaces(shipped)
    one, other = (EmbeddingModel(id=f"model-{size}", dimension=size) for size in (16, 48))
    assert not read
    assert spaces.of(one, Language.EN) is spaces.of(one, Language.EN) is not None
    assert spaces.of(one, Language.JA) is None
    assert spaces.of(other, Language.EN) is not spaces.of(one, Language.EN)
    assert read == [one, other]


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


SAYS = '{"intent": "relational", "confidence": 0.75}'
"""What no rule would make of a question that begins with "When"."""
WHENS = ("When did one go?", "When did two go?", "When did two go?", "When did three go?")


def asked(folder: Path, model: ScriptedChatModel, *texts: str, calls: int = 10) -> list[Recall]:
    settings = Settings(intent=IntentSettings(chat_calls=calls))
    with Memory.open(folder / "m", embedder=HashingEmbedder(16), chat_model=model, settings=settings) as memory:
        memory.remember("We moved in May.")
        return [memory.recall(text) for text in texts]


def test_a_chat_model_says_the_intent_where_the_settings_say_so(tmp_path: Path) -> None:
    (found,) = asked(tmp_path, ScriptedChatModel([SAYS]), "When did we move?")
    assert (found.intent, found.intent_confidence) == (Intent.RELATIONAL, 0.75)
    assert found.is_intent_by_chat_model
    assert not found.intent_reason


def test_a_chat_model_is_not_asked_by_default(tmp_path: Path) -> None:
    model = ScriptedChatModel([SAYS])
    (found,) = asked(tmp_path, model, "When did we move?", calls=0)
    assert found.intent is Intent.TEMPORAL
    assert not found.is_intent_by_chat_model
    assert not found.intent_reason
    assert model.calls == 0


def test_the_same_question_is_asked_of_the_chat_model_once(tmp_path: Path) -> None:
    model = ScriptedChatModel([SAYS])
    asked(tmp_path, model, "When did we move?", "Where?", "When did we move?")
    assert model.calls == 2


@pytest.mark.parametrize("fault", [*ScriptedFault, '{"intent": "temporal", "confidence": 7}'])
def test_a_chat_model_that_fails_leaves_the_rules_guess_with_a_reason(
    tmp_path: Path, fault: ScriptedFault | str
) -> None:
    (found,) = asked(tmp_path, ScriptedChatModel([fault]), "When did we move?")
    assert found.intent is Intent.TEMPORAL
    assert not found.is_intent_by_chat_model
    assert found.intent_reason
    assert len(found.hits) == 1


def test_beyond_its_budget_the_chat_model_is_not_asked(tmp_path: Path) -> None:
    model = ScriptedChatModel([ScriptedFault.EMPTY, SAYS])
    failed, said, again, over = asked(tmp_path, model, *WHENS, calls=2)
    assert failed.intent_reason.startswith("unusable_reply")
    assert said.is_intent_by_chat_model
    assert again.is_intent_by_chat_model
    assert over.intent_reason == "out_of_budget"
    assert over.intent is Intent.TEMPORAL
    assert model.calls == 2


def test_what_was_said_is_remembered_of_so_many_questions_and_a_failure_of_none() -> None:
    model = ScriptedChatModel([ScriptedFault.TIMEOUT, SAYS])
    intents = ChatIntents(model, calls=100, most=2)
    for question in ("a", "a", "b", "a", "c", "a", "b"):
        intents.of(question)
    assert model.calls == 5  # "a" after its failure, "b", "c", and "b" again, which made room for "c"
    with pytest.raises(InvalidValue):
        ChatIntents(model, calls=-1)
