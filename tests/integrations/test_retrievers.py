"""A memory where LangChain and LlamaIndex expect a retriever, a chat's history or a chat's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from llama_index.core.base.llms.types import ChatMessage, MessageRole

from evolore import Memory
from evolore.errors import InvalidValue
from evolore.integrations.langchain import EvoloreChatMessageHistory, EvoloreRetriever
from evolore.integrations.llamaindex import EvoloreMemory
from evolore.integrations.llamaindex import EvoloreRetriever as NodeRetriever
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as opened:
        yield opened


def fill(memory: Memory) -> None:
    memory.add_text("Refunds take 7 business days.", source="refunds.md", tags=["faq"])
    memory.remember("The code of the refund desk is 4711.", speaker="Mika", session="s")
    memory.remember("Refunds are paid on Fridays.", speaker="Ann")
    memory.remember("We had ramen.", speaker="Ann")


def test_a_langchain_retriever_gives_as_many_documents_as_it_is_told(memory: Memory) -> None:
    fill(memory)
    assert len(EvoloreRetriever(memory=memory, k=3).invoke("How long do refunds take?")) == 3
    retriever = EvoloreRetriever(memory=memory, k=1)
    (only,) = retriever.invoke("How long do refunds take?")
    assert only.page_content == "Refunds take 7 business days."
    assert only.metadata["source"] == "refunds.md"
    assert only.metadata["citation"].startswith("refunds.md")
    assert only.id == only.metadata["id"]
    assert len(retriever.invoke("How long do refunds take?", k=2)) == 2
    (filed,) = EvoloreRetriever(memory=memory, options={"tags": ["faq"]}).invoke("desk")
    assert filed.metadata["source"] == "refunds.md"
    assert [one.page_content for one in retriever.batch(["refunds?", "ramen?"])[1]] == ["We had ramen."]


MESSAGES: list[BaseMessage] = [
    SystemMessage("Be kind."),
    HumanMessage("ok", name="Mika"),
    HumanMessage("ok", name="Mika"),
    AIMessage("", tool_calls=[{"name": "look", "args": {"q": "門"}, "id": "1", "type": "tool_call"}]),
    ToolMessage("4711", tool_call_id="1"),
    AIMessage([{"type": "text", "text": "It is 4711."}]),
    HumanMessage("  I live in Munich.  "),
    HumanMessage("I live in Berlin now."),
]


def test_a_chat_history_gives_messages_back_as_they_were(memory: Memory) -> None:
    history = EvoloreChatMessageHistory(memory, "chat")
    other = EvoloreChatMessageHistory(memory, "other")
    other.add_user_message("Somebody else's.")
    assert history.messages == []
    for message in MESSAGES:
        history.add_message(message)
    assert history.messages == MESSAGES
    assert EvoloreChatMessageHistory(memory, "chat").messages == MESSAGES
    assert "Berlin" in memory.recall("Where do I live?", session="chat").hits[0].text
    history.clear()
    history.clear()
    assert history.messages == []
    assert len(other.messages) == 1


def test_a_llamaindex_retriever_gives_nodes_with_scores(memory: Memory) -> None:
    fill(memory)
    found = NodeRetriever(memory, similarity_top_k=2).retrieve("How long do refunds take?")
    assert found[0].node.get_content() == "Refunds take 7 business days."
    assert len(found) == 2
    assert found[0].score is not None
    assert found[0].score >= (found[1].score or 0)


def test_a_llamaindex_memory_gives_the_last_messages_and_what_bears_on_the_new_one(memory: Memory) -> None:
    fill(memory)
    chat = EvoloreMemory.from_defaults(memory=memory, session="chat", tokens=200)
    assert chat.get() == []
    said = [
        ChatMessage(
            role=MessageRole.USER if turn % 2 == 0 else MessageRole.ASSISTANT, content=f"Turn {turn}: {'word ' * 12}"
        )
        for turn in range(12)
    ]
    chat.put_messages(said)
    chat.put(ChatMessage(role=MessageRole.ASSISTANT, content=None, additional_kwargs={"tool_calls": []}))
    assert chat.get_all()[:12] == said
    given = chat.get("How long do refunds take?")
    assert given[0].role is MessageRole.SYSTEM
    assert "7 business days" in (given[0].content or "")
    assert given[-1] == chat.get_all()[-1]
    assert 3 < len(given) < 13
    chat.set(said[:2])
    assert chat.get_all() == said[:2]
    chat.reset()
    chat.reset()
    assert chat.get_all() == []
    with pytest.raises(InvalidValue, match="memory is None"):
        EvoloreMemory.from_defaults()


def test_a_correction_adds_no_message_to_a_history(memory: Memory) -> None:
    chain, index = EvoloreChatMessageHistory(memory, "chain"), EvoloreMemory.from_defaults(memory, "index")
    chain.add_messages([HumanMessage("We bake on Fridays."), AIMessage("Noted."), HumanMessage("Noted.")])
    index.put_messages([ChatMessage(content="We cook on Fridays."), ChatMessage(content="Fine.", role="assistant")])
    before = [one.content for one in chain.messages], [one.content for one in index.get_all()]
    for said in ("We bake on Fridays.", "We cook on Fridays."):
        wrong = next(one for one in memory.list().statements if one.text == said)
        memory.correct(wrong.id, said.replace("Fridays", "Mondays"))
    assert ([one.content for one in chain.messages], [one.content for one in index.get_all()]) == before
    assert before[0] == ["We bake on Fridays.", "Noted.", "Noted."]


def test_a_message_that_cannot_be_kept_erases_no_conversation(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "new", namespace="chat", embedder=HashingEmbedder()) as memory:
        index = EvoloreMemory.from_defaults(memory, "index")
        index.reset()  # there is nothing yet
        index.set([ChatMessage(content="We cook on Fridays.")])
        with pytest.raises(InvalidValue):
            index.set([ChatMessage(content="We eat."), ChatMessage(content="x" * 50_000)])
        assert [one.content for one in index.get_all()] == ["We cook on Fridays."]
        index.set([ChatMessage(content="We eat.")])
        assert [one.content for one in index.get_all()] == ["We eat."]
