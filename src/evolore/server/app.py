"""The application: routes, pages and background work around one store."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from threading import Lock
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evolore.server.described import complete, operation_id, refuses
from evolore.server.house import RATE, House
from evolore.server.mcp import PATH as MCP_PATH
from evolore.server.mcp import McpEndpoint
from evolore.server.memories import Memories
from evolore.server.observation import LogForm, Metrics, Observed, request_log
from evolore.server.pages import router as pages
from evolore.server.plain_routes import plain_routes
from evolore.server.problems import answer_with_problems, problem
from evolore.server.reach import Reach
from evolore.server.routes import (
    answers,
    completions,
    documents,
    evolution,
    health,
    jobs,
    keys,
    notifications,
    recall,
    review,
    schedules,
    statements,
)

MOST_BODY_BYTES = 32 * 1024 * 1024
"""The longest body of a request."""

_TOO_LONG = f"The body is longer than {MOST_BODY_BYTES:,} bytes: send it in parts."

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # by no-referrer browsers send forms with `Origin: null`, as other sites' are
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"cache-control", b"no-store"),
)


def create_app(
    memories: Memories,
    *,
    default_namespace: str = "default",
    rate: str = RATE,
    address: str = "",
    reach: Reach | None = None,
    log: LogForm = LogForm.OFF,
) -> FastAPI:
    """Make the application.

    Args:
        memories: What it serves; closed when it stops.
        default_namespace: Where a request is that names none.
        rate: How often a key may ask.
        address: Of the server, as people reach it, for links in messages; empty for none.
        reach: What clients may have it reach.
        log: In which form requests are logged.
    """
    house = House(memories, default_namespace=default_namespace, rate=rate, address=address, reach=reach)
    metrics = Metrics(house)
    mcp, upstream = McpEndpoint(), completions.Upstream(memories.proxy)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        house.start()
        async with mcp.running(), upstream.running():
            yield
        house.stop()
        memories.close()

    app = FastAPI(
        title="Evolore",
        version=version("evolore"),
        summary="A long-term memory and knowledge base for LLM applications.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,  # it would lead to whatever host the request names
    )
    app.state.house = house
    app.state.metrics, app.state.upstream = metrics, upstream
    answer_with_problems(app)
    app.add_middleware(Bounded)
    app.add_middleware(Observed, metrics=metrics, log=request_log(log))
    app.router.routes.extend(_routes())
    app.router.routes.append(Route(MCP_PATH, endpoint=mcp))
    written, lock = app.openapi, Lock()

    def described() -> dict[str, Any]:
        with lock:  # whoever asks meanwhile would see it half written
            return app.openapi_schema or complete(written())

    app.openapi = described
    return app


_PROBLEMS = refuses(400, 401, 403, 404, 409, 413, 422, 429, 501, 503)


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return what every application answers: each route is read once a process, which takes a quarter of a second."""
    api = APIRouter(prefix="/api", responses=_PROBLEMS, generate_unique_id_function=operation_id)
    api.include_router(plain_routes())
    often, seldom = (recall, answers, statements, documents, review), (evolution, keys, jobs, schedules, notifications)
    for part in (*often, *seldom):  # they are tried in this order: what is asked most comes first
        api.include_router(part.router)
    api.include_router(evolution.everything)
    api.include_router(keys.entered)
    whole = APIRouter(generate_unique_id_function=operation_id)
    for one in (api, health.router, pages):
        whole.include_router(one)
    whole.include_router(completions.router, responses=_PROBLEMS)
    return tuple(whole.routes)


class Bounded:
    """Refuses bodies that are too long, and sends with every response the headers that keep browsers careful."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if length.isdigit() and int(length) > MOST_BODY_BYTES:
            await _too_long()(scope, receive, _guarded(send))
            return
        read = 0

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MOST_BODY_BYTES:
                raise _TooLong(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _TOO_LONG)
            return message

        try:
            await self._app(scope, bounded, _guarded(send))
        except _TooLong:
            await _too_long()(scope, receive, _guarded(send))


class _TooLong(HTTPException):
    """One of those that FastAPI lets pass while it reads a body."""


def _too_long() -> ASGIApp:
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _TOO_LONG)


def _guarded(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(one for one in _HEADERS if one[0] not in there)]
        await send(message)

    return guarded
