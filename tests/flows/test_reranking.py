"""``recall`` with a reranker: the first hits in its order, and our order with a reason whenever it fails."""

from __future__ import annotations

import json
import re
from threading import Thread
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.domain.query import Reranking
from evolore.errors import InvalidSetting, InvalidValue
from evolore.flows.intent import ChatReranker
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault
from evolore.ports import RerankFailure
from evolore.recall.settings import RerankSettings
from scripted_judges import ScriptedReranker

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.chat import ChatRequest
    from evolore.domain.query import Recall
    from evolore.ports import ChatModel, Reranked, Reranker

SAID = [f"The harbour report number {number} is about boats." for number in range(12)]
QUESTION = "What does the harbour report say about boats?"


def opened(
    folder: Path,
    reranker: Reranker | None = None,
    *,
    chat_model: ChatModel | None = None,
    **rerank: Any,  # noqa: ANN401 - settings by name
) -> Memory:
    settings = Settings(rerank=RerankSettings(**rerank))
    memory = Memory.open(
        folder / "m.evolore", embedder=HashingEmbedder(), reranker=reranker, chat_model=chat_model, settings=settings
    )
    memory.remember_many(Statement(text=text, session="s", speaker="Mika") for text in SAID)
    return memory


def texts(found: Recall) -> list[str]:
    return [hit.text for hit in found.hits]


def number_of(text: str) -> float:
    return float(text.rsplit("number ", maxsplit=1)[1].split(maxsplit=1)[0])


def term(found: Recall, name: str = "rerank") -> list[float]:
    return [one.value for hit in found.hits for one in hit.terms if one.name == name]


@pytest.fixture
def plain(tmp_path: Path) -> Recall:
    with opened(tmp_path / "plain") as memory:
        return memory.recall(QUESTION, limit=12)


def test_without_a_reranker_nothing_is_said_of_one(plain: Recall) -> None:
    assert plain.reranking is None
    assert not term(plain)


def test_the_first_hits_stand_in_the_rerankers_order_and_the_others_behind_them(tmp_path: Path, plain: Recall) -> None:
    reranker = ScriptedReranker(lambda _, text: number_of(text))
    with opened(tmp_path, reranker, items=5, blend=1.0) as memory:
        found = memory.recall(QUESTION, limit=12)
        few = memory.recall(QUESTION, limit=2)
    assert texts(found)[:5] == sorted(texts(plain)[:5], key=number_of, reverse=True)
    assert texts(found)[5:] == texts(plain)[5:]
    assert texts(few) == texts(found)[:2]
    assert found.reranking == Reranking(name="scripted-reranker-1", items=5)
    for hit in found.hits:
        assert sum(one.value for one in hit.terms) == pytest.approx(hit.score, abs=1e-5)
    (question, asked), _ = reranker.asked
    assert question == QUESTION
    assert asked[0] == f"Mika: {texts(plain)[0]}"


def test_a_passage_is_judged_under_its_headings_and_no_longer_than_was_said(tmp_path: Path) -> None:
    reranker = ScriptedReranker(lambda _, text: len(text))
    with patch("evolore.recall.reranking._MOST_CHARACTERS", 60), opened(tmp_path, reranker) as memory:
        memory.add_text(
            "# Quay\n\n## Cranes\n\nThe crane lifts boats. " + "It lifts. " * 30,
            source="a.md",
            media_type=MediaType.MARKDOWN,
        )
        memory.recall("crane lifts boats", limit=3)
    assert any(text.startswith("Quay") and "crane" in text for _, asked in reranker.asked for text in asked)
    assert all(len(text) <= 60 for _, asked in reranker.asked for text in asked)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (np.array([1.0, np.nan, 2.0, 3.0, 4.0], dtype=np.float32), "1 are no number"),
        (np.array([1.0, np.inf, 2.0, np.nan, 4.0], dtype=np.float32), "2 are no number"),
        (np.ones(4, dtype=np.float32), r"shape \(4,\)"),
        (np.ones((5, 1), dtype=np.float32), r"shape \(5, 1\)"),
        (RerankFailure(reason="timed_out", detail="No reply within 60 seconds."), "timed_out: No reply"),
        (None, "failed: ZeroDivisionError"),
        ("words", "str came instead"),
    ],
)
def test_whatever_goes_wrong_our_order_stands_and_the_reason_is_given(
    tmp_path: Path,
    plain: Recall,
    answer: Any,  # noqa: ANN401 - wrong on purpose
    said: str,
) -> None:
    with opened(tmp_path, ScriptedReranker(lambda _, text: len(text) / 0, answer=answer), items=5) as memory:
        found = memory.recall(QUESTION, limit=12)
    assert texts(found) == texts(plain)
    assert not term(found)
    assert found.reranking is not None
    assert found.reranking.items == 0
    assert re.search(said, found.reranking.failure)


def test_a_fault_of_the_set_up_reaches_the_user(tmp_path: Path) -> None:
    class Unreadable(ScriptedReranker):
        def score(self, question: str, texts: Sequence[str]) -> Reranked:
            raise InvalidSetting(f"no model for {len(texts)} texts and {question!r}")

    with (
        opened(tmp_path, Unreadable(lambda _, text: len(text))) as memory,
        pytest.raises(InvalidSetting, match="no model"),
    ):
        memory.recall(QUESTION)


def test_one_hit_alone_is_not_judged(tmp_path: Path) -> None:
    reranker = ScriptedReranker(lambda _, text: len(text))
    with Memory.open(tmp_path / "m.evolore", embedder=HashingEmbedder(), reranker=reranker) as memory:
        memory.remember(SAID[0])
        assert memory.recall(QUESTION).reranking == Reranking(name="scripted-reranker-1")
    assert not reranker.asked


def test_others_recall_and_write_while_a_reranker_thinks(tmp_path: Path) -> None:
    done: list[str] = []

    def beside(memory: Memory) -> None:
        memory.remember("A boat left.")
        done.append("remembered")
        done.extend(hit.episode.id for hit in memory.recall(QUESTION, limit=3).hits)

    class Slow(ScriptedReranker):
        def score(self, question: str, texts: Sequence[str]) -> Reranked:
            if not self.asked:
                self.asked.append((question, tuple(texts)))
                other = Thread(target=beside, args=(memory,))
                other.start()
                other.join(timeout=30)
            return super().score(question, texts)

    with opened(tmp_path, Slow(lambda _, text: len(text))) as memory:
        found = memory.recall(QUESTION, limit=12)
    assert len(done) == 4
    assert len(found.hits) == 12


def test_what_is_forgotten_while_a_reranker_thinks_does_not_come_back(tmp_path: Path) -> None:
    class Forgetting(ScriptedReranker):
        def score(self, question: str, texts: Sequence[str]) -> Reranked:
            if not self.asked:
                memory.forget(worst)
            return super().score(question, texts)

    with opened(tmp_path, Forgetting(lambda _, text: number_of(text)), items=12, blend=1.0) as memory:
        worst = next(one.id for one in memory.list(limit=50).statements if number_of(one.text) == 11)
        found = memory.recall(QUESTION, limit=12)
    assert worst not in {hit.episode.id for hit in found.hits}
    assert texts(found) == sorted(texts(found), key=number_of, reverse=True)
    assert len(found.hits) == 11


def ordering(request: ChatRequest) -> str:
    passages = json.loads(request.messages[1].text.split("\n")[1])["passages"]
    best = sorted(passages, key=lambda one: number_of(one["text"]), reverse=True)
    return json.dumps({"order": [one["id"] for one in best]})


def test_a_chat_model_orders_hits_where_the_settings_say_so_and_within_its_budget(
    tmp_path: Path, plain: Recall
) -> None:
    model = ScriptedChatModel([ordering])
    with opened(tmp_path, chat_model=model, chat_calls=1, items=5, blend=1.0) as memory:
        found, later = memory.recall(QUESTION, limit=12), memory.recall(QUESTION, limit=12)
    assert texts(found)[:5] == sorted(texts(plain)[:5], key=number_of, reverse=True)
    assert found.reranking == Reranking(name="scripted-1/rerank-2", items=5)
    assert model.calls == 1
    assert texts(later) == texts(plain)
    assert later.reranking == Reranking(name="scripted-1/rerank-2", failure="out_of_budget")


def test_a_chat_model_is_not_asked_to_order_by_default(tmp_path: Path) -> None:
    model = ScriptedChatModel([ordering])
    with opened(tmp_path, chat_model=model) as memory:
        assert memory.recall(QUESTION).reranking is None
    assert model.calls == 0


@pytest.mark.parametrize("fault", [*ScriptedFault, '{"order": [1, 1, 2, 3, 4]}'])
def test_a_chat_model_that_fails_leaves_our_order(tmp_path: Path, plain: Recall, fault: ScriptedFault | str) -> None:
    with opened(tmp_path, chat_model=ScriptedChatModel([fault]), chat_calls=5, items=5) as memory:
        found = memory.recall(QUESTION, limit=12)
    assert texts(found) == texts(plain)
    assert found.reranking is not None
    assert found.reranking.failure


def test_a_budget_below_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue):
        ChatReranker(ScriptedChatModel(), calls=-1)


def test_a_failure_names_its_kind() -> None:
    assert str(RerankFailure(reason="refused")) == "refused"
    with pytest.raises(InvalidValue, match="blank"):
        RerankFailure(reason=" ")


def test_more_than_a_hundred_may_be_judged(tmp_path: Path) -> None:
    reranker = ScriptedReranker(lambda _, text: number_of(text))
    with opened(tmp_path, reranker, items=150, blend=1.0) as memory:
        memory.remember_many(
            Statement(text=f"The boat number {number} is in the harbour.") for number in range(20, 180)
        )
        found = memory.recall(QUESTION, limit=150, fold_echoes=False)
    ((_, judged),) = reranker.asked
    assert [number_of(text) for text in texts(found)] == sorted(map(number_of, judged), reverse=True)
    assert found.reranking == Reranking(name="scripted-reranker-1", items=150)
