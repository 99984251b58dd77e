"""A server that answers as OpenAI-compatible ones do, by a script, on this machine alone: for tests of faults."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self, TypeAlias, cast

from evolore.domain.checks import check_count
from evolore.ports import Embedder, TextRole


class ServerFault(StrEnum):
    """What can go wrong with a call, as a client meets it."""

    RATE_LIMITED = "rate_limited"
    BROKEN = "broken"
    HANGS = "hangs"
    CUT_OFF = "cut_off"
    TRUNCATED_JSON = "truncated_json"
    MALFORMED_JSON = "malformed_json"
    NO_COMPLETION = "no_completion"
    WRONG_SCHEMA = "wrong_schema"
    ABSURD_VALUES = "absurd_values"
    ABSURD_USAGE = "absurd_usage"
    REFUSAL = "refusal"
    WRONG_LANGUAGE = "wrong_language"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    COMPRESSED = "compressed"
    REDIRECTED = "redirected"
    KEY_REFUSED = "key_refused"
    REFUSES_ECHO = "refuses_echo"


RUSSIAN = "Всё это написано на совсем другом языке. И это тоже. И ещё это."
"""Words in another language than anybody asked in."""
TEXTS = {
    ServerFault.MALFORMED_JSON: "{'text': 'cut off', }",
    ServerFault.TRUNCATED_JSON: '{"text": "cut off',
    ServerFault.WRONG_SCHEMA: '{"decision": [1, 2, 3]}',
    ServerFault.ABSURD_VALUES: json.dumps(
        {
            "text": "x" * 100_000,
            "order": [-1, 0, 10**30],
            "intent": "temporal",
            "confidence": 1e308,
            "verdicts": [{"number": 10**12, "whole": True, "pair": -7, "verdict": "newer_holds", "reason": ""}],
            "edits": [{"kind": "replace", "place": "9" * 100, "text": "x" * 100_000, "reason": "x", "evidence": []}],
            "title": "x",
            "taken": [{"document": 10**12, "place": "1", "rest": "", "reason": "x"}],
            "conflicts": [],
            "lost": [{"quote": "x" * 1_000, "reason": "x"}],
            "invented": [],
            "questions": [{"number": 10**12, "question": "x?"}],
            "reason": "x",
            "first": {"helpfulness": 1e308, "correctness": -1, "coherence": 4},
            "second": {"helpfulness": 1, "correctness": 1, "coherence": 1},
            "preferred": "first",
            "in_sources": True,
            "sentences": [{"text": "x" * 100_000, "passages": [10**12, -1]}],
        }
    ),
    ServerFault.WRONG_LANGUAGE: json.dumps(
        {
            "text": RUSSIAN,
            "order": RUSSIAN,
            "intent": "временной",
            "confidence": 1,
            "verdicts": [
                {
                    "number": 1,
                    "whole": "нет",
                    "pair": 1,
                    "verdict": "newer_holds",
                    "reason": RUSSIAN,
                    "suggestion": RUSSIAN,
                }
            ],
            "edits": [{"kind": "insert", "place": "1", "text": RUSSIAN, "reason": RUSSIAN, "evidence": []}],
            "title": RUSSIAN,
            "taken": [{"document": number, "place": "1", "rest": "", "reason": RUSSIAN} for number in (1, 2)],
            "conflicts": [],
            "lost": [{"quote": RUSSIAN, "reason": RUSSIAN}],
            "invented": [],
            "questions": [{"number": 1, "question": f"{RUSSIAN}?"}],
            "reason": RUSSIAN,
            "first": dict.fromkeys(("helpfulness", "correctness", "coherence"), 3),
            "second": dict.fromkeys(("helpfulness", "correctness", "coherence"), 3),
            "preferred": "первый",
            "in_sources": True,
            "sentences": [{"text": RUSSIAN, "passages": [1]}],
        },
        ensure_ascii=False,
    ),
    ServerFault.EMPTY: "",
    ServerFault.ABSURD_USAGE: "{}",
}
"""The words of a reply that goes wrong."""


Body: TypeAlias = "Mapping[str, object]"

_LONGEST_REQUEST = 10_000_000
_LONGEST_HANG_SECONDS = 60.0
_SECONDS = 0.05
"""How often a server that is to end looks whether it should."""


_NOTHING = '{"object": "list", "data": [], "results": []}'

Reply: TypeAlias = "str | ServerFault | Callable[[Body], str]"


class OfflineChatServer:
    """Answers chats, embeddings and rerankings by a script over HTTP, the same each time, and remembers what it was asked.

    It listens on 127.0.0.1, on a port that was free. Use it in a ``with`` block; at its end every connection is closed.

    Args:
        replies: What to answer, call by call; a fault stands for a call that goes wrong, a function is given the
            request's body and gives the words; of what is no chat, they are the answer itself, in JSON. The last one is
            given again and again.
        retry_after: What a client that comes too often is told to wait, in seconds or as a date.
        log_probs: Gives the natural logarithm of the probability of each character of a text that is to be echoed;
            None for a server that echoes nothing.
        most_calls: How many calls it answers, at least 1; to any further one it says that it is broken.
        large_bytes: How long an answer is that is too large; at least 1.
        error: The status with which it says that it is broken, and the words with which it refuses anything.

    Raises:
        InvalidValue: A number out of range.
    """

    def __init__(
        self,
        replies: Iterable[Reply] = ("Hello.",),
        *,
        retry_after: str = "0",
        log_probs: Callable[[str], list[float]] | None = None,
        most_calls: int = 10_000,
        large_bytes: int = 1_100_000,
        error: tuple[int, str] = (500, "The script says so."),
    ) -> None:
        check_count(most_calls, "most_calls")
        self.bodies: list[Body] = []
        self.headers: list[Mapping[str, str]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._is_called = Event()
        self._replies = list(replies) or ["Hello."]
        self._retry_after = retry_after
        self._log_probs = log_probs
        self._most_calls = most_calls
        self._large_bytes = large_bytes
        self._status, self.words = error
        self._lock = Lock()
        self._is_over = Event()
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=(_SECONDS,), daemon=True)

    @property
    def url(self) -> str:
        """The address to give as ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return len(self.bodies)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_reply(self, body: Body, headers: Mapping[str, str]) -> str | ServerFault:
        """Record a call, and return what the script replies to it."""
        with self._lock:
            reply = self._replies[min(len(self.bodies), len(self._replies) - 1)]
            self.bodies.append(body)
            self.headers.append(headers)
            self._is_called.set()
            if len(self.bodies) > self._most_calls:
                return ServerFault.BROKEN
        return reply if isinstance(reply, str) else reply(body)

    def come_and_go(self, step: int) -> None:
        """Count who is served at once."""
        with self._lock:
            self._at_once += step
            self.most_at_once = max(self.most_at_once, self._at_once)

    def wait_for_call(self) -> None:
        """Return once there was a call, and after a minute in any case."""
        self._is_called.wait(_LONGEST_HANG_SECONDS)

    def hang(self) -> None:
        """Answer nothing until the server ends, and not for longer than a minute."""
        self._is_over.wait(_LONGEST_HANG_SECONDS)

    def refusing(self, fault: ServerFault) -> tuple[int, dict[str, str]] | None:
        """Return status and headers of a call that is not served; None for one that is."""
        refused: dict[ServerFault, tuple[int, dict[str, str]]] = {
            ServerFault.RATE_LIMITED: (429, {"Retry-After": self._retry_after}),
            ServerFault.BROKEN: (self._status, {}),
            ServerFault.KEY_REFUSED: (401, {}),
            ServerFault.REFUSES_ECHO: (400, {}),
            ServerFault.REDIRECTED: (307, {"Location": f"{self.url}/elsewhere"}),
        }
        return refused.get(fault)

    def answer(self, reply: str | ServerFault, body: Body) -> bytes:
        """Return the body of an answer with status 200."""
        if reply is ServerFault.NO_COMPLETION:
            return _NOTHING.encode()
        if reply is ServerFault.TOO_LARGE:
            return _completion("x" * self._large_bytes)
        if "prompt" in body:
            return self._echo(reply, str(body["prompt"]))
        if (
            "input" in body or "documents" in body
        ):  # an embedder's or a reranker's: the script's words are the whole answer
            return (TEXTS.get(reply, _NOTHING) if isinstance(reply, ServerFault) else reply).encode()
        if isinstance(reply, ServerFault):
            usage = _ABSURD if reply is ServerFault.ABSURD_USAGE else None
            refusal = "I cannot help with that." if reply is ServerFault.REFUSAL else None
            return _completion(TEXTS.get(reply, ""), usage=usage, refusal=refusal)
        return _completion(reply, usage=_usage(body, reply))

    def _echo(self, reply: str | ServerFault, text: str) -> bytes:
        if reply in {ServerFault.MALFORMED_JSON, ServerFault.TRUNCATED_JSON}:
            return TEXTS[ServerFault(reply)].encode()
        give = self._log_probs
        tokens = [*text, "!"] if give is not None else ["!"]
        shares = give(text) if give is not None else []
        if reply in {ServerFault.ABSURD_VALUES, ServerFault.WRONG_SCHEMA}:
            shares = [7.5 for _ in shares]
        told = {
            "tokens": tokens,
            "token_logprobs": [*([None, *shares[1:]] if shares else []), -0.1],
            "text_offset": list(range(len(tokens))),
        }
        silent = {ServerFault.EMPTY, ServerFault.REFUSAL}
        said = RUSSIAN if reply is ServerFault.WRONG_LANGUAGE else "".join(tokens)
        choice = {"index": 0, "text": said, "logprobs": None if reply in silent else told}
        usage = _ABSURD if reply is ServerFault.ABSURD_USAGE else {"prompt_tokens": len(text), "completion_tokens": 1}
        return json.dumps({"object": "text_completion", "choices": [choice], "usage": usage}).encode()


_ABSURD = {"prompt_tokens": -5, "completion_tokens": 10**15}


def _usage(body: Body, reply: str) -> dict[str, int]:
    """Count words, as if they were tokens."""
    messages = cast("list[dict[str, str]]", body.get("messages", []))
    read = sum(len(message["content"].split()) for message in messages)
    return {"prompt_tokens": max(1, read), "completion_tokens": len(reply.split())}


def _completion(text: str, *, usage: dict[str, int] | None = None, refusal: str | None = None) -> bytes:
    message = {"role": "assistant", "content": None if refusal else text, "refusal": refusal}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    told: dict[str, object] = {"id": "scripted", "object": "chat.completion", "choices": [choice]}
    if usage is not None:
        told["usage"] = usage
    return json.dumps(told, ensure_ascii=False).encode()


def embedded_by(embedder: Embedder) -> Callable[[Body], str]:
    """Return what makes a script answer embeddings with the vectors of an embedder, the last text's first."""

    def reply(body: Body) -> str:
        texts = cast("list[str]", body["input"])
        vectors = embedder.embed(texts, role=TextRole.PASSAGE).tolist()
        rows = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(vectors)]
        return json.dumps({"object": "list", "data": rows[::-1]})

    return reply


_PIECE = 7
"""So many characters of a reply are sent at once."""


def in_pieces(answer: bytes) -> bytes:
    """Return an answer as events, a few characters each; what is no completion stays one."""
    told = cast("dict[str, list[dict[str, dict[str, str | None]]]]", json.loads(answer))
    if "choices" not in told:
        return b"data: " + answer + b"\n\n"
    message = told["choices"][0]["message"]
    text = message["content"] or ""
    deltas = [{"content": text[start : start + _PIECE]} for start in range(0, len(text), _PIECE)]
    events: list[object] = [
        {"choices": [{"delta": one, "finish_reason": None}]} for one in (*deltas, {"refusal": message["refusal"]})
    ]
    events += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": told.get("usage")}]
    sent = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in events]
    return "".join([*sent, "data: [DONE]\n\n"]).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # they are waited for when it closes

    def __init__(self, script: OfflineChatServer) -> None:
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # a connection a call
    timeout = _LONGEST_HANG_SECONDS

    def do_POST(self) -> None:
        """Answer one call."""
        script = cast("_Server", self.server).script
        length = min(int(self.headers.get("Content-Length", "0")), _LONGEST_REQUEST)
        body = cast("Body", json.loads(self.rfile.read(length) or b"{}"))
        script.come_and_go(1)
        try:
            self._say(script, script.next_reply(body, dict(self.headers.items())), body)
        except ConnectionError:  # who asked has heard enough
            self.close_connection = True
        finally:
            script.come_and_go(-1)

    def _say(self, script: OfflineChatServer, reply: str | ServerFault, body: Body) -> None:
        if reply is ServerFault.HANGS:
            script.hang()
            return
        refused = script.refusing(reply) if isinstance(reply, ServerFault) else None
        if refused is not None:
            message = "Only no echo is supported" if reply is ServerFault.REFUSES_ECHO else script.words
            said = {"error": {"message": message, "code": "scripted"}}
            self._send(refused[0], json.dumps(said).encode(), refused[1])
            return
        answer = script.answer(reply, body)
        headers = {"Content-Encoding": "gzip"} if reply is ServerFault.COMPRESSED else {}
        if body.get("stream") is True and not headers:
            answer, headers = in_pieces(answer), {"Content-Type": "text/event-stream"}
        self._send(200, answer, headers, is_cut=reply is ServerFault.CUT_OFF)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], *, is_cut: bool = False) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if is_cut else body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Write nothing: a test reads what was asked from the server itself."""
