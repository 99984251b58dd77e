"""Give an agent a memory over MCP: the server is started as a program of its own, as desktop clients do."""

import asyncio
import sys
import tempfile

from mcp import StdioServerParameters
from mcp.client import Client


async def main() -> None:
    """Remember one thing and recall it."""
    store = tempfile.mkdtemp()
    server = StdioServerParameters(command=sys.executable, args=["-m", "evolore", "mcp", "--store", store])
    async with Client(server) as client:
        await client.call_tool("remember", {"text": "The gate code is 4711.", "speaker": "Mika"})
        found = await client.call_tool("recall", {"question": "What is the gate code?"})
        print(found.content[0].model_dump()["text"])


asyncio.run(main())
