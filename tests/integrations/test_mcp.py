"""A memory as an MCP server, asked with the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.types import ElicitRequestParams, ElicitResult, TextContent, TextResourceContents

from evolore import Memory
from evolore.integrations.mcp import mcp_server
from evolore.integrations.tools import MemoryTools
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", namespace="team", embedder=HashingEmbedder()) as opened:
        yield opened


async def told(client: Client, name: str, **arguments: object) -> tuple[str, bool]:
    """Call a tool; give its text, and whether it failed."""
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text, bool(result.is_error)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_sees_the_tools_and_uses_them(memory: Memory, mode: str) -> None:
    async def talk() -> None:
        async with Client(mcp_server(MemoryTools(memory)), mode=mode) as client:
            tools = {one.name: one for one in (await client.list_tools()).tools}
            assert list(tools) == list(MemoryTools(memory).names)
            assert tools["recall"].annotations is not None
            assert tools["recall"].annotations.read_only_hint
            assert "namespace" not in json.dumps([one.input_schema for one in tools.values()])
            said, _ = await told(client, "remember", text="The gate code is 4711.")
            item_id = said.split()[-1].strip(".")
            found, is_wrong = await told(client, "recall", question="What is the gate code?")
            assert "4711" in found
            assert not is_wrong
            read = await client.read_resource(f"evolore://items/{item_id}")
            (content,) = read.contents
            assert isinstance(content, TextResourceContents)
            assert content.text == "The gate code is 4711."
            problem, is_wrong = await told(client, "history", item_id="zzz")
            assert is_wrong
            assert "zzz" in problem
            problem, is_wrong = await told(client, "remember", speaker="Mika")
            assert (problem, is_wrong) == ("Not done. text: Field required.", True)

    asyncio.run(talk())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("agrees", [True, False])
def test_a_client_that_can_ask_its_user_does_before_anything_is_erased(
    memory: Memory, *, agrees: bool, mode: str
) -> None:
    said = memory.remember("The gate code is 4711.")
    asked: list[str] = []

    async def user(context: object, params: ElicitRequestParams) -> ElicitResult:
        del context
        asked.append(params.message)
        return ElicitResult(action="accept", content={"agreed": agrees})

    async def talk() -> None:
        async with Client(mcp_server(MemoryTools(memory)), elicitation_callback=user, mode=mode) as client:
            text, _ = await told(client, "forget", item_id=said.id)
            assert text.startswith("Erased" if agrees else "Nothing is erased")

    asyncio.run(talk())
    assert len(asked) == 1
    assert said.id in asked[0]
    assert memory.stats().statements == (0 if agrees else 1)


def test_a_client_that_cannot_ask_gets_a_word_to_say(memory: Memory) -> None:
    said = memory.remember("The gate code is 4711.")

    async def talk() -> None:
        async with Client(mcp_server(MemoryTools(memory))) as client:
            await told(client, "forget", item_id=said.id, agreement={"agreed": True})
            text, _ = await told(client, "forget", item_id=said.id)
            assert memory.stats().statements == 1, "a model does not agree for its user"
            word = text.split("confirm=")[1].strip("'.")
            text, _ = await told(client, "forget", item_id=said.id, confirm=word)
            assert text == "Erased 1 episode."

    asyncio.run(talk())


def test_what_clients_really_send_is_answered_or_refused_with_a_sentence(memory: Memory) -> None:
    calls: list[tuple[str, dict[str, object], str]] = [
        ("remember", {"text": "Mika lives in Kobe.", "speaker": "", "session": None}, "Remembered as"),
        ("remember", {"text": 4711, "session": 7}, "Remembered as"),
        ("remember", {"content": "Mika"}, "content: the tool takes text, speaker"),
        ("remember", {}, "text: Field required"),
        ("remember", {"text": None}, "text: Input should be a valid string"),
        ("remember", {"text": " "}, "blank"),
        ("recall", {"question": "Where does Mika live?", "as_of": ""}, "Kobe"),
        ("recall", {"question": "Where does Mika live?", "as_of": None}, "Kobe"),
        ("recall", {"question": "Where does Mika live?", "limit": 5}, "limit: the tool takes question, as_of"),
        ("recall", {"query": "Where does Mika live?"}, "query: the tool takes question, as_of"),
        ("recall", {"question": "Where?", "namespace": "other"}, "namespace: the tool takes"),
        ("recall", {"question": "Where?", "as_of": "someday"}, "someday"),
        ("answer", {"question": "Where does Mika live?"}, "Kobe"),
        ("answer", {"question": ["Where?"]}, "question: Input should be a valid string"),
        ("outline", {"item_id": "zzz", "code": 2.1, "expand": "true"}, "zzz"),
        ("outline", {"item_id": "zzz", "expand": "perhaps"}, "expand: Input should be a valid boolean"),
        ("history", {"item_id": 12}, "12"),
        ("correct", {"item_id": "zzz", "text": ""}, "zzz"),
        ("rate", {"item_id": "zzz", "rating": "fine"}, "good"),
        ("rate", {"item_id": "zzz", "rating": "good", "comment": ""}, "zzz"),
        ("forget", {"item_id": "zzz"}, "zzz"),
        ("forgit", {"item_id": "zzz"}, "There is no tool 'forgit': use one of recall"),
        ("recall", {"question": "Where does Mika live?", "as_of": "null"}, "Kobe"),
        ("recall", {"question": "Where does Mika live?", "toolCallId": "call_1"}, "Kobe"),
        ("recall", {"question": "Where does Mika live?", "task_progress": "- [x] ask"}, "Kobe"),
    ]

    async def talk() -> None:
        async with Client(mcp_server(MemoryTools(memory))) as client:
            for name, arguments, expected in calls:
                text, _ = await told(client, name, **arguments)
                assert expected in text, (name, arguments)
                assert "Error executing" not in text, (name, arguments)

    asyncio.run(talk())


def test_the_command_serves_over_standard_input_and_output(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", namespace="other") as other:
        other.remember("The gate code is 1234.")
    arguments = ["-m", "evolore", "mcp", "--store", str(tmp_path / "store"), "--namespace", "team"]
    process = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def talk() -> None:
        async with Client(process) as client:
            await told(client, "remember", text="The gate code is 4711.", speaker="Mika")
            found, _ = await told(client, "recall", question="What is the gate code?")
            assert "4711" in found
            assert "1234" not in found

    asyncio.run(talk())
    with Memory.open(tmp_path / "store", namespace="team") as memory:
        assert memory.stats().statements == 1


def test_the_command_prints_what_clients_start_it_with(tmp_path: Path) -> None:
    import subprocess  # noqa: PLC0415

    arguments = [
        sys.executable,
        "-m",
        "evolore",
        "mcp",
        "--print-config",
        "--json",
        "--store",
        str(tmp_path),
        "--read-only",
    ]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    snippets = json.loads(done.stdout)
    (server,) = json.loads(next(iter(snippets.values())))["mcpServers"].values()
    assert server["args"] == ["mcp", "--store", str(tmp_path), "--read-only"]
    assert not any(tmp_path.iterdir())
