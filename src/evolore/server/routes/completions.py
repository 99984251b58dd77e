"""Chat calls of OpenAI-compatible clients: passed on to the server that the settings name, with a memory."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from time import monotonic
from typing import Annotated, Any, cast

import httpx2
from anyio import CancelScope
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse

from evolore.config import server_key
from evolore.domain.checks import check_name
from evolore.domain.model_server import ProxySettings
from evolore.errors import InvalidValue
from evolore.integrations.chat_turns import ChatPlace, ChatTurn, Json, with_system
from evolore.models.openai_messages import without_key
from evolore.server.access import Caller, Reader, may_do, utf8
from evolore.server.described import refuses
from evolore.server.keys import Scope
from evolore.server.problems import Refused

router = APIRouter(prefix="/v1", tags=["chat"])
SESSION_HEADER = "Evolore-Session"
MOST_REPLY_BYTES = 32 * 1024 * 1024
_MOST_ERROR_BYTES = 100_000
_MOST_HEARD_BYTES = 1_000_000
"""A longer reply is passed on, and not remembered."""
_CONNECT_SECONDS = 10.0
_TIMES_AS_LONG = 10
_PASSED = frozenset(["content-type", "content-encoding", "content-length", "x-should-retry", "x-request-id"])
_PASSED_FAMILIES = ("retry-after", "x-ratelimit-", "openai-")
_REPLY: dict[str, Any] = {
    "description": "What the server that is behind answers: its status and its body.",
    "content": {"application/json": {"schema": {"type": "object", "additionalProperties": True}}},
}
_RESPONSES = {200: _REPLY, "default": _REPLY, **refuses(501, 502, 504)}


class Upstream:
    """The server that calls are passed on to."""

    def __init__(self, server: ProxySettings) -> None:
        self.server = server
        self._key = server_key(server, table="proxy") if server.base_url else None
        self._http: httpx2.AsyncClient | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Close its connections at the end of a block."""
        yield
        if self._http is not None:
            await self._http.aclose()

    async def answer(self, method: str, path: str, body: bytes = b"", turn: ChatTurn | None = None) -> Response:
        """Return what it answers: a stream part by part, an error without its key."""
        if not self.server.base_url:
            told = "This server passes no chat calls on: name an OpenAI-compatible one in the setting proxy.base_url."
            raise Refused(HTTPStatus.NOT_IMPLEMENTED, told)
        if self._http is None:
            waits = httpx2.Timeout(self.server.timeout_seconds, connect=_CONNECT_SECONDS)
            self._http = httpx2.AsyncClient(timeout=waits, follow_redirects=False)
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {self._key}"} if self._key else {}
        url = self.server.base_url.rstrip("/") + path
        try:
            asked = self._http.build_request(method, url, content=body or None, headers=headers)
            reply = await self._http.send(asked, stream=True)
            if reply.status_code >= HTTPStatus.BAD_REQUEST:
                return await self._failed(reply)
        except httpx2.TimeoutException:
            told = f"The server behind did not answer within {self.server.timeout_seconds:g} seconds: try again."
            raise Refused(HTTPStatus.GATEWAY_TIMEOUT, told) from None
        except httpx2.HTTPError as error:  # without its words, which may name the address
            told = f"The server behind cannot be reached ({type(error).__name__}): check proxy.base_url."
            raise Refused(HTTPStatus.BAD_GATEWAY, told) from None
        return StreamingResponse(self._parts(reply, turn), reply.status_code, _headers(reply))

    async def _failed(self, reply: httpx2.Response) -> Response:
        body = bytearray()
        async for part in reply.aiter_bytes():
            body += part
            if len(body) > _MOST_ERROR_BYTES:
                break
        await reply.aclose()
        headers = {name: text for name, text in _headers(reply).items() if not name.startswith("content-")}
        told = without_key(body.decode("latin-1"), self._key).encode("latin-1")
        return Response(told, reply.status_code, headers, reply.headers.get("content-type"))

    async def _parts(self, reply: httpx2.Response, turn: ChatTurn | None) -> AsyncGenerator[bytes]:
        read, until, heard, is_cut = 0, monotonic() + self.server.timeout_seconds * _TIMES_AS_LONG, bytearray(), False
        try:
            async for part in reply.aiter_raw():
                read += len(part)
                if read > MOST_REPLY_BYTES or monotonic() > until:
                    raise httpx2.ReadError("The reply is too long.")
                heard += part if self.server.replies and read <= _MOST_HEARD_BYTES else b""
                yield part
        except httpx2.HTTPError:  # what is sent cannot be taken back: the connection ends, as that of the server behind
            is_cut = True
            raise
        finally:
            with CancelScope(shield=True):
                await reply.aclose()
                if turn is not None and not is_cut:
                    await run_sync(_end, turn, bytes(heard) if read <= _MOST_HEARD_BYTES else b"")


def _headers(reply: httpx2.Response) -> dict[str, str]:
    shown = ((name.lower(), text) for name, text in reply.headers.items())
    return {name: text for name, text in shown if name in _PASSED or name.startswith(_PASSED_FAMILIES)}


def _end(turn: ChatTurn, heard: bytes) -> None:
    """Remember a turn, and what was sent: one object, or events with one each."""
    for line in [heard] if heard.lstrip().startswith(b"{") else heard.splitlines():
        data = line.removeprefix(b"data:").strip()
        if data.startswith(b"{"):
            turn.hear(data)
    turn.remember()


def _asked(request: Request, caller: Caller, server: ProxySettings, raw: bytes) -> tuple[bytes, ChatTurn | None]:
    """Return what is sent on, and the turn; what is no chat goes as it is."""
    try:
        body: dict[str, Any] = json.loads(raw)
        messages = cast("list[object]", body["messages"])
        named = body.get("user")
        assert isinstance(messages, list)
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError, AssertionError):
        if server.model:  # it may name another
            raise InvalidValue("The body is no chat call: send a JSON object with messages.") from None
        return raw, None
    place = ChatPlace(
        memory=caller.memory,
        user=_user(named, caller.principal),
        session=utf8(request.headers.get(SESSION_HEADER)),
        also=tuple(one for one in server.also if caller.covers([one])),
        replies=server.replies,
    )
    turn = ChatTurn(place, messages)
    told = turn.told()
    body |= {"messages": with_system(messages, told)} if told else {}
    body |= {"model": server.model} if server.model else {}
    return json.dumps(body).encode() if told or server.model else raw, turn


def _user(*names: Json) -> str:
    """Return the first of these that is fit for a name."""
    for name in names:
        with suppress(InvalidValue):
            check_name(name or "", "user")
            return name
    return "user"


def _chatter(request: Request, caller: Reader) -> Caller:
    may_do(request, caller, Scope.WRITE)
    return caller


@router.post("/chat/completions", summary="Pass a chat call on, with what is remembered", responses=_RESPONSES)
async def complete(request: Request, caller: Annotated[Caller, Depends(_chatter)]) -> Response:
    """Return what the server behind answers, also as a stream; the user's turn is remembered after it.

    What bears on the user's last message is put before the model as one more system message. The user is the field
    ``user``, else the principal of the request; a field that is no fit name counts as none.
    """
    upstream: Upstream = request.app.state.upstream
    body, turn = await run_sync(_asked, request, caller, upstream.server, await request.body())
    return await upstream.answer("POST", "/chat/completions", body, turn)


@router.get("/models", summary="List the models of the server that is behind", responses=_RESPONSES)
async def models(request: Request, caller: Reader) -> Response:
    """Return its list, as it is."""
    del caller
    return await cast("Upstream", request.app.state.upstream).answer("GET", "/models")
