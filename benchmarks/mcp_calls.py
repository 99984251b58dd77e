"""Make 30 calls to `evolore mcp` as clients really send them, and print which are answered and which refused with a sentence.

    PYTHONPATH=src python benchmarks/mcp_calls.py [--show]

The server is a process of its own, on a store with a statement and a document. `tests/data/mcp/calls.jsonl` holds the calls: the
client that sends it so with the report of it, the request, the kind of reply expected and words of it. They are written as lines
of JSON-RPC; calls of tools whose arguments are an object are made once more by the SDK's own client. Two more are no single line:
two calls at once of which one is cancelled, and a ping behind a batch, which the SDK does not answer. A reply that lacks the
words, is no sentence where it refuses, or shows a program's inside, is "other". The bar: none is.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp import StdioServerParameters
from mcp.client import Client

from evolore import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CALLS = Path(__file__).parents[1] / "tests" / "data" / "mcp" / "calls.jsonl"
SECONDS = 120.0
INSIDE = re.compile(r"Traceback|pydantic|input_value|<class|Error executing|Internal error|\w+Error\b")
ASKED = {"name": "recall", "arguments": {"question": "Where does Mika live?"}}
TWO = {"client": "Cursor: a second call beside one that is cancelled", "kind": "answered", "words": "Kobe"}
BATCH = {"client": "any: a ping behind a batch and a line that is no request", "kind": "answered", "words": "result"}
Row: TypeAlias = "Mapping[str, Any]"


class Server:
    """The command as a process, spoken to in lines."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._timer = Timer(SECONDS, self._process.kill)  # a reply that does not come ends the process, and the reading
        self._timer.start()

    def write(self, *messages: object) -> None:
        """Send messages, a line each."""
        assert self._process.stdin is not None
        self._process.stdin.writelines(f"{json.dumps(one)}\n" for one in messages)
        self._process.stdin.flush()

    def read(self, number: object) -> Row:
        """Return the reply to a request; what else comes is passed over."""
        assert self._process.stdout is not None
        replies: Iterator[Row] = map(json.loads, self._process.stdout)
        nothing: Row = {}
        return next((one for one in replies if one.get("id", "") == number), nothing)

    def close(self) -> None:
        """End it as clients do: by the end of its input."""
        self._process.communicate(timeout=SECONDS)
        self._timer.cancel()


def _request(number: object, method: str, params: object) -> Row:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _kind(reply: Row, words: str) -> tuple[str, str]:
    """Return what a reply is, and its text."""
    result = reply.get("result", {})
    is_error = "error" in reply or bool(result.get("isError"))
    texts = (
        [reply["error"]["message"]] if "error" in reply else [one.get("text", "") for one in result.get("content", ())]
    )
    text = "\n".join(texts) or json.dumps(reply)
    is_sentence = len(text.split()) > 2 and INSIDE.search(text) is None
    if words not in text or not reply or (is_error and not is_sentence):
        return "other", text
    return "refused" if is_error else "answered", text


def _by_lines(command: list[str], rows: list[Row]) -> Iterator[tuple[Row, str, str]]:
    server = Server(command)
    for number, row in enumerate(rows):
        server.write(_request(number, row["method"], row["params"]))
        yield row, *_kind(server.read(number), row["words"])
        if number == 0:
            server.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a", "reason": "Esc"}}
    server.write(_request("a", "tools/call", ASKED), _request("b", "tools/call", ASKED), cancelled)
    yield TWO, *_kind(server.read("b"), TWO["words"])
    server.write([_request("c", "ping", {})], "{", _request("d", "ping", {}))
    yield BATCH, *_kind(server.read("d"), BATCH["words"])
    server.close()


async def _by_client(command: list[str], rows: list[Row]) -> list[tuple[Row, str, str]]:
    async with Client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))) as client:
        done: list[tuple[Row, str, str]] = []
        for row in rows:
            reply = await client.call_tool(row["params"]["name"], row["params"]["arguments"])
            done.append((row, *_kind({"result": reply.model_dump(by_alias=True)}, row["words"])))
        return done


def _takes_client(row: Row) -> bool:
    return row["method"] == "tools/call" and isinstance(row["params"].get("arguments"), dict)


def _print(what: str, done: list[tuple[Row, str, str]]) -> bool:
    """Print what came back; return whether all is as expected."""
    for row, kind, text in done:
        if kind != row["kind"] or "--show" in sys.argv:
            print(f"{kind:<9} expected {row['kind']:<9} {row['client']}\n          {text[:300]!r}")
    kinds = [kind for _, kind, _ in done]
    counted = f"{kinds.count('answered')} answered, {kinds.count('refused')} refused with a sentence, {kinds.count('other')} other"
    as_expected = sum(kind == row["kind"] for row, kind, _ in done)
    print(f"{what}: {len(done)} calls, {counted}; {as_expected} as expected")
    return as_expected == len(done)


def main() -> None:
    """Make them."""
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(Path(folder) / "store") as memory:
            said = memory.remember("Mika lives in Kobe.", speaker="Mika")
            read = memory.add_text("# Oven\n\nThe deck oven is lit at four.\n", source="oven.md")
        text = CALLS.read_text("utf-8").replace("STATEMENT", said.id).replace("LONG", "long " * 400_000)
        rows = [json.loads(line) for line in text.replace("DOCUMENT", read.id).splitlines()]
        command = [sys.executable, "-m", "evolore", "mcp", "--store", f"{folder}/store"]
        lines = _print("by lines", list(_by_lines(command, rows)))
        client = _print("by the SDK", asyncio.run(_by_client(command, [row for row in rows if _takes_client(row)])))
    sys.exit(not (lines and client))


if __name__ == "__main__":
    main()
