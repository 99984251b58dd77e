"""Make the same calls by LiteLLM's functions, bare and wrapped, and print whether they come to the same.

    pip install litellm          (381 MB; in a virtual environment of its own, with Evolore)
    PYTHONPATH=tests python benchmarks/litellm_calls.py

The server is the tests' stand-in, on this machine, by the protocols of OpenAI and of Anthropic. Compared are all fields of
replies, chunks and errors, without the ids and times that LiteLLM makes up. The memory knows something about each call.
"""

# pyright: basic, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import asyncio
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import evolore
from chat_server import ChatServer, chat_server
from evolore.models.offline import HashingEmbedder
from harness import command_line, new_memory

if TYPE_CHECKING:
    from collections.abc import Callable

ASKED = [{"role": "user", "content": "What is my daughter Yui allergic to?"}]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("openai/talks", {}),
    ("openai/talks", {"stream": True}),
    ("openai/talks", {"tools": TOOLS}),
    ("openai/talks", {"n": 2}),
    ("openai/many", {}),
    ("openai/bad", {"stream": True}),
    ("anthropic/talks", {}),
    ("anthropic/talks", {"stream": True}),
)


def plain(one: Any) -> Any:  # noqa: ANN401 - whatever LiteLLM returns
    """Return a reply without what is made up for each."""
    return {name: value for name, value in one.model_dump().items() if name not in {"id", "created"}}


async def outcome(call: Callable[..., Any], server: ChatServer, model: str, more: dict[str, Any]) -> tuple[Any, bool]:
    """Return what a call came to, and whether the server was told something from the memory."""
    server.bodies.clear()
    where = server.address if model.startswith("anthropic") else f"{server.address}/v1"
    try:
        reply = call(model, ASKED, api_base=where, api_key="none", num_retries=0, **more)
        reply = await reply if asyncio.iscoroutine(reply) else reply
        if not more.get("stream"):
            seen = plain(reply)
        elif hasattr(reply, "__anext__") and call.__name__ == "acompletion":
            seen = [plain(one) async for one in reply]
        else:
            seen = [plain(one) for one in reply]
    except Exception as error:  # noqa: BLE001 - what it is is compared
        seen = (type(error), getattr(error, "status_code", None))
    return seen, "<memory>" in str(server.bodies)


def main() -> None:
    """Print a line for each call."""
    command_line(__doc__).parse_args()
    litellm: Any = import_module("litellm")
    same = 0
    with chat_server() as server, new_memory(embedder=HashingEmbedder()) as memory:
        memory.remember("My daughter Yui is allergic to walnuts.", speaker="Mika")
        for bare in (litellm.completion, litellm.acompletion):
            wrapped = evolore.wrap(bare, memory, user="Mika", replies=True)
            for model, more in CALLS:
                expected, _ = asyncio.run(outcome(bare, server, model, more))
                found, was_told = asyncio.run(outcome(wrapped, server, model, more))
                same += found == expected and was_told
                name = f"{bare.__name__} {model} {', '.join(more)}"
                print(f"{name:44}{'same' if found == expected else 'OTHER'}{'' if was_told else ', told nothing'}")
    print(f"{same} of {2 * len(CALLS)} are the same, and were told what is remembered")


if __name__ == "__main__":
    main()
