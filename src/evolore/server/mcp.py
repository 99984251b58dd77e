"""MCP at ``/mcp``: a memory's tools over streamable HTTP, by the server's keys."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from anyio import Lock, create_task_group, sleep_forever
from anyio.to_thread import run_sync
from fastapi import Request

from evolore.errors import EvoloreError, MissingExtra
from evolore.integrations.tools import MemoryTools
from evolore.server.access import NAMESPACE_HEADER, PRINCIPAL_HEADER, Caller, caller_of, may_do, utf8
from evolore.server.keys import Scope
from evolore.server.problems import Refused

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import ASGIApp, Receive, Send
    from starlette.types import Scope as AsgiScope

    from evolore.memory import Memory

PATH = "/mcp"
_NEEDS = {
    "recall": (Scope.READ,),
    "answer": (Scope.READ,),
    "outline": (Scope.READ,),
    "history": (Scope.READ, Scope.REVIEW),
    "remember": (Scope.WRITE,),
    "correct": (Scope.WRITE,),
    "rate": (Scope.RATE,),
    "forget": (),
}
"""What a key must hold one of, as for the routes; an admin's may do everything."""
_CALLER: ContextVar[Caller] = ContextVar("caller")


class McpEndpoint:
    """Serves MCP to clients with a key, each in the namespace of its key or header; a model cannot choose another."""

    def __init__(self) -> None:
        self._app: ASGIApp | None = None
        self._tasks: TaskGroup | None = None
        self._opening = Lock()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve for the length of a block; the SDK is loaded by the first request, so that no start waits for it."""
        async with create_task_group() as tasks:
            self._tasks = tasks
            yield
            self._tasks = self._app = None
            tasks.cancel_scope.cancel()

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        request = Request(scope, receive)
        request.state.caller = await run_sync(_caller_of, request)
        async with self._opening:
            if self._app is None and self._tasks is not None:
                self._app = await self._tasks.start(_serve, await run_sync(_manager))
        if self._app is not None:
            await self._app(scope, receive, send)


def _manager() -> StreamableHTTPSessionManager:
    try:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - an extra, and a second to load

        from evolore.integrations.mcp import mcp_server  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise MissingExtra('MCP is not installed here. Type: pip install "evolore[server,mcp]"') from error
    server = mcp_server(_CallersTools(), middleware=_as_caller)
    lowlevel = server._lowlevel_server  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it gives no manager without an app of its own
    return StreamableHTTPSessionManager(lowlevel, json_response=True, stateless=True)


async def _serve(manager: StreamableHTTPSessionManager, *, task_status: TaskStatus[ASGIApp]) -> None:
    async with manager.run():
        task_status.started(manager.asgi_app)
        await sleep_forever()


class _CallersTools(MemoryTools):
    """Tools over the caller's memory."""

    def __init__(self) -> None:
        super().__init__(None)

    @property
    def memory(self) -> Memory:
        return _CALLER.get().memory

    @property
    def principal(self) -> str | None:
        return _CALLER.get().principal


def _caller_of(request: Request) -> Caller:
    headers = request.headers
    return caller_of(
        request, *Scope, namespace=utf8(headers.get(NAMESPACE_HEADER)), principal=utf8(headers.get(PRINCIPAL_HEADER))
    )


async def _as_caller(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Run a call with the rights of its key, in its namespace."""
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - an extra
    from mcp.types import INVALID_REQUEST  # noqa: PLC0415 - likewise

    request = cast("Request", ctx.request)
    caller: Caller = request.state.caller
    if ctx.method in {"tools/call", "resources/read"}:
        name = str((ctx.params or {}).get("name")) if ctx.method == "tools/call" else "recall"
        try:
            await run_sync(lambda: may_do(request, caller, *_NEEDS.get(name, ())))
        except (Refused, EvoloreError) as error:
            raise MCPError(INVALID_REQUEST, str(error)) from error
    token = _CALLER.set(caller)
    try:
        return await call_next(ctx)
    finally:
        _CALLER.reset(token)
