"""MCP under the server, with its keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from evolore.server.keys import Scope
from server.serving import running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


def talk(
    address: str, headers: dict[str, str], what: Callable[[Client], Awaitable[None]], *, mode: str = "auto"
) -> None:
    async def run() -> None:
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
        ):
            await what(client)

    asyncio.run(run())


async def told(client: Client, name: str, **arguments: object) -> str:
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_key_works_in_its_own_namespace_alone(tmp_path: Path, mode: str) -> None:
    with running(tmp_path) as (served, address):
        served.house.memories.of("other").remember("The gate code is 1234.")
        header, _ = served.key(Scope.READ, Scope.WRITE, namespaces=["team"], label="Mika")

        async def use(client: Client) -> None:
            assert "recall" in {one.name for one in (await client.list_tools()).tools}
            said = await told(client, "remember", text="The gate code is 4711.")
            found = await told(client, "recall", question="What is the gate code?")
            assert "4711" in found
            assert "1234" not in found
            assert "remembered by Mika" in await told(client, "history", item_id=said.split()[-1].strip("."))

        talk(address, header, use, mode=mode)
        assert served.house.memories.of("team").stats().statements == 1
        reply = httpx2.post(f"{address}/mcp", headers={**header, "Evolore-Namespace": "other"}, json={})
        assert reply.status_code == 403
        assert "other" not in reply.text


def test_a_key_does_over_mcp_what_its_scopes_say(tmp_path: Path) -> None:
    with running(tmp_path) as (served, address):
        said = served.house.memories.of("default").remember("The gate code is 4711.")
        reader, _ = served.key(Scope.READ)
        rater, _ = served.key(Scope.RATE)
        admin, _ = served.key(Scope.ADMIN)

        async def read(client: Client) -> None:
            assert "4711" in await told(client, "recall", question="What is the gate code?")
            for name, given in (
                ("remember", {"text": "It rains."}),
                ("correct", {"item_id": said.id}),
                ("rate", {"item_id": said.id, "rating": "good"}),
                ("forget", {"item_id": said.id}),
            ):
                with pytest.raises(MCPError, match="lacks the scope"):
                    await client.call_tool(name, given)

        async def rate(client: Client) -> None:
            for name in ("recall", "answer"):
                with pytest.raises(MCPError, match="lacks the scope 'read'"):
                    await client.call_tool(name, {"question": "What is the gate code?"})
            with pytest.raises(MCPError, match="lacks the scope"):
                await client.read_resource(f"evolore://items/{said.id}")

        async def erase(client: Client) -> None:
            word = (await told(client, "forget", item_id=said.id)).split("confirm=")[1].strip("'.")
            assert (
                await told(client, "forget", item_id=said.id, confirm=word)
                == "Erased 1 episode; questions about it that are kept: 1."
            )

        talk(address, reader, read)
        talk(address, rater, rate)
        assert served.house.memories.of("default").stats().statements == 1
        talk(address, admin, erase)
        assert served.house.memories.of("default").stats().statements == 0


def test_without_a_key_that_holds_nothing_is_said(tmp_path: Path) -> None:
    with running(tmp_path) as (served, address):
        called = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        assert httpx2.post(f"{address}/mcp", json=called, headers={"Host": "evil.example"}).status_code == 403
        assert httpx2.post(f"{address}/mcp", json=called, headers={"Origin": "https://evil.example"}).status_code == 403
        served.key(Scope.READ)
        for header in ({}, {"Authorization": "Bearer evo_wrong"}):
            reply = httpx2.post(f"{address}/mcp", json=called, headers=header)
            assert reply.status_code == 401
            assert reply.headers["www-authenticate"] == "Bearer"
            assert "tools" not in reply.text
