"""A stand-in for chat APIs on this machine: it speaks the protocols of OpenAI (both) and of Anthropic, and keeps what it was sent.

What it answers depends on the model's name and on the last user message, never on what else is in a request.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

WORDS = ("Bake ", "the ", "lemon ", "cake: ", "it has ", "no nuts.")
REPLY = "".join(WORDS)
FACTS = '{"city": "Osaka", "people": 3}'
ERRORS = {"bad": 400, "key": 401, "gone": 404, "many": 429, "broken": 500, "full": 529}
USAGE = {"prompt_tokens": 7, "completion_tokens": 6, "total_tokens": 13}
TOOL = {"name": "weather", "arguments": '{"city": "Osaka"}'}
KEY = "sk-upstream-0123456789abcdef"


@dataclass
class ChatServer:
    """What it was sent, and where it is."""

    address: str
    bodies: list[dict[str, Any]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    go_on: Event = field(default_factory=Event)  #: What the model "waits" waits for after its first piece.
    sent: list[bytes] = field(default_factory=list)  #: The bodies that were answered, as they were sent.


@contextmanager
def chat_server() -> Generator[ChatServer]:
    """Serve for the length of a block."""
    http = _Http(("127.0.0.1", 0), _Handler)
    http.kept = ChatServer(f"http://127.0.0.1:{http.server_port}")
    running = Thread(target=http.serve_forever, args=(0.05,))
    running.start()
    try:
        yield http.kept
    finally:
        http.kept.go_on.set()
        http.shutdown()
        running.join()
        http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    kept: ChatServer


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        del format, args

    @property
    def kept(self) -> ChatServer:
        return cast("_Http", self.server).kept

    def do_GET(self) -> None:
        self.kept.headers.append(dict(self.headers))
        self._send(
            200, {"object": "list", "data": [{"id": "talks", "object": "model", "created": 1, "owned_by": "us"}]}
        )

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        self.kept.raw.append(raw)
        self.kept.headers.append(dict(self.headers))
        try:
            body = json.loads(raw)
        except ValueError:
            self._send(400, {"error": {"message": "no JSON", "type": "invalid_request_error"}})
            return
        self.kept.bodies.append(body)
        model = str(body.get("model"))
        if model in ERRORS:
            told = f"{model}: the key {KEY} is bad" if model == "key" else f"{model}: refused"
            error = {"message": told, "type": "refused", "code": model, "param": None}
            self._send(ERRORS[model], {"type": "error", "error": error})
            return
        if model == "slow":
            time.sleep(1)
        is_anthropic = self.path.endswith(("/messages", "/count_tokens"))
        if self.path.endswith("/count_tokens"):
            self._send(200, {"input_tokens": 7})
            return
        is_response = self.path.endswith("/responses")
        events = _messages_events if is_anthropic else _responses_events if is_response else _chat_events
        whole = _message if is_anthropic else _response if is_response else _completion
        if body.get("stream"):
            self._stream(model, [*events(body)], is_named=is_anthropic or is_response)
        else:
            self._send(200, whole(body))

    def _send(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.kept.sent.append(data)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("x-request-id", "req_1")
        self.send_header("x-should-retry", "false")
        self.end_headers()
        with suppress(OSError):  # the client waits no longer
            self.wfile.write(data)

    def _stream(self, model: str, events: list[dict[str, Any]], *, is_named: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        lines = [_line(one, is_named=is_named) for one in events]
        if model == "cut":
            lines = lines[:3]
        if model == "fails":
            error = {"error": {"message": "overloaded", "type": "overloaded_error"}, "type": "error"}
            lines = [*lines[:3], _line(error, is_named=is_named)]
        lines += [] if is_named or model in {"cut", "fails"} else [b"data: [DONE]\n\n"]
        self.kept.sent.append(b"".join(lines))
        try:
            for place, line in enumerate(lines):
                self.wfile.write(line)
                self.wfile.flush()
                if model == "waits" and place == 2:
                    self.kept.go_on.wait(10)
        except OSError:  # the client closed it
            pass


def _line(event: dict[str, Any], *, is_named: bool) -> bytes:
    name = f"event: {event['type']}\n" if is_named else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def _text(body: dict[str, Any]) -> str:
    forms = ("response_format", "output_config", "output_format")
    return FACTS if any(body.get(one) for one in forms) or "format" in str(body.get("text")) else REPLY


def _has_call(body: dict[str, Any]) -> bool:
    last: dict[str, Any] = body["messages"][-1]
    is_result: bool = last["role"] == "tool" or str(last["content"]).startswith("[{'type': 'tool_result'")
    return bool(body.get("tools")) and not is_result


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    def choice(index: int) -> dict[str, Any]:
        if _has_call(body):
            call = {"id": "call_1", "type": "function", "function": TOOL}
            message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
            return {"index": index, "message": message, "finish_reason": "tool_calls", "logprobs": None}
        message = {"role": "assistant", "content": _text(body), "refusal": None}
        return {"index": index, "message": message, "finish_reason": "stop", "logprobs": None}

    choices = [choice(index) for index in range(body.get("n") or 1)]
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"]}
    return {**head, "choices": choices, "usage": USAGE}


def _chat_events(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}

    def chunk(delta: dict[str, Any], index: int = 0, ended: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": index, "delta": delta, "finish_reason": ended, "logprobs": None}]}

    for index in range(body.get("n") or 1):
        yield chunk({"role": "assistant", "content": ""}, index)
        if _has_call(body):
            function = {"name": TOOL["name"], "arguments": ""}
            yield chunk({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}, index)
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": TOOL["arguments"]}}]}, index)
            yield chunk({}, index, "tool_calls")
            continue
        for word in WORDS if _text(body) == REPLY else (FACTS[:9], FACTS[9:]):
            yield chunk({"content": word}, index)
        yield chunk({}, index, "stop")
    if body.get("stream_options") == {"include_usage": True}:
        yield {**head, "choices": [], "usage": USAGE}


def _message(body: dict[str, Any]) -> dict[str, Any]:
    has_call = _has_call(body)
    call = {"type": "tool_use", "id": "toolu_1", "name": TOOL["name"], "input": json.loads(TOOL["arguments"])}
    content = [{"type": "text", "text": "I look."}, call] if has_call else [{"type": "text", "text": _text(body)}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "tool_use" if has_call else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 6},
    }


def _messages_events(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    whole = _message(body)
    begun: dict[str, Any] = {
        **whole,
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 7, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(whole["content"]):
        is_text = block["type"] == "text"
        empty: dict[str, Any] = {"type": "text", "text": ""} if is_text else {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        pieces = (WORDS if block["text"] == REPLY else (block["text"],)) if is_text else (TOOL["arguments"],)
        for piece in pieces:
            delta = (
                {"type": "text_delta", "text": piece}
                if is_text
                else {"type": "input_json_delta", "partial_json": piece}
            )
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 6}}
    yield {"type": "message_stop"}


def _response(body: dict[str, Any]) -> dict[str, Any]:
    is_result = "function_call_output" in str(body.get("input"))
    status = "incomplete" if body["model"] == "filtered" else "completed"
    texts: list[dict[str, Any]] = [{"type": "output_text", "text": _text(body), "annotations": []}]
    said: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": texts}
    thought: dict[str, Any] = {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "Hm."}],
    }
    call = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "status": "completed", **TOOL}
    output = [thought] if body["model"] == "thinks" else [thought, said]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "content_filter"} if status == "incomplete" else None,
        "instructions": None,  # the real one repeats them
        "metadata": {},
        "output": [*output, call] if body.get("tools") and not is_result else output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
    }


def _responses_events(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    whole = _response(body)
    begun: dict[str, Any] = {**whole, "status": "in_progress", "output": []}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for at, item in enumerate(whole["output"]):
        head = {"output_index": at, "item_id": item["id"]}
        is_text, is_call = item["type"] == "message", item["type"] == "function_call"
        empty: dict[str, Any] = {"content": []} if is_text else {"arguments": ""} if is_call else {}
        events.append({"type": "response.output_item.added", "output_index": at, "item": {**item, **empty}})
        if is_text:
            head["content_index"] = 0
            part = item["content"][0]
            events.append({"type": "response.content_part.added", **head, "part": {**part, "text": ""}})
            event: dict[str, Any] = {"type": "response.output_text.delta", **head, "logprobs": []}
            events += [{**event, "delta": piece} for piece in (WORDS if part["text"] == REPLY else (part["text"],))]
            events.append({"type": "response.output_text.done", **head, "text": part["text"], "logprobs": []})
            events.append({"type": "response.content_part.done", **head, "part": part})
        if is_call:
            events.append({"type": "response.function_call_arguments.delta", **head, "delta": item["arguments"]})
            events.append(
                {"type": "response.function_call_arguments.done", **head, "name": item["name"], "arguments": item["arguments"]}
            )  # fmt: skip
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    events.append({"type": f"response.{whole['status']}", "response": whole})
    yield from ({**one, "sequence_number": number} for number, one in enumerate(events))
