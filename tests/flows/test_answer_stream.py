"""Answers that are told while a chat model writes them, and what they say where sources contradict each other."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from typing import TYPE_CHECKING, cast

import pytest

from evolore import AsyncMemory
from evolore.answers.writing import SentencePieces
from evolore.config import Settings
from evolore.domain.answer import Answer, AnswerKind
from evolore.domain.chat import ChatSettings
from evolore.domain.episode import Statement
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault
from evolore.models.openai_connection import OpenAIChat
from offline_server import OfflineChatServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evolore.ports import ChatModel

QUESTION = "How long do refunds take?"
SAID = "Refunds take seven business days."
REPLY = json.dumps({"in_sources": True, "sentences": [{"text": SAID, "passages": [1]}]})
PRICE = ("plan", "price")


class Whole:
    """A chat model that cannot stream."""

    def __init__(self, model: ScriptedChatModel) -> None:
        self.info, self.complete, self.prompt_log_probs = model.info, model.complete, model.prompt_log_probs


def opened(path: Path, model: ChatModel | None) -> Memory:
    memory = Memory.open(path, embedder=HashingEmbedder(), chat_model=model, settings=Settings())
    memory.remember("Refunds take seven business days.", speaker="Mika")
    return memory


def taken(pieces: Iterator[str | Answer]) -> tuple[list[str], Answer]:
    *told, last = pieces
    return cast("list[str]", told), cast("Answer", last)


def test_the_words_come_in_pieces_and_the_checked_answer_last(tmp_path: Path) -> None:
    with closing(opened(tmp_path, ScriptedChatModel([REPLY]))) as memory:
        told, said = taken(memory.answer_stream(QUESTION))

        assert len(told) > 3
        assert "".join(told) == SAID
        assert (said.kind, said.text) == (AnswerKind.WRITTEN, f"{SAID} [1]")
        assert said.usage.calls == 1
        assert memory.questions.show(said.query_id or "").text == QUESTION


@pytest.mark.parametrize("model", [None, Whole(ScriptedChatModel([REPLY])), ScriptedChatModel([ScriptedFault.TIMEOUT])])
def test_what_cannot_be_streamed_comes_checked_and_in_one_piece(tmp_path: Path, model: ChatModel | None) -> None:
    with closing(opened(tmp_path, model)) as memory:
        told, said = taken(memory.answer_stream(QUESTION))
        assert told == [said.text]


def test_pieces_that_prove_unusable_are_not_the_answer(tmp_path: Path) -> None:
    invented = json.dumps({"in_sources": True, "sentences": [{"text": "Refunds take 99 days.", "passages": [1]}]})
    with closing(opened(tmp_path, ScriptedChatModel([invented]))) as memory:
        told, said = taken(memory.answer_stream(QUESTION))

        assert "".join(told) == "Refunds take 99 days."
        assert said.kind is AnswerKind.EXTRACTED
        assert said.reason.startswith("invented")


def test_a_wrong_question_is_refused(tmp_path: Path) -> None:
    with closing(opened(tmp_path, None)) as memory, pytest.raises(InvalidValue, match="question"):
        list(memory.answer_stream(" "))


def test_what_is_no_longer_taken_is_taken_down_all_the_same(tmp_path: Path) -> None:
    with closing(opened(tmp_path, ScriptedChatModel([REPLY]))) as memory:
        pieces = memory.answer_stream(QUESTION)
        assert SAID.startswith(cast("str", next(pieces)))
        assert memory.answer_stream(QUESTION) is not pieces
        list(pieces)
        assert memory.stats().answers == 1


def test_it_can_be_awaited(tmp_path: Path) -> None:
    async def run(memory: Memory) -> list[str | Answer]:
        return [piece async for piece in AsyncMemory(memory).answer_stream(QUESTION)]

    with closing(opened(tmp_path, ScriptedChatModel([REPLY]))) as memory:
        *told, last = asyncio.run(run(memory))
        assert "".join(cast("list[str]", told)) == SAID
        assert isinstance(last, Answer)


@pytest.mark.parametrize("fence", ["", "```json\n"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_text_of_a_reply_is_told_as_far_as_it_is_known(size: int, fence: str) -> None:
    told: list[str] = []
    text = fence + json.dumps(
        {
            "in_sources": True,
            "sentences": [{"text": 'Say "yes"\u200b.', "passages": [1]}, {"text": "好。", "passages": [1]}],
        }
    )
    hear = SentencePieces(told.append, Language.EN)
    for start in range(0, len(text), size):
        hear(text[start : start + size])
    assert "".join(told) == 'Say "yes". 好。'


def test_a_server_streams(tmp_path: Path) -> None:
    with OfflineChatServer([REPLY]) as server:
        model = OpenAIChat(ChatSettings(model="m", base_url=server.url))
        with closing(opened(tmp_path, model)) as memory:
            told, said = taken(memory.answer_stream(QUESTION))

        assert len(told) > 3
        assert "".join(told) == SAID
        assert said.kind is AnswerKind.WRITTEN
        assert said.usage.prompt_tokens > 0
        assert server.bodies[0]["stream"] is True


def conflict(memory: Memory, form: str = "Our plan costs {} euros.") -> None:
    memory.remember_many(
        [
            Statement(text=form.format(30), speaker="Mika", occurred_at="2026-02-01", about=PRICE),
            Statement(text=form.format(40), speaker="Jonas", occurred_at="2026-02-01", about=PRICE),
        ]
    )


@pytest.mark.parametrize(
    ("form", "question", "words"),
    [
        ("Our plan costs {} euros.", "What does our plan cost?", "The sources disagree: "),
        ("プランの料金は月{}ユーロです。", "プランの料金は月いくらですか？", "資料が食い違っています"),
        ("我们套餐的价格是每月{}欧元。", "我们套餐的价格是每月多少欧元？", "资料说法不一"),
    ],
)
def test_an_answer_says_that_its_sources_disagree_and_cites_both(
    memory: Memory, form: str, question: str, words: str
) -> None:
    conflict(memory, form)
    said = memory.answer(question, limit=1)

    assert said.kind is AnswerKind.EXTRACTED
    assert {one.source for one in said.citations} == {"Mika", "Jonas"}
    assert words in said.text
    assert "Mika, 2026-02-01" in said.text
    assert "Jonas, 2026-02-01" in said.text
    assert said.conflicts == ((1, 2),)


def test_a_written_answer_says_so_too(tmp_path: Path) -> None:
    replies: Sequence[str] = [
        json.dumps({"in_sources": True, "sentences": [{"text": "Our plan costs 40 euros.", "passages": [1]}]}),
        json.dumps({"in_sources": True, "sentences": [{"text": "Our plan costs 30 euros.", "passages": [1]}]}),
    ]
    with closing(Memory.open(tmp_path, embedder=HashingEmbedder(), chat_model=ScriptedChatModel(replies))) as memory:
        conflict(memory)
        written = [memory.answer("What does our plan cost?", limit=1) for _ in replies]

    said = next(one for one in written if one.kind is AnswerKind.WRITTEN)
    assert "The sources disagree: [1] " in said.text
    assert said.conflicts == ((1, 2),)


def test_a_superseded_value_is_not_quoted(memory: Memory) -> None:
    memory.remember("The office is in Munich.", occurred_at="2026-01-05", about=("office", "city"))
    memory.remember("The office is in Berlin now.", occurred_at="2026-03-02", about=("office", "city"))

    said = memory.answer("In which city is the office, Munich?")
    assert "Munich" not in said.text
    assert "disagree" not in said.text
