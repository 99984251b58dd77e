"""Real chat clients with a memory, against a server that speaks their protocols: 40 calls do what the bare client's do."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from dataclasses import dataclass, field
from threading import get_ident
from typing import TYPE_CHECKING, Any, cast

import anthropic
import openai
import pytest
from pydantic import BaseModel

import evolore
from chat_server import FACTS, REPLY, ChatServer, chat_server
from evolore.config import Settings
from evolore.domain.episode import EpisodeState
from evolore.domain.secret import SecretsPolicy
from evolore.errors import InvalidValue, StoreBusy
from evolore.integrations.chat_turns import ChatTurn
from evolore.memory import Memory
from evolore.memory.async_memory import AsyncMemory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KNOWN = "My daughter Yui is allergic to walnuts."
ASKED = "What is my daughter Yui allergic to?"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
USER = {"role": "user", "content": ASKED}


class Facts(BaseModel):
    """What a reply is parsed into."""

    city: str
    people: int


@dataclass(frozen=True)
class Call:
    """A call of a client."""

    name: str
    api: str = "openai"
    kind: str = "create"
    model: str = "talks"
    messages: Any = field(default_factory=lambda: [USER])
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    after: int | None = None  #: After how many parts a stream is closed.
    is_async: bool = False
    is_told: bool = True  #: Whether something is recalled for it.

    @property
    def arguments(self) -> dict[str, Any]:
        messages = self.messages() if callable(self.messages) else self.messages
        own = {} if messages is None else {"input" if self.api == "responses" else "messages": messages}
        limit = {"max_tokens": 64} if self.api == "anthropic" and self.kind != "count" else {}
        return {"model": self.model, **own, **limit, **self.more}


SYSTEM = {"role": "system", "content": "Be short."}
HISTORY = [{"role": "user", "content": "Hi!"}, {"role": "assistant", "content": "Hello."}, USER]
PARTS = [
    {"role": "user", "content": [{"type": "text", "text": ASKED}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}]}
]  # fmt: skip
FUNCTION = {
    "name": "weather",
    "description": "The weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
TOOLS = [{"type": "function", "function": FUNCTION}]
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "Sunny."}
A_TOOLS = [{"name": "weather", "description": "The weather.", "input_schema": FUNCTION["parameters"]}]
A_CALLED: dict[str, Any] = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}],
}
A_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "Sunny."}]}
A_PARTS = [
    {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}, {"type": "text", "text": ASKED}]}
]  # fmt: skip
R_PARTS = [{"role": "user", "content": [{"type": "input_text", "text": ASKED}, {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PIXEL}"}]}]  # fmt: skip
R_TOOLS = [{"type": "function", "strict": False, **FUNCTION}]
R_CALLED = {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"}
R_RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "Sunny."}
CACHED = [{"type": "text", "text": "Be short.", "cache_control": {"type": "ephemeral"}}]

CALLS = [
    Call("text"),
    Call("a system message and a history", messages=[SYSTEM, *HISTORY]),
    Call("a developer message", messages=[{**SYSTEM, "role": "developer"}, USER]),
    Call("parts with an image", messages=PARTS),
    Call("tools offered and one called", more={"tools": TOOLS, "tool_choice": "auto"}),
    Call("a tool's result after content null", messages=[USER, CALLED, RESULT], more={"tools": TOOLS}),
    Call("three choices", more={"n": 3, "temperature": 0.5, "seed": 7}),
    Call("a JSON object", more={"response_format": {"type": "json_object"}}),
    Call("parsed", kind="parse", more={"response_format": Facts}),
    Call("messages from a generator", messages=lambda: (one for one in HISTORY)),
    Call("an image alone", messages=[{"role": "user", "content": PARTS[0]["content"][1:]}], is_told=False),
    Call("unknown fields", more={"extra_body": {"top_k": 3}, "user": "Mika", "metadata": {"a": "b"}}),
    Call("raw response", kind="raw", is_told=False),
    Call("streamed", more={"stream": True}),
    Call("streamed with usage", more={"stream": True, "stream_options": {"include_usage": True}}),
    Call("streamed tool call", more={"stream": True, "tools": TOOLS}),
    Call("streamed choices", more={"stream": True, "n": 2}),
    Call("a stream closed early", more={"stream": True}, after=2),
    Call("a stream cut off", model="cut", more={"stream": True}),
    Call("a stream that fails", model="fails", more={"stream": True}),
    Call("a stream in a block", kind="stream"),
    Call("a bad request", model="bad"),
    Call("a bad key", model="key"),
    Call("too many requests", model="many", more={"stream": True}),
    Call("a broken server", model="broken"),
    Call("a time-out", model="slow", more={"timeout": 0.2}),
    Call("no messages", messages=None, is_told=False),
    Call("awaited text", is_async=True),
    Call("awaited stream", is_async=True, more={"stream": True}),
    Call("awaited stream closed early", is_async=True, more={"stream": True}, after=2),
    Call("awaited stream in a block", is_async=True, kind="stream", more={"tools": TOOLS}),
    Call("awaited refusal", is_async=True, model="many"),
    Call("Anthropic, a system text", "anthropic", messages=HISTORY, more={"system": "Be short."}),
    Call("Anthropic, system parts and an image", "anthropic", messages=A_PARTS, more={"system": CACHED}),
    Call("Anthropic, tools and a result", "anthropic", messages=[USER, A_CALLED, A_RESULT], more={"tools": A_TOOLS}),
    Call("Anthropic, a streamed tool call", "anthropic", more={"stream": True, "tools": A_TOOLS}),
    Call("Anthropic, a stream in a block", "anthropic", kind="stream"),
    Call("Anthropic, overloaded", "anthropic", model="full"),
    Call("Anthropic, awaited stream", "anthropic", is_async=True, more={"stream": True}),
    Call("Anthropic, awaited stream in a block", "anthropic", is_async=True, kind="stream", after=3),
    Call("Responses, a text", "responses", messages=ASKED),
    Call("Responses, instructions and a history", "responses", messages=HISTORY, more={"instructions": "Be short."}),
    Call("Responses, parts with an image", "responses", messages=R_PARTS, more={"previous_response_id": "resp_0"}),
    Call("Responses, a prompt that is kept there", "responses", messages=ASKED, more={"prompt": {"id": "pmpt_1"}}),
    Call("Responses, a tool's result", "responses", messages=[USER, R_CALLED, R_RESULT], more={"tools": R_TOOLS}),
    Call("Responses, parsed", "responses", kind="parse", messages=ASKED, more={"text_format": Facts}),
    Call("Responses, a streamed tool call", "responses", messages=[USER], more={"stream": True, "tools": R_TOOLS}),
    Call("Responses, a stream that fails", "responses", model="fails", messages=ASKED, more={"stream": True}),
    Call("Responses, a stream in a block", "responses", kind="stream", messages=ASKED),
    Call("Responses, too many requests", "responses", model="many", messages=ASKED),
    Call("Responses, no input", "responses", messages=None, is_told=False),
    Call("Responses, awaited stream", "responses", is_async=True, messages=ASKED, more={"stream": True}),
    Call("Responses, awaited stream in a block", "responses", is_async=True, kind="stream", messages=ASKED, after=3),
]


def told_of(error: Exception) -> tuple[object, ...]:
    """Return what a caller sees of an error."""
    return type(error), str(error), getattr(error, "status_code", None), getattr(error, "body", None)


def dumped(one: Any) -> Any:  # noqa: ANN401
    return one.model_dump(warnings=False) if isinstance(one, BaseModel) else one


def home_of(client: Any, call: Call) -> Any:  # noqa: ANN401
    if call.api == "responses":
        return client.responses
    return client.messages if call.api == "anthropic" else client.chat.completions


def made(client: Any, call: Call) -> list[object]:  # noqa: ANN401
    """Make a call; return what came back: parts of a stream, or the error at its end."""
    home = home_of(client, call)
    seen: list[object] = []
    try:
        if call.kind == "stream":
            with home.stream(**call.arguments) as stream:
                seen += [dumped(one) for place, one in enumerate(stream) if call.after is None or place < call.after]
                last = {"anthropic": "message", "responses": "response"}.get(call.api, "completion")
                seen.append(dumped(getattr(stream, f"get_final_{last}")()))
        elif call.kind == "raw":
            reply = home.with_raw_response.create(**call.arguments)
            seen += [reply.status_code, dumped(reply.parse())]
        else:
            reply = getattr(home, call.kind)(**call.arguments)
            if not call.more.get("stream"):
                return [type(reply), dumped(reply)]
            seen.append(isinstance(reply, (openai.Stream, anthropic.Stream)))
            seen.append(reply.response.status_code)
            for one in reply:
                seen.append(dumped(one))
                if len(seen) - 2 == call.after:
                    reply.close()
                    break
    except Exception as error:  # noqa: BLE001 - what it is is compared
        seen.append(told_of(error))
    return seen


async def amade(client: Any, call: Call) -> list[object]:  # noqa: ANN401
    home = home_of(client, call)
    seen: list[object] = []
    try:
        if call.kind == "stream":
            async with home.stream(**call.arguments) as stream:
                async for one in stream:
                    seen.append(dumped(one))
                    if len(seen) == call.after:
                        break
        else:
            reply = await getattr(home, call.kind)(**call.arguments)
            if not call.more.get("stream"):
                return [type(reply), dumped(reply)]
            seen.append(isinstance(reply, (openai.AsyncStream, anthropic.AsyncStream)))
            async for one in reply:
                seen.append(dumped(one))
                if len(seen) - 1 == call.after:
                    await reply.close()
                    break
    except Exception as error:  # noqa: BLE001 - likewise
        seen.append(told_of(error))
    finally:
        await client.close()
    return seen


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as served:
        yield served


@pytest.fixture
def memory(store_path: Path) -> Iterator[Memory]:
    with Memory.open(store_path, embedder=HashingEmbedder()) as opened:
        opened.remember(KNOWN, speaker="Mika")
        yield opened


class Broken:
    """A memory that fails at whatever it is asked."""

    def __getattr__(self, name: str) -> object:
        raise StoreBusy(f"{name}: the store is busy.")


def client_of(server: ChatServer, call: Call) -> Any:  # noqa: ANN401
    if call.api == "anthropic":
        kind = anthropic.AsyncAnthropic if call.is_async else anthropic.Anthropic
        return kind(api_key="none", base_url=server.address, max_retries=0)
    kind = openai.AsyncOpenAI if call.is_async else openai.OpenAI
    return kind(api_key="none", base_url=f"{server.address}/v1", max_retries=0)


def result_of(
    server: ChatServer, call: Call, beside: Callable[[Any], Any]
) -> tuple[list[object], list[dict[str, Any]]]:
    """Return what a call came to, and the requests that it sent."""
    server.bodies.clear()
    client = beside(client_of(server, call))
    if call.is_async:
        seen = asyncio.run(amade(client, call))
    else:
        with closing(client):
            seen = made(client, call)
    return seen, [*server.bodies]


def without_told(body: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a request without what was put into it, and that."""
    if "messages" not in body:
        return without_instructions(body)
    told = [one["content"] for one in body["messages"] if "<memory>" in str(one["content"])]
    rest = {**body, "messages": [one for one in body["messages"] if "<memory>" not in str(one["content"])]}
    if isinstance(body.get("system"), list) and "<memory>" in str(body["system"][-1]):
        told.append(body["system"][-1]["text"])
        rest["system"] = body["system"][:-1]
        if rest["system"] == [{"type": "text", "text": "Be short."}]:
            rest["system"] = "Be short."
        elif not rest["system"]:
            del rest["system"]
    return rest, told


def without_instructions(body: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Do so with a request to the Responses API."""
    rest, given = {**body}, cast("list[dict[str, Any]] | str", body.get("input"))
    if isinstance(given, list) and "<memory>" in str(given[0].get("content")):
        return {**rest, "input": given[1]["content"]}, [given[0]["content"]]
    own, mark, _ = str(body.get("instructions", "")).partition("\n\n") if "Be short." in str(body) else ("", "", "")
    told = str(body.get("instructions", "")).removeprefix(own + mark)
    if "<memory>" not in told:
        return rest, []
    rest.pop("instructions")
    return {**rest, **({"instructions": own} if own else {})}, [told]


def test_there_are_53_calls() -> None:
    assert len(CALLS) == 53
    assert len({one.name for one in CALLS}) == 53


@pytest.mark.parametrize("replies", [False, True], ids=["turns", "turns and replies"])
@pytest.mark.parametrize("call", CALLS, ids=lambda one: one.name)
def test_a_wrapped_client_does_what_the_bare_one_does(
    server: ChatServer, memory: Memory, call: Call, *, replies: bool
) -> None:
    bare, sent = result_of(server, call, lambda client: client)
    wrapped, resent = result_of(server, call, lambda client: evolore.wrap(client, memory, user="Mika", replies=replies))
    assert wrapped == bare
    parted = [without_told(one) for one in resent]
    assert [rest for rest, _ in parted] == sent
    assert [len(told) for _, told in parted] == [int(call.is_told)] * len(sent)
    assert all(KNOWN in told[0] for _, told in parted if told)


@pytest.mark.parametrize("call", CALLS, ids=lambda one: one.name)
def test_a_memory_that_fails_changes_nothing(server: ChatServer, call: Call, caplog: pytest.LogCaptureFixture) -> None:
    bare = result_of(server, call, lambda client: client)
    broken: Any = Broken()
    assert result_of(server, call, lambda client: evolore.wrap(client, broken, user="Mika", replies=True)) == bare
    said = [one.getMessage() for one in caplog.records if one.name.startswith("evolore")]
    assert all("without the memory: StoreBusy" in one for one in said)
    assert bool(said) == call.is_told or call.name == "an image alone"


def remembered(memory: Memory) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text) for one in reversed(memory.list(limit=20).statements)]


@pytest.fixture
def client(server: ChatServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="none", base_url=f"{server.address}/v1", max_retries=0) as opened:
        server.bodies.clear()
        server.go_on.clear()
        yield opened


SAID = {"role": "user", "content": "I moved to Osaka in March."}


@pytest.mark.parametrize(
    ("call", "heard"),
    [
        (Call("text", messages=[SAID]), True),
        (Call("stream", messages=[SAID], more={"stream": True}), True),
        (Call("block", kind="stream", messages=[SAID]), True),
        (Call("parsed", kind="parse", messages=[SAID], more={"response_format": Facts}), True),
        (Call("choices", messages=[SAID], more={"n": 2}), False),  # which of them the user reads is not known
        (Call("streamed choices", messages=[SAID], more={"n": 2, "stream": True}), False),
        (Call("closed", messages=[SAID], more={"stream": True}, after=2), False),
        (Call("tool", messages=[SAID], more={"tools": TOOLS}), False),
        (Call("awaited", messages=[SAID], is_async=True), True),
        (Call("awaited stream", messages=[SAID], is_async=True, more={"stream": True}), True),
        (Call("awaited block", kind="stream", messages=[SAID], is_async=True), True),
        (Call("awaited, closed", messages=[SAID], is_async=True, more={"stream": True}, after=2), False),
        (Call("Anthropic", "anthropic", messages=[SAID]), True),
        (Call("Anthropic, stream", "anthropic", messages=[SAID], more={"stream": True}), True),
        (Call("Anthropic, block", "anthropic", kind="stream", messages=[SAID]), True),
        (Call("Anthropic, tool", "anthropic", messages=[SAID], more={"tools": A_TOOLS}), False),
        (Call("Responses", "responses", messages=SAID["content"]), True),
        (Call("Responses, parsed", "responses", kind="parse", messages=[SAID], more={"text_format": Facts}), True),
        (Call("Responses, stream", "responses", messages=[SAID], more={"stream": True}), True),
        (Call("Responses, block", "responses", kind="stream", messages=[SAID]), True),
        (Call("Responses, tool", "responses", messages=[SAID], more={"tools": R_TOOLS}), False),
        (Call("Responses, thinks", "responses", model="thinks", messages=[SAID]), False),
        (Call("Responses, filtered", "responses", model="filtered", messages=[SAID], more={"stream": True}), False),
        (Call("Responses, awaited block", "responses", kind="stream", messages=[SAID], is_async=True), True),
    ],
    ids=lambda one: one.name if isinstance(one, Call) else "",
)
def test_the_users_turn_is_remembered_and_the_reply_where_asked(
    server: ChatServer, memory: Memory, call: Call, *, heard: bool
) -> None:
    memory.forget(everything=True)
    result_of(server, call, lambda client: evolore.wrap(client, memory, user="Mika", replies=False))
    assert remembered(memory) == [("Mika", SAID["content"])]
    memory.forget(everything=True)
    result_of(server, call, lambda client: evolore.wrap(client, memory, user="Mika"))
    reply = FACTS if call.kind == "parse" else REPLY
    assert remembered(memory) == [("Mika", SAID["content"]), *([("assistant to Mika", reply)] if heard else [])]


@pytest.mark.parametrize(
    ("said", "reply", "kept"),
    [
        ("I need an example.", "The wifi password is Otter42!x.", ("Mika", "I need an example.")),
        ("I need an example.", "x" * 1_000_001, ("Mika", "I need an example.")),
        ("The wifi password is Otter42!x.", "I shall forget it.", ("assistant to Mika", "I shall forget it.")),
    ],
)
def test_what_is_refused_of_a_turn_does_not_take_its_other_half_along(
    store_path: Path, said: str, reply: str, kept: tuple[str, str]
) -> None:
    def completion(**named: Any) -> Any:  # noqa: ANN401 - as LiteLLM's
        del named
        return {"choices": [{"message": {"content": reply}, "finish_reason": "stop"}]}

    with Memory.open(store_path, embedder=HashingEmbedder(), settings=Settings(secrets=SecretsPolicy.REFUSE)) as memory:
        evolore.wrap(completion, memory, user="Mika")(messages=[{"role": "user", "content": said}])
        assert remembered(memory) == [kept]


@pytest.mark.parametrize("model", ["bad", "broken", "cut", "fails"])
def test_a_call_that_fails_leaves_nothing(server: ChatServer, memory: Memory, model: str) -> None:
    call = Call("fails", model=model, messages=[SAID], more={"stream": True})
    seen, _ = result_of(server, call, lambda client: evolore.wrap(client, memory, user="Mika", replies=True))
    if model != "cut":  # a connection that ends without a word ends the stream for the bare client, too
        assert isinstance(seen[-1], tuple)
        assert remembered(memory) == [("Mika", KNOWN)]
    else:
        assert remembered(memory)[1:] == [("Mika", SAID["content"])]


def test_a_turn_with_tools_is_remembered_once_and_its_last_reply(client: openai.OpenAI, memory: Memory) -> None:
    wrapped: Any = evolore.wrap(client, memory, user="Mika", replies=True)
    messages: list[Any] = [SAID]
    message = wrapped.chat.completions.create(model="talks", messages=messages, tools=TOOLS).choices[0].message
    messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "Sunny."}]
    wrapped.chat.completions.create(model="talks", messages=messages, tools=TOOLS)
    assert remembered(memory)[1:] == [("Mika", SAID["content"]), ("assistant to Mika", REPLY)]
    assert len({one.session for one in memory.list().statements if one.text != KNOWN}) == 1
    assert messages[:1] == [SAID]  # the caller's own list is as it was


def test_parts_come_as_they_are_sent(server: ChatServer, client: openai.OpenAI, memory: Memory) -> None:
    stream: Any = evolore.wrap(client, memory, user="Mika").chat.completions.create(
        model="waits", messages=[{"role": "user", "content": ASKED}], stream=True
    )
    first = [next(stream).choices[0].delta.content for _ in range(3)]  # the rest is not sent yet
    assert first == ["", "Bake ", "the "]
    server.go_on.set()
    assert "".join(one.choices[0].delta.content or "" for one in stream) == REPLY.removeprefix("Bake the ")


def test_a_stream_is_remembered_when_it_is_closed_not_when_it_is_asked_whether_it_can_be(
    client: openai.OpenAI, memory: Memory
) -> None:
    calls: Any = evolore.wrap(client, memory, user="Mika").chat.completions
    stream = calls.create(model="talks", messages=[SAID], stream=True)
    assert hasattr(stream, "close")
    assert remembered(memory) == [("Mika", KNOWN)]
    assert len([*stream]) > 2
    stream.close()
    assert remembered(memory)[1:] == [("Mika", SAID["content"]), ("assistant to Mika", REPLY)]


def test_closing_an_awaited_stream_remembers_it_beside_the_event_loop(
    server: ChatServer, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    bare = ChatTurn.remember

    def remember(turn: ChatTurn) -> None:
        threads.append(get_ident())
        bare(turn)

    monkeypatch.setattr(ChatTurn, "remember", remember)
    call = Call("closed", messages=[SAID], is_async=True, more={"stream": True}, after=2)
    result_of(server, call, lambda client: evolore.wrap(client, memory, user="Mika"))
    assert len(threads) == 1
    assert threads[0] != get_ident()
    assert remembered(memory)[1:] == [("Mika", SAID["content"])]


def test_all_else_of_a_client_is_its_own(server: ChatServer, client: openai.OpenAI, memory: Memory) -> None:
    wrapped = evolore.wrap(client, memory, user="Mika")
    assert isinstance(wrapped, openai.OpenAI)
    assert isinstance(wrapped.chat.completions, type(client.chat.completions))
    assert [one.id for one in wrapped.models.list()] == ["talks"]
    assert wrapped.embeddings is client.embeddings
    assert wrapped.chat.completions.with_raw_response.create.__name__ == "create"
    assert wrapped.chat.completions.create.__doc__ == client.chat.completions.create.__doc__
    assert repr(wrapped) == repr(client)
    assert dir(wrapped) == dir(client)
    wrapped.max_retries = 5
    assert client.max_retries == 5
    other = wrapped.with_options(timeout=3, max_retries=0)
    assert other.timeout == 3
    other.chat.completions.create(model="talks", messages=[{"role": "user", "content": ASKED}])
    assert KNOWN in str(server.bodies[-1])
    with pytest.raises(AttributeError):
        wrapped.nothing  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_function_such_as_litellms_is_wrapped_too(
    server: ChatServer, client: openai.OpenAI, memory: Memory, *, asynchronous: bool
) -> None:
    calls: Any = client.chat.completions

    def completion(model: str, messages: list[Any], **more: Any) -> Any:  # noqa: ANN401 - as LiteLLM's
        """Complete."""
        return calls.create(model=model, messages=messages, **more)

    async def acompletion(model: str, messages: list[Any], **more: Any) -> Any:  # noqa: ANN401 - likewise
        """Complete."""
        await asyncio.sleep(0)
        return completion(model, messages, **more)

    wrapped: Any = evolore.wrap(acompletion if asynchronous else completion, memory, user="Mika", replies=True)
    assert wrapped.__doc__ == "Complete."
    reply = wrapped("talks", [USER], temperature=0)
    reply = asyncio.run(reply) if asynchronous else reply
    assert reply.choices[0].message.content == REPLY
    assert KNOWN in str(server.bodies[-1]["messages"][0])
    assert server.bodies[-1]["temperature"] == 0
    assert remembered(memory)[1:] == [("Mika", ASKED), ("assistant to Mika", REPLY)]


@pytest.mark.parametrize("asked", [ASKED, "ok"])
def test_arguments_behind_the_messages_go_on_in_their_place(memory: Memory, asked: str) -> None:
    def completion(*args: Any, **named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:  # noqa: ANN401 - as LiteLLM's
        return args, named

    messages = [{"role": "user", "content": asked}]
    args, named = evolore.wrap(completion, memory, user="Mika")("gpt", messages, 5.0, 0.3, n=1)
    assert (args[0], args[1][-1:], *args[2:]) == ("gpt", messages, 5.0, 0.3)
    assert (KNOWN in str(args[1])) == (asked == ASKED)
    assert named == {"n": 1}


def test_a_wrong_memory_is_corrected_by_a_message(server: ChatServer, client: openai.OpenAI, memory: Memory) -> None:
    wrapped: Any = evolore.wrap(client, memory, user="Mika", replies=False)
    messages = [USER, {"role": "assistant", "content": "To walnuts."}]
    messages += [{"role": "user", "content": "That is wrong: My daughter Yui is allergic to peanuts."}]
    wrapped.chat.completions.create(model="talks", messages=messages)
    told = server.bodies[-1]["messages"][0]["content"]
    assert told.startswith("The memory was corrected.")
    assert f"It said: {KNOWN}" in told
    assert [one.text for one in memory.list().statements if one.state == "active"] == [
        "My daughter Yui is allergic to peanuts."
    ]
    memory.undo(told.rpartition("memory.undo('")[2].removesuffix("')"))
    assert KNOWN in [one.text for one in memory.list().statements if one.state == "active"]


@pytest.mark.parametrize("question", [ASKED, "What about Yui and walnuts?"])
def test_a_correction_in_a_call_that_is_made_again_is_made_once(
    server: ChatServer, client: openai.OpenAI, memory: Memory, question: str
) -> None:
    wrapped: Any = evolore.wrap(client, memory, user="Mika", replies=False)
    right = "My daughter Yui is allergic to peanuts."
    messages = [{"role": "user", "content": question}, {"role": "assistant", "content": "To walnuts."}]
    messages += [{"role": "user", "content": f"That is wrong: {right}"}]
    with pytest.raises(openai.InternalServerError):
        wrapped.chat.completions.create(model="broken", messages=messages)
    for _ in range(2):
        wrapped.chat.completions.create(model="talks", messages=messages)
        told = server.bodies[-1]["messages"][0]["content"]
        assert told.startswith("The memory was corrected already.")
        assert told.endswith(f"It says now: {right}")
    assert [text for _, text in remembered(memory)] == [KNOWN, right]


def test_what_was_corrected_may_be_corrected_back(client: openai.OpenAI, tmp_path: Path) -> None:
    first, then = "We deploy on Fridays.", "We deploy on Mondays."
    with Memory.open(tmp_path / "own", namespace="mika") as memory:
        wrapped: Any = evolore.wrap(client, memory, user="Mika", replies=False)
        memory.remember(first, speaker="Mika")
        messages: list[dict[str, str]] = []
        for right in (then, first, then):
            messages += [
                {"role": "user", "content": "On which day do we deploy?"},
                {"role": "assistant", "content": "?"},
            ]
            messages += [{"role": "user", "content": f"That is wrong: {right}"}]
            wrapped.chat.completions.create(model="talks", messages=messages)
            assert [one.text for one in memory.list().statements if one.state is EpisodeState.ACTIVE] == [right]
            messages += [{"role": "assistant", "content": "Corrected."}]


@pytest.mark.parametrize("others", [False, True])
def test_a_correction_of_what_another_said_changes_nothing(
    client: openai.OpenAI, memory: Memory, *, others: bool
) -> None:
    wrapped: Any = evolore.wrap(client, memory, user="Tom", replies=False, others=others)
    said = "That is wrong: My daughter Yui is allergic to peanuts."
    messages = [USER, {"role": "assistant", "content": "I do not know."}, {"role": "user", "content": said}]
    wrapped.chat.completions.create(model="talks", messages=messages)
    assert remembered(memory) == [("Mika", KNOWN), ("Tom", said)]


def test_nothing_another_said_is_shown_unless_asked(
    server: ChatServer, client: openai.OpenAI, memory: Memory, store_path: Path
) -> None:
    def told(user: str, **more: Any) -> str:  # noqa: ANN401
        wrapped: Any = evolore.wrap(client, memory, user=user, **more)
        wrapped.chat.completions.create(model="talks", messages=[{"role": "user", "content": f"{user}: {ASKED}"}])
        return json.dumps([one for one in server.bodies[-1]["messages"] if one["role"] == "system"])

    with Memory.open(store_path, namespace="house", embedder=HashingEmbedder()) as house:
        house.remember("Yui is allergic to cats.", speaker="Tom")
    memory.remember("To walnuts, as you said: Yui is allergic.", speaker="assistant to Mika")
    assert "walnuts" not in told("Tom")
    assert "as you said" in told("Mika")
    assert "cats" not in told("Mika")
    assert "house: Tom" in told("Mika", also=["house"])
    assert KNOWN in told("Ann", others=True)


def test_what_the_request_holds_is_not_told_again(server: ChatServer, client: openai.OpenAI, memory: Memory) -> None:
    wrapped: Any = evolore.wrap(client, memory, user="Mika")
    wrapped.chat.completions.create(model="talks", messages=[{"role": "user", "content": KNOWN}, USER])
    assert len(server.bodies[-1]["messages"]) == 2


def test_a_message_that_nothing_bears_on_goes_as_it_is(
    server: ChatServer, client: openai.OpenAI, store_path: Path
) -> None:
    with Memory.open(store_path) as memory:  # with an embedder that knows likelihoods
        memory.remember(KNOWN, speaker="Mika")
        wrapped: Any = evolore.wrap(client, memory, user="Mika")
        asked = ["Write a haiku about the sea in winter.", "What is my daughter Yui allergic to?", "Yes, go on."]
        for text in asked:
            wrapped.chat.completions.create(model="talks", messages=[{"role": "user", "content": text}])
    assert [len(one["messages"]) for one in server.bodies[-3:]] == [1, 2, 1]


@pytest.mark.parametrize("client", [object(), openai.OpenAI, None])
def test_what_is_no_client_is_refused(memory: Memory, client: object) -> None:
    with pytest.raises(InvalidValue, match="no chat client"):
        evolore.wrap(client, memory, user="Mika")


def test_what_is_no_memory_is_refused(client: openai.OpenAI, tmp_path: Path) -> None:
    for wrong in (None, AsyncMemory.open(tmp_path / "store", embedder=HashingEmbedder())):
        with pytest.raises(InvalidValue, match="pass a Memory"):
            evolore.wrap(client, wrong, user="Mika")  # pyright: ignore[reportArgumentType] - that is what is tried


def test_a_name_that_is_none_is_refused(client: openai.OpenAI, memory: Memory) -> None:
    with pytest.raises(InvalidValue, match="user"):
        evolore.wrap(client, memory, user="")
